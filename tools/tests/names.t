#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Names in recordings may be any bytes.  What tools make of them for a terminal, a browser or
# another program is valid UTF-8 without control characters, also where it is no table.
use strict;
use warnings;
no warnings 'portable';
use File::Copy 'copy';
use FindBin;
use lib $FindBin::RealBin, "$FindBin::RealBin/../memscope/tests";
use Planted;
use Readers;
use Test::More;
use Tool;

my $bin = "$build/bin";
my $r = "\xef\xbf\xbd";	# U+FFFD
# An escape sequence, half a character, a control character of Latin-1 and of Unicode.
my $odd = "odd\e[2J\xc3-\x9b-\xc2\x9b";
my $shown = "odd${r}[2J$r-$r-$r";

sub shows {
	my ($text, $expected, $what) = @_;
	$text //= '';
	my $decoded = $text;
	ok(utf8::decode($decoded), "$what: valid UTF-8");
	unlike($decoded, qr/[\x00-\x08\x0b-\x1f\x7f-\x9f]/, "$what: no control characters");
	like($text, $expected, "$what: has the name");
}

# The exit status and the messages of a command.
sub messages {
	my @command = @_;
	my $pid = open(my $from, '-|') // die;

	if (!$pid) {
		open STDERR, '>&', \*STDOUT or die;
		exec @command or die;
	}
	my $text = join '', <$from>;
	close $from;
	return ($? >> 8, $text);
}

# The exit status and the output of a command on a terminal.
sub on_terminal {
	return run("script -qec '@_' /dev/null </dev/null");
}

sub program {
	my ($name) = @_;
	return grep { -x "$_/$name" } split /:/, $ENV{PATH};
}

# --- memprof ----------------------------------------------------------------------

# A program without debug information: its sites have the name of its file.
my $program = "$dir/$odd\nline\tend";
copy(helper('memprof_planted'), $program) or die;
chmod 0755, $program or die;
system('strip', '--strip-debug', $program) == 0 or die;
open my $planted, '|-', $program, "$dir/planted.data", "c$odd" or die;
print $planted "table 1 0 1200 0x11000000 107\nqueue 0 0 800 0x12000000 100\n";
close $planted or die 'memprof_planted';

my ($status, $text) = run("$bin/memprof diagnose $dir/planted.data");
is($status, 0, 'memprof diagnose');
shows($text, qr/^1\. make_table \(\Q$shown\E line end\): remote-after-allocation$/m, 'memprof diagnose');
like($text, qr/^    make_table \(\Q$shown\E line end\): [\d.]+ % of it/m, 'by latency, on one line');
like($text, qr/^    advice: .*make_table \(\Q$shown\E line end\).*$/m, 'the advice, on one line');

is_deeply([ run("$bin/memprof html $dir/planted.data -o $dir/page.html") ], [ 0, "", "" ], "memprof html");
shows(slurp("$dir/page.html"), qr/<li><b>make_table \(\Q$shown\E line end\)<\/b>/, 'memprof html');

