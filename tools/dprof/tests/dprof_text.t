#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Recordings in the text form: what dprof writes it reads, and processes that share memory.
use strict;
use warnings;
no warnings 'portable';
use FindBin;
use lib "$FindBin::RealBin/../../tests";
use JSON::PP;
use Test::More;
use Tool;

my $dprof = "$build/bin/dprof";
my $magic = "# dprof events 1\n";

sub rows {
	my ($command) = @_;
	my ($status, $text, $err) = run("$dprof $command -f json");
	is($status, 0, $command =~ s/\Q$dir\E\///gr) or diag $err;
	return $status ? () : @{ decode_json($text)->{rows} };
}

# --- what is printed is read ---

my $least = $magic . "5 0 -1 dprof_sample ip=0x10 addr=0x20 op=1\n" .
	"6 -1 7 dprof_access id=0x1 since=0x0 offset=-2147483648 len=8 op=1\n" .
	"7 1 7 dprof_access id=0x1 since=0x0 offset=2147483647 len=8 op=1\n";
my $file = spew("$dir/least.txt", $least);
my ($status, $out, $err) = run("$dprof script $file");
is("$status$err", '0', 'a task that was ending, the least and the largest offset');
like($out, qr/^$_/m, $_) for '5 0 -1 dprof_sample', '6 -1 7 dprof_access .* offset=-2147483648 ',
	'7 1 7 dprof_access .* offset=2147483647 ';
my $again = spew("$dir/again.txt", $out);
is((run("$dprof script $again"))[1], $out, 'are the same when they are read again');
is((run("$dprof merge $again $again -o $dir/merged.txt"))[0], 0, 'and merged');
for my $wrong ('5 0 -2 dprof_free', '5 -2 1 dprof_free', '-1 0 1 dprof_free', '5 0 1 dprof_access offset=-2147483649',
	       '5 0 1 dprof_access offset=2147483648', '5 0 1 dprof_access len=-1', '5 0 1 dprof_access len=256') {
	spew("$dir/wrong.txt", "$magic$wrong\n");
	($status, $out, $err) = run("$dprof script $dir/wrong.txt");
	like("$status $err", qr/^1 dprof: \S+wrong\.txt:2: invalid: /, "$wrong is none");
}

spew("$dir/host.txt", $magic . "host testbox, Linux 6.12\n" . "5 0 1 dprof_sample ip=0x10 addr=0x20 op=1\n");
($status, $out) = run("$dprof script $dir/host.txt");
like($out, qr/^host testbox, Linux 6.12$/m, 'the host is printed');
is((run("$dprof script " . spew("$dir/again.txt", $out)))[1], $out, 'and read');
unlike((run("$dprof script $file"))[1], qr/^host/m, 'none where it is not known');

# --- events are in the order of time; descriptions have none ---

my $alloc = 'dprof_alloc base=0x1000 ip=0x10 type=20 size=64';
my @types = map { "0 -1 0 dprof_type id=$_ class=1 size=64 cache=c$_ func=f file=a.c line=1\n" } 20, 21;
spew("$dir/order.txt", "$magic$types[0]1000000 0 1 $alloc\n1000000 1 1 $alloc\n$types[1]0 -1 0 dprof_cgroup id=7 path=/one\n" .
	"1000500 0 1 dprof_free base=0x1000 ip=0x10 type=20\n");
($status, $out, $err) = run("$dprof report workingset -f csv $dir/order.txt");
is("$status$err", '0', 'types and groups may have any time');
spew("$dir/back.txt", slurp("$dir/order.txt") =~ s/^1000500/999999/mr);
($status, $out, $err) = run("$dprof report workingset $dir/back.txt");
is("$status $err", "1 dprof: $dir/back.txt:7: not in the order of time\n", 'an event before the last one is refused');

# --- memory that two processes have at two addresses ---

# A ring of lines that one CPU fills and another empties, too large for the L1.
sub ring {
	my ($name, @at) = @_;
	my $text = $magic . "1 0 0 dprof_type id=16 class=13 cache=ring file=/dev/shm/ring\n";
	my @source = (1 << 33, 13 << 33, 3 << 33 | 0x10 << 19);
	srand 3;
	for my $n (1 .. 12_000) {
		my ($cpu, $offset) = (int rand 2, 64 * int rand(rand() < 0.5 ? 200 : 1200));
		$text .= sprintf "%d %d %d dprof_sample ip=%d addr=%d base=%d type=16 offset=%d data_src=%d latency=50 " .
			"op=%d width=8 source=4 flags=1 space=3 at=%d\n", 1000 + 10 * $n, $cpu, 10 + $cpu,
			0x400010 + 0x100 * $cpu, $at[$cpu] + $offset, 0x100000000, $offset,
			$source[$offset >= 64 * 200 ? 1 : $n % 5 ? 0 : 2] | 2 << $cpu, 1 + $cpu, 0x100000000 + $offset;
	}
	return spew("$dir/$name.txt", $text);
}

my $same = ring('same', 0x100000000, 0x100000000);
my $apart = ring('apart', 0x7f1000000000, 0x7f2000000000);
for my $by (qw(type field)) {
	my @rows = rows("report classify --by $by --top 0 --cache 32K:8 $apart");
	ok(@rows, "classify --by $by has rows");
	is_deeply(\@rows, [ rows("report classify --by $by --top 0 --cache 32K:8 $same") ],
		  'the same as where they have it at one address');
}

# --- few accesses of a few objects, in histories, do not replace many samples ---

my $objects = $magic . join '', map { "$_->[0] 0 1 dprof_type id=$_->[1] class=1 size=64 cache=$_->[2] func=alloc file=x.c line=1\n" }
	[ 1, 30, 'many' ], [ 2, 31, 'few' ];
my $watched = '';
for my $i (0 .. 7999) {
	my $time = 1000 + 100 * $i;
	# In turn, far more than a cache of 32 KiB has, of which all are lost; and eight, which stay.
	my ($type, $base) = $i % 8 ? (30, 0xffff888000100000 + 64 * ($i * 7 % 30011)) : (31, 0xffff888000800000 + 64 * ($i / 8 % 8));
	my $level = $i % 8 ? 2 << 33 : 1 << 33;
	$objects .= "$time 0 1 dprof_alloc base=$base ip=18446744071578845192 type=$type size=64\n" if $i % 8 || $i < 64;
	$objects .= "$time 0 1 dprof_sample ip=18446744071578845192 addr=$base base=$base type=$type offset=0 width=8 source=1 op=1 " .
		'data_src=' . ($level | 2) . " latency=20 phys=0\n";
	next if $i != 10;
	$watched = join '', map { "$time 0 1 $_\n" } "dprof_alloc base=$base ip=18446744071578845192 type=30 size=64",
		"dprof_history id=1 base=$base type=30 size=64 ip=18446744071578845192 offset=0,0,0,0 len=8,0,0,0 slots=1",
		'dprof_access id=1 ip=18446744071578845192 since=10 type=30 offset=0 len=8 op=2',
		'dprof_access id=1 ip=18446744071578845192 since=20 type=30 offset=0 len=8 op=1',
		'dprof_history_end id=1 ip=18446744071578845192 lifetime=3000 accesses=2';
	$objects .= 'WATCHED';
}
spew("$dir/sampled.txt", $objects =~ s/WATCHED//r);
spew("$dir/watched.txt", $objects =~ s/WATCHED/$watched/r);
my %class;
for my $of ('sampled', 'watched') {
	($class{$of}) = grep { $_->{type} =~ /^many/ } rows("report classify --top 0 $dir/$of.txt");
	cmp_ok($class{$of}{capacity_pct}, '>', 95, "$of: misses of objects that no cache of the size has");
}
is($class{watched}{$_}, $class{sampled}{$_}, "$_ is by samples, with an object that is watched, too") for qw(conflict_pct capacity_pct);
is($class{sampled}{paper_class}, undef, 'the heuristic says nothing without histories');
is($class{watched}{paper_class}, 'capacity', 'and something with one');

done_testing();
