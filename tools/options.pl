#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# options.pl BIN WHAT [PAGE...]: what is made from the tables of options, as the programs
# in the folder BIN print them (--help-table):
#   md           docs/reference/options.md
#   bash COMMAND, zsh COMMAND, fish COMMAND   completion of a command for a shell
#   man PAGE...  brings the options of man pages up to date, where they have lines
#                  .\" options: COMMAND VERB [- COMMAND VERB]
#                (all, or those that the second does not have) and .\" end of options.
#                What stands below the first line of an option's text is kept.
# With --check before WHAT md or man: exit status 1 if a file is not up to date.
use strict;
use warnings;

my $check = @ARGV && $ARGV[0] eq '--check' && shift;
my ($bin, $what, @args) = @ARGV;
die "usage: options.pl [--check] BIN md|bash|zsh|fish|man [PAGE...|COMMAND]\n" if !defined $what;

my @programs = qw(memscope memref pagealloc dprof memprof memscope-fleet memscope-caps memscope-collect pagetest pagealloc-programs);
my (@commands, %usage, %verbs);	# in their order; by command

# What can be called takes its place in @commands; verbs that have verbs, too.
sub read_table {
	my (@command) = @_;
	my $name = "@command";
	open my $in, '-|', "$bin/$command[0]", @command[1 .. $#command], '--help-table' or die "$name: $!\n";
	my @rows = map { chomp; [ split /\t/, $_, -1 ] } <$in>;
	close $in or die "$name --help-table: status $?\n";
	die "$name: no table\n" if !@rows;
	if ($rows[0][0] eq 'verbs') {
		# A verb that is a program of its own has its tables there.
		$verbs{$name} = [ map { [ @$_[1, 2], $_->[0] eq 'program' ] } @rows[1 .. $#rows] ];
		read_table(@command, $_->[0]) for grep { !$_->[2] } @{$verbs{$name}};
		return;
	}
	my %u = (operands => $rows[0][2], command => $rows[0][3], words => [], options => [], old => []);
	for (@rows[1 .. $#rows]) {
		my ($kind, @columns) = @$_;
		if ($kind eq 'words') {
			$u{words_of} = $columns[0];
		} elsif ($kind eq 'word') {
			push @{$u{words}}, [ @columns ];
		} else {
			my %o = (kind => $kind);
			@o{qw(letter name arg help)} = @columns;
			push @{$u{$kind eq 'option' ? 'options' : 'old'}}, \%o;
		}
	}
	push @{$u{options}}, { kind => 'option', letter => 'h', name => 'help', arg => '', help => 'print this help' };
	push @{$u{options}}, { kind => 'option', letter => '', name => 'version', arg => '', help => 'print the version' }
		if @command == 1;
	$usage{$name} = \%u;
	push @commands, $name;
}

# Words that an argument may be; none: anything.
sub choices {
	my ($u, $o) = @_;
	return map { $_->[0] } @{$u->{words}} if ($u->{words_of} // '') eq $o->{name};
	return $o->{arg} =~ /^[\w-]+(\|[\w-]+)+$/ ? split /\|/, $o->{arg} : ();
}

sub is_file { return $_[0] =~ /FILE|PICTURE|PAGE|OUTPUT|DIR|RAW|STORE|SUITE/ }

# --- docs/reference/options.md --------------------------------------------------

sub md_text { return $_[0] =~ s/([|*<>])/\\$1/gr }

sub md {
	my (%letters, $text);
	for my $command (@commands) {
		for (@{$usage{$command}{options}}) {
			$letters{$_->{letter}}{$_->{name}} = 1 if $_->{letter} ne '';
		}
	}
	$text = "# All options of all tools\n\n" .
		"Made from the tables of the programs by `tools/options.pl`; do not edit.\n\n" .
		"A letter means the same in every tool:\n\n| letter | option |\n|---|---|\n";
	$text .= "| `-$_` | " . join(', ', map { "`--$_`" } sort keys %{$letters{$_}}) . " |\n"
		for sort { lc $a cmp lc $b || $b cmp $a } keys %letters;
	# Headings have no other characters than these.
	$text .= "\n" . join('', map { "- [$_](#" . (lc =~ tr/ /-/r) . ")\n" } @commands, 'Options of earlier releases');
	for my $command (@commands) {
		my $u = $usage{$command};
		$text .= "\n## $command\n\n`$command" . ($u->{operands} ne '' ? " $u->{operands}" : '') . "`\n\n" .
			 "| option | |\n|---|---|\n";
		for (@{$u->{options}}) {
			my $head = ($_->{letter} ne '' ? "-$_->{letter}, " : '') . "--$_->{name}" .
				   ($_->{arg} =~ /^\[|^$/ ? '' : ' ') . $_->{arg};
			$text .= "| `" . ($head =~ s/\|/\\|/gr) . "` | " . md_text($_->{help}) . " |\n";
		}
	}
	$text .= "\n## Options of earlier releases\n\nThese end with status 2 and name the new option: their letter has,\n" .
		 "or may get, another meaning.\n\n| command | was | is |\n|---|---|---|\n";
	my $goes = "\nThese still work in this release, with a warning:\n\n| command | was | is |\n|---|---|---|\n";
	for my $command (@commands) {
		for (@{$usage{$command}{old}}) {
			my $was = join ', ', map { "`$_`" } $_->{letter} ne '' ? "-$_->{letter}" : (),
				  $_->{name} ne '' ? "--$_->{name}" : ();
			my $row = "| $command | $was | `" . ($_->{kind} eq 'renamed' ? '--' : '') . "$_->{help}` |\n";
			$_->{kind} eq 'changed' ? $text .= $row : ($goes .= $row);
		}
	}
	return "$text$goes";
}

# --- completion -----------------------------------------------------------------

sub quoted { return "'" . ($_[0] =~ s/'/'\\''/gr) . "'" }

# The first operand, the others, and arguments: words, commands or files.
sub bash {
	my ($program) = @_;
	my $name = $program =~ tr/-/_/r;
	my $text = "# SPDX-License-Identifier: GPL-2.0-only\n# Completion of $program for bash; made by tools/options.pl.\n" .
		   "_$name() {\n\tlocal cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} i\n" .
		   "\tlocal command=$program verb=1 operands=0 options='' takes='' words=''\n\tCOMPREPLY=()\n" .
		   # The shell splits --name=value.
		   "\tif [ \"\$cur\" = = ]; then\n\t\tcur=''\n" .
		   "\telif [ \"\$prev\" = = ]; then\n\t\tprev=\${COMP_WORDS[COMP_CWORD - 2]}\n\tfi\n";
	my $end = "\t\tCOMPREPLY=(\$(compgen -W \"\$words\" -- \"\$cur\"))\n\t\treturn\n";
	for my $with_verbs (grep { /^\Q$program\E( |$)/ } sort { length $a <=> length $b } keys %verbs) {
		my $depth = () = $with_verbs =~ / /g;
		my $at = $depth + 1;
		my $condition = join ' && ', "[ \$COMP_CWORD -" . "eq $at ]", map { "[ \"\${COMP_WORDS[$_]}\" = " .
				(split / /, $with_verbs)[$_] . " ]" } 1 .. $depth;
		$text .= "\tif $condition; then\n\t\twords=" .
			 quoted(join ' ', (map { $_->[0] } @{$verbs{$with_verbs}}), '--help', $depth ? () : '--version') .
			 "\n$end\tfi\n";
	}
	$text .= "\tfor ((i = 1; i < COMP_CWORD && i < 3; i++)); do\n\t\tcase \"\$command \${COMP_WORDS[i]}\" in\n";
	$text .= "\t\t" . join(' | ', map { quoted($_) } grep { / / } (map { my $v = $_; map { "$v $_->[0]" } @{$verbs{$v}} }
		 grep { /^\Q$program\E( |$)/ } sort keys %verbs), '-') . ") command+=\" \${COMP_WORDS[i]}\" verb=\$((i + 1)) ;;\n" if $verbs{$program};
	$text .= "\t\t*) break ;;\n\t\tesac\n\tdone\n\tcase \"\$command \$prev\" in\n";
	for my $command (grep { /^\Q$program\E( |$)/ } @commands) {
		my $u = $usage{$command};
		for my $o (grep { $_->{arg} ne '' && $_->{arg} !~ /^\[/ } @{$u->{options}}) {
			my $pattern = join ' | ', map { quoted("$command $_") } "--$o->{name}", $o->{letter} ne '' ? "-$o->{letter}" : ();
			my @choices = choices($u, $o);
			my $reply = @choices ? '$(compgen -W ' . quoted("@choices") . ' -- "$cur")' :
				    is_file($o->{arg}) ? '$(compgen -f -- "$cur")' : '';
			$text .= "\t$pattern)\n\t\tCOMPREPLY=($reply)\n\t\treturn\n\t\t;;\n";
		}
	}
	$text .= "\tesac\n\tcase \$command in\n";
	for my $command (grep { /^\Q$program\E( |$)/ } @commands) {
		my $u = $usage{$command};
		$text .= "\t" . quoted($command) . ")\n\t\toptions=" . quoted(join ' ', map { ($_->{letter} ne '' ? "-$_->{letter}" : (),
			 "--$_->{name}") } @{$u->{options}}) . "\n";
		$text .= "\t\ttakes=" . quoted(join ' ', map { ($_->{letter} ne '' ? "-$_->{letter}" : (), "--$_->{name}") }
			 grep { $_->{arg} ne '' && $_->{arg} !~ /^\[/ } @{$u->{options}}) . "\n";
		$text .= "\t\twords=" . quoted(join ' ', map { $_->[0] } @{$u->{words}}) . "\n" if @{$u->{words}} && !$u->{words_of};
		$text .= "\t\t;;\n";
	}
	return $text . <<"END";
	esac
	for ((i = verb; i < COMP_CWORD; i++)); do
		if [[ " \$takes " == *" \${COMP_WORDS[i]} "* ]]; then
			[ "\${COMP_WORDS[i + 1]}" = = ] && ((i += 1))
			((i += 1))
		elif [ "\${COMP_WORDS[i]}" = = ]; then
			((i += 1))
		elif [[ \${COMP_WORDS[i]} != -* ]]; then
			((operands += 1))
		fi
	done
	if [[ \$cur == -* ]]; then
		COMPREPLY=(\$(compgen -W "\$options" -- "\$cur"))
	elif [ -n "\$words" ] && [ "\$operands" -eq 0 ]; then
		COMPREPLY=(\$(compgen -W "\$words" -- "\$cur"))
	elif [[ " \${COMP_WORDS[*]:0:COMP_CWORD} " == *" -- "* && \$prev == -- ]]; then
		COMPREPLY=(\$(compgen -c -- "\$cur"))
	else
		COMPREPLY=(\$(compgen -f -- "\$cur"))
	fi
}
complete -o filenames -F _$name $program
END
}

sub zsh_text { return $_[0] =~ s/([\[\]:\\])/\\$1/gr }

sub zsh_action {
	my ($u, $o) = @_;
	my @choices = choices($u, $o);
	return @choices ? "(@choices)" : is_file($o->{arg}) ? '_files' : ' ';
}

sub zsh {
	my ($program) = @_;
	my $text = "#compdef $program\n# SPDX-License-Identifier: GPL-2.0-only\n# Completion of $program for zsh; made by tools/options.pl.\n\n";
	my $name = $program =~ tr/-/_/r;
	for my $command (grep { /^\Q$program\E( |$)/ } @commands) {
		my $u = $usage{$command};
		$text .= "_" . ($command =~ tr/ -/__/r) . "_options() {\n\t_arguments -s \\\n";
		for my $o (@{$u->{options}}) {
			my $takes = $o->{arg} =~ /^\[|^$/ ? '' : ':' . zsh_text($o->{arg}) . ':' . zsh_action($u, $o);
			my $help = '[' . zsh_text($o->{help}) . ']';
			$text .= "\t\t" . quoted("*-$o->{letter}$help$takes") . " \\\n" if $o->{letter} ne '';
			$text .= "\t\t" . quoted("*--$o->{name}" . ($takes ne '' ? '=' : '') . "$help$takes") . " \\\n";
		}
		$text .= "\t\t" . quoted('1:word:(' . join(' ', map { $_->[0] } @{$u->{words}}) . ')') . " \\\n"
			if @{$u->{words}} && !$u->{words_of};
		$text .= "\t\t" . quoted($u->{command} ? '*::command:_normal' : '*:file:_files') . "\n}\n\n";
	}
	for my $with_verbs (grep { /^\Q$program\E( |$)/ } sort { length $b <=> length $a } keys %verbs) {
		$text .= "_" . ($with_verbs =~ tr/ -/__/r) . "_options() {\n\tlocal -a verbs=(\n" .
			 join('', map { "\t\t" . quoted(zsh_text($_->[0]) . ':' . zsh_text($_->[1])) . "\n" } @{$verbs{$with_verbs}}) .
			 "\t)\n\tif ((CURRENT == 2)); then\n\t\t_describe verb verbs\n\t\treturn\n\tfi\n\tshift words\n\t((CURRENT--))\n" .
			 "\tcase \$words[1] in\n" .
			 join('', map { "\t$_->[0]) _" . ("$with_verbs $_->[0]" =~ tr/ -/__/r) . "_options ;;\n" } grep { !$_->[2] } @{$verbs{$with_verbs}}) .
			 "\tesac\n}\n\n";
	}
	return $text . "_${name}_options \"\$@\"\n";
}

sub fish {
	my ($program) = @_;
	my $text = "# SPDX-License-Identifier: GPL-2.0-only\n# Completion of $program for fish; made by tools/options.pl.\n";
	for my $with_verbs (grep { /^\Q$program\E( |$)/ } sort keys %verbs) {
		my $verb = (split / /, $with_verbs)[1];
		my $when = defined $verb ? "__fish_seen_subcommand_from $verb; and not __fish_seen_subcommand_from " .
			   join ' ', map { $_->[0] } @{$verbs{$with_verbs}} : '__fish_use_subcommand';
		$text .= "complete -c $program -f -n " . quoted($when) . " -a $_->[0] -d " . quoted($_->[1]) . "\n"
			for @{$verbs{$with_verbs}};
	}
	for my $command (grep { /^\Q$program\E( |$)/ } @commands) {
		my ($u, @way) = ($usage{$command}, split / /, $command);
		shift @way;
		my $when = join '; and ', map { "__fish_seen_subcommand_from $_" } @way;
		# pagealloc has run and report of its own, and of bench.
		$when .= '; and not __fish_seen_subcommand_from bench' if @way == 1 && $verbs{"$program bench"};
		my $if = $when ? ' -n ' . quoted($when) : '';
		$text .= "complete -c $program$if -f -a $_->[0] -d " . quoted($_->[1]) . "\n" for $u->{words_of} ? () : @{$u->{words}};
		for my $o (@{$u->{options}}) {
			my @choices = choices($u, $o);
			my $takes = $o->{arg} =~ /^\[|^$/ ? '' : @choices ? ' -x -a ' . quoted("@choices") : is_file($o->{arg}) ? ' -r' : ' -x';
			$text .= "complete -c $program$if" . ($o->{letter} ne '' ? " -s $o->{letter}" : '') . " -l $o->{name}$takes -d " .
				 quoted($o->{help}) . "\n";
		}
	}
	return $text;
}

# --- man pages ------------------------------------------------------------------

sub roff { return $_[0] =~ s/\\/\\e/gr =~ s/-/\\-/gr =~ s/^([.'])/\\&$1/r }

sub man_tag {
	my ($o) = @_;
	my @words = ($o->{letter} ne '' ? ('\-' . $o->{letter}, '", "') : (), '\-\-' . roff($o->{name}));
	return ".B $words[0]" if @words == 1 && $o->{arg} eq '';
	return ".BR @words" if $o->{arg} eq '';
	my $blank = $o->{arg} =~ /^\[/ ? '' : ' ';
	return ".BR @words \"$blank\\fI" . roff($o->{arg}) . '\fR"';
}

# A sentence, unless it begins with a word that is to be typed.
sub man_text {
	my ($help) = @_;
	$help = ucfirst $help if $help =~ /^[a-z]+[ ;.]/ && $help !~ /^[a-z]+ \(/;
	return roff($help) . ($help =~ /\.$/ ? '' : '.');
}

sub same { return join "\t", @{$_[0]}{qw(name arg help)} }

sub man_options {
	my ($commands, $old) = @_;
	my ($command, $without) = split / - /, $commands;
	my $u = $usage{$command} // die "$command: no such command\n";
	# Of the same name, but not of another help: they are shown again.
	my %has = $without ? map { same($_) => 1 } @{($usage{$without} // die "$without: no such command\n")->{options}} : ();
	my (%more, $text);
	for (split /^(?=\.\\" option )/m, $old) {
		my ($name, $rest) = /^\.\\" option (\S+)\n\.TP\n[^\n]*\n[^\n]*\n(.*)/s or next;
		$more{$name} = $rest;
	}
	for my $o (grep { !$has{same($_)} } @{$u->{options}}) {
		$text .= ".\\\" option $o->{name}\n.TP\n" . man_tag($o) . "\n" . man_text($o->{help}) . "\n" . (delete $more{$o->{name}} // '');
	}
	warn "$command: no longer has --$_, about which there was:\n$more{$_}" for grep { $more{$_} ne '' } sort keys %more;
	return $text // '';
}

sub man {
	my ($page) = @_;
	return $page =~ s{^(\.\\" options: ([^\n]*)\n)(.*?)^(\.\\" end of options\n)}{$1 . man_options($2, $3) . $4}gmser;
}

# --------------------------------------------------------------------------------

sub slurp {
	open my $f, '<', $_[0] or die "$_[0]: $!\n";
	local $/;
	return <$f>;
}

my $stale = 0;

sub bring_up_to_date {
	my ($path, $text) = @_;
	return if -e $path && slurp($path) eq $text;
	if ($check) {
		warn "$path: not up to date, run tools/options.pl\n";
		$stale = 1;
		return;
	}
	open my $f, '>', $path or die "$path: $!\n";
	print $f $text;
	close $f or die "$path: $!\n";
}

my %shells = (bash => \&bash, zsh => \&zsh, fish => \&fish);
if ($shells{$what}) {
	# Verbs of no other program are asked for.
	read_table($args[0]);
	print $shells{$what}->($args[0]);
} elsif ($what eq 'md') {
	read_table($_) for @programs;
	bring_up_to_date($args[0] // die("options.pl: md FILE\n"), md());
} elsif ($what eq 'table') {
	read_table($_) for @programs;
	for my $command (@commands) {
		print join("\t", $command, @$_{qw(kind letter name arg help)}), "\n"
			for @{$usage{$command}{options}}, @{$usage{$command}{old}};
	}
} elsif ($what eq 'man') {
	read_table($_) for @programs;
	bring_up_to_date($_, man(slurp($_))) for @args;
} else {
	die "options.pl: $what: not md, table, bash, zsh, fish or man\n";
}
exit $stale;
