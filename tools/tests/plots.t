#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Pictures of all tools: with names that gnuplot or a shell would take for something else,
# interrupted while they are drawn, not drawn, and by programs that are started with SIGCHLD
# ignored.  What was there before is replaced by a whole picture and its data only.
use strict;
use warnings;
use Cwd 'abs_path';
use File::Copy 'copy';
use FindBin;
use lib $FindBin::RealBin;
use Readers;
use Test::More;
use Tool;

my $bin = abs_path("$build/bin");
make_recordings();
mkdir "$dir/out" or die;
my %drawn = (
	memref => "memref plot heatmap $dir/memref.dat", dprof => "dprof plot assoc-sets $dir/dprof.txt",
	memprof => "memprof plot objects $dir/memprof.data",
	pagealloc => "pagealloc bench plot ranking --replicates 99 --group-pairs 20 $dir/results.csv",
	dot => "dprof plot dataflow $dir/dprof.txt --type c20:alloc_20",
);
my $gnuplot = grep { -x "$_/gnuplot" } split /:/, $ENV{PATH};
my $dot = grep { -x "$_/dot" } split /:/, $ENV{PATH};

sub quoted { return "'" . $_[0] =~ s/'/'\\''/gr . "'" }

sub files {
	opendir my $d, "$dir/out" or die;
	return sort grep { !/^\.\.?$/ } readdir $d;
}

# --- names ------------------------------------------------------------------------

