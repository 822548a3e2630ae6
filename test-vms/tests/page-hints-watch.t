#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# What undoes hints, and pagealloc repair --watch, which restores them: a cpuset
# that moves to another node, memory that goes offline, compaction.  At rest the
# watch costs little, it survives pages that cannot be moved, and ends with the
# process.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use JSON::PP;
use Test::More;
use VM;

my @kernel = ('--kernel', $ENV{MEMSCOPE_KERNEL} // 'vm');
my $vm = vm(@kernel, '--accel', 'icount', '--smp', 2, '--numa', 2, '--timeout', 600,
	# The kernel is told of 1 GiB at first, so that there is a block to add that can go offline.
	'--mem', '1280M', '--append', 'mem=1G', '--share', $share, '--', 'sh', '-c', <<'EOF');
cd /share || exit 1
sysctl -q -w vm.compaction_proactiveness=0
for m in /lib/modules/*/kernel/mm/page_hint/strategies/*.ko; do insmod $m || exit 1; done
echo colors:32 >/sys/kernel/mm/page_hint/color_function || exit 1
# Of node 0, and the only one in its zone of movable pages, which processes prefer.
block=/sys/devices/system/memory/memory8
echo 0x40000000 >${block%/*}/probe || exit 1
echo online_movable >$block/state || exit 1

# Its parent does not wait for it: when it has exited, its files in /proc stay.
sh -c 'pagealloc run --strategy coloring pagetest --how anon --size 16M --sleep 100000 >/tmp/started &
	echo $! >/tmp/pid; exec sleep 1000000' &
parent=$!
until [ -s /tmp/pid ]; do sleep 0.1; done
pid=$(cat /tmp/pid)
until grep -q iteration /tmp/started; do
	kill -0 $pid || exit 1
	sleep 0.2
done
# in_place NAME: pages that are where their hint says, and of how many.
in_place() {
	pagealloc verify $pid -f csv | awk -F, -v name=$1 '$1 == "all" { print name, $6, $5 }'
}
# repaired NAME: waits for the watch.
repaired() {
	for i in $(seq 240); do
		set -- $1 $(in_place x)
		[ $3 -ge $(($4 * 99 / 100)) ] && break
		sleep 0.5
	done
	in_place $1
}
# To the other node, and its memory along.
cpuset() {
	echo $1 >/sys/fs/cgroup/x/cpuset.mems || exit 1
	for i in $(seq 600); do
		[ $(awk -v n=N$1= 'index($0, "anon") { for (i = 1; i <= NF; i++) if (index($i, n) == 1) s += substr($i, 4) }
			END { print s + 0 }' /proc/$pid/numa_maps) -ge 4096 ] && break
		sleep 0.2
	done
}

echo +cpuset >/sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/x
node=0
echo 0 >/sys/fs/cgroup/x/cpuset.mems
echo $pid >/sys/fs/cgroup/x/cgroup.procs
cpuset 0
pagealloc repair $pid >/dev/null
in_place start
cpuset 1
in_place cpuset
pagealloc repair $pid >/dev/null
in_place once

pagealloc repair $pid --watch 0.2 -f json >watch.json 2>watch.err &
watch=$!
# undone NAME NODE: what the watch finds after a cpuset moved, counted while it stands still.
undone() {
	kill -STOP $watch
	cpuset $2
	in_place $1
	kill -CONT $watch
}
undone first 0
repaired watched

# A block of memory that goes offline, and comes back.
kill -STOP $watch
echo offline >$block/state || exit 1
in_place offline
echo online_movable >$block/state || exit 1
kill -CONT $watch
repaired online

undone second 1
repaired again

# Compaction moves what lies low to free memory that lies high.
kill -STOP $watch
echo 1 >/proc/sys/vm/compact_memory
in_place compacted
kill -CONT $watch
repaired settled

# At rest: ticks of 10 ms in 10 s.
ticks() { awk '{ print $14 + $15 }' /proc/$watch/stat; }
before=$(ticks)
sleep 10
echo rest $(($(ticks) - before))

# Without a process there is nothing to watch.
kill $pid
wait $watch
echo watch $?
grep -q '^State:.Z' /proc/$pid/status && echo zombie 1
kill $parent
EOF
is($vm->{status}, 0, 'the guest came to its end') or diag $vm->{err}, $vm->{out};
my %n = map { /^(\w+) (\d+)(?: (\d+))?$/ ? ($1 => [ $2, $3 ]) : () } split /\n/, $vm->{out};
sub in_place { my $n = $n{$_[0]} // [ 0, 0 ]; return $n->[1] ? $n->[0] / $n->[1] : 0 }
cmp_ok($n{start}[1] // 0, '>', 4096, 'pages have a place');
cmp_ok(in_place('start'), '>=', 0.99, 'and are there');
cmp_ok(in_place('cpuset'), '<', 0.5, sprintf 'a cpuset on another node undoes that: %.3f', in_place('cpuset'));
cmp_ok(in_place('once'), '>=', 0.99, sprintf 'repair puts them back: %.3f', in_place('once'));
cmp_ok(in_place('watched'), '>=', 0.99, sprintf 'and repair --watch does: %.3f', in_place('watched'));
cmp_ok(in_place('again'), '>=', 0.99, sprintf 'each time: %.3f', in_place('again'));
cmp_ok($n{rest}[0] // 1000, '<=', 70, "at rest the watch takes a twentieth of a CPU: $n{rest}[0] ms/s");
cmp_ok(in_place('offline'), '<', 0.5, sprintf 'memory that goes offline undoes that, too: %.3f', in_place('offline'));
cmp_ok(in_place('online'), '>=', 0.99, sprintf 'repaired: %.3f', in_place('online'));
# Compaction moves pages that lie low: where these lie by then is chance, on each kernel.
diag sprintf 'compaction left %.3f in place', in_place('compacted');
ok($n{compacted}[1], 'compaction');
cmp_ok(in_place('settled'), '>=', 0.99, sprintf 'repaired: %.3f', in_place('settled'));
is($n{watch}[0] // -1, 0, 'it ends with the process');
is($n{zombie}[0], 1, 'for which nobody has waited');
my $watch = eval { decode_json(slurp("$share/watch.json"))->{rows} } // [];
my %moved = map { ($_->{outcome} => $_->{pages}) } @$watch;
# Pages that a cpuset moved to a right place by chance are not moved again.
my $undone = 0;
$undone += ($n{$_}[1] // 1e9) - ($n{$_}[0] // 0) for qw(first second offline compacted);
cmp_ok($moved{moved} // 0, '>=', 0.98 * $undone, "and says what it moved, of $undone pages that were not in place");
cmp_ok($undone, '>', 1000, 'which are many');
like(slurp("$share/watch.err"), qr/^pagealloc: [\d.]+ s: \d+ pages were not in place, \d+ moved$/m, 'as it does it');
done_testing;
