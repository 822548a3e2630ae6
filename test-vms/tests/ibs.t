#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# The emulated AMD IBS: Linux's own driver finds it, and what its samples say is
# what a program knows it did (test-vms/guest/ibs_check).
# MEMSCOPE_IBS_SECONDS=600: also samples at a high rate for so long.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use VM;

-x "$build/qemu-ibs/qemu-system-x86_64"
	or BAIL_OUT('the QEMU that emulates IBS is not built (make qemu-ibs)');

my @ibs = ('--timeout', 900, '--qemu', 'ibs');

# "name value" lines, and "name key value key value..." ones.
sub numbers {
	my ($out) = @_;
	my %n;
	for (split /\n/, $out) {
		my ($name, @rest) = split;
		$n{$name} = @rest == 1 ? $rest[0] : @rest % 2 ? undef : { @rest };
	}
	return \%n;
}

sub check {
	my ($name, @args) = @_;
	return checked($name, vm(@ibs, @args));
}

sub checked {
	my ($name, $vm) = @_;
	is($vm->{status}, 0, "$name: runs") or diag $vm->{err}, $vm->{out};
	note $vm->{out};
	return $vm->{out};
}

# Within 4 standard deviations of a binomial distribution: wrong once in 16,000.
sub in_band {
	my ($count, $total, $p, $name) = @_;
	my $sigma = sqrt($total * $p * (1 - $p));
	cmp_ok(abs($count - $total * $p), '<=', 4 * $sigma, sprintf '%s: %d of %d, expected %.0f +- %.0f',
	       $name, $count, $total, $total * $p, 4 * $sigma);
}

