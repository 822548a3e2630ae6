#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# dprof export --to pprof: the samples of a recording by field, type, allocation site and function,
# with sums that pprof keeps when it merges, and that its diff uses to show what became more.
# dprof export --to openmetrics: the shares that dprof report prints; --to perfetto: each sample once.
use strict;
use warnings;
no warnings 'portable';
use FindBin;
use lib "$FindBin::RealBin/../../tests";
use JSON::PP;
use List::Util qw(sum);
use Test::More;
use Tool;

my $dprof = "$build/bin/dprof";
my ($print) = grep { -x } map { "$build/$_/tests/pprof_print" } qw(tools ../tools);
my $pprof = "$build/pprof/pprof";
my $no_pprof = `$tools/tests/build_pprof $pprof 2>&1`;
$no_pprof = $? ? "pprof: $no_pprof" : '';
$ENV{PPROF_TMPDIR} = $dir;

my @level = ([ 1 << 33 | 0x0a << 5, 4, 'l1' ], [ 0x0d << 33 | 0x82 << 5, 300, 'dram' ], [ 3 << 33 | 0x42 << 5 | 0x10 << 19, 150, 'peer' ]);
my @function = qw(fill send receive count scan);
my @type = (map { [ 20 + $_, "cache_$_", "alloc_$_", 10 + $_ ] } 0 .. 4);

# recording NAME, HOST, LIST: samples of [type, offset, function, cpu, level], each a number of times.
sub recording {
	my ($name, $host, @samples) = @_;
	my $time = 1_000_000_000;
	my $text = "# dprof events 1\nhost $host, Linux 6.12\n";
	$text .= sprintf "symbol %x t %s\n", 0xffffffff81000000 + 0x1000 * $_, $function[$_] for 0 .. $#function;
	$text .= "$time 0 1 dprof_type id=$_->[0] class=1 size=256 cache=$_->[1] func=$_->[2] file=x.c line=$_->[3]\n" for @type;
	for (@samples) {
		my ($times, $type, $offset, $function, $cpu, $level) = @$_;
		my ($source, $latency) = @{$level[$level]};
		my $base = 0xffff888000100000 + 0x10000 * $type;
		$text .= join ' ', $time += 100, $cpu, 100, 'dprof_sample', 'ip=' . (0xffffffff81000010 + 0x1000 * $function),
			'addr=' . ($base + $offset), "base=$base", "type=$type[$type][0]", "offset=$offset", 'width=8 source=1 op=1',
			"data_src=" . ($source | 2), "latency=$latency", "phys=0\n" for 1 .. $times;
	}
	return spew("$dir/$name.txt", $text);
}

sub export {
	my ($file) = @_;
	my ($status, $text, $err) = run("$dprof export $file --to pprof -o $file.pb.gz");
	return $status || $err ne '' ? die "dprof export: $status $err" : "$file.pb.gz";
}

# What a profile holds: totals, and sums of samples by leaf.
sub decode {
	my ($status, $text, $err) = run("$print $_[0]");
	is("$status $err", '0 ', 'decoded by libprotobuf-c');
	my %total = $text =~ /^total (\S+) (-?\d+)$/mg;
	my %leaf;
	/^(\d+) \S+ \S+ \S+ \| ([^<|]+?)(?:<| \|)/ and $leaf{$2} += $1 for split /\n/, $text;
	return (\%total, \%leaf, $text);
}

my @known = ([ 30, 0, 0, 0, 0, 0 ], [ 20, 0, 8, 1, 1, 2 ], [ 10, 1, 64, 2, 1, 1 ], [ 5, 0, 0, 3, 0, 0 ]);
my $file = recording('known', 'testbox', @known);
my ($total, $leaf, $text) = decode(export($file));
is_deeply($total, { 'accesses/count' => 65, 'latency/cycles' => 35 * 4 + 20 * 150 + 10 * 300, 'remote/count' => 0,
		    'bytes/bytes' => 65 * 8 }, 'totals');