SKIP: {
	skip 'no perf (linux-perf)', 4 if !program('perf');
	local $ENV{HOME} = $dir;	# perf's settings, and its cache
	is((run("$bin/memprof export $dir/planted.data --to perf -o $dir/planted.perf"))[0], 0, 'memprof export');
	($status, $text) = run("perf script -i $dir/planted.perf -F comm");
	# perf has 15 bytes of it.
	shows($text, qr/^ *codd$r\[2J$r-/m, 'memprof export --to perf: name of a thread');
	($status, $text) = run("perf mem report --stdio -i $dir/planted.perf --sort symbol_daddr");
	shows($text, qr/make_table \(\Q$shown\E/, 'memprof export --to perf: names of objects');
}

# --- dprof ------------------------------------------------------------------------

my $type = "c20$odd";
make_recordings();
{
	$text = slurp("$dir/dprof.txt") =~ s/(?<= cache=)c20/$type/gr;
	$text =~ s/\n/\nhost $odd"\nsymbol ffffffff81001000 t a"b\\c$odd\nsymbol ffffffff81004000 t end\n/;
	spew("$dir/dprof.txt", $text);
}
# As a file it keeps the bytes; a terminal would obey them.
is((run("$bin/dprof script --symbols $dir/dprof.txt -o $dir/script.txt"))[0], 0, 'dprof script');
like(slurp("$dir/script.txt"), qr/ cache=\Q$type\E /, 'dprof script: names as they are');
($status, $text) = on_terminal("$bin/dprof", 'script', '--symbols', "$dir/dprof.txt");
is($status, 0, 'dprof script on a terminal');
shows($text =~ s/\r\n/\n/gr, qr/ cache=c20\Q$shown\E /, 'dprof script on a terminal: names of types');
like($text, qr/^symbol ffffffff81001000 t a"b\\c\Q$shown\E\r?$/m, 'dprof script on a terminal: symbols');
# Messages name what was asked for.
($status, $text) = messages("$bin/dprof", 'report', 'profile', "$dir/$odd\nno");
is($status, 1, 'a file that is not there');
shows($text, qr/^dprof: [^\n]*\Q$shown\E no[^\n]*\n\z/, 'message');
SKIP: {
	skip 'no dot (graphviz)', 5 if !program('dot');
	is_deeply([ run("$bin/dprof plot dataflow $dir/dprof.txt -o $dir/flow.svg") ], [ 0, '', '' ], 'dprof plot dataflow');
	$text = slurp("$dir/flow.dot");
	shows($text, qr/label="data flow of .* - \Q$shown\E\\""/, 'dprof plot dataflow: .dot');
	like($text, qr/label="a\\"b\\\\c\Q$shown\E\\n/, 'names of functions between quotes');
	shows(slurp("$dir/flow.svg") =~ s/&#45;/-/gr, qr/a&quot;b\\c\Q$shown\E/, 'dprof plot dataflow: picture');
}
SKIP: {
	skip 'no gnuplot (gnuplot-nox)', 7 if !program('gnuplot');
	is_deeply([ run("$bin/dprof plot assoc-sets $dir/dprof.txt -o $dir/sets.svg") ], [ 0, '', '' ], 'dprof plot assoc-sets');
	shows(slurp("$dir/sets.svg"), qr/>[^<]* - \Q$shown\E"?[^<]*</, 'dprof plot: host in the title');
	is_deeply([ run("$bin/memref plot mapping-times $dir/memref.dat -o $dir/mappings.svg") ], [ 0, '', '' ], 'memref plot mapping-times');
	shows(slurp("$dir/mappings.svg"), qr/libm${r}ll\.so/, 'memref plot: names of mappings');
}
is((run("$bin/dprof export $dir/dprof.txt --to perf -o $dir/dprof.perf"))[0], 0, 'dprof export');
SKIP: {
	skip 'no perf (linux-perf)', 7 if !program('perf');
	local $ENV{HOME} = $dir;
	($status, $text) = run("perf mem report --stdio -i $dir/dprof.perf --sort symbol_daddr");
	shows($text, qr/c20\Q$shown\E/, 'dprof export --to perf: names of types');
	($status, $text) = run("perf report --header-only -i $dir/dprof.perf");
	shows($text, qr/hostname : \Q$shown\E/, 'dprof export --to perf: host');
}

# --- memref and memscope ------------------------------------------------------------

is((run("$bin/memref html $dir/memref.dat -o $dir/page.html"))[0], 0, 'memref html');
shows(slurp("$dir/page.html"), qr/libm${r}ll\.so/, 'memref html');

my $types = plant_types("$dir/types$odd.txt", 0, cache => "foo$odd", site => "alloc$odd");
open my $out, '-|', "$bin/memscope", 'diagnose', $types, "$dir/planted.data" or die;
$text = join '', <$out>;
close $out;
is($?, 0, 'memscope diagnose');
shows($text, qr/^\d\. make_table \(\Q$shown\E line end\): /m, 'memscope diagnose');
like($text, qr/^    from: dprof, \S*types\Q$shown\E\.txt$/m, 'memscope diagnose: name of a recording');
is(system("$bin/memscope", 'html', $types, "$dir/planted.data", '-o', "$dir/page.html"), 0, 'memscope html');
shows(slurp("$dir/page.html"), qr/foo\Q$shown\E.*types\Q$shown\E\.txt/s, 'memscope html');
like(slurp("$dir/page.html"), qr/^&quot;[^\n]*foo\Q$shown\E/m, 'memscope html: CSV');
done_testing();