# The driver as it is, and samples of known instructions on known memory.
my $out = check('samples', '--smp', 4, '--numa', 2, '--ibs', 'seed=5,hit-l1=40,hit-l2=10,hit-l3=10',
	'--', 'sh', '-c', 'dmesg | grep "AMD IBS detected"; ls /sys/bus/event_source/devices; memscope-caps -f csv;
	for period in 1024 4096 16384 65536; do echo "== $period"; ibs_check samples $period || exit 1; done
	echo "== 0"
	cd /sys/kernel/tracing
	tell() { while read -r name value; do echo "$1_$name $value"; done <dprof/stats; }
	dprof_check hold ibs_op >/tmp/held & holder=$!
	until grep -s held /tmp/held; do sleep 0.1; done
	echo 16384 >dprof/period; echo ibs >dprof/source
	echo 1 >events/dprof/dprof_sample/enable; tell busy
	echo auto >dprof/source; tell auto
	echo ibs >dprof/source; tell again
	kill $holder; wait $holder
	for i in $(seq 600); do grep -q "^sampling_cpus 4" dprof/stats && break; sleep 0.1; done
	kernel_load files 20; tell free
	echo 0 >events/dprof/enable');
like($out, qr/perf: AMD IBS detected \(0x000008fd\)/, "the kernel's driver finds IBS");
like($out, qr/^ibs_op$/m, 'and registers ibs_op');
like($out, qr{^ibs,yes,ibs_op/cnt_ctl=1/,ops,}m, 'memscope-caps finds it, and opens it');
my (undef, %run) = split /^== (\d+)\n/m, $out;
for my $period (1024, 4096, 16384, 65536) {
	my $n = numbers($run{$period} // '');
	is($n->{wrong}, 0, "period $period: address, frame, load or store, width, lock, node, CPU right")
		or diag $run{$period};
	cmp_ok($n->{memory} // 0, '>=', 400, "period $period: in $n->{memory} samples of memory");
	cmp_ok($n->{'with-node'} // 0, '>=', 50, "period $period: $n->{'with-node'} of them from a node's memory");
	is($n->{lost} + $n->{throttled}, 0, "period $period: nothing lost, nothing throttled");
	# One instruction of five touches memory; jumps to the loops are few.
	in_band($n->{memory}, $n->{'in-loops'}, 0.2, "period $period: share of memory");
}

# dprof, while another event has IBS: an error at once, another source if any will do, and
# samples soon after IBS is free.
{
	my $n = numbers($run{0} // '');
	is($n->{held}, 4, 'IBS is in use on 4 CPUs');
	is("$n->{busy_sampling} $n->{busy_sampling_error} $n->{busy_samples}", 'off -16 0',
	   'dprof by ibs: -EBUSY at once');
	is("$n->{auto_sampling} $n->{auto_sampling_error} $n->{auto_sampling_cpus}", 'swmem 0 4',
	   'by auto: falls back');
	is("$n->{again_sampling} $n->{again_sampling_error}", 'off -16', 'by ibs again: still in use');
	is("$n->{free_sampling} $n->{free_sampling_error} $n->{free_sampling_cpus}", 'ibs 0 4',
	   'afterwards: IBS on all CPUs');
	cmp_ok($n->{free_samples} - $n->{again_samples}, '>', 20, 'and samples');
}

# Other processors, another thread model.
for my $cpu ('EPYC', 'EPYC-Milan') {
	my $n = numbers(checked($cpu, vm_threads(@ibs, '--smp', 2, '--numa', 2, '--cpu', $cpu, '--',
					     'ibs_check', 'samples', 16384)));
	is($n->{wrong}, 0, "$cpu, a thread for each CPU: all right");
	cmp_ok($n->{memory}, '>=', 400, "$cpu: in $n->{memory} samples of memory");
}

# Repeatable to the bit, kernel and times included; another seed, other samples.
my @hash = map {
	numbers(check("hash, seed $_", '--smp', 2, '--numa', 2, '--accel', 'icount',
		      '--ibs', "slice=5000,seed=$_", '--', 'ibs_check', 'hash', 4096))
} 1, 1, 2;
cmp_ok($hash[0]{samples}, '>=', 1000, "$hash[0]{samples} samples");
is($hash[1]{hash}, $hash[0]{hash}, "two runs give the same samples ($hash[0]{hash})");
isnt($hash[2]{hash}, $hash[0]{hash}, 'another seed gives others');

# static: the ratios asked for, and the latency that the distances say.
my $n = numbers(check('static', '--smp', 2, '--numa', 2, '--ibs',
		      'seed=3,hit-l1=50,hit-l2=20,hit-l3=10,hit-remote=5', '--', 'ibs_check', 'static', 10000));
for my $node (0, 1) {
	my $a = $n->{"node$node"};
	my %want = (l1 => 0.5, l2 => 0.2, l3 => 0.1, 'remote-cache' => 0.05, hitm => 0.05,
		    ram => $node ? 0 : 0.15, 'remote-ram' => $node ? 0.15 : 0);
	in_band($a->{$_}, $a->{total}, $want{$_}, "static, node $node: $_") for sort keys %want;
	is($a->{other}, 0, "static, node $node: nothing else");
	# 14 L2, 50 L3, 150 remote cache, 200 memory at distance 10, 400 at 20.
	my $latency = ($a->{l2} * 14 + $a->{l3} * 50 + $a->{'remote-cache'} * 150 + $a->{ram} * 200 +
		       $a->{'remote-ram'} * 400) / $a->{total};
	cmp_ok(abs($a->{latency} - $latency), '<', 0.01, "static, node $node: mean latency $a->{latency}");
}

# table: what the test asked for, in every sample.
$n = numbers(check('table', '--smp', 2, '--numa', 2, '--ibs', 'model=table', '--', 'ibs_check', 'table'));
is($n->{wrong}, 0, 'table: level, node, latency and modified as given');
cmp_ok($n->{"answer$_"}, '>', 50, "table: answer $_ seen") for 0 .. 7;

# load: one load in 5 instructions, 200,000 a window: 40,000 accesses a CPU,
# which is the capacity; each CPU that uses the node adds its unloaded latency.  Where windows begin,
# and what the kernel does in them, is another for each seed: the mean of three.
my %latency;
for my $seed (1 .. 3) {
	$n = numbers(check("load, seed $seed", '--smp', 4, '--numa', 2, '--accel', 'icount', '--ibs', "seed=$seed,slice=10000,model=load," .
			   'hit-l1=0,hit-l2=0,hit-l3=0,window=200000,node-capacity=40000', '--', 'ibs_check', 'load', 1024));
	$latency{$_} += $n->{$_}{latency} / 3 for qw(users1 users2 users4);
}
my %want = (users1 => 200 * 2, users2 => 200 * 3, users4 => (200 + 400) / 2 * 5);
for (sort keys %want) {
	cmp_ok(abs($latency{$_} / $want{$_} - 1), '<', 0.06,
	       sprintf 'load, %s: latency %.2f, expected %d', $_, $latency{$_}, $want{$_});
}

# trace: a working set is found in the level that it fits; what another CPU
# wrote comes from its cache.  Sampling itself uses a little of the L1.
my $trace = check('trace', '--smp', 4, '--numa', 2, '--accel', 'icount', '--ibs', 'slice=500,model=trace',
		  '--', 'sh', '-ec', 'ibs_check trace 1024
			for period in 1024 1136 1296 1552; do ibs_check bounce $period; done');
$n = numbers($trace);
my @expect = (
	[ 'in-l1', 'l1', 0.9 ], [ 'in-l2', 'l2', 0.99 ], [ 'in-l3', 'l3', 0.99 ],
	[ 'in-memory', 'ram', 0.99 ], [ 'conflict', 'l2', 0.99 ], [ 'same-node', 'l3', 0.95 ],
	[ 'same-node', 'hitm', 0.95 ], [ 'other-node', 'remote-cache', 0.95 ],
	[ 'other-node', 'hitm', 0.95 ],
);
for (@expect) {
	my ($name, $where, $share) = @$_;
	my $a = $n->{$name};
	cmp_ok($a->{total}, '>=', 25, "trace, $name: $a->{total} samples");
	cmp_ok($a->{$where}, '>=', $share * $a->{total}, "trace, $name: $a->{$where} $where");
}

# A line bounces as often as the CPUs take turns: once in 500 instructions, of
# which 100 are the load; without a limit, hardly ever. Of some periods, as a sample may
# come at the same place of each turn.
sub share {
	my ($out) = @_;
	my ($hitm, $total) = (0, 0);
	for (grep { /^bounce / } split /\n/, $out) {
		my ($name, %count) = split;
		$hitm += $count{hitm};
		$total += $count{total};
	}
	return $hitm / $total;
}
my $often = share($trace);
my $seldom = share(check('no slice', '--smp', 2, '--accel', 'icount', '--ibs', 'model=trace',
				 '--', 'ibs_check', 'bounce', 1024));
cmp_ok($often, '>', 0.001, sprintf 'slice=500: %.2f %% of loads find the line with the other CPU', $often * 100);
cmp_ok($seldom, '<', $often / 4, sprintf 'no slice: %.2f %%', $seldom * 100);

# The plugin interface, with a memory backend for each node and RAM above 4 GiB.
my $phys = check('plugin', '--smp', 2, '--numa', 3, '--mem', '3G', '--accel', 'tcg', '--qemu-arg', '-plugin',
		 '--qemu-arg', "$build/guest/phys-plugin.so,out=$share/phys", '--', 'ibs_check', 'phys');
is(scalar(split /\n/, $phys), 192, 'plugin: 64 pages on each of 3 nodes');
is(slurp("$share/phys"), $phys, 'a plugin gets the physical addresses that pagemap has');

# perf itself.
{
	ok((grep { -x "$_/perf" } split /:/, $ENV{PATH}), 'perf is there (make deps)');
	my $perf = vm(@ibs, '--smp', 2, '--numa', 2, '--root', 'host', '--', 'sh', '-c', <<'EOS');
cd /tmp
perf record -q -e ibs_op/cnt_ctl=1/ -c 16384 -d --phys-data -W -a -o d -- ls -R /sys/devices >/dev/null || exit 1
echo "script $(perf script -i d -F addr,phys_addr,data_src 2>/dev/null | grep -c 'OP LOAD')"
echo "mem $(perf mem -i d report --stdio --sort=mem 2>/dev/null | grep -c 'L1 hit')"
echo "c2c $(perf c2c report -i d --stdio 2>/dev/null | awk '/Load Operations/ { print $NF }')"
EOS
	is($perf->{status}, 0, 'perf records ibs_op') or diag $perf->{err};
	for my $what (qw(script mem c2c)) {
		my ($count) = $perf->{out} =~ /^$what (\d+)$/m;
		cmp_ok($count // 0, '>', 0, "perf $what reads it");
	}
}

if (my $seconds = $ENV{MEMSCOPE_IBS_SECONDS}) {
	my $n = numbers(checked("$seconds s", vm_threads(@ibs, '--smp', 2, '--numa', 2, '--timeout', $seconds + 600,
					     '--', 'ibs_check', 'samples', 1024, $seconds)));
	is($n->{wrong}, 0, "$seconds s: all of $n->{memory} samples of memory right");
	is($n->{lost} + $n->{throttled}, 0, "$seconds s: none of $n->{samples} lost");
}
done_testing;