is_deeply($leaf, { 'cache_0:alloc_0+0x0' => 35, 'cache_0:alloc_0+0x8' => 20, 'cache_1:alloc_1+0x40' => 10 }, 'fields');
like($text, qr/^20 3000 0 160 \| cache_0:alloc_0\+0x8<cache_0:alloc_0<alloc_0<send \| host=testbox cpu=1 level=peer op=load$/m,
     'a stack and its labels');
my ($status, $out) = run("$dprof export $file --to pprof >$dir/stdout.pb.gz && cmp $dir/stdout.pb.gz $file.pb.gz");
is($status, 0, 'the same on standard output');

my ($ok, $metrics, $err) = run("$dprof export $file --to openmetrics");
is("$ok $err", '0 ', 'export --to openmetrics');
like($metrics, qr/^$_$/m, $_) for 'dprof_samples 65', 'dprof_type_samples_ratio\{type="cache_0:alloc_0"\} 0.846153846',
	'dprof_level_samples_ratio\{level="dram"\} 0.153846154', 'dprof_level_latency_cycles\{level="peer"\} 150',
	'dprof_host_info\{host="testbox, Linux 6.12"\} 1', '# EOF';
SKIP: {
	skip 'no promtool (prometheus)', 1 if system('command -v promtool >/dev/null');
	is_deeply([ run("promtool check metrics <<'end' 2>&1\n${metrics}end\n") ], [ 0, '', '' ], 'promtool finds nothing');
}

# Control groups, described after their samples.
my $groups = slurp(recording('groups', 'testbox', [ 3, 0, 0, 0, 0, 0 ], [ 2, 0, 8, 1, 1, 2 ], [ 1, 1, 64, 2, 1, 1 ]));
my @of = (77, 77, 77, 88, 88, 99);
$groups =~ s/ phys=0\n/ phys=0 cgroup=@{[ shift @of ]}\n/g;
$groups .= "2000000000 0 1 dprof_cgroup id=88 path=/batch/job\n2000000000 0 1 dprof_cgroup id=77 path=/web\n";
$text = (decode(export(spew("$dir/groups.txt", $groups))))[2];
my %in;
$in{/ cgroup=(\S+)/ ? $1 : '-'} += /^(\d+) / ? $1 : 0 for grep { !/^total/ } split /\n/, $text;
is_deeply(\%in, { '/web' => 3, '/batch/job' => 2, '-' => 1 }, 'samples of control groups');
my ($made) = grep { -x } map { "$build/$_/tests/perf_gen" } qw(tools ../tools);
is(system($made, "$dir/groups.data", 'cgroups'), 0, 'a recording of perf record --all-cgroups');
run("$dprof export $dir/groups.data --to pprof -o $dir/groups.pb.gz");
$text = (decode("$dir/groups.pb.gz"))[2];
%in = ();
$in{/ cgroup=(.*)$/ ? $1 : '-'} += /^(\d+) / ? $1 : 0 for grep { !/^total/ } split /\n/, $text;
is_deeply(\%in, { '/machine.slice/first' => 250, "/second\xef\xbf\xbd group" => 130, '-' => 20 },
	  'the same of perf') or diag($text);

($status, $text, $err) = run("$dprof export $file --to perfetto");
is("$status $err", '0 ', 'export --to perfetto');
my @events = @{decode_json($text)->{traceEvents}};
is_deeply([ map { "$_->{name} $_->{args}{name}" } grep { $_->{ph} eq 'M' } @events ],
	  [ 'process_name testbox, Linux 6.12', 'thread_name CPU 0', 'thread_name CPU 1' ],
	  'the machine and its CPUs');
my @drawn = grep { $_->{ph} eq 'i' } @events;
my %drawn;
$drawn{"$_->{name}$_->{args}{field} by $_->{args}{code} on $_->{tid}: $_->{args}{level}, $_->{args}{latency_cycles} cycles, $_->{args}{op}"}++
	for @drawn;
