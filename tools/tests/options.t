#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# The options of all verbs, as their tables have them: one meaning each, what is made of
# the tables is up to date, and what is wrong is said on one line.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use Tool;

my $bin = "$build/bin";
my (%options, %letters, %names, @commands);	# by command, letter and name

for (split /\n/, (run("$tools/options.pl $bin table"))[1]) {
	my %o;
	@o{qw(command kind letter name arg help)} = split /\t/, $_, -1;
	push @commands, $o{command} if !$options{$o{command}};
	push @{$options{$o{command}}}, \%o;
	next if $o{kind} ne 'option';
	$letters{$o{letter}}{$o{name}}{$o{command}} = 1 if $o{letter} ne '';
	push @{$names{$o{name}}}, \%o;
}
cmp_ok(scalar @commands, '>', 30, 'verbs have tables');

# --- one meaning ------------------------------------------------------------------

for my $letter (sort keys %letters) {
	my @meanings = sort keys %{$letters{$letter}};
	is("@meanings", $meanings[0], "-$letter is --$meanings[0] in all tools");
}
# Those of the design; others have no letter that these have.
my %fixed = (o => 'output', f => 'format', p => 'pid', G => 'cgroup', a => 'all-cpus', i => 'interval', c => 'count',
	     F => 'frequency', s => 'source', g => 'call-graph', n => 'top', h => 'help');
