#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# memprof export --to perf: perf reads the same samples, field by field, and names their
# objects, also where one took the place of another; wrong usage; nothing is left of a failure.
use strict;
use warnings;
no warnings 'portable';
use FindBin;
use lib "$FindBin::RealBin/../../tests";
use Test::More;
use Tool;

plan skip_all => 'no perf (linux-perf)' if system('perf version >/dev/null 2>&1');

my $memprof = "$build/bin/memprof";
$ENV{HOME} = $dir;	# perf's settings, and its cache

# What perf prints of samples: one line each, in the order of the fields asked for.
sub perf_script {
	my ($file) = @_;
	my ($status, $text, $err) = run("perf script --ns -i $file -F pid,tid,cpu,time,addr,data_src,weight,ip,phys_addr");
	is($status, 0, 'perf script') or diag($err);
	return map {
		my ($who, $cpu, $time, $addr, $source, $weight, $ip, $phys) =
			m{^\s*(\d+/\d+)\s+(\[\d+\])\s+(\S+):\s+(\w+)\s+(\w+) \|.*\S\s+(\d+)\s+([0-9a-f]+)\s+([0-9a-f]+)\s*$};
		$who ? "$who $cpu $time: $addr $source $weight $ip $phys" : "not understood: $_";
	} split /\n/, $text;
}

# Objects of all kinds.
my ($status, $truth) = run("$build/tools/tests/memprof_export_gen $dir/kinds.data");
is($status, 0, 'a recording');
my @truth = map { [ /^(.*) (\S+)$/ ] } split /\n/, $truth;
is_deeply([ run("$memprof export $dir/kinds.data --to perf -o $dir/kinds.perf") ], [ 0, '', '' ], 'exported');
is_deeply([ perf_script("$dir/kinds.perf") ], [ map { $_->[0] } @truth ], 'all samples, all fields');

# Rows are by address: each of the objects with its name.
my ($report, $names);
($status, $report) = run("perf mem report --stdio -i $dir/kinds.perf --sort symbol_daddr,dso_daddr");
is($status, 0, 'perf mem report');
for my $name (map { $_->[1] } grep { $_->[1] ne '-' } @truth) {
	my ($object, $offset) = split /\+/, $name;
	like($report, qr/\[\.\] \Q$object\E [^\n+]*\+\Q$offset\E /, "$name has its name");
}
($status, $report) = run("perf mem report --stdio -i $dir/kinds.perf --sort dso_daddr");
my %samples = map { /^\s*[\d.]+%\s+(\d+)\s+(.*?)(?:__memprof_export_gen\S*)?\s*$/ ? ($2, $1) : () } split /\n/, $report;
is_deeply([ @samples{qw(alloc_first alloc_second exported_table [stack])} ], [ 3, 1, 2, 1 ],
	  'by site, where objects are allocated') or diag($report);

# The line that was modified in another cache.
($status, $report) = run("perf c2c report --stdio -i $dir/kinds.perf");
is($status, 0, 'perf c2c report');
like($report, qr/^ +0 +0x10001040 .* 100\.00% +1 +0 +1 +3 +3 +0 /m, 'the line and its counts');
like($report, qr/^  Loads - no mapping +: +0$/m, 'no address without a map');

# Moved, the folder is found below what --symfs names.
mkdir "$dir/moved";
rename "$dir/kinds.perf", "$dir/moved/kinds.perf";
system("mkdir -p $dir/moved$dir && mv $dir/kinds.perf.objects $dir/moved$dir/");
($status, $report) = run("perf mem report --stdio -i $dir/moved/kinds.perf --symfs $dir/moved --sort symbol_daddr,dso_daddr");
like($report, qr/\[\.\] alloc_second [^\n+]*\+0x240 /, 'moved, with --symfs');

