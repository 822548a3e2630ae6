#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# memscope report, diagnose and html: recordings are recognized by their contents, the
# findings of several are one ranked list, and what is damaged is refused with one line.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use JSON::PP;
use Planted;
use Test::More;
use Tool;

my $memscope = "$build/bin/memscope";
# By their contents: names are of no use.
my $refs = plant_memref("$dir/a");
my $objects = plant_objects("$dir/b", [ 'table', 1, 0, 1200, 0x11000000 ], [ 'queue', 0, 0, 800, 0x12000000 ]);
my $types = plant_types("$dir/c", 0, samples => 120);
my $trace = plant_types("$dir/d", 7);
my $layout = spew("$dir/e", "pagealloc-layout 1\npage_size 4096\ncolors 32\nframes no\nmap mmap 0x1000 0x3000 rw-p 0x0 0\n" .
		  "a 0 7\na 1 8\nend 1 2\n");
my $bench = "$dir/f";
system(helper('bench_gen') . " n=6 m=8 >$bench") == 0 or die;

# --- report -----------------------------------------------------------------------

for ([ $refs, qr/^interval_configured +1000/m ], [ $objects, qr/^samples of memory accesses +2000/m ],
     [ $types, qr/^foo_cache:alloc_foo /m ], [ $trace, qr/^foo_cache:alloc_foo /m ],
     [ $layout, qr/^layout of 2 pages in 1 mappings;/ ], [ $bench, qr/binhop/ ]) {
	my ($file, $expected) = @$_;
	my ($status, $out, $err) = run("$memscope report $file");
	is("$status$err", '0', "report $file");
	like($out, $expected, 'by its own tool');
}
my ($status, $out, $err) = run("$memscope report $refs $types");
like($out, qr/^\Q$refs\E: memref\n.*^\Q$types\E: dprof\n/ms, 'two have headings');
($status, $out) = run("$memscope report $refs --view wss -f csv");
like($out, qr/^seq,time_s,/, 'another view, and format');
($status, $out, $err) = run("$memscope report $refs $types -f csv");
is("$status$out", '2', 'two tables are not one');
($status, $out, $err) = run("$memscope report $refs --view no-such");
is($status, 2, 'the status is that of the tool');

# Its output may be a file, and explained, as the tool's own.
($status, $out, $err) = run("$memscope report $refs --view wss -f csv -o $dir/report.csv");
is("$status$out$err", '0', 'report -o');
is(slurp("$dir/report.csv"), (run("$memscope report $refs --view wss -f csv"))[1], 'writes the same');
($status, $out, $err) = run("$memscope report $refs $types -o $dir/two.txt");
is("$status$out", '2', 'two reports are not one file');
like($err, qr/^memscope: --output: 2 recordings, /, 'with the reason');
ok(!-e "$dir/two.txt", 'and none is made');
is((run("$memscope report $refs --explain"))[1], (run("$build/bin/memref report summary --explain"))[1], 'report --explain');
($status, $out, $err) = run("$memscope report $layout -o $dir/layout.txt");
is("$status$out$err", '0', 'report of a layout, -o');
like(slurp("$dir/layout.txt"), qr/^layout of 2 pages/, 'writes it');

# A layout has neither views nor a table.
for ('--view profile', '-f csv', '-f json', '--explain') {
	($status, $out, $err) = run("$memscope report $layout $_");
	is("$status$out", '2', "report of a layout, $_");
	like($err, qr/^memscope: --(view profile|format|explain): \Q$layout\E is a layout of pagealloc, which has no /,
	     'with the reason');
}
($status, undef, $err) = run("$memscope report $layout >/dev/full");
is("$status$err", "1memscope: standard output: No space left on device\n", 'what cannot be printed');

# --- diagnose ---------------------------------------------------------------------

sub findings {
	my ($status, $text, $err) = run("$memscope diagnose -f json @_");
	is("$status$err", '0', "diagnose @_");
	return @{decode_json($text || '{"rows":[]}')->{rows}};
}

my @all = findings($refs, $objects, $types);
is(join(' ', map { $_->{rank} } @all), join(' ', 1 .. @all), 'ranked');
my ($remote) = grep { $_->{subject} =~ /^make_table / } @all;
is($remote->{tool}, 'memprof', 'the planted object is found');
is($remote->{finding}, 'remote-after-allocation', 'with its pattern');
like($remote->{advice}, qr/node 1/, 'the node that uses it is in the advice');
like($remote->{evidence}, qr/^1200 sampled accesses, 100\.0 % of them remote/, 'with evidence');
is("$remote->{trust} $remote->{rank}", 'good 1', 'from many samples, so it comes first');
is(scalar(grep { $_->{subject} =~ /^make_queue/ } @all), 0, 'what is local is no finding');
my ($line) = grep { $_->{subject} =~ /^foo_cache:alloc_foo/ } @all;
like($line->{finding}, qr/^false sharing/, 'the planted type is found');
like($line->{evidence}, qr/scan\+0x2 uses what count\+0x2 writes/, 'with both sides');
like($line->{trust_why}, qr/with levels$/, 'and whether levels are known');
is($line->{trust}, 'fair', 'from 120 samples of the line');
my ($cold) = grep { $_->{tool} eq 'memref' } @all;
is($cold->{share_pct}, '62.5', 'of 4 MiB, at most 1.5 are used');
is($cold->{trust}, 'weak', 'three intervals with lost events');
is_deeply([ findings($objects) ], [ map { { %$_, rank => 1 } } $remote ], 'one recording');
is(scalar findings("$refs $objects $types -n 2"), 2, 'the first ones');