is_deeply([ map { sort keys %{$letters{$_} // {}} } sort keys %fixed ], [ map { $fixed{$_} } sort keys %fixed ],
	  'the letters that have a meaning');
for my $name (sort keys %names) {
	my @uses = @{$names{$name}};
	my %takes = map { ($_->{arg} =~ /^$|^\[/ ? 'none' : 'one') => 1 } @uses;
	is(join(' ', keys %takes), join(' ', (keys %takes)[0]), "--$name takes an argument everywhere or nowhere");
	my %letter;
	for my $o (@uses) {
		# Where the letter was another option until this release, it is refused.
		next if $o->{letter} eq '' && grep { $_->{kind} eq 'changed' && ($fixed{$_->{letter}} // '') eq $name }
			@{$options{$o->{command}}};
		push @{$letter{$o->{letter}}}, $o->{command};
	}
	is(scalar keys %letter, 1, "--$name has its letter everywhere") or diag explain \%letter;
}

# Options whose argument or text differs between verbs, and why; of the others, both are one.
my %differs = (
	ages => 'what shows them', boot => 'that is run, or counted',
	by => 'of idle ages, or of accesses', 'call-graph' => 'which events have chains', cgroup => 'samples, ages or processes',
	count => 'whether 0 is the default of the source', encoding => 'what an event is of', exact => 'a report, or a comparison',
	format => 'those that the verb has', from => 'accesses, or intervals, which are longer', interval => 'of memref, or of counters',
	intervals => 'without end, or one', iterations => 'of pages, or of a kernel', output => 'what is written',
	pid => 'whose data, and whether forked processes count', size => 'of what', source => 'whether there is a default',
	strategy => 'of a suite, or with its arguments', tid => 'one thread, or several', title => 'the default', to => 'formats', top => 'rows of what',
	until => 'accesses, or intervals', view => 'of which tool',
);
for my $name (sort keys %names) {
	# Views that it is for are in front.
	my %texts = map { ("$_->{arg}: " . $_->{help} =~ s/^(?:all but )?[\w-]+(?:, [\w-]+)*: //r) => 1 } @{$names{$name}};
	if (exists $differs{$name}) {
		cmp_ok(scalar keys %texts, '>', 1, "--$name differs between verbs, as is stated here");
	} else {
		is(scalar keys %texts, 1, "--$name has one argument and one text everywhere") or diag explain \%texts;
	}
}
# A list, in all tools, which says whether children count.
for my $o (@{$names{pid}}) {
	is($o->{arg}, 'LIST', "$o->{command} --pid takes a list");
	like($o->{help}, qr/\bfork.*; may be repeated$/, '... and says whether forked processes count');
}

# --- each verb --------------------------------------------------------------------

sub one_line {
	my ($err, $what) = @_;
	is($err =~ tr/\n//, 1, "$what: one line") or diag $err;
}

for my $command (@commands) {
	my $program = "$bin/$command";
	my ($status, $out, $err) = run("$program --help");
	is("$status $err", '0 ', "$command --help");
	like($out, qr/^usage: \Q$command\E\b/, 'says how');
	for (grep { $_->{kind} eq 'option' } @{$options{$command}}) {
		my $letter = $_->{letter} ne '' ? "-$_->{letter}, " : '    ';
		like($out, qr/^  \Q$letter\E--\Q$_->{name}\E\b/m, "$command --help has --$_->{name}");
	}
	unlike($out, qr/.{81}/, 'no line is wider than a screen');
	for my $wrong ('--no-such-option', '-Z', '--outptu x') {
		($status, $out, $err) = run("$program $wrong");
		is("$status$out", '2', "$command $wrong: status 2");
		one_line($err, $wrong);
		like($err, qr/; see \Q$command\E --help$/, 'and where to look');
	}
	for my $o (@{$options{$command}}) {
		my @was = ($o->{letter} ne '' ? "-$o->{letter}" : (), $o->{name} ne '' ? "--$o->{name}" : ());
		for my $was ($o->{kind} eq 'changed' ? @was : ()) {
			for my $form ($was, "$was 5", $was =~ /^--/ ? "$was=5" : ("${was}5", "$was=5")) {
				($status, $out, $err) = run("$program $form");
				is("$status$out", '2', "$command $form is refused");
				like($err, qr/^\S+: \Q$was\E: no longer has this meaning, use \Q$o->{help}\E;/, 'with the new name');
			}
		}
		for my $was ($o->{kind} eq 'renamed' ? @was : ()) {
			my ($new) = grep { $_->{kind} eq 'option' && $_->{name} eq $o->{help} } @{$options{$command}};
			ok($new, "$command $was: there is --$o->{help}") or next;
			if ($o->{help} eq 'version') {
				($status, $out, $err) = run("$program $was");
				is("$status$err", "0$command: $was: goes away with the next release, use --version\n", 'warns');
				like($out, qr/^\Q$command\E \(memscope\) /, 'and prints the version');
				next;
			}
			# What comes behind it is refused: nothing is done.
			(undef, $out, $err) = run("$program $was" . ($new->{arg} eq '' ? '' : $o->{help} eq 'group-size' ? ' 64K' :
				     $new->{arg} =~ /^([a-z0-9-]+)\|/ ? " $1" : ' 64') . ' --no-such-option');
			like($err, qr/^\S+: \Q$was\E: goes away with the next release, use --\Q$o->{help}\E\n.*no such option/,
			     'works, and warns') or diag $err;
		}
	}
}

# --- wrong values -----------------------------------------------------------------

# By the argument: any text, names, and what a file or the machine has.
my %any = map { $_ => 1 } 'NAME,...', qw(COMMAND DIR DIRECTORY FILE ID NAME NAME=COLUMN NAME|@FILE OUTPUT PAGE PICTURE RULES
	STORE TEXT TITLE TYPE URL VIEW);
my %any_option = map { $_ => 1 } ('strategies');
my %wrong = (TIME => [ '1e3', '-1', '5x' ], 'SIZE:WAYS' => [ '32K:+8', '32K: 8', '32K' ], LIST => [ '1,,x', '-1', '+0' ],
	     'START-END' => [ '5-3', 'x' ], 'CACHE=CYCLES' => [ 'L2=x', '=5' ], 'NAME[/N]' => [ 'f/9', '/1' ],
	     'NAME[:ARG]' => [ 'coloring:x' ], '[=N]' => [ 'x' ], GROUPS => [ 'x', '0;8' ]);
# What is looked at behind the operands.
my %operands = ('pagealloc run' => '-- true', 'pagealloc set' => $$, 'pagealloc bench report' => "$dir/none");
for my $command (@commands) {
	for my $o (grep { $_->{kind} eq 'option' && $_->{arg} ne '' } @{$options{$command}}) {
		next if $any{$o->{arg}} || $any_option{$o->{name}};
		for my $value (@{$wrong{$o->{arg}} // [ 'no-such', '-1' ]}) {
			my $program = "$bin/$command --$o->{name}='$value' " . ($operands{$command} // '');
			my ($status, $out, $err) = run($program);
			is("$status$out", '2', "$command --$o->{name}='$value': status 2");
			one_line($err, 'it');
			like($err, qr/^[\w-]+: --\Q$o->{name}\E[= ]\Q$value\E: .*; see \Q$command\E --help$/, 'names both, and where to look');
		}
	}
}
# Beyond what the kernel takes: refused without a kernel that has the feature, too.
for ('memref record --flush 9', 'memref record --cpu-max 200', 'memref record --workers 65', 'memref record --interval 5',
     'memref record --interval 1e9s', 'memref record --group-size 65', 'memref record --encoding btch', 'dprof record --objects 9',
     'dprof record --encoding btch', 'dprof record --source ibx', 'dprof record --length 3', 'dprof record --cpu 1-',
     'dprof record --sample-every 0', 'memprof record --source ibx') {
	my ($command, $option, $value) = /^(\w+ \w+) (\S+) (\S+)$/;
	my ($status, $out, $err) = run("$bin/$_ -- true");
	is("$status$out", '2', "$_: status 2");
	like($err, qr/^\w+: \Q$option $value\E: not .*; see \Q$command\E --help\n\z/, 'one line');
}
like((run("$bin/dprof record --pid " . join(',', 1 .. 65) . ' -- true'))[2], qr/^dprof: --pid: more than 64 processes, .*; see dprof record --help\n\z/,
     'dprof record --pid of 65');
# An option that would have no effect with the others, or without one.
for ([ 'memref watch --mmv --file-size 1G', '--file-size: only with -o DIRECTORY' ], [ 'memref watch --mmv --keep 1G', '--keep: only with -o DIRECTORY' ],
     [ 'memref top --batch --ages', '--ages: for the screen or --mmv, not for lines' ], [ 'memref top --once --intervals 5', '--once: not with --intervals' ],
     [ "pagealloc set $$ 0-1M --inherit fork", '0-1M: --inherit is for the whole process; a range needs --strategy' ],
     [ 'pagealloc stats --intervals 3', '--intervals: only with --interval' ], [ 'pagealloc doctor --size 1G', '--size: only with --strategy' ],
     [ "pagealloc bench run suite --dry-run -o $dir/none", '--dry-run: writes nothing, so not with -o' ],
     [ 'pagealloc bench plot ranking raw --benchmark x', '--benchmark: not for the view ranking' ],
     [ 'pagealloc bench plot ecdf raw --statistic execution', '--statistic: not for the view ecdf, only for ranking' ],
     [ 'pagealloc bench plot misses raw --min-diff 5', '--min-diff: not for the view misses, only for ranking' ],
     [ 'pagealloc bench plot ranking raw --misses L2_misses', '--misses: not for the view ranking, only for misses' ],
     [ 'pagealloc bench report raw --min-diff 5', '--min-diff: not for --view mean, only for ranking and summary' ],
     [ 'pagealloc bench report raw --view checks,execution --cost-ratio 5', '--cost-ratio: not for --view checks,execution, only for mean' ],
     [ 'pagealloc bench report raw --misses L2_misses --view summary', '--misses: not for --view summary, only for correlation' ],
     [ 'memscope-fleet report wss --clickhouse http://x --engine y', '--engine: not with --clickhouse' ],
     [ 'memscope-fleet import x --clickhouse http://x --engine y', '--engine: not with --clickhouse' ],
     [ 'memscope record --what objects,types -i 1s -- true', '--interval: only for refs, which --what leaves out' ],
     [ 'memscope record --what refs -c 5 -- true', '--count: not for refs, and --what has nothing else' ],
     [ 'memprof record -p 1 --ring 1M', '--ring: only with a command' ], [ 'memprof record -a --no-preload', '--no-preload: only with a command' ],
     [ 'memprof record -p 1 --depth 4', '--depth: only with a command, of which objects are recorded, or --allocator' ],
     [ 'memprof record --no-preload --ring 1M -- true', '--ring: not with --no-preload' ],
     [ 'memprof record -a -A libc.so --depth 9', '--depth 9: at most 8 with --allocator' ],
     [ 'memprof export --to openmetrics --wrapper f', '--wrapper: not for --to openmetrics, only for perf, pprof and perfetto' ],
     [ 'dprof record --first 1s -- true', '--first: only with --types auto or --history auto' ],
     [ 'dprof record --auto-types 3 --types filp -- true', '--auto-types: only with --types auto or --history auto' ],
     [ 'dprof record --auto-offsets 3 --types auto -- true', '--auto-offsets: only with --history auto' ],
     [ 'pagetest --how read --file f --op write', '--how read: not with --op write' ],
     [ 'pagetest --how anon --file f', '--file: only with --how file or read' ]) {
	my ($command, $says) = @$_;
	my ($status, $out, $err) = run("$bin/$command");
	is("$status$out", '2', "$command: status 2");
	like($err, qr/^[\w-]+: \Q$says\E; see [\w -]+ --help\n\z/, 'says why');
}
# What prints a message of its own forgets where to look.
my @alone = grep { !m{/(options|verbs)\.c$} } split /\n/, (run("grep -rl --include='*.c' 'complain(USAGE' $tools"))[1];
is("@alone", '', 'wrong usage is said by wrong_usage(), or options_wrong()');
# Of a word, what was meant.
like((run("$bin/dprof record --encoding btch"))[2], qr/not sample or batch \(did you mean batch\?\)/, 'the nearest word');

# --- what users mistype -----------------------------------------------------------

for ([ 'memscope dcotor', qr/did you mean doctor\?/ ], [ 'memref reprot', qr/no such verb \(did you mean report\?\)/ ], [ 'pagealloc bench polt', qr/did you mean plot\?/ ],
     [ 'pagealloc bench report raw --view rankin --min-diff 5', qr/did you mean ranking\?/ ],
     [ 'memref report sumary', qr/no such view \(did you mean summary\?\); see memref report --help/ ],
     [ 'dprof report clasify', qr/did you mean classify\?/ ], [ 'memprof report ojbects', qr/did you mean objects\?/ ],
     [ 'memref report summary --fromat csv', qr/did you mean --format\?/ ], [ 'memref xyzzy', qr/xyzzy: no such verb; see/ ],
     [ 'memref export --to dam', qr/did you mean damo\?/ ], [ 'memref report', qr/VIEW is missing/ ],
     [ 'pagealloc run', qr/ COMMAND is missing/ ], [ 'pagealloc bench report', qr/ RAW is missing/ ],
     [ 'memref report summary a b', qr/b: one argument too many/ ], [ 'memref diff a b -n=5', qr/-n=5: write --top=5 or -n 5/ ],
     [ 'memref report summary --forma csv', qr/no such option/ ], [ 'memref report summary --format', qr/needs an argument/ ],
     [ 'memref report summary --help=5', qr/takes no argument/ ], [ 'pagealloc-programs ftf', qr/did you mean fft\?/ ],
     [ 'memscope-collect --duraton 5', qr/--duraton: no such option \(did you mean --duration\?\)/ ],
     [ 'pagealloc stats -i 5', qr/in which unit/ ],
     [ 'dprof export --to perfeto', qr/ \(did you mean perfetto\?\)/ ], [ 'memprof export --to ppof', qr/ \(did you mean pprof\?\)/ ],
     [ 'memref report summary --format jsn', qr/not text, csv or json \(did you mean json\?\)/ ],
     [ 'memref report summary --format xyz', qr/not text, csv or json; see/ ],
     [ 'dprof record -p 1234', qr/-p: .* use -c, --count \(or --pid\)/ ],
     [ 'memprof record -p 1 -- true', qr/--pid.*give one of them/ ], [ 'memprof record -a -- true', qr/give one of them/ ],
     [ 'memprof record -G x -p 1', qr/give one of them/ ], [ 'memprof record', qr/what to record/ ],
     [ "memref report summary -o ''", qr/--output: its argument is empty/ ], [ "dprof merge a b -o ''", qr/--output: its argument is empty/ ],
     [ 'memprof import a -o -', qr/-o -: a recording is written at two places/ ],
     [ 'memref diff a b -n 3', qr/--top: only with --groups/ ], [ 'memref diff a b -n 20', qr/--top: only with --groups/ ],
     [ 'memref report -f csv html', qr/html: no such view: use memref html/ ],
     [ 'memscope-fleet report wss a --timeout 5', qr/--timeout: only with --clickhouse/ ],
     [ 'memscope-fleet import a -o b --timeout 5', qr/--timeout: only with --clickhouse/ ],
     [ 'memref report summary --from 5 --until 1', qr/--from 5 --until 1: no time is between them/ ],
     [ 'memref cut --from 5 --until 1s -o x', qr/--from 5 --until 1: no time/ ],
     [ 'memprof report summary --from 5 --until 1', qr/--from 5 --until 1: no time/ ]) {
	my ($command, $message) = @$_;
	my ($status, $out, $err) = run("$bin/$command");
	is("$status$out", '2', "$command: status 2");
	like($err, $message, 'says why');
	one_line($err, $command);
}

# --- standard output that cannot be written ---------------------------------------

for my $command ((map { s{^.*/}{}r } glob "$bin/*"), 'pagealloc bench', 'memscope fleet', 'memref report') {
	next if $command !~ /^(mem|dprof|page)/;
	for my $option ('--help', $command =~ / / ? () : '--version') {
		is((run("$bin/$command $option"))[0], 0, "$command $option");
		for my $where ('>/dev/full', '>&-') {
			my ($status, $out, $err) = run("{ $bin/$command $option $where; }");
			is("$status$out", '1', "$command $option $where: status 1");
			like($err, qr/^[\w-]+: standard output cannot be written$/m, 'says so');
		}
	}
}

# The lines of programs that measure, too.
for my $where ('>/dev/full', '>&-') {
	for my $command ('pagetest --size 64K --format csv', 'pagetest --size 64K --iterations 2') {
		my ($status, $out, $err) = run("{ $bin/$command $where; }");
		is("$status$out", '1', "$command $where: status 1");
		like($err, qr/^pagetest: standard output: .+\n\z/, 'says so');
	}
}

# --- options of one format --------------------------------------------------------

# Their help begins with the formats.
for my $command (grep { / export$/ } @commands) {
	my @all = @{$options{$command}};
	my ($to) = grep { $_->{name} eq 'to' } @all;
	my @formats = split /\|/, $to->{arg};
	my $refused = 0;
	for my $o (grep { $_->{kind} eq 'option' && $_ != $to } @all) {
		my @of = split /, /, $o->{help} =~ /^(\w+(?:, \w+)*): / ? $1 : next;
		for my $format (@formats) {
			my $value = $o->{arg} =~ /^(\w+)\|/ ? $1 : 1;
			my ($status, $out, $err) = run("$bin/$command $dir/none --to $format --$o->{name} $value -o $dir/exported");
			my $has = grep { $_ eq $format } @of;
			is($status, $has ? 1 : 2, "$command --to $format --$o->{name}" . ($has ? '' : ' is refused'));
			next if $has;
			$refused++;
			one_line($err, 'it');
			my $for = join(', ', @of) =~ s/, (\w+)$/ and $1/r;
			like($err, qr/^\w+: --$o->{name}: not for --to \Q$format\E, only for \Q$for\E; see/,
			     'with the format that it is for');
		}
	}
	cmp_ok($refused, '>', 5, "$command has options of one format");
}

# --- what is made of the tables ---------------------------------------------------

my ($status, undef, $err) = run("$tools/options.pl --check $bin man $tools/../docs/man/*.1");
is("$status$err", '0', 'the man pages have the options of the tables');
($status, undef, $err) = run("$tools/options.pl --check $bin md $tools/../docs/reference/options.md");
is("$status$err", '0', 'docs/reference/options.md is up to date');
for my $command (@commands) {
	my @pages = grep { slurp($_) =~ /^\.\\" options: \Q$command\E( - .*)?$/m } glob "$tools/../docs/man/*.1";
	# Those that have the options of another verb refer to it.
	cmp_ok(scalar @pages, '<=', 1, "$command is in one page at most");
}

# A command that cannot be executed is refused as a shell does, before anything is done for it.
spew("$dir/old", 'old');
spew("$dir/plain", "true\n");
mkdir "$dir/folder";
for my $program ('memref', 'dprof', 'memprof', 'memscope') {
	for ([ 'no-such-command', 127, 'No such file or directory' ], [ "$dir/none", 127, 'No such file or directory' ],
	     [ "$dir/plain", 126, 'Permission denied' ], [ "$dir/folder", 126, 'Permission denied' ]) {
		my ($command, $want, $why) = @$_;
		($status, undef, $err) = run("$bin/$program record -o $dir/old -- $command");
		is("$status $err", "$want $program: $command: $why\n", "$program record: $command");
	}
}
is(slurp("$dir/old"), 'old', 'and an older recording is left alone');

# Words of --help of times that need no unit name the one that they have without.
for (grep { $_->{kind} eq 'option' && $_->{arg} eq 'TIME' } map { @$_ } values %options) {
	like($_->{help}, qr/without unit|with unit|ms without/, "$_->{command} --$_->{name} names the unit");
}

# -V was memscope-caps --version.
ok((grep { $_->{kind} eq 'renamed' && $_->{letter} eq 'V' } @{$options{'memscope-caps'}}), 'memscope-caps -V goes away with a warning');

my %completes = (
	'memscope fl' => 'fleet', 'memref report -f csv summ' => 'summary', 'memref report --format = csv summ' => 'summary',
	'memref report summary --format = c' => 'csv', 'memref report summary --format =' => 'text csv json',
	"memscope-fleet import -o $dir/plai" => "$dir/plain",
	'memref rep' => 'report', 'memref report sum' => 'summary', 'memref report summary --fo' => '--format',
	'memref report summary --format c' => 'csv', 'memref report summary -f j' => 'json', 'pagealloc be' => 'bench',
	'pagealloc bench pl' => 'plot', 'pagealloc bench plot ra' => 'ranking', 'pagealloc bench report --view mi' => 'mindiff',
	'dprof record --sou' => '--source', 'dprof record -s ib' => 'ibs', 'pagetest --how an' => 'anon',
	'memscope di' => 'diagnose', 'memscope doctor --te' => '--test', 'memscope-caps --fo' => '--format', 'memscope-collect --sa' => '--samples', 'memprof diagnose --lev' => '--levels', 'pagealloc-programs ff' => 'fft',
);
my $script = '';
$script .= "source <($tools/options.pl $bin bash $_) || exit 1\n" for qw(memscope memref pagealloc dprof memprof memscope-caps memscope-collect memscope-fleet
	pagetest pagealloc-programs);
for (sort keys %completes) {
	my $function = (split)[0] =~ tr/-/_/r;
	$script .= "COMP_WORDS=($_) COMP_CWORD=\$((\${#COMP_WORDS[@]} - 1)); _$function; echo \"\${COMPREPLY[*]}\"\n";
}
($status, my $out, $err) = run("bash -c '" . ($script =~ s/'/'\\''/gr) . "'");
is("$status$err", '0', 'bash completion loads');
is($out, join('', map { "$completes{$_}\n" } sort keys %completes), 'and completes verbs, views, options and their words');
# A package installs them: their license is named as those of the sources are.
like((run("$tools/options.pl $bin $_ memref"))[1], qr/^# SPDX-License-Identifier: GPL-2\.0-only$/m, "$_ completion has a license")
	for qw(bash zsh fish);
for my $shell ('zsh', 'fish') {
	for my $program ('memref', 'pagealloc', 'pagetest') {
		my $file = spew("$dir/$program.$shell", (run("$tools/options.pl $bin $shell $program"))[1]);
		like(slurp($file), qr/--?help|-l help/, "$shell completion of $program");
	SKIP: {
			skip "no $shell here", 1 if system("command -v $shell >/dev/null");
			is(system($shell, '-n', $file), 0, 'parses');
		}
	}
}
done_testing;
