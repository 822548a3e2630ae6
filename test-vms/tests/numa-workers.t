#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Two nodes, two of memref's workers: each reads the page tables of processes that ran on its own
# node, but for what the other one has no time for at last.  Each process is reported by its worker,
# so on a CPU of that one.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use List::Util 'min';
use Test::More;
use VM;

system 'cp', "$build/bin/memref", "$build/bin/pagetest", $share;
intervals_program();
# Time is instructions: both nodes' CPUs go on alike, however busy the host is.  Not each second
# process is of one node: two workers that take turns would have it right by chance, or wrong.
my $vm = vm('--qemu', 'ibs', '--accel', 'icount', '--ibs', 'model=trace,slice=1000', '--root', 'host', '--share', $share,
	    '--timeout', 900, '--numa', 2, '--mem', '1G',
	    '--env', 'PATH=/share:/usr/sbin:/usr/bin:/sbin:/bin', '--', 'sh', '-c', <<'EOF');
for cpu in 0 1 1 0 1 0 0 1 1 0 0 1 0 1 1 0; do
	taskset -c $cpu pagetest --size 16M --prefault --iterations 1000000 --sleep 50 >/dev/null &
	all="$all $!"
	echo "process $! $cpu"
done
for pid in $all; do
	until [ "$(awk '/^VmRSS:/ { print $2 }' /proc/$pid/status)" -gt 16384 ]; do sleep 0.1; done
done
memref record -i 500 --workers 2 --cpu-max 0 --tasks -o /tmp/two.dat -- intervals 10 || exit 1
kill $all
trace-cmd report -F memref_task /tmp/two.dat
EOF
is($vm->{status}, 0, 'the guest recorded') or diag $vm->{err}, $vm->{out};
my %cpu = $vm->{out} =~ /^process (\d+) (\d+)$/mg;
is(keys %cpu, 16, 'eight processes ran on each node');
my ($own, $other, %read) = (0, 0);
while ($vm->{out} =~ /\[0*(\d+)\].* memref_task: .*\bpid=(\d+)/mg) {
	next if !defined $cpu{$2};
	$read{$2}++;
	$cpu{$2} == $1 ? $own++ : $other++;
}
cmp_ok(min(map { $read{$_} // 0 } keys %cpu), '>=', 9, 'each is reported in each interval') or diag $vm->{out};
cmp_ok($own, '>=', 0.7 * ($own + $other), "$own times on their own node, $other times on the other one");
done_testing;