is_deeply(\%drawn, { 'cache_0:alloc_0+0x0 by fill+0x10 on 0: l1, 4 cycles, load' => 30,
		     'cache_0:alloc_0+0x8 by send+0x10 on 1: peer, 150 cycles, load' => 20,
		     'cache_1:alloc_1+0x40 by receive+0x10 on 1: dram, 300 cycles, load' => 10,
		     'cache_0:alloc_0+0x0 by count+0x10 on 0: l1, 4 cycles, load' => 5 }, 'each sample, on the track of its CPU');
is(sprintf('%.3f', $drawn[1]{ts} - $drawn[0]{ts}), '0.100', 'times are microseconds');

# What cannot be written leaves nothing.
for ([ "$file --to pprof -o $dir/none/x", qr/none/ ], [ "$dir/none.txt --to pprof -o $dir/x", qr/none.txt/ ],
     [ recording('empty', 'h') . " --to pprof -o $dir/x", qr/no samples/ ], [ "$file --to pprof >/dev/full", qr/standard output/ ],
     [ recording('empty', 'h') . " --to perfetto -o $dir/x", qr/no samples/ ], [ "$file --to perfetto >/dev/full", qr/standard output/ ],
     [ recording('empty', 'h') . " --to openmetrics -o $dir/x", qr/no samples/ ]) {
	my ($options, $why) = @$_;
	my ($status, $text, $err) = run("$dprof export $options");
	is($status, 1, "export $options");
	like($err, qr/\A.*${why}.*\n\z/, 'one line');
	ok(!-e "$dir/x", 'no file');
}

SKIP: {
	skip $no_pprof, 3 if $no_pprof;

	# Totals of many merged.
	srand 26;
	my ($samples, $latency, @files) = (0, 0);
	for my $host (0 .. 99) {
		my @all = map { [ 1 + int rand 9, int rand 5, 8 * int rand 32, int rand 5, int rand 2, int rand 3 ] } 1 .. 10;
		$samples += $_->[0], $latency += $_->[0] * $level[$_->[5]][1] for @all;
		push @files, export(recording("host$host", "host$host", @all));
	}
	($status) = run("$pprof -proto -output=$dir/merged.pb.gz @files");
	is($status, 0, 'pprof merges 100 profiles');
	# pprof leaves out values without a sample that has them; libprotobuf-c reads what it wrote.
	($total) = decode("$dir/merged.pb.gz");
	is_deeply([ @$total{qw(accesses/count latency/cycles bytes/bytes)} ], [ $samples, $latency, 8 * $samples ],
		  'the totals of the merged are the sums');
	my ($tags) = (run("$pprof -tags $dir/merged.pb.gz"))[1] =~ /host: Total (\S+)/;
	cmp_ok($tags, '>', 0, 'hosts are labels');

	# A field that becomes slower, in programs that otherwise do about the same.
	my $first = 0;
	for my $seed (1 .. 10) {
		srand $seed;
		my %sites = map { my @s = (int rand 5, 8 * int rand 32, int rand 5); ("@s" => [ 50 + int rand 400, @s ]) } 1 .. 30;
		my @sites = map { $sites{$_} } sort keys %sites;
		my $planted = $sites[rand @sites];
		my ($before, $after) = map {
			my $name = $_;
			my @all = map { my ($n, @s) = @$_; [ int($n * (0.97 + rand 0.06)), @s, 0, 0 ] } @sites;
			push @all, [ 40 + int $planted->[0] / 8, @$planted[1 .. 3], 1, 2 ] if $name eq 'after';
			export(recording("$name$seed", $name, @all));
		} qw(before after);
		my ($row) = (run("$pprof -top -sample_index=latency -diff_base=$before $after"))[1] =~ /flat%.*\n(.*)\n/;
		my $want = sprintf '%s:%s+0x%x', @{$type[$planted->[1]]}[1, 2], $planted->[2];
		$first += $row =~ /\Q$want\E$/;
		diag("seed $seed: planted $want; $row") if $row !~ /\Q$want\E$/;
	}
	note("planted regressions in the first row: $first of 10");
	is($first, 10, 'pprof -diff_base has the planted regression in its first row, in 10 of 10');
}
done_testing;