# Many samples, as another writer wrote them; all but how a level is spelled, and of physical
# addresses the page, which is all that it has.
sub alike {
	return map { s/ \w+ (\d+ \w+ \w+)\w{3}$/ ${1}000/r } @_;
}
is(system("$build/tools/tests/memprof_gen $dir/many.data 30000 3000 20 200 1 $dir/many.other"), 0, 'many samples');
is_deeply([ run("$memprof export $dir/many.data --to perf -o $dir/many.perf") ], [ 0, '', '' ], 'exported');
my @ours = alike(perf_script("$dir/many.perf"));
my @others = alike(perf_script("$dir/many.other"));
cmp_ok(scalar @ours, '>', 25000, 'many samples');
is($ours[0], $others[0], 'the first');
is(scalar(grep { $ours[$_] ne ($others[$_] // '') } 0 .. $#ours), 0, 'are the same');
is(scalar @ours, scalar @others, 'and none is missing');

# A part of it.
is_deeply([ run("$memprof export $dir/many.data --to perf -o $dir/part.perf --tid 103 --from 10s --until 20s") ],
	  [ 0, '', '' ], 'a part');
is_deeply([ alike(perf_script("$dir/part.perf")) ],
	  [ grep { my ($time) = / (\d+\.\d+):/; m{^100/103 } && $time >= 11 && $time < 21 } @ours ], 'are those samples');
is((run("$memprof export $dir/many.data --to perf -o $dir/two.perf --tid 105,103 --tid 101"))[0], 0, 'three threads');
is_deeply([ alike(perf_script("$dir/two.perf")) ], [ grep { m{^100/10[135] } } @ours ], 'are those samples');
spew("$dir/two.csv", join "\n", 'time,pid,tid,cpu,cpu_node,node,address,latency,level,op',
     (map { my $pid = 7 + $_ % 3; "$_,$pid,$pid,0,0,0,0x1000,4,RAM,load" } 1 .. 90), '');
is((run("$memprof import $dir/two.csv -o $dir/two.data"))[0], 0, 'samples of three processes');
is((run("$memprof export $dir/two.data --to perf -o $dir/process.perf --pid 7,9"))[0], 0, 'of which two are exported');
is(join(' ', map { m{^(\d+)/} ? $1 : '?' } perf_script("$dir/process.perf")), join(' ', grep { $_ != 8 } map { 7 + $_ % 3 } 1 .. 90),
   'are those samples');
for my $to ('perf', 'pprof', 'openmetrics', 'perfetto', 'pcp') {
	is_deeply([ run("$memprof export $dir/many.data --to $to -o $dir/nothing.$to --pid 7 --tid 8,9") ],
		  [ 1, '', "memprof: no access matches --pid 7 --tid 8,9\n" ], "no sample to write as $to");
}
is(join(' ', glob("$dir/nothing*")), '', '... and nothing is written');
is_deeply([ run("$memprof export $dir/many.perf --to perf -o $dir/nothing.perf") ], [ 1, '', "memprof: $dir/many.perf: is perf.data already\n" ],
	  'what is perf.data is not exported to it');

# Wrong usage, and what cannot be done.
for ([ "$dir/many.data -o $dir/x", 2, qr/--to FORMAT is missing/ ],
     [ "$dir/many.data --to perf", 2, qr/-o OUTPUT is missing/ ],
     [ "$dir/many.data --to prf -o $dir/x", 2, qr/prf/ ],
     [ "$dir/none --to perf -o $dir/x", 1, qr/none: No such file/ ],
     [ "$dir/many.data --to perf -o $dir/none/x", 1, qr/none/ ]) {
	my ($options, $want, $why) = @$_;
	my ($status, $text, $err) = run("$memprof export $options");
	is($status, $want, "export $options");
	like($err, $why, 'says why');
}
spew("$dir/blocked.perf.objects", '');
($status, undef, my $err) = run("$memprof export $dir/many.data --to perf -o $dir/blocked.perf");
is($status, 1, 'no folder for names');
like($err, qr/^memprof: .*blocked\.perf\.objects.*\n\z/, 'says so, once');
is_deeply([ grep { !/objects$/ } glob("$dir/x* $dir/blocked.perf*") ], [], 'and leaves nothing');
is(-s "$dir/blocked.perf.objects", 0, 'but what was there');

done_testing;
