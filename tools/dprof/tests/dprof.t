#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# dprof on recordings in the text form: planted faults and what the views say of
# them, structs and fields from DWARF and BTF, damaged files, wrong options.
use strict;
use warnings;
no warnings 'portable';
use FindBin;
use lib "$FindBin::RealBin/../../tests";
use JSON::PP;
use Test::More;
use Tool;

my $dprof = "$build/bin/dprof";

sub rows {
	my ($command) = @_;
	my ($status, $text, $err) = run("$dprof $command -f json");
	is("$status$err", '0', $command =~ s/\Q$dir\E\///gr);
	return $status ? () : @{ decode_json($text)->{rows} };
}

# A recording being written: functions have addresses, time goes on by itself.
my %function = map { $_->[0] => 0xffffffff81000000 + 0x1000 * $_->[1] }
	(map { [ $_, 0 ] } ()), map { [ (qw(alloc_foo fill send receive drop_foo count scan))[$_], $_ ] } 0 .. 6;
my ($text, $time, $id);

sub begin {
	$text = "# dprof events 1\nhost testbox, Linux 6.12\n";
	$text .= sprintf "symbol %x t %s\n", $function{$_}, $_ for sort keys %function;
	$text .= "symbol ffffffff81007000 t end_of_text\n";
	$text .= "symbol ffffffff82000000 D counters\nsymbol ffffffff82000080 D after_counters\n";
	($time, $id) = (1_000_000_000, 0);
	event(0, 'dprof_type', id => 20, class => 1, size => 128, cache => 'foo_cache',
	      func => 'alloc_foo', file => 'net/foo.c', line => 12);
}

sub event {
	my ($cpu, $name, @fields) = @_;
	my @words;
	while (my ($field, $value) = splice @fields, 0, 2) {
		push @words, "$field=" . (ref $value ? join ',', @$value : $value);
	}
	$text .= "$time $cpu 1 $name @words\n";
}

# struct perf_mem_data_src: a load from L1, L2, L3 or memory; modified in a cache.
my %source = (l1 => 1 << 33, l2 => 2 << 33, l3 => 3 << 33, dram => 13 << 33,
	      peer => 3 << 33 | 0x10 << 19);

sub sample {
	my ($cpu, $ip, $base, $offset, %more) = @_;
	my $from = delete $more{from};
	event($cpu, 'dprof_sample', ip => $ip, addr => $base + $offset, base => $base, type => 20,
	      offset => $offset, width => 8, source => 1, op => 1,
	      $from ? (data_src => $source{$from} | 2) : (), %more);
}

# An object from allocation to free: accesses are [ns, cpu, ip, offset, op].
sub object {
	my ($base, $watched, $end, $free_cpu, @accesses) = @_;
	my ($begin, $n) = ($time, 0);
	my @offset = (@$watched, (0) x (4 - @$watched));
	my @len = ((8) x @$watched, (0) x (4 - @$watched));
	$id++;
	event(0, 'dprof_alloc', base => $base, ip => $function{alloc_foo} + 9, type => 20, size => 128);
	event(0, 'dprof_history', id => $id, base => $base, type => 20, size => 128,
	      ip => $function{alloc_foo} + 9, offset => \@offset, len => \@len,
	      slots => scalar @$watched);
	for (@accesses) {
		my ($since, $cpu, $ip, $offset, $op) = @$_;
		next if !grep { $_ == $offset } @$watched;
		$time = $begin + $since;
		event($cpu, 'dprof_access', id => $id, ip => $ip, since => $since, type => 20,
		      offset => $offset, len => 8, op => $op);
		$n++;
	}
	$time = $begin + $end;
	event($free_cpu, 'dprof_history_end', id => $id, ip => $function{drop_foo} + 4,
	      lifetime => $end, accesses => $n);
	event($free_cpu, 'dprof_free', base => $base, ip => $function{drop_foo} + 4, type => 20);
}

# Packets that another CPU takes from a queue: its loads of what was written are
# true sharing; it is all in one path.
sub queue {
	begin();
	for my $i (0 .. 99) {
		my $base = 0xffff888000100000 + 128 * ($i % 20);
		object($base, [ [ 0, 8 ], [ 0, 64 ], [ 8, 64 ] ]->[$i % 3], 3000, 1,
		       [ 100, 0, $function{fill} + 1, 0, 2 ], [ 200, 0, $function{fill} + 8, 8, 2 ],
		       [ 300, 0, $function{send} + 1, 64, 2 ],
		       [ 1000, 1, $function{receive} + 1, 0, 1 ], [ 1100, 1, $function{receive} + 8, 8, 1 ],
		       [ 1200, 1, $function{receive} + 16, 64, 3 ]);
		sample(1, $function{receive} + 8, $base, 8, from => 'peer', latency => 150) if $i % 2;
		sample(0, $function{fill} + 1, $base, 0, from => 'l1') if $i % 4 == 0;
		$time += 1000;
	}
	return spew("$dir/queue.txt", $text);
}

sub test_queue {
	my $file = queue();
	my ($row, @rows);

	($row) = rows("report profile $file");
	is($row->{type}, 'foo_cache:alloc_foo', 'named by cache and site');
	is_deeply([ @$row{qw(samples misses_l1 peer bounce latency_cycles)} ], [ 75, 50, 50, 'yes', '150' ],
		  'samples, misses, change of CPU, latency');
	# 3,000 of every 4,000 ns is one object live.
	is(sprintf('%.0f', $row->{footprint_bytes} / 128 * 100), '75', 'live, averaged over time');
	is(sprintf('%.1f', $row->{miss_rate_pct}), '66.7', 'miss rate of loads');

	@rows = rows("report paths $file");
	is_deeply([ map { "$_->{function} $_->{access} $_->{cpu_change} $_->{offsets}" } @rows ],
		  [ 'alloc_foo alloc no 0-128', 'fill w no 0-16', 'send w no 64-72',
		    'receive rw yes 0-72', 'drop_foo free no 0-128' ], "one path, the paper's Table 1");
	is($rows[3]{hit}, '100% peer', 'with where the data were');
	is($rows[3]{time_ns}, 1000, 'and when');
	is($rows[0]{frequency_pct}, 100, 'taken always');

	($row) = rows("report classify $file");
	is($row->{class}, 'true_sharing', 'true sharing');
	is($row->{paper_class}, 'true_sharing', "by the paper's heuristic, too");
	is($row->{true_pct}, 100, 'all of it');
	like($row->{writer}, qr/^\+0x8 of foo_cache:alloc_foo by fill\+0x8$/, 'whose writes');

	@rows = rows("report dataflow $file");
	is_deeply([ map { "$_->{from} $_->{to} $_->{objects_pct} $_->{cpu_change}" } @rows ],
		  [ 'alloc_foo fill 100 no', 'fill send 100 no', 'send receive 100 yes',
		    'receive drop_foo 100 no' ], 'a graph');
	my ($status, $out, $err) = run("$dprof plot dataflow $file -o $dir/flow.svg");
	is("$status$err", '0', 'drawn');
	like(slurp("$dir/flow.svg"), qr/<svg.*receive/s, 'as SVG');
	like(slurp("$dir/flow.dot"), qr/^\tn\d+ -> n\d+ \[label="100%", penwidth=5\];$/m, 'a thick edge');

	($row) = rows("report workingset $file");
	is($row->{remote_frees_pct}, 100, 'freed elsewhere');
	is($row->{lifetime_us}, 3, 'lifetime');
	is($row->{used_lines}, 40, 'two lines of each of 20 objects');
	like($row->{path}, qr/^1: alloc_foo\.\.drop_foo$/, 'the path that fills the cache');
}

# Of a type that no sample met, the address set tells how much memory it has.
sub test_allocations_alone {
	begin();
	event(0, 'dprof_alloc', base => 0xffff888000001000 + 128 * $_, ip => $function{alloc_foo} + 9,
	      type => 20, size => 128) for 0 .. 9;
	my ($row) = rows('report workingset ' . spew("$dir/alone.txt", $text));
	is($row->{type}, 'foo_cache:alloc_foo', 'a type of which there are only allocations');
	is($row->{live_peak}, 10, 'all of them live');
	is($row->{cached_lines}, 0, 'none in the cache');
}

# Of objects that were there before the recording, or whose allocation was lost, nobody
# knows whether they are freed where they were allocated.
sub test_frees_of_unknown_allocations {
	begin();
	my $base = 0xffff888000001000;
	event(0, 'dprof_alloc', base => $base, ip => $function{alloc_foo} + 9, type => 20, size => 128);
	$time += 1000;
	event(1, 'dprof_free', base => $base + 128 * $_, ip => $function{drop_foo} + 4, type => 20) for 0 .. 9;
	my ($row) = rows('report workingset ' . spew("$dir/before.txt", $text));
	is($row->{remote_frees_pct}, 100, 'frees of objects whose allocation is not known are left out');
}

# A field that the other CPU writes beside one that is read.
sub test_false_sharing {
	begin();
	for my $i (0 .. 59) {
		my $base = 0xffff888000100000 + 128 * ($i % 10);
		object($base, [ 0, 8 ], 9000, 0, map {
			my $t = 1000 * $_;
			([ $t + 100, 1, $function{count} + 2, 8, 2 ], [ $t + 500, 0, $function{scan} + 2, 0, 1 ])
		} 0 .. 7);
		sample(0, $function{scan} + 2, $base, 0, from => 'l3', latency => 50);
		sample(1, $function{count} + 2, $base, 8, op => 2);
		$time += 500;
	}
	my $file = spew("$dir/false.txt", $text);
	my @rows = rows("report classify --by field $file");
	my ($read) = grep { $_->{field} eq '+0x0' } @rows;
	is($read->{class}, 'false_sharing', 'a write beside: false sharing');
	is($read->{paper_class}, 'false_sharing', "the paper's heuristic agrees");
	like($read->{writer}, qr/^\+0x8 .* by count\+0x2$/, 'whose writes');
	my ($line) = rows("report sharing $file");
	is_deeply([ @$line{qw(sharing false_pct lines samples other_object_pct)} ],
		  [ 'false', 100, 10, 60, 0 ], 'samples alone say so, too');
	# Each turn of the loop is the same: a path of two accesses.
	@rows = rows("report paths $file");
	is(scalar @rows, 4, 'the loop is folded');
}

# Offsets of samples have no sign: objects of 2 GiB and more exist.
sub test_far_field {
	begin();
	sample(0, $function{scan} + 2, 0xffff888000100000, 0x9000_0010, from => 'l3', latency => 50);
	my $file = spew("$dir/far.txt", $text);
	is((rows("report latency $file"))[0]{field}, '+0x90000010', 'a field behind 2 GiB');
	is_deeply([ run("$dprof plot sharing $file -o $dir/far.png") ], [ 1, '',
		"dprof: $file: nothing to draw: dprof report sharing is empty\n" ], 'no picture of nothing');
	is_deeply([ glob "$dir/far.[pc]*" ], [], 'nor a file of it');
}

# Counters of two CPUs in a line of static data, and two objects on a line.
sub test_samples_alone {
	begin();
	for my $i (0 .. 49) {
		for my $cpu (0, 1) {
			$time += 10;
			event($cpu, 'dprof_sample', ip => $function{count} + $cpu, type => 7,
			      addr => 0xffffffff82000040 + 8 * $cpu, base => 0xffffffff82000000,
			      offset => 64 + 8 * $cpu, op => 3, width => 8, source => 1,
			      data_src => $source{peer} | 2, latency => 100);
			my $base = 0xffff888000200000 + 32 * $cpu;
			event($cpu, 'dprof_sample', ip => $function{scan} + $cpu, type => 21 + $cpu,
			      addr => $base, base => $base, offset => 0, op => 3, width => 8, source => 1);
			# Nor is what has the same address in two processes.
			event($cpu, 'dprof_sample', ip => $function{send}, type => 13,
			      addr => 0x7f0000001000 + 8 * $cpu, base => 0x7f0000001000,
			      offset => 8 * $cpu, op => 3, width => 8, source => 1,
			      data_src => $source{l1} | 2);
			# One's own line is nobody's fault.
			my $own = 0xffff888000300000 + 64 * $cpu;
			event($cpu, 'dprof_sample', ip => $function{fill}, type => 23,
			      addr => $own, base => $own, offset => 0, op => 3, width => 8, source => 1,
			      data_src => $source{l1} | 2);
		}
	}
	event(0, 'dprof_type', id => 21 + $_, class => 2, size => 32, cache => 'kmalloc-32',
	      func => (qw(left right private))[$_], file => 'x.c', line => 1) for 0 .. 2;
	my $file = spew("$dir/static.txt", $text);
	my @rows = rows("report sharing $file");
	my %row = map { $_->{type} => $_ } @rows;
	is_deeply([ sort keys %row ], [ 'counters', 'kmalloc-32:left', 'kmalloc-32:right' ],
		  'what is shared, and not what is not');
	is($row{counters}{sharing}, 'false', 'counters of two CPUs');
	is($row{counters}{line_offset_bytes}, 64, 'in the second line of the variable');
	is($row{'kmalloc-32:left'}{other_object_pct}, 100, 'two objects on a line');
	is($row{'kmalloc-32:left'}{writer_type}, 'kmalloc-32:right', 'which');
	ok($row{counters}{gain_pct} > 80, 'what it costs');
	my ($row) = rows("report classify $file");
	is_deeply([ @$row{qw(type class)} ], [ 'counters', 'false_sharing' ], 'and it is why they miss');
	is($row->{paper_class}, undef, 'which the paper cannot tell without a path');
}

# Samples say in which order CPUs used a line: @$samples is [cpu, offset, op, level, pid], of
# an object at @line of type 20, or of a stack.
sub in_order {
	my ($name, $line, $class, @samples) = @_;
	begin();
	for (@samples) {
		my ($cpu, $offset, $op, $from, $pid) = @$_;
		my $base = 0xffff888000500000 + 64 * $line;
		$time += 10;
		$text .= sprintf "%s %d %d dprof_sample ip=%s addr=%s base=%s type=%d offset=%d width=8 source=%d op=%d" .
			" data_src=%s latency=0\n", $time, $cpu, $pid // 1, $function{$cpu ? 'count' : 'scan'} + $offset,
			$base + $offset, $base, $class eq 'stack' ? 9 : 20, $offset, $from ? 1 : 3, $op,
			$from ? $source{$from} | $op << 1 : 0;
	}
	return rows('report sharing ' . spew("$dir/$name.txt", $text));
}

sub test_time {
	# What one CPU used, another frees at the end of a program.
	my @end = (map { ([ 0, 0, 3 ], [ 0, 16, 1 ]) } 1 .. 200);
	is_deeply([ in_order('end', 0, 'slab', @end, map { [ 1, 32, 3 ] } 1 .. 30) ], [],
		  'one hand-over is no sharing');
	# The same samples in turns.
	my ($row) = in_order('turns', 0, 'slab', map { ([ 0, 0, 3 ], [ 1, 32, 3 ], [ 0, 16, 1 ]) } 1 .. 60);
	is_deeply([ @$row{qw(sharing false_pct samples alternations misses)} ], [ 'false', 100, 180, 120, undef ],
		  'alternating CPUs share');
	# Each fourth hand-over is to the bytes that the other wrote; samples between them count not.
	($row) = in_order('weight', 0, 'slab', map { my $n = $_;
		([ 0, 0, 2 ], [ 1, $n % 4 ? 32 : 0, 1 ], map { [ 1, 32, 1 ] } 1 .. 20) } 1 .. 40);
	is_deeply([ @$row{qw(sharing false_pct alternations)} ], [ 'false', 75, 40 ], 'shares are of hand-overs');
	# Where the level is known, a line needs a miss.
	is_deeply([ in_order('hits', 0, 'slab', map { ([ 0, 0, 2, 'l1' ], [ 1, 32, 1, 'l1' ]) } 1 .. 60) ], [],
		  'no row without a miss');
	($row) = in_order('peer', 0, 'slab', map { ([ 0, 0, 1, 'l1' ], [ 1, 32, 1, $_ % 20 ? 'l1' : 'peer' ]) } 1 .. 60);
	is_deeply([ @$row{qw(misses writer)} ], [ 3, undef ], 'a row for peer samples, even if no write was sampled');
	my $once = sub {
		my ($misses) = @_;
		return in_order('once', 0, 'slab', (map { ([ 0, 0, 3, 'l1' ]) } 1 .. 200), (map { [ 1, 32, 1, 'peer' ] } 1 .. $misses),
				map { [ 1, 32, 1, 'l1' ] } 1 .. 30);
	};
	is_deeply([ $once->(2) ], [], 'two misses may be of one hand-over');
	($row) = $once->(3);
	is_deeply([ @$row{qw(sharing alternations misses)} ], [ 'handed_over', 1, 3 ],
		  'a hand-over with more misses is called what it is');
	# Where it is not known, three alternations.
	for my $back (1, 2) {
		my @row = in_order("back$back", 0, 'slab', map { my $n = $_; map { [ $n % 2, 0, 3 ] } 1 .. 3 } 0 .. $back + 1);
		is($row[0]{alternations}, $back > 1 ? 3 : undef, $back + 1 . ' alternations are ' . ($back > 1 ? 'a row' : 'none'));
	}
	# Stacks: one task after another, each on a CPU of its own.
	my $pid = 100;
	is_deeply([ in_order('stacks', 0, 'stack', map { $pid++; map { [ $pid % 2, 8 * $_, 3, undef, $pid ] } 0 .. 3 } 1 .. 80) ],
		  [], 'reused stacks are not shared');
	# A task waits on its stack and another one wakes it.
	($row) = in_order('waits', 0, 'stack', map { ([ 0, 8, 3, undef, 100 ], [ 1, 8, 3, undef, 101 ]) } 1 .. 60);
	is_deeply([ @$row{qw(type sharing false_pct)} ], [ 'stack', 'true', 0 ], 'what another task writes to, is');
	cmp_ok($row->{alternations}, '>=', 100, 'each time');
	# A task that migrates takes its stack with it.
	is_deeply([ in_order('migrates', 0, 'stack', map { my $n = $_; map { [ $n % 2, 8, 3, undef, 100 ] } 1 .. 5 } 1 .. 60) ],
		  [], 'nor are stacks of tasks that migrate');
}

# Lines where objects do not begin, memory that is used again, and classes of misses of
# data that have no histories, met by a few samples.
sub test_samples_of_slabs {
	my %slab = (pair => 24, before => 25, after => 26, conflict => 27, capacity => 28,
		    queue => 29, freed => 30, beside => 31);
	my $sample = sub {
		my ($cpu, $type, $base, $offset, $op, $source) = @_;
		$time += 10;
		event($cpu, 'dprof_sample', ip => $function{scan} + $cpu, type => $slab{$type},
		      addr => $base + $offset, base => $base, offset => $offset, op => $op, width => 8,
		      source => 1, data_src => $source{$source} | $op, latency => 50);
	};
	begin();
	my $line = 0xffff888000200000;
	for (0 .. 19) {
		$sample->(0, 'pair', $line, 8, 2, 'l1');
		$sample->(1, 'pair', $line + 32, 16, 1, 'peer');
		$sample->(0, 'before', $line + 4096, 0, 2, 'l1');
	}
	$sample->(1, 'after', $line + 4096, 0, 1, 'l1') for 0 .. 19;
	for my $i (0 .. 59) {
		$sample->(0, 'conflict', $line + 4096 * (16 + $i * 7 % 24), 0, 1, 'l2');
		$sample->(0, 'capacity', $line + 64 * (4096 + $i * 17 % 1201), 0, 1, 'l2') if $i < 50;
	}
	# As often as chance would, of 1,201.
	$sample->(0, 'capacity', $line + 64 * 4096, 0, 1, 'l2');
	# Two words of an object, which another CPU reads, were met when they were written; of a
	# third one's line, only that the freed object was. A line of which ten other stores were
	# met is another thing.
	for my $i (0 .. 9) {
		my $base = $line + 4096 * 64 + 256 * $i;
		$sample->(0, 'queue', $base, 64 * ($i % 2), 2, 'l1');
		$sample->(1, 'queue', $base, 64 * ($i % 2), 1, 'peer');
		$sample->(0, 'beside', $base + 192, 8, 2, 'l1');
		$sample->(1, 'beside', $base + 192, 0, 1, 'peer');
	}
	$sample->(0, 'freed', $line + 4096 * 64, 128 + 32, 2, 'l1');
	$sample->(1, 'queue', $line + 4096 * 64, 128, 1, 'peer');
	event(0, 'dprof_type', id => $slab{$_}, class => 1, size => 64, cache => $_) for keys %slab;
	my $file = spew("$dir/slabs.txt", $text);
	my %shared = map { $_->{type} => $_ } rows("report sharing $file");
	is_deeply([ grep { /^(before|after|conflict|capacity)/ } keys %shared ], [], 'one type after another shares nothing');
	my %class = map { $_->{type} => $_->{class} } rows("report classify $file");
	is($class{pair}, 'false_sharing', 'the second object of a line suffers falsely, too');
	is($class{beside}, 'false_sharing', 'what is written each time is beside what is read');
	my ($third) = grep { $_->{field} eq '+0x80' } rows("report classify --by field --type queue $file");
	is($third->{class}, 'true_sharing', 'whose writes were not met may be read, though');
	is($third->{writer}, undef, 'and no writer is named');
	is($class{conflict}, 'conflict', 'samples of one set: conflict');
	is($class{capacity}, 'capacity', 'samples of many lines, most of them met once: capacity');
}

# Two CPUs that use members of some objects in random order, with caches that keep a line until
# the other CPU writes to it: false sharing misses, and a recording of one access in 7.
my @use = (	# CPU, member, share of the CPU's accesses, op
	[ 0, 'left', 30, 3 ], [ 1, 'right', 25, 3 ], [ 0, 'config', 20, 1 ], [ 1, 'config', 20, 1 ],
	[ 0, 'lock', 10, 3 ], [ 1, 'lock', 10, 3 ], [ 1, 'tail', 20, 3 ], [ 0, 'head', 15, 3 ],
	[ 0, 'own', 25, 3 ], [ 1, 'owned', 25, 3 ],	# two words of a member
);

sub play {
	my ($offset) = @_;
	my (%valid, %written, $false);
	srand 5;
	begin();
	$text =~ s/size=128 cache=foo_cache/size=256 cache=laid/;
	$text =~ s/ t scan$/ t use_laid/m;
	for my $n (1 .. 21_000) {
		my $cpu = int rand 2;
		my @own = grep { $_->[0] == $cpu } @use;
		my $at = rand 100;	# of the shares of a CPU
		my $is = (grep { ($at -= $_->[2]) < 0 } @own)[0] // $own[-1];
		my ($object, $member) = (int rand 8, $is->[1]);
		my $line = "$object " . ($offset->{$member} >> 6);
		my $miss = exists $valid{$line} && !$valid{$line}[$cpu];
		# True: this member was written by the other CPU.
		$false++ if $miss && !$written{"$object $member"}[1 - $cpu];
		$valid{$line} //= [ 0, 0 ];
		$valid{$line}[$cpu] = 1;
		$written{"$object $_"}[1 - $cpu] = 0 for grep { $offset->{$_} >> 6 == $offset->{$member} >> 6 } keys %$offset;
		if ($is->[3] & 2) {
			$valid{$line}[1 - $cpu] = 0;
			$written{"$object $member"}[$cpu] = 1;
		}
		sample($cpu, $function{scan} + 16 * $cpu + $offset->{$member} % 13, 0xffff888000700000 + 256 * $object,
		       $offset->{$member}, op => $is->[3], data_src => $source{$miss ? 'peer' : 'l1'} | $is->[3] << 1,
		       latency => $miss ? 80 : 0) if $n % 7 == 0;
		$time += 10;
	}
	return ($false, spew("$dir/played.txt", $text));
}

# The advised order, played again, loses as much of the false sharing as is said.
sub test_layout {
	spew("$dir/laid.c", <<'C');
struct laid { long left, right, config, lock, tail, head, own[2]; char unused[192]; };
long use_laid(struct laid *l) { return l->left + l->unused[3]; }
C
	is(system("gcc -g -O1 -c -o $dir/laid.o $dir/laid.c"), 0, 'a struct');
	my %now = (left => 0, right => 8, config => 16, lock => 24, tail => 32, head => 40, own => 48, owned => 56);
	my ($false, $file) = play(\%now);
	my ($status, $out, $err) = run("$dprof layout laid --vmlinux $dir/laid.o $file");
	is("$status$err", '0', 'advice');
	my ($predicted) = $out =~ /^false sharing: [\d.]+ % of the samples now, [\d.]+ % then \(([\d.]+) % saved\)$/m;
	my %then = map { $_->{member} => $_->{offset_then} } rows("layout laid --vmlinux $dir/laid.o $file");
	$then{owned} = $then{own} + 8;
	isnt($then{left} >> 6, $then{right} >> 6, 'what two CPUs write is in two lines');
	my ($left) = play({ map { $_ => $then{$_} } keys %now });
	my $measured = 100 * ($false - $left) / $false;
	cmp_ok($measured, '>', 30, 'false sharing goes');
	cmp_ok(abs($predicted - $measured), '<', 0.2 * $measured, 'as much as predicted, within 20 %');
	diag(sprintf 'false sharing: %d misses, then %d: %.1f %% gone, predicted %.1f %%', $false, $left, $measured, $predicted);
}

# Members and operations without a limit that nobody is told of.
sub test_large_layout {
	my $members = 700;
	spew("$dir/large.c", 'struct large { ' . join(' ', map { "int m$_;" } 0 .. $members - 1) . " };\n" .
	     "int use_large(struct large *l) { return l->m0; }\n" .
	     'struct huge { ' . join(' ', map { "char m$_;" } 0 .. 4096) . " };\n" .
	     "int use_huge(struct huge *l) { return l->m0; }\n");
	is(system("gcc -g -O1 -c -o $dir/large.o $dir/large.c"), 0, 'structs of many members');
	begin();
	event(0, 'dprof_type', id => 60, class => 1, size => 4 * $members, cache => 'large', func => 'f', file => 'a.c', line => 1);
	event(0, 'dprof_type', id => 61, class => 1, size => 4097, cache => 'huge', func => 'f', file => 'a.c', line => 1);
	for my $offset (0, 4 * ($members - 1)) {
		sample(0, $function{scan}, 0xffff888000100000, $offset, type => 60, from => 'dram') for 1 .. 20;
	}
	sample(0, $function{scan}, 0xffff888000200000, 0, type => 61, from => 'dram') for 1 .. 20;
	my $file = spew("$dir/large.txt", $text);
	my %then = map { $_->{member} => $_ } rows("layout large --vmlinux $dir/large.o $file");
	is(scalar keys %then, $members, 'all members of a large struct have a row');
	is(join(' ', map { $then{'m' . $_}{line_then} } 0, $members - 1), '0 0', 'the last is used with the first');
	my ($status, $out, $err) = run("$dprof layout huge --vmlinux $dir/large.o $file");
	is("$status$out", '1', 'one of too many has no advice');
	like($err, qr/: struct huge has 4097 members, and an order of at most 4096 can be advised$/, 'with the reason');

	# No type is selected by an empty name: structs that are not known have it.
	($status, $out, $err) = run("$dprof report profile --type '' $file");
	is($status, 1, 'an empty name');
	is($err, "dprof: no type matches --type \n", 'with the reason');
	# What is read twice cannot come through a pipe.
	($status, $out, $err) = run("cat $file | $dprof report profile /dev/stdin");
	is("$status$out$err", "1dprof: /dev/stdin: no regular file: a recording is read more than once\n", 'a pipe');
	is((run("$dprof report profile /dev/stdin <$file"))[0], 0, 'a file as standard input');
	($status, $out, $err) = run("$dprof export --to pprof $file >/dev/full");
	is("$status$err", "1dprof: standard output: No space left on device\n", 'a profile that cannot be written');
	is((run("$dprof export --to pprof -o /dev/full $file"))[2], "dprof: /dev/full: No space left on device\n",
	   'to a device');
}

# One name, several sites: those that samples met have no histories, another one has.
sub test_names {
	begin();
	event(0, 'dprof_type', id => 60, class => 1, size => 128, cache => 'foo_cache', file => 'none', line => 0);
	event(0, 'dprof_type', id => 61, class => 1, size => 128, cache => 'bar', func => 'f', file => 'a.c', line => 1);
	$text =~ s/ func= / /g;
	object(0xffff888000100000, [ 0 ], 500, 0, [ 100, 0, $function{fill}, 0, 2 ]) for 1 .. 3;
	sample(0, $function{scan}, 0xffff888000200000, 0, type => 60, from => 'dram') for 1 .. 20;
	sample(1, $function{scan}, 0xffff888000300000, 0, type => 61, from => 'dram') for 1 .. 20;
	sample(0, $function{scan}, 0xffff888000100000, 0);
	my $file = spew("$dir/names.txt", $text);
	my @rows = rows("report paths --type foo_cache $file");
	is($rows[0]{type}, 'foo_cache:alloc_foo', 'a cache names all its sites');
	@rows = rows("report profile --type foo_cache $file");
	is_deeply([ sort map { $_->{type} } @rows ], [ 'foo_cache', 'foo_cache:alloc_foo' ], 'each has its row');
	@rows = rows("report profile --type foo_cache:alloc_foo $file");
	is_deeply([ map { $_->{type} } @rows ], [ 'foo_cache:alloc_foo' ], 'a site names itself');
	is(scalar(() = rows("report dataflow --type foo_cache $file")), 2, 'and the data flow is of what has histories');

	# Filters.
	my $filtered = sub { my ($row) = grep { $_->{type} eq $_[1] } rows("report profile $_[0] $file"); $row ? $row->{samples} : 0 };
	is($filtered->('--cpu 1', 'bar:f'), 20, 'samples of a CPU');
	is($filtered->('--cpu 0,2-5', 'bar:f'), 0, 'and not of others');
	$text =~ s/^(\d+) 1 1 (dprof_sample)/$1 1 77 $2/mg;
	$file = spew("$dir/tasks.txt", $text);
	is($filtered->('--tid 5,77', 'bar:f'), 20, 'samples of a task');
	is($filtered->('--tid 5 --tid 77', 'bar:f'), 20, 'the option may be repeated');
	is($filtered->('--tid 1', 'bar:f'), 0, 'and not of others');
	my ($status, $out, $err) = run("$dprof report sharing --tid 6 $file");
	is("$status$err", "1dprof: no sample matches --tid 6\n", 'none: said');
	for ('--tid 1,', '--tid x', '--cpu 5-4', '--cpu 1024', '--cpu 1-') {
		($status, $out, $err) = run("$dprof report profile $_ $file");
		is($status, 2, "$_: status 2");
		like($err, qr/^dprof: \Q$_\E: not a list/, 'names it');
	}
}

# Locks, counters and what is beside them: @sample is [cpu, function, offset, width, op, source].
sub locks {
	my ($name, @sample) = @_;
	begin();
	my $base = 0xffff888000400000;
	for (@sample) {
		my ($cpu, $function, $offset, $width, $op, $source, %more) = @$_;
		$time += 10;
		event($cpu, 'dprof_sample', ip => $function{$function} + 1, type => 20, addr => $base + $offset,
		      base => $base, offset => $offset, width => $width, source => 1, op => $op,
		      data_src => ($source // 0) | $op << 1, latency => 50, %more);
	}
	return spew("$dir/$name.txt", $text);
}

# Both views, of the one line: (row of sharing, rows of classify by field).
sub both_views {
	my ($file) = @_;
	my @sharing = rows("report sharing $file");
	my %field = map { $_->{field} => $_ } rows("report classify --by field $file");
	my ($status, $out, $err) = run("$FindBin::RealBin/dprof_agree.pl $dprof $file");
	like($out, qr/^agree (\d+) of \1 lines$/m, 'sharing and classify agree');
	return ($sharing[0], \%field);
}

sub test_locks {
	my $rmw = 3;
	my $claim = $source{l3};	# no snoop: other CPUs' copies had to go
	my $locked = 2 << 24;
	# A lock of four bytes is taken by read-modify-writes and released by storing a byte: each
	# access is one, however many of its bytes others write.
	my ($row, $field) = both_views(locks('lock', map {
		([ 0, 'fill', 24, 4, $rmw, $source{peer} | $locked ], [ 0, 'fill', 24, 1, 2, $source{l1} ],
		 [ 1, 'send', 24, 4, $rmw, $source{peer} | $locked ])
	} 1 .. 11));
	is_deeply([ @$row{qw(sharing false_pct field misses)} ], [ 'true', 0, '+0x18', 22 ], 'a lock is shared truly');
	is($row->{writer_field}, '+0x18', 'and written');
	is($field->{'+0x18'}{class}, 'true_sharing', 'to classify, too');

	# The accesses decide, not how wide they are: 20 of 8 bytes, 30 of one.
	($row, $field) = both_views(locks('wide', map {
		([ 0, 'fill', 0, 8, 2 ], [ 0, 'fill', 16, 1, 2 ],
		 ($_ % 5 < 2 ? [ 1, 'scan', 32, 8, 1, $source{peer} ] : [ 1, 'send', 16, 1, 1, $source{peer} ]))
	} 1 .. 50));
	is_deeply([ @$row{qw(sharing false_pct field)} ], [ 'true', 40, '+0x10' ], 'accesses count, not bytes');
	is($row->{writer_field}, '+0x10', 'by whose writes');
	is($field->{'+0x20'}{class}, 'false_sharing', 'of the line, another field is shared falsely');

	# Two fields in one word of eight bytes.
	($row, $field) = both_views(locks('halves', map {
		([ 0, 'fill', 8, 4, $rmw, $source{peer} | $locked ], [ 1, 'send', 12, 4, $rmw, $source{peer} | $locked ])
	} 1 .. 20));
	is($row->{sharing}, 'false', 'fields of four bytes side by side');
	is($field->{'+0x8'}{writer} =~ s/ .*//r, '+0xc', 'the one suffers from the other');

	# What locks writes, also where perf has it as a load.
	($row) = both_views(locks('loads', map {
		([ 0, 'fill', 8, 4, 1, $source{peer} | $locked ], [ 1, 'send', 8, 4, 1, $source{peer} | $locked ])
	} 1 .. 10));
	is($row->{sharing}, 'true', 'locked loads are writers');

	# A read-modify-write that the L3 answers takes the line from CPUs that use it.
	($row, $field) = both_views(locks('claims', map {
		([ 0, 'count', 8, 4, $rmw, $claim | $locked ], [ 1, 'count', 8, 4, $rmw, $claim | $locked ])
	} 1 .. 10));
	is_deeply([ @$row{qw(sharing misses)} ], [ 'true', 20 ], 'a counter that two CPUs claim');
	is($field->{'+0x8'}{class}, 'true_sharing', 'to classify, too');
	($row, $field) = both_views(locks('readers', map {
		([ 0, 'count', 8, 4, $rmw, $claim | $locked ], [ 1, 'scan', 16, 8, 1, $source{l1} ])
	} 1 .. 10));
	is($field->{'+0x8'}{class}, 'false_sharing', 'claimed from who reads another field');
	is_deeply([ @$row{qw(sharing field writer_field misses)} ], [ 'false', '+0x10', '+0x8', 10 ], 'of whom the row is');
	like("$row->{user} $row->{writer}", qr/^scan\S* count/, 'and both functions');
	($row, $field) = both_views(locks('alone', map { [ 0, 'count', 8, 4, $rmw, $claim | $locked ] } 1 .. 10));
	isnt($field->{'+0x8'}{class}, $_, "of one CPU, no $_") for qw(true_sharing false_sharing);
	($row, $field) = both_views(locks('plain', map {
		([ 0, 'count', 8, 4, 1, $claim ], [ 1, 'count', 8, 4, 1, $claim ]) } 1 .. 10));
	is($row, undef, 'nor of what two CPUs read');
}

# Objects of which few samples are another CPU's: that some have none is chance, or not.
sub test_claims_of_few_samples {
	my %sharing_pct;
	# [ own claims, other CPU's loads ] of each object.
	my %objects = (
		chance => [ [ 2, 1 ], [ 2, 2 ], [ 2, 0 ], [ 1, 2 ], [ 1, 3 ], [ 1, 1 ], [ 2, 0 ], [ 3, 3 ], [ 3, 5 ], [ 1, 0 ], [ 2, 2 ] ],
		rare => [ [ 3, 3 ], ([ 3, 0 ]) x 40 ],
	);
	for my $name (sort keys %objects) {
		begin();
		my $base = 0xffff888000400000;
		for (@{$objects{$name}}) {
			my ($claims, $loads) = @$_;
			$base += 4096 + 64;
			for ([ 0, 'count', 3, $source{l3} | 2 << 24, $claims ], [ 1, 'scan', 1, $source{l1}, $loads ]) {
				my ($cpu, $function, $op, $source, $times) = @$_;
				for (1 .. $times) {
					$time += 10;
					event($cpu, 'dprof_sample', ip => $function{$function} + 1, type => 20, addr => $base + 8, base => $base,
					      offset => 8, width => 4, source => 1, op => $op, data_src => $source | $op << 1, latency => 50);
				}
			}
		}
		my ($row) = rows('report classify ' . spew("$dir/few-$name.txt", $text));
		$sharing_pct{$name} = $row->{true_pct} + $row->{false_pct};
	}
	cmp_ok($sharing_pct{chance}, '>', 95, "objects with too few samples are shared as others are: $sharing_pct{chance} %");
	cmp_ok($sharing_pct{rare}, '<', 10, "of 41, the one that is shared says nothing of others: $sharing_pct{rare} %");
}

# What perf c2c shows, with objects and fields; and how long accesses took.
sub test_c2c {
	my $far = 1 << 37 | $source{peer};	# on another node
	my $line = 0xffff888000600000;
	begin();
	for my $i (1 .. 10) {
		sample(0, $function{fill}, $line, 8, op => 2);
		sample(1, $function{scan}, $line, 8, data_src => $source{peer} | 2, latency => 100);
		sample(2, $function{scan}, $line, 8, data_src => $far | 2, latency => 300);
		sample(1, $function{count}, $line, 32, from => 'l1');
		sample(0, $function{fill}, $line + 4096, 0, op => 2);
		sample(1, $function{send}, $line + 4096, 0, data_src => $source{peer} | 2, latency => 40 + 200 * ($i > 8))
			for 1 .. 4;
		sample(1, $function{scan}, $line + 8192, 0, from => 'l1');
	}
	my $file = spew("$dir/c2c.txt", $text);
	my @rows = rows("report c2c $file");
	is_deeply([ map { join ' ', map { $_ // '-' } @$_{qw(index cacheline total_records rmt_hitm lcl_hitm records loads stores
			offset field rmt_hitm_cycles lcl_hitm_cycles cpu_cnt symbol)} } @rows ],
		  [ '0 0xffff888000601000 50 0 40 40 40 0 0 +0x0 - 80 1 send+0x0',
		    '0 0xffff888000601000 50 0 0 10 0 10 0 +0x0 - - 1 fill+0x0',
		    '1 0xffff888000600000 40 10 10 20 20 0 8 +0x8 300 100 2 scan+0x0',
		    '1 0xffff888000600000 40 0 0 10 0 10 8 +0x8 - - 1 fill+0x0',
		    '1 0xffff888000600000 40 0 0 10 10 0 32 +0x20 - - 1 count+0x0' ], 'lines by HITM, accesses of each');
	is($rows[0]{type}, 'foo_cache:alloc_foo', 'with the object');
	is(sprintf('%.1f', $rows[0]{tot_hitm_pct}), '66.7', 'share of HITM');
	is(scalar(() = rows("report c2c --top 1 $file")), 2, '--top counts lines');
	@rows = rows("report latency $file");
	is_deeply([ map { join ' ', @$_{qw(field samples latency_cycles half_within_cycles to_64 to_128 to_256 to_512)} } @rows ],
		  [ '+0x8 20 200 128 0 10 0 10', '+0x0 40 80 64 32 0 8 0' ], 'histograms');
	my ($status, $out, $err) = run("$dprof report latency " . locks('swmem', map { [ 0, 'scan', 0, 8, 1, undef, latency => 0 ] } 1 .. 3));
	is($status, 1, 'no latencies: status 1');
	like($err, qr/swmem\.txt: no sample has a latency/, 'says so');
}

# A chain is of the event before it, of the same CPU and task, without the interrupt and the function itself.
sub test_callers {
	my ($nmi, $scan, $send, $line) = (0xffffffff81009010, $function{scan} + 8, $function{send} + 4, 0xffff888000100000);
	my $chain = sub { my ($cpu, @frames) = @_; event($cpu, 'dprof_chain', frames => \@frames) };
	begin();
	$text .= "symbol ffffffff81009000 t asm_exc_nmi\nsymbol ffffffff81008000 t swmem_nmi\n" .
		"symbol ffffffff8100a000 t hrtimer_interrupt\nsymbol ffffffff8100b000 t asm_sysvec_apic_timer_interrupt\n";
	my @nmi = (0xffffffff81008020, $nmi);
	my @timer = (0xffffffff8100a008, 0xffffffff8100b004);
	for my $i (1 .. 6) {
		sample(0, $scan, $line, 8, from => $i % 2 ? 'peer' : 'l1', latency => 100);
		sample(1, $scan, $line, 16, from => 'l1');
		$chain->(1, @nmi, $scan, $function{fill} + 1);
		# IBS interrupts later: in what the function called, or after it returned.
		# swmem does in the interrupt of its timer.
		$chain->(0, @nmi, $i == 1 ? ($function{count} + 2) : $i == 3 ? @timer : (), $i == 2 ? () : $scan + 4, $send, $function{receive} + 3);
	}
	# Of no sample: of a sample that is left out, of another task, the second one of an event.
	$chain->(0, @nmi, $scan, $function{fill});
	event(2, 'dprof_alloc', base => $line, ip => $function{alloc_foo} + 9, type => 20, size => 128);
	# A sample comes before its chain does.
	sample(2, $scan, $line, 16, from => 'l1');
	$chain->(2, @nmi, $scan, $function{fill} + 1);
	$chain->(2, $function{count} + 5, $function{alloc_foo} + 9, $send);
	event(2, 'dprof_free', base => $line, ip => $function{drop_foo} + 4, type => 20);
	$chain->(3, $function{drop_foo} + 4, $send);
	my $file = spew("$dir/callers.txt", $text);
	my @rows = rows("report callers $file");
	is_deeply([ map { join ' ', map { $_ // '-' } @$_{qw(event field function count misses_l1 peer callers)} } @rows ],
		  [ 'access +0x8 scan 6 3 3 send < receive', 'access +0x10 scan 7 0 0 fill', 'alloc - alloc_foo 1 - - send' ],
		  'callers of accesses and allocations, misses first');
	is($rows[0]{type}, 'foo_cache:alloc_foo', 'of a type');
	is(scalar(@rows = rows("report callers --top 1 $file")), 2, '--top counts the rows of each event');
	is(join(' ', map { $_->{count} } rows("report callers --cpu 1 $file")), '6 1', '--cpu leaves out the chains, too');
	my ($status, $out) = run("$dprof script --symbols $file");
	my $again = spew("$dir/again.txt", $out);
	is_deeply([ rows("report callers $again") ], [ rows("report callers $file") ], 'script writes chains');
	($status, $out, my $err) = run("$dprof report callers " . queue());
	is($status, 1, 'no chains: status 1');
	like($err, qr/no call chains in the recording \(dprof record --call-graph\)/, 'says so');
}

# Two recordings in which a type has different numbers, and a number different types.
sub test_merge {
	for my $file (1, 2) {
		begin();
		$text .= "symbol ffffffff81000000 T _text\n";
		event(0, 'dprof_type', id => 30 + $file, class => 1, size => 128, cache => 'one', func => 'f', file => 'a.c', line => 1);
		event(0, 'dprof_type', id => 33 - $file, class => 1, size => 128, cache => 'two', func => 'f', file => 'a.c', line => 1);
		for (1 .. 10) {
			sample(0, $function{scan}, 0xffff888000100000, 0, type => 30 + $file, from => 'dram');
			sample(0, $function{scan}, 0xffff888000200000, 0, type => 33 - $file, from => 'dram') if $file == 1;
			$time += 1000;
		}
		object(0xffff888000300000, [ 0 ], 500, 0, [ 100, 0, $function{fill}, 0, 2 ]);
		spew("$dir/merge$file.txt", $text);
	}
	my ($status, $out, $err) = run("$dprof merge $dir/merge1.txt $dir/merge2.txt -o $dir/merged.txt");
	is("$status$err", '0', 'two recordings merged');
	my %n = map { $_->{type} => $_->{samples} } rows("report profile $dir/merged.txt");
	is_deeply(\%n, { 'one:f' => 20, 'two:f' => 10 }, 'types are those of the same cache and site');
	my ($row) = rows("report workingset --type foo_cache $dir/merged.txt");
	is($row->{lifetime_us}, '0.5', 'objects of both');
	my @paths = rows("report paths $dir/merged.txt");
	is($paths[0]{frequency_pct}, 100, 'and their histories');
	my @times = slurp("$dir/merged.txt") =~ /^(\d+) /mg;
	is_deeply([ grep { $times[$_] < $times[$_ - 1] } 1 .. $#times ], [], 'in the order of time');
	is(scalar(() = slurp("$dir/merged.txt") =~ / T _text$/mg), 1, 'symbols once');
	like(slurp("$dir/merged.txt"), qr/^host testbox, Linux 6.12$/m, 'and the host');
	spew("$dir/boot.txt", slurp("$dir/merge2.txt") =~ s/ffffffff81000000 T _text/ffffffff91000000 T _text/r);
	for my $case ([ 'boot.txt', qr/boot\.txt: recorded after another boot/ ], [ 'none', qr/none: No such file/ ]) {
		($status, $out, $err) = run("$dprof merge $dir/merge1.txt $dir/$case->[0] -o $dir/not.txt");
		is($status, 1, "$case->[0]: status 1");
		like($err, $case->[1], 'says why');
		ok(!-e "$dir/not.txt", 'and writes nothing');
		is($err =~ tr/\n//, 1, 'one line');
	}
	($status, $out, $err) = run("$dprof merge $dir/merge1.txt $dir/none");
	is("$status$out$err", "1dprof: $dir/none: No such file or directory\n",
	   'a file that is not there: nothing is printed before the message');
	($status, $out, $err) = run("$dprof merge $dir/merge1.txt $dir/merge2.txt >/dev/full");
	is("$status$err", "1dprof: standard output: No space left on device\n", 'a full disk');
}

# Of one number other types, processes and histories in each of three recordings.
sub test_merge_merged {
	my @files = map { "$dir/again$_.txt" } 0 .. 2;
	for my $file (0 .. 2) {
		begin();
		for my $n (0 .. 2) {
			event(0, 'dprof_type', id => 30 + $n, class => 1, size => 128, cache => "kind" . ($n + $file) % 3,
			      func => 'f', file => 'a.c', line => 1);
			for (1 .. 5 + $n) {
				sample($_ % 2, $function{scan}, 0xffff888000100000 + 0x1000 * $n, 8 * ($_ % 2), type => 30 + $n,
				       from => 'peer', op => 1 + $_ % 2);
				sample($_ % 2, 0x401000, 0x7000, 8 * ($_ % 2), type => 13, space => 1 + $n % 2, flags => 1,
				       from => 'peer', op => 1 + $_ % 2);
				$time += 1000;
			}
		}
		object(0xffff888000300000, [ 0 ], 500 + $file, 0, [ 100, 0, $function{(qw(fill send count))[$file]}, 0, 2 ]);
		spew($files[$file], $text);
	}
	run("$dprof merge @files -o $dir/at_once.txt");
	for my $case ([ 'first two', "$dir/first.txt $files[2]", @files[0, 1] ],
		      [ 'last two', "$files[0] $dir/first.txt", @files[1, 2] ]) {
		my ($what, $inputs, @first) = @$case;
		run("$dprof merge @first -o $dir/first.txt");
		my ($status, $out, $err) = run("$dprof merge $inputs -o $dir/twice.txt");
		is("$status$out$err", '0', "$what merged before");
		for my $view (qw(profile sharing lines paths workingset classify)) {
			is_deeply([ rows("report $view $dir/twice.txt") ], [ rows("report $view $dir/at_once.txt") ],
				  "$view: as of all at once");
		}
	}
	my %n = map { $_->{type} => $_->{samples} } rows("report profile -n 0 $dir/at_once.txt");
	is_deeply([ map { $n{"kind$_:f"} } 0 .. 2 ], [ 5 + 7 + 6, 6 + 5 + 7, 7 + 6 + 5 ], 'types are told apart');
	my ($status, $out, $err) = run("$dprof merge" . " $files[0]" x 128 . " -o $dir/most.txt");
	is("$status$out$err", '0', 'the most files');
	($status, $out, $err) = run("$dprof merge $dir/most.txt $dir/most.txt -o $dir/twice.txt");
	is("$status$out$err", '0', 'and twice');
	spew("$dir/large.txt", slurp($files[0]) =~ s/id=30 /id=4294967290 /r);
	($status, $out, $err) = run("$dprof merge $files[0] $dir/large.txt -o $dir/not.txt");
	is("$status$out", '1', 'a number that cannot be moved: status 1');
	like($err, qr{^dprof: \Q$dir\E/large\.txt: a type.s number is too large to be moved behind those of the files before$}m,
	   'says so');
	ok(!-e "$dir/not.txt", 'and writes nothing');
}

# Of AMD before Zen 4: the L3 or another cache of the node, nobody knows which.
sub test_local_cache {
	my $local = 11 << 33 | 0x440 << 5 | 1 << 43;
	my $file = locks('local', map { ([ 0, 'count', 8, 8, 1, $local ], [ 1, 'scan', 8, 8, 1, $local ]) } 1 .. 10);
	my ($row) = rows("report profile $file");
	is_deeply([ @$row{qw(misses_l1 misses_l2 misses_l3 peer l3_or_peer bounce)} ], [ 20, 20, 0, 0, 20, 'no' ],
		  'counted apart');
	is_deeply([ rows("report sharing $file") ], [], 'and takes no part in sharing');
	($row) = rows("report profile " . locks('hitm', map { [ $_ % 2, 'count', 8, 8, 1, $local | 0x10 << 19 ] } 1 .. 10));
	is_deeply([ @$row{qw(peer l3_or_peer bounce)} ], [ 10, 0, 'yes' ], 'unless it was modified there');
}

# Objects at the same place of pages, and a set that is too large: by simulation
# alone, since the samples do not say what missed.
sub test_conflict_capacity {
	for my $case ([ 'conflict', 4096, 24 ], [ 'capacity', 192, 1200 ], [ 'none', 128, 40 ]) {
		my ($class, $stride, $nr) = @$case;
		begin();
		for my $i (0 .. 4799) {
			object(0xffff888000000000 + $stride * ($i % $nr), [ 0 ], 400, 0,
			       [ 100, 0, $function{fill} + 1, 0, 2 ], [ 200, 0, $function{scan} + 1, 0, 1 ]);
			$time += 100;
		}
		my $file = spew("$dir/$class.txt", $text);
		my ($row) = rows("report classify $file");
		my ($set) = rows("report workingset $file");
		if ($class eq 'none') {
			# What is left misses only because it was never there.
			ok(!$row || $row->{class} eq 'cold', 'a small set that is spread: no fault');
			next;
		}
		is($row->{class}, $class, "$class");
		is($row->{paper_class}, $class, "the paper's heuristic: $class");
		is($set->{sets}, $class eq 'conflict' ? 1 : 64, 'sets that it uses');
		is($set->{crowded_pct}, $class eq 'conflict' ? 100 : 0, 'crowded ones') if $class eq 'conflict';
	}
	my @sets = rows("report assoc-sets $dir/conflict.txt");
	is_deeply([ map { [ @$_{qw(set lines objects)} ] } @sets ], [ [ 0, 24, 24 ] ], 'one set has it all');
	my ($status, $out, $err) = run("$dprof plot assoc-sets $dir/conflict.txt -o $dir/sets.png");
	is("$status$err", '0', 'drawn');
	like(slurp("$dir/sets.png"), qr/^\x89PNG/, 'as PNG');
}

# The paper's section 5.2: objects that wait longer fill the cache.
sub test_diff {
	for my $wait (1000, 100_000) {
		begin();
		my @waiting;
		for my $i (0 .. 399) {
			my $base = 0xffff888000100000 + 128 * ($i % 200);
			event(0, 'dprof_alloc', base => $base, ip => 1, type => 20, size => 128);
			push @waiting, [ $time + $wait, $base ];
			$time += 1000;
			while (@waiting && $waiting[0][0] <= $time) {
				my $object = shift @waiting;
				sample(0, $function{receive}, $object->[1], 0,
				       from => $wait > 1000 ? 'dram' : 'l2', latency => $wait > 1000 ? 150 : 50);
				event(0, 'dprof_free', base => $object->[1], ip => 1, type => 20);
			}
		}
		spew("$dir/wait$wait.txt", $text);
	}
	my ($row) = rows("diff $dir/wait1000.txt $dir/wait100000.txt");
	is($row->{latency_ratio}, 3, 'latency');
	is($row->{lifetime_ratio}, 100, 'lifetime');
	ok($row->{footprint_ratio} > 80 && $row->{footprint_ratio} < 101, 'working set');
}

# Types in two recordings: sockets that queue up are what changed, and not the types whose share
# of misses did by chance, nor what is large or new.
sub test_diff_order {
	my $id = 1000;
	my %at = map { $_ => 0xffff888001000000 + 0x1000000 * $id++ } qw(sockets buffers pages);
	my %type = (sockets => 40, buffers => 41, pages => 42, noise => 50);
	for my $case ([ 'short', 9, 20, 500, 3 ], [ 'deep', 500, 35, 540, 4 ]) {
		my ($name, $sockets, $latency, $pages, $new) = @$case;
		begin();
		event(0, 'dprof_type', id => $type{$_}, class => 1, size => $_ eq 'pages' ? 4096 : 2240, cache => $_,
		      func => 'f', file => 'a.c', line => 1) for qw(sockets buffers pages);
		event(0, 'dprof_type', id => $type{noise} + $_, class => 1, size => 64, cache => "noise$_",
		      func => 'f', file => 'a.c', line => 1) for 0 .. 99;
		my $alloc = sub {
			event(0, 'dprof_alloc', base => $at{$_[0]} + 4096 * $_[1], ip => 1, type => $type{$_[0]},
			      size => $_[0] eq 'pages' ? 4096 : 2240);
		};
		my $free = sub { event(0, 'dprof_free', base => $at{$_[0]} + 4096 * $_[1], ip => 1, type => $type{$_[0]}) };
		$alloc->('pages', $_) for 0 .. $pages;
		event(0, 'dprof_alloc', base => 0xffff888000000000 + 64 * $_, ip => 1, type => $type{noise} + $new, size => 64)
			for 0 .. 5;
		for my $i (0 .. 1500) {
			$time += 1000;
			$alloc->('sockets', $i % 1000);
			$free->('sockets', ($i - $sockets) % 1000) if $i >= $sockets;
			sample(0, $function{receive}, $at{sockets} + 4096 * ($i % 1000), 0, type => $type{sockets},
			       from => 'l2', latency => $latency) if $i % 12 == 0;
			sample(0, $function{scan}, 0xffff888000000000 + 64 * $i, 0, type => $type{noise} + $i * ($new + 4) % 97 % 23,
			       from => 'l2', latency => 30) if $i % 3 == 0;
		}
		spew("$dir/$name.txt", $text);
	}
	my @rows = rows("diff $dir/short.txt $dir/deep.txt");
	is($rows[0]{type}, 'sockets:f', 'what queues up comes first') or diag(join ' ', map { $_->{type} } @rows[0 .. 4]);
	is($rows[0]{ranked_by}, 'footprint', 'by its memory');
	ok($rows[0]{live_objects_ratio} > 35 && $rows[0]{lifetime_ratio} > 40, 'its live count and lifetime')
		or diag("$rows[0]{live_objects_ratio} $rows[0]{lifetime_ratio}");
	is($rows[0]{cycles_per_sample_after} > $rows[0]{cycles_per_sample_before}, 1, 'with what its misses cost');
	# A latency alone.
	@rows = rows("diff $dir/wait1000.txt $dir/wait100000.txt");
	is($rows[0]{type}, 'foo_cache:alloc_foo', 'one type');
	# The same twice: nothing to point at.
	@rows = rows("diff $dir/deep.txt $dir/deep.txt");
	is_deeply([ grep { defined $_->{ranked_by} } @rows ], [], 'no row is ranked if nothing changed');
	# Misses are compared where one has no latencies.
	spew("$dir/no_latency.txt", slurp("$dir/deep.txt") =~ s/ latency=\d+//gr);
	for my $files ('deep.txt no_latency.txt', 'no_latency.txt deep.txt') {
		@rows = rows('diff ' . join ' ', map { "$dir/$_" } split / /, $files);
		is_deeply([ grep { defined $_->{ranked_by} } @rows ], [], "nor by cycles against misses: $files");
	}
}

# Of an array that ends a struct, elements have their fields; what is behind a single struct has none.
sub test_ends_of_structs {
	spew("$dir/ends.c", <<'C');
struct egg { int fresh, laid; };
struct basket { long n; char __cacheline_group_begin__eggs[0]; int words; struct egg eggs[]; };
struct box { long a, b, c; };
struct basket *first_basket; struct box *first_box;
long use(void) { return first_basket->eggs[first_box->c].laid; }
C
	is(system("gcc -g -O1 -c -o $dir/ends.o $dir/ends.c"), 0, 'structs');
	is(system("cp $dir/ends.o $dir/ends.btf.o; LLVM_OBJCOPY=objcopy pahole -J $dir/ends.btf.o >$dir/pahole.out 2>&1"), 0,
	   'BTF of them') or diag slurp("$dir/pahole.out");
	for my $case ([ 'basket', 56, [ 36, 'eggs[3].fresh' ], [ 32, 'eggs[2].laid' ], [ 8, 'words' ] ],
		      [ 'box', 32, [ 16, 'c' ], [ 24, '+0x18' ] ]) {
		my ($name, $bytes, @at) = @$case;
		begin();
		$text =~ s/cache=foo_cache/cache=$name/;
		$text =~ s/class=1 size=128/class=1 size=$bytes/;
		event(0, 'dprof_alloc', base => 0xffff888000100000, ip => $function{fill}, type => 20, size => $bytes);
		for my $at (@at) {
			$time += 10;
			sample(0, $function{scan}, 0xffff888000100000, $at->[0], from => 'peer', latency => 150) for 1 .. 3;
		}
		my $file = spew("$dir/ends.txt", $text);
		for my $from ('', "--btf $dir/ends.btf.o ") {
			my %is = map { $_->{field} => 1 } rows("report classify --by field --vmlinux $dir/ends.o $from$file");
			is_deeply([ sort keys %is ], [ sort map { $_->[1] } @at ],
				  "fields of struct $name, by " . ($from ? 'BTF' : 'DWARF'));
		}
	}
}

# Per-CPU data: variables of the kernel, of a module behind them, and what was allocated behind these.
sub test_percpu {
	begin();
	$text .= "symbol 0 A first\nsymbol 1000 A last\nsymbol 1040 A __per_cpu_end\nsymbol 1080 a counter\t[mod]\n";
	sample(0, $function{scan}, 0xffff888000200000, $_, type => 8) for 8, 0x1008, 0x1048, 0x1088, 0x207f, 0x2080, 0x5088;
	is_deeply({ map { $_->{type} => $_->{samples} } rows('report profile ' . spew("$dir/percpu.txt", $text)) },
		  { first => 1, last => 1, counter => 2, percpu => 3 }, 'per-CPU variables, and what is none');
}

# The bytes from a function's begin to its first instruction that a pattern matches.
sub instruction {
	my ($file, $function, $pattern) = @_;
	my ($code) = `objdump -d --no-show-raw-insn $file` =~ /<\Q$function\E>:\n(.*?)(?:\n\n|\z)/s;
	my @line = map { /^\s*([0-9a-f]+):\t(.*)/ ? [ $1, $2 ] : () } split /\n/, $code // '';
	my ($at) = grep { $_->[1] =~ $pattern } @line;

	ok($at, "$function has $pattern") or diag $code;
	return $at ? hex($at->[0]) - hex $line[0][0] : 0;
}

# What code accesses in objects that have no struct: headers in packets, structs on stacks.
sub test_structs_in_bytes {
	spew("$dir/packet.c", <<'C');
struct ip { unsigned char ihl, tos; unsigned short length; unsigned int from, to; };
struct udp { unsigned short from, to, length, check; };
struct ops { long flags; long (*send)(void *); };
struct list { int nr; struct udp item[]; };
union word { long whole; int half[2]; };
static inline __attribute__((always_inline)) unsigned int third(const void *p)
{
	return ((const unsigned int *)p)[2];
}
__attribute__((noinline)) long read_ip(struct ip *ip) { return ip->to; }
__attribute__((noinline)) long sum_ip(struct ip *ip) { return third(ip); }
__attribute__((noinline)) long read_udp(char *packet)
{
	struct udp *udp = (void *)(packet + sizeof(struct ip));

	return udp->length;
}
__attribute__((noinline)) long index_udp(struct udp *udp, long i) { return udp[i].check; }
__attribute__((noinline)) long send(struct ops *ops) { return ops->send(ops) + 1; }
__attribute__((noinline)) long read_list(struct list *list) { return list->item[1].check; }
__attribute__((noinline)) long read_word(union word *word) { return word->whole; }
C
	is(system("gcc -g -O1 -fcf-protection=none -c -o $dir/packet.o $dir/packet.c && cp $dir/packet.o $dir/mod.ko"), 0,
	   'headers of packets');
	my %pattern = (read_ip => qr/^mov +0x8\(/, sum_ip => qr/^mov +0x8\(/, read_udp => qr/^movzwl 0x10\(/,
		       index_udp => qr/^movzwl .*,/, send => qr/^callq? +\*/, read_list => qr/^movzwl 0x12\(/,
		       read_word => qr/^mov +\(/);
	my %at = map { $_ => instruction("$dir/packet.o", $_, $pattern{$_}) } sort keys %pattern;
	my $packet = 0xffff888000100000;
	my %begin;
	begin();
	$text =~ s/cache=foo_cache.*/cache=kmalloc-2k func=nowhere file=none.c line=1/;
	$text =~ s/ t fill$/ t memcpy/m;
	my $n = 0;
	for my $name (sort keys %pattern, 'in_module') {
		$begin{$name} = 0xffffffff81008000 + 0x1000 * $n++;
		$text .= sprintf "symbol %x t %s\n", $begin{$name}, $name eq 'in_module' ? "read_ip\t[mod]" : $name;
	}
	$text .= sprintf "symbol %x t end_of_all\n", 0xffffffff81008000 + 0x1000 * $n;
	$at{in_module} = $at{read_ip};
	my $access = sub {
		my ($name, $offset, $samples, %more) = @_;
		sample(0, $begin{$name} + $at{$name}, $packet, $offset, %more) for 1 .. $samples // 1;
	};
	# A header begins at 16 in most packets; sum_ip has most samples of all places together.
	$access->('read_ip', 16 + 8, 2, from => 'dram');
	$access->('sum_ip', $_ + 8, 1, from => 'dram') for 32, 48, 64;
	$access->('in_module', 128 + 8, 9);
	$access->('read_udp', 28 + 4, 1, from => 'l2');
	$access->('index_udp', 28 + 6);
	$access->('send', 48);
	$access->('read_list', 100 + 18);
	$access->('read_word', 200);
	sample(0, $function{fill}, $packet, 8 * $_) for 0 .. 4;
	# What call stores is the address of the next instruction.
	$access->('send', 56, 1, type => 9);
	$access->('read_udp', 1000, 2, type => 9);
	my $file = spew("$dir/packet.txt", $text);
	my $found = sub {
		return [ map { join ' ', map { $_ // '-' } @$_{qw(type struct field at_bytes at_pct samples)} }
			 rows("report structs --level l1 $_[0] $file") ];
	};
	is_deeply($found->("--vmlinux $dir/packet.o"),
		  [ 'kmalloc-2k:nowhere ip to 16 40 5', 'kmalloc-2k:nowhere udp length 28 100 1', 'stack udp length 996 100 2',
		    'kmalloc-2k:nowhere list item[1].check 100 100 1', 'kmalloc-2k:nowhere ops send 40 100 1',
		    'kmalloc-2k:nowhere word - 200 100 1', 'kmalloc-2k:nowhere - - - - 10', 'kmalloc-2k:nowhere (bytes) - - - 5',
		    'stack - - - - 1' ], 'structs, fields, and where they begin; not of a module whose file is not there');
	is($found->("--vmlinux $dir/packet.o --vmlinux $dir/mod.ko")->[0], 'kmalloc-2k:nowhere ip to 128 64.3 14',
	   'nor of the kernel, if the module\'s is');
	is_deeply([ map { $_->{code} =~ s/\+.*//r } rows("report structs --type kmalloc-2k:nowhere --vmlinux $dir/packet.o $file") ],
		  [ qw(sum_ip read_udp read_list send read_word read_ip memcpy) ], 'of a type, the instruction with most samples');
	is((run("$dprof report structs $file"))[2], "dprof: $file: structs in memory follow from the variables of code: " .
	   "--vmlinux with DWARF is needed\n", 'without DWARF');
}

# Structs and fields: a function as the kernel would have it, and an object of it.
sub test_structs {
	spew("$dir/foo.c", <<'C');
struct part { int a; short b[3]; };
struct foo {
	long first;
	struct part part;
	union { long number; char bytes[8]; };
	struct foo *next;
	unsigned low : 3, high : 5;
	char unused[40];
	long last;
};
struct bar { char c[200]; }; struct alloc_tag { char c[96]; };
void *kmalloc(unsigned long size); void tag_restore(struct alloc_tag *);
struct foo *first_foo;
__attribute__((noinline)) void make_foo(struct bar *from)
{
	struct foo *foo = ({ static struct alloc_tag t; struct alloc_tag *old = &t; void *p = kmalloc(sizeof(*foo)); tag_restore(old); p; });
	struct bar *other = from + 1;

	foo->first = other->c[3];
	first_foo = foo;
}
__attribute__((noinline)) long use_foo(struct foo *foo)
{
	return foo->last + foo->number;
}
C
	is(system("gcc -g -O1 -c -o $dir/foo.o $dir/foo.c"), 0, 'a struct');
	my $bytes = 96;
	begin();
	$text =~ s/cache=foo_cache.*/cache=kmalloc-96 func=make_foo file=foo.c line=16/;
	$text =~ s/class=1 size=128/class=2 size=96/;
	event(0, 'dprof_alloc', base => 0xffff888000100000, ip => $function{fill}, type => 20,
	      size => $bytes);
	for my $offset (0, 12, 20, 24, 32, 40, 88) {
		$time += 10;
		sample(0, $function{scan} + $offset, 0xffff888000100000, $offset);
	}
	my $file = spew("$dir/structs.txt", $text);
	my ($row) = rows("report profile --vmlinux $dir/foo.o $file");
	is($row->{struct}, 'foo', 'the struct of an allocation, by DWARF, and not that of its tag');
	my @members = rows("layout foo --vmlinux $dir/foo.o $file");
	is_deeply([ sort map { $_->{member} } @members ],
		  [ sort qw(first part (unnamed) next low unused last) ], 'its members');
	my ($last) = grep { $_->{member} eq 'last' } @members;
	my ($unused) = grep { $_->{member} eq 'unused' } @members;
	is_deeply([ @$last{qw(offset_now line_now line_then)} ], [ 88, 1, 0 ],
		  'what is used comes in the first line');
	ok($unused->{offset_then} > $last->{offset_then}, 'what is not, behind');
	my ($status, $out, $err) = run("$dprof layout foo --vmlinux $dir/foo.o $file");
	# All samples are of one function: 2 lines now, and 45 bytes that fit in one.
	like($out, qr/^struct foo: 96 bytes now, \d+ then; cache lines per operation 2\.00 now, 1\.00 then \(50\.0 % saved\)$/m,
	     'lines an operation touches');
	{
		# pahole's default for a file without the section is llvm-objcopy, which need not be there.
		is(system("LLVM_OBJCOPY=objcopy pahole -J $dir/foo.o >$dir/pahole.out 2>&1"), 0, 'BTF of it')
			or diag slurp("$dir/pahole.out");
		system("objcopy -R .debug_info $dir/foo.o $dir/foo.btf.o 2>/dev/null");
		like((run("$dprof report profile --btf $dir/none $file"))[2], qr{/none: No such file or directory}, 'no such file');
		($row) = rows("report profile --btf $dir/foo.o $file");
		is($row->{struct}, undef, 'BTF alone does not say what is allocated');
		@members = rows("layout foo --vmlinux $dir/foo.o --btf $dir/foo.o $file");
		is(scalar @members, 7, 'members from BTF');
	}
	# Variables: a static one, an array, and one of a function.
	spew("$dir/var.c", <<'C');
struct pair { long left, right; };
struct pair one, lone;
static struct pair many[16];
__attribute__((noinline)) long use_static(int i)
{
	static struct pair own;

	own.right += i;
	many[i].left += own.right;
	return one.right + many[i].left;
}
C
	is(system("gcc -g -O1 -c -o $dir/var.o $dir/var.c"), 0, 'variables');
	my ($own) = `nm $dir/var.o` =~ /[bd] (own\.\d+)$/m or die;
	begin();
	$text =~ s/ t count$/ t use_static/m;
	for my $name (qw(one many own lone)) {
		my $addr = 0xffffffff82000000 + 0x1000 * { one => 1, many => 2, own => 3, lone => 4 }->{$name};
		$text .= sprintf "symbol %x D %s\nsymbol %x D end_of_$name\n", $addr, $name eq 'own' ? $own : $name, $addr + 512;
		# Of code in another file, as that of locks.
		sample(0, $function{$name eq 'lone' ? 'scan' : 'count'}, $addr, $name eq 'many' ? 40 : 8, type => 7, base => 0xffffffff82000000)
			for 1 .. 3;
	}
	my %variable = map { $_->{type} =~ s/\..*//r => $_ } rows("report classify --by field --vmlinux $dir/var.o " .
		spew("$dir/variables.txt", $text =~ s/ op=1/ data_src=$source{dram} op=1/gr));
	is_deeply({ map { $_ => $variable{$_}{field} } keys %variable },
		  { one => 'right', many => '[2].right', own => 'right', lone => 'right' }, 'fields of variables');

	# Of a size class alone, the bytes asked for are not known.
	spew("$dir/less.c", (`cat $dir/foo.c` =~ s/unused\[40\]/unused[32]/r));
	is(system("gcc -g -O1 -c -o $dir/less.o $dir/less.c"), 0, 'a smaller struct');
	begin();
	$text =~ s/class=1 size=128 cache=foo_cache.*/class=2 size=96 cache=kmalloc-96 func=make_foo file=less.c line=16/;
	sample(0, $function{scan}, 0xffff888000100000, 0);
	$file = spew("$dir/class.txt", $text);
	($row) = rows("report profile --vmlinux $dir/less.o $file");
	is($row->{struct}, 'foo', 'the struct of a size class');
	# Votes of those who access what an unknown site allocated.
	my ($load) = `objdump -d --no-show-raw-insn $dir/foo.o` =~
		/<use_foo>:.*?([0-9a-f]+):\s+mov\s+0x58\(%rdi\)/s or die;
	my ($begin) = `nm $dir/foo.o` =~ /^([0-9a-f]+) T use_foo$/m or die;
	for ([ 1, 0, 'foo' ], [ 0, 20, '(bytes)' ], [ 2, 20, '(bytes)' ], [ 3, 20, 'foo' ], [ 0, 0, undef ]) {
		my ($uses, $copies, $struct) = @$_;

		begin();
		$text =~ s/cache=foo_cache.*/cache=any func=nowhere file=none.c line=1/;
		$text =~ s/ t count$/ t memcpy/m;
		$text =~ s/ t scan$/ t use_foo/m;
		sample(0, $function{scan} + hex($load) - hex($begin), 0xffff888000100000, 88) for 1 .. $uses;
		sample(0, $function{count}, 0xffff888000100000, 8 * $_) for 1 .. $copies;
		sample(0, $function{send}, 0xffff888000100000, 0);
		$file = spew("$dir/votes.txt", $text);
		($row) = rows("report profile --vmlinux $dir/foo.o $file");
		is($row->{struct}, $struct, "$uses uses as a struct, $copies copies");
	}
	# Field names in paths.
	begin();
	$text =~ s/cache=foo_cache.*/cache=foo func=make_foo file=foo.c line=16/;
	$text =~ s/size=128/size=96/;
	object(0xffff888000100000, [ 8, 16, 24, 40 ], 500, 0, map {
		[ 10 * $_, 0, $function{count} + $_, (8, 16, 24, 40)[$_], 1 ] } 0 .. 3);
	$file = spew("$dir/fields.txt", $text);
	my @rows = rows("report paths --by ip --vmlinux $dir/foo.o $file");
	is_deeply([ map { $_->{fields} } @rows[1 .. 4] ],
		  [ 'part.a..part.b[1]', 'part.b[2]', 'number', 'low..unused[6]' ]
		  , 'names of fields')
		or diag(join ' ', map { $_->{fields} // '-' } @rows);
}

# What is damaged is said, with what could be read; nothing is half written.
sub test_damaged {
	my $file = "$dir/queue.txt";
	my $good = slurp($file);
	my ($status, $out, $err);
	for my $case ([ "$dir/none", '', qr/^dprof: \S+none: No such file/ ],
		      [ "$dir/empty", undef, qr/empty: empty file$/m ],
		      [ "$dir/other", "hello\n", qr/other: not a trace\.dat file/ ],
		      [ "$dir/zero", "\0" x 5000, qr/zero: not a trace\.dat file/ ],
		      [ "$dir/magic", "\027\010\104tracing6\0", qr/magic: damaged or truncated/ ],
		      [ "$dir/nothing", "# dprof events 1\n", qr/nothing: no dprof events in the file/ ],
		      [ $dir, '', qr/Is a directory/ ]) {
		my ($path, $content, $message) = @$case;
		spew($path, $content // '') if !defined $content || length $content;
		for my $verb ('report profile', 'report paths', 'plot dataflow -o x.png', 'script') {
			($status, $out, $err) = run("cd $dir && $dprof $verb $path");
			is($status, 1, "$verb: " . ($path =~ s/.*\///r) . ': status 1') or diag($err);
			like($err, $verb eq 'script' && $path =~ /nothing/ ? qr/^$/ : $message, 'says why')
				if !($verb eq 'script' && $path =~ /nothing/);
			ok(!-e "$dir/x.png", 'no picture') if $verb =~ /plot/;
			if ($verb eq 'script' && $path !~ /nothing|magic/) {
				is($out, '', 'nothing on standard output');
				run("cd $dir && $dprof script $path -o x.txt");
				ok(!-e "$dir/x.txt", 'no file');
			}
			last if $path =~ /nothing/ && $verb =~ /plot/;
		}
	}
	spew("$dir/cut.txt", substr($good, 0, length($good) / 2));
	($status, $out, $err) = run("$dprof report profile $dir/cut.txt");
	is($status, 1, 'cut off: status 1');
	like($err, qr/^dprof: \S+cut\.txt:\d+: truncated, or not text$/, 'says where');
	# 4 GiB without a newline, which take no blocks.
	truncate "$dir/cut.txt", 4 << 30 or die;
	($status, $out, $err) = run(($build =~ /sanitize/ ? "" : "ulimit -v 500000; ") . "$dprof report profile $dir/cut.txt");
	is($status, 1, 'a line without end is refused');
	like($err, qr/^dprof: \S+cut\.txt:\d+: truncated, or not text$/, 'once a MiB of it was read');
	unlink "$dir/cut.txt";
	like($out, qr/foo_cache:alloc_foo/, 'shows what there is');
	(my $wrong = $good) =~ s/(dprof_access .*) op=/$1 opp=/;
	spew("$dir/wrong.txt", $wrong);
	($status, $out, $err) = run("$dprof report paths $dir/wrong.txt");
	is($status, 1, 'another field: status 1');
	like($err, qr/wrong\.txt:\d+: invalid: opp/, 'named');
	# Any byte may be wrong: no crash, and status 0 or 1.
	srand 7;
	my %seen;
	for (1 .. 60) {
		my $bytes = substr $good, 0, 20000;
		substr($bytes, int rand length $bytes, 1) = chr int rand 256 for 1 .. 3;
		spew("$dir/fuzz.txt", $bytes);
		($status) = run("$dprof report classify $dir/fuzz.txt");
		$seen{$status}++;
	}
	is_deeply([ grep { $_ ne '0' && $_ ne '1' } keys %seen ], [], 'damaged at random: no crash');
	# Without the index that was cut off, a file does not say which CPU its events are of.
	my $events = (run("$dprof script $file"))[1];
	my $no_cpu = $events =~ s/^(\d+) \d+ /$1 -1 /mgr;
	spew("$dir/no_cpu.txt", $no_cpu);
	($status, $out, $err) = run("$dprof script $dir/no_cpu.txt");
	ok("$status$err$out" eq "0$no_cpu", 'script keeps that a CPU is not known');
	is((run("$dprof report profile $dir/no_cpu.txt -f csv"))[0], 0, 'report reads it');
	# As trace-cmd would have written it.
	my ($gen) = grep { -x } map { "$_/tools/tests/trace_gen" } $build, "$build/..";
	for my $version (qw(6 7 7z)) {
		system($gen, 'dprof', $version, "$dir/made.dat", $file) == 0 or die;
		($status, $out, $err) = run("$dprof script $dir/made.dat");
		my @same = map { join '', sort grep { /^\d/ } split /^/, $_ } $out, $events;
		is($status, 0, "trace.dat of version $version") or diag $err;
		ok($same[0] eq $same[1], 'the same events');
	}
	($status, $out, $err) = run("$dprof script $file -o $dir/again.txt && " .
				    "$dprof report paths $dir/again.txt --by ip | grep -c alloc_foo");
	is($status, 0, 'script writes what report reads');
	($status, $out, $err) = run("$dprof report profile $file -o /dev/full");
	is($status, 1, 'disk full: status 1');
	($status, $out, $err) = run("$dprof report paths --type nothing $file");
	is("$status $err", "1 dprof: no type matches --type nothing\n", 'a type that is not there');
	($status, $out, $err) = run("$dprof report paths $dir/wait1000.txt");
	like($err, qr/no histories in the recording/, 'no histories: said');
	($status, $out, $err) = run("$dprof report profile --vmlinux $dir/none $file");
	like($err, qr/none: /, 'no vmlinux: said');
	is($status, 1, 'and nothing done');
}

# A number of a damaged type takes no more memory than another one; many types take no
# more time each than a few.
sub test_sizes {
	begin();
	event(0, 'dprof_type', id => 4294967295, class => 1, size => 128, cache => 'far', func => 'f',
	      file => 'a.c', line => 1);
	sample(0, $function{count}, 0xffff888000000000, 0, from => 'dram', type => 4294967295) for 1 .. 10;
	my $file = spew("$dir/far.txt", $text);
	my ($status, $out, $err) = run(($build =~ /sanitize/ ? "" : "ulimit -v 2000000; ") . "$dprof report profile -f csv $file");
	is("$status$err", '0', 'a type of the largest number');
	like($out, qr/^far:f,/m, 'is shown');
	my %seconds;
	for my $types (500, 4000) {
		begin();
		event(0, 'dprof_type', id => $_, class => 1, size => 128, cache => "cache$_", func => "f$_",
		      file => 'a.c', line => $_) for 1000 .. 999 + $types;
		sample($_ % 2, $function{count}, 0xffff888000000000 + 128 * $_, 0, from => 'dram',
		       type => 1000 + $_ % $types) for 1 .. 40_000;
		$file = spew("$dir/types.txt", $text);
		my @before = times;
		($status) = run("$dprof diff $file $file -f csv");
		my @after = times;
		is($status, 0, "diff of $types types");
		$seconds{$types} = $after[2] - $before[2];
	}
	# 8 times as many types: 8 times as long, and more, when it was quadratic.
	cmp_ok($seconds{4000}, '<', 4 * $seconds{500} + 0.2, 'diff takes as long as there are samples')
		or diag("$seconds{500} s, $seconds{4000} s");
}

sub test_options {
	my @wrong = (
		[ '', qr/^usage:/ ], [ 'fly', qr/fly: no such verb/ ], [ 'report', qr/; see .* --help$/ ],
		[ 'report fly', qr/fly: no such view/ ], [ 'report profile a b', qr/; see .* --help$/ ],
		[ 'report profile --level l4', qr/--level l4: not l1, l2 or l3/ ],
		[ 'report profile --cache 3K', qr/--cache 3K: not SIZE:WAYS/ ],
		[ 'report profile --by day', qr/--by day/ ], [ 'report profile --top x', qr/x: not a number/ ],
		[ 'report profile -f xml', qr/--format xml/ ], [ 'plot profile -o a.png', qr/no such plot/ ],
		[ 'plot dataflow -o a.gif', qr/ends in .png or .svg/ ], [ 'diff a', qr/; see .* --help$/ ],
		[ 'layout', qr/; see .* --help$/ ], [ 'record --count x', qr/--count x: not a number/ ],
		[ 'record --first -1', qr/--first -1/ ], [ 'record --auto-types 0', qr/0: not a number from 1 to 64/ ],
	);
	for (@wrong) {
		my ($status, $out, $err) = run("$dprof $_->[0]");
		is($status, 2, "dprof $_->[0]: status 2");
		is($out, '', 'no output');
		like($err =~ s/^dprof: //r, $_->[1], 'says why');
	}
	for my $verb (qw(record report plot diff layout script merge export)) {
		my ($status, $out, $err) = run("$dprof $verb --help");
		is("$status$err", '0', "$verb --help");
		like($out, qr/^usage: dprof $verb /, 'says how');
	}
	my ($status, $out) = run("$dprof --help");
	is_deeply([ $out =~ /^  (\w+) /mg ], [ qw(record report plot diff layout script merge export) ], 'names the verbs');
	SKIP: {
		skip 'this kernel has dprof', 2 if -e '/sys/kernel/tracing/dprof/types';
		my ($status, $out, $err) = run("$dprof record -o $dir/r.dat true");
		is($status, 1, 'record without dprof: status 1');
		like($err, qr/has no dprof|needs root/, 'says why');
	}
}

test_queue();
test_allocations_alone();
test_frees_of_unknown_allocations();
test_false_sharing();
test_far_field();
test_samples_alone();
test_time();
test_samples_of_slabs();
test_layout();
test_large_layout();
test_names();
test_locks();
test_claims_of_few_samples();
test_c2c();
test_callers();
test_merge();
test_merge_merged();
test_local_cache();
test_conflict_capacity();
test_diff();
test_diff_order();
test_ends_of_structs();
test_structs();
test_percpu();
test_structs_in_bytes();
test_damaged();
test_sizes();
test_options();
done_testing();