for my $what (sort keys %drawn) {
	SKIP: {
		skip "no program for $what", 1 if !($what eq 'dot' ? $dot : $gnuplot);
		my $ext = $what eq 'dot' ? 'dot' : 'csv';
		for my $name (q(it's), q('), 'say "it"', 'back\\slash\\', 'a\\nb', 'with  blanks ', '-x', '-', '<touch hurt;', '|touch hurt;', '~',
			      '$HOME`touch hurt`', '%s%d', '@x', "\xc3\xa9\xff", '.') {
			my ($status, $out, $err) = run("cd $dir/out && $bin/$drawn{$what} -o " . quoted("$name.svg"));
			is("$status$out$err", '0', "$what: $name.svg");
			is(join("\n", files()), join("\n", sort "$name.svg", "$name.$ext"), 'the picture and its data, nothing else');
			like(slurp("$dir/out/$name.svg") // '', qr/<svg/, 'is one');
			unlink map { "$dir/out/$_" } files();
		}
		for my $title ($what eq 'dot' ? () : (q('quoted' "title"), q('), q(''), 'back\\slash\\', '`touch hurt`')) {
			my ($status, $out, $err) = run("cd $dir/out && $bin/$drawn{$what} -o title.svg --title " . quoted($title));
			is("$status$out$err", '0', "$what: title $title");
			like(slurp("$dir/out/title.svg") // '', qr/>\Q$title\E</, 'is in the picture');
			is(join("\n", files()), "title.csv\ntitle.svg", 'and does nothing');
			unlink map { "$dir/out/$_" } files();
		}
		for my $name ("a\nb", "a\tb", "\x1b[2J", "a\x7f", "\n") {
			my ($status, $out, $err) = run("cd $dir/out && $bin/$drawn{$what} -o " . quoted("$name.svg"));
			is("$status$out", '2', "$what: a name with a control character is refused");
			like($err, qr/^\w+: -o PICTURE: the name of a picture must not have control characters; see [\w ]+ --help$/, 'says why');
			is(join("\n", files()), '', 'before anything is written');
		}
	}
}

# A file of a newline in its name, in the names of sites: for gnuplot, a row is a line.
SKIP: {
	skip 'no gnuplot (gnuplot-nox)', 1 if !$gnuplot;
	my $program = "$dir/two\nlines";
	copy("$build/tools/tests/memprof_planted", $program) or die;
	chmod 0755, $program or die;
	system('strip', '--strip-debug', $program) == 0 or die;
	open my $f, '|-', $program, "$dir/lines.data" or die;
	print $f "table 1 0 1200 0x11000000 107\nqueue 0 0 800 0x12000000 107\n";
	close $f or die 'memprof_planted';
	for my $view ('objects', 'flow') {
		is_deeply([ run("$bin/memprof plot $view $dir/lines.data -o $dir/out/lines.svg") ], [ 0, '', '' ], "memprof plot $view: a name of two lines");
		like(slurp("$dir/out/lines.csv") // '', qr/^[^\n]*make_table \(two lines\)[^\n]*$/m, 'is one in the data');
		unlink map { "$dir/out/$_" } files();
	}
}

# --- SIGCHLD ignored ------------------------------------------------------------------

for my $what (sort keys %drawn) {
	SKIP: {
		skip "no program for $what", 1 if !($what eq 'dot' ? $dot : $gnuplot);
		is_deeply([ run("env --ignore-signal=CHLD $bin/$drawn{$what} -o $dir/out/picture.svg") ], [ 0, '', '' ], "$what: drawn");
		unlink map { "$dir/out/$_" } files();
	}
}
SKIP: {
	skip 'no cc', 1 if !grep { -x "$_/cc" } split /:/, $ENV{PATH};
	spew("$dir/status.c", 'int main(void) { return 7; }');
	is_deeply([ run("env --ignore-signal=CHLD $bin/memprof script $dir/status.c") ], [ 7, '', '' ], 'memprof script: the status of the program');
}

# --- not drawn ------------------------------------------------------------------------

sub extension { return $_[0] eq 'dot' ? 'dot' : 'csv' }
sub before {
	my ($ext) = @_;
	spew("$dir/out/picture.$_", "$_ before\n") for 'svg', $ext;
}
# As it was: the picture, its data, nothing else.
sub unchanged {
	my ($ext, $how, @others) = @_;
	is(join(' ', files()), join(' ', sort @others, "picture.$ext", 'picture.svg'), "$how: nothing is left");
	is(slurp("$dir/out/picture.$_"), "$_ before\n", "and picture.$_ is what it was") for 'svg', $ext;
	unlink map { "$dir/out/$_" } files();
}

spew("$dir/none/$_", "#!/bin/sh\nexit 1\n") for 'gnuplot', 'dot';
chmod 0755, "$dir/none/$_" or die for 'gnuplot', 'dot';
for my $what (sort keys %drawn) {
	my $ext = extension($what);
	before($ext);
	my ($status, undef, $err) = run("PATH=$dir/none:\$PATH $bin/$drawn{$what} -o $dir/out/picture.svg");
	is($status, 1, "$what: not drawn");
	like($err, qr/^\w+: (?:gnuplot|dot) failed on \S+\n\z/, 'says so');
	unchanged($ext, $what);
	SKIP: {
		skip "no program for $what", 1 if !($what eq 'dot' ? $dot : $gnuplot);
		before($ext);
		chmod 0600, "$dir/out/picture.$ext" or die;
		is_deeply([ run("$bin/$drawn{$what} -o $dir/out/picture.svg") ], [ 0, '', '' ], 'drawn');
		unlike(slurp("$dir/out/picture.$_"), qr/before/, "picture.$_ is a new one") for 'svg', $ext;
		is((stat "$dir/out/picture.$ext")[2] & 0777, 0600, 'with its mode');
		unlink map { "$dir/out/$_" } files();
		mkdir "$dir/out/picture.$ext" or die;
		($status, undef, $err) = run("$bin/$drawn{$what} -o $dir/out/picture.svg");
		is($status, 1, 'no place for the data');
		like($err, qr/picture\.$ext: Is a directory\n\z/, 'says so');
		is(join(' ', grep { !/^picture\.(?:svg|$ext)$/ } files()), '', 'and leaves nothing else');
		rmdir "$dir/out/picture.$ext";
		unlink map { "$dir/out/$_" } files();
	}
}

# --- interrupted --------------------------------------------------------------------

# In front of the real ones: says that it runs, begins the picture, and hangs.
for my $program ('gnuplot', 'dot') {
	spew("$dir/bin/$program", <<'END');
#!/bin/sh
: >./begun
echo $$ >"$RUNS.new" && mv "$RUNS.new" "$RUNS"
exec sleep 100
END
	chmod 0755, "$dir/bin/$program" or die;
}
$ENV{RUNS} = "$dir/runs";
for my $what (sort keys %drawn) {
	for my $signal ('INT', 'TERM', 'HUP') {
		# The terminal's Ctrl-C is for both; others are sent to one.
		for my $group ($signal eq 'INT' ? (1, 0) : 0) {
			unlink "$dir/runs";
			my $ext = extension($what);
			before($ext);
			my $pid = fork // die;
			if (!$pid) {
				setpgrp;
				$SIG{$_} = 'DEFAULT' for 'INT', 'TERM', 'HUP';
				$ENV{PATH} = "$dir/bin:$ENV{PATH}";
				chdir "$dir/out" or die;
				open STDERR, '>', "$dir/err";
				exec "exec $bin/$drawn{$what} -o ./picture.svg" or die;
			}
			select undef, undef, undef, 0.01 while !-e "$dir/runs" && !waitpid $pid, 1;
			my $child = slurp("$dir/runs") // 0;
			is(join(' ', grep { !/^begun$|^picture\.(?:svg|$ext)$/ } files()), "picture.$pid.$ext", "$what: while it is drawn");
			kill $signal, $group ? -$pid : $pid;
			waitpid $pid, 0;
			cmp_ok($? & 127, '>', 0, "SIG$signal ends it" . ($group ? ', and gnuplot' : ''));
			unchanged($ext, 'and', 'begun');
			select undef, undef, undef, 0.01 while (slurp("/proc/$child/stat") // '') =~ /\) [^ZX]/;
			pass('nor is the program that draws');
		}
	}
}
done_testing();
