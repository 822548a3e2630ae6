#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# CPUs that run at once (--accel mttcg): code that one writes while others run it is never
# run in an older version than they know of, in user mode and where the kernel patches itself.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use VM;

-x "$build/qemu-ibs/qemu-system-x86_64"
	or BAIL_OUT('the QEMU for CPUs that run at once is not built (make qemu-ibs)');

my $vm = vm_threads('--smp', 4, '--', 'sh', '-c', <<'EOF');
code_writes 10 || exit
cd /sys/kernel/tracing/events
for i in 1 2 3; do
	while :; do cat /proc/self/stat /proc/self/maps; done >/dev/null &
done
end=$(($(date +%s) + 20)) n=0
while [ $(date +%s) -lt $end ]; do
	for on in 1 0; do
		for event in sched/sched_switch sched/sched_wakeup irq timer/timer_start; do
			echo $on >$event/enable || exit
			n=$((n + 1))
		done
	done
done
kill $(jobs -p)
echo turned $n times
EOF
is($vm->{status}, 0, 'the guest lives') or diag $vm->{err};
note $vm->{out};
like($vm->{out}, qr/^[1-9]\d+ writes, [1-9]\d+ calls, 0 of code too old$/m, 'no code was too old');
like($vm->{out}, qr/^turned \d\d+ times$/m, 'events were turned on and off');
done_testing();