# Fewer samples of the same are trusted less.
my $few = plant_objects("$dir/few", [ 'table', 1, 0, 30, 0x11000000 ], [ 'queue', 0, 0, 30, 0x12000000 ]);
my ($less) = grep { $_->{subject} =~ /^make_table / } findings($few);
is($less->{trust}, 'weak', '30 samples') if $less;
($status, $out) = run("$memscope diagnose $refs $objects $types");
like($out, qr/^\d findings in 3 recordings\.\n\n1\. make_table \(memprof_planted\.c:\d+\): remote-after-allocation\n    evidence: .*\n    advice: .*\n    trust: good: 1200 samples, /,
     'as text');
($status, $out) = run("$memscope diagnose $layout");
is("$status $out", "0 0 findings in 1 recording.\n", 'a layout has none');
is(scalar(grep { $_->{tool} ne 'pagealloc' } findings($bench)), 0, 'results of bench have their own');

# --- html -------------------------------------------------------------------------

($status, $out, $err) = run("$memscope html $objects $types $bench -o $dir/page.html --title 'a < b'");
is("$status$out$err", '0', 'html');
my $page = slurp("$dir/page.html");
like($page, qr/<title>a &lt; b<\/title>/, 'text is escaped');
like($page, qr/<h2 id="findings">\d findings<\/h2>\n<ol>\n<li><b>make_table \(memprof_planted\.c:\d+\)<\/b>: remote-after-allocation/, 'findings first');
like($page, qr/<iframe title="memprof: \Q$objects\E" data-clock="monotonic" sandbox="allow-scripts" srcdoc="&lt;!DOCTYPE html&gt;/, 'a page in a frame');
like($page, qr/<td class="text">foo_cache:alloc_foo<\/td>/, 'tables of dprof');
unlike($page, qr/(src|href)="(https?:)?\/\//, 'nothing from elsewhere');
is(() = glob("$dir/memscope-page.*"), 0, 'no temporary file is left');

# --- what is refused --------------------------------------------------------------

my $cut = spew("$dir/cut", substr(slurp($objects), 0, 3000));
for ([ "$dir/none", qr/No such file/ ], [ '/dev/null', qr/not a file/ ], [ spew("$dir/text", "hello\n"), qr/not a recording/ ],
     [ spew("$dir/empty", ''), qr/empty file$/ ], [ spew("$dir/magic", "\x17\x08\x44tracing" . 'x' x 100), qr/not a recording/ ],
     [ $cut, qr/truncated|damaged/ ]) {
	my ($file, $why) = @$_;
	for my $verb ('report', 'diagnose', "html -o $dir/refused.html") {
		next if $file eq $cut && $verb eq 'report';
		($status, $out, $err) = run("$memscope $verb $file");
		is($status, 1, "$verb $file: status 1");
		like($err, qr/^\w+: .*\Q$file\E: .*$why/, 'which names the file');
		is($err =~ tr/\n//, 1, 'one line') or diag $err;
		is($out, '', 'and prints nothing else');
	}
}
ok(!-e "$dir/refused.html", 'no page is left');

# --- directories ------------------------------------------------------------------

mkdir "$dir/run";
link $refs, "$dir/run/memref.dat" or die;
link $objects, "$dir/run/memprof.data" or die;
spew("$dir/run/notes.txt", "not a recording\n");
is(scalar findings("$dir/run"), 2, 'a directory is the recordings in it');
($status, $out, $err) = run("cd $dir/run && $memscope diagnose -f csv");
is($status, 0, 'without a name, those with a usual one');
like($out, qr/make_table.*,memprof\.data$/m, 'are found');
mkdir "$dir/nothing";
($status, $out, $err) = run("$memscope diagnose $dir/nothing");
is($status, 1, 'an empty directory');
like($err, qr/nothing: no recording in this directory$/, 'is an error');
($status, $out, $err) = run("cd $dir/nothing && $memscope report");
like("$status $err", qr/^1 memscope: no recording is named, and none of memref\.dat, dprof\.dat, trace\.dat, memprof\.data and memscope\.run is in this directory \(memscope record makes one\)$/, 'so is nothing at all');
done_testing;
