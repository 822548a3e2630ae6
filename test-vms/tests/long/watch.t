#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# memref watch for MEMSCOPE_INTERVALS intervals (100,000) of a guest in which processes, control
# groups and memory come and go: no interval is missing, and neither the program nor its files
# nor the kernel's memory grow.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/..";
use Test::More;
use VM;

my $intervals = $ENV{MEMSCOPE_INTERVALS} // 100000;
my $keep = 256 << 10;

# In icount mode a nanosecond is an instruction, and a guest that sleeps costs nothing.
my $vm = vm('--kernel', $ENV{MEMSCOPE_KERNEL} // 'vm', '--accel', 'icount', '--smp', 2, '--mem', '1G',
	'--append', 'mem=768M', '--timeout', 60 + $intervals, '--share', $share, '--', 'sh', '-c', <<"EOF" . <<'EOF');
total=$intervals keep=$keep
EOF
cd /sys/kernel/tracing || exit 1
memref watch -i 20 --group-size 4M --cpu-max 0 -o /tmp/log --file-size 32K --keep $keep --intervals $total 2>/share/err &
pid=$!
# Of the machine, without what goes when it is asked for.
sizes() {
	echo 3 >/proc/sys/vm/drop_caches
	echo "$1 $(awk '/^VmRSS/ { print $2 }' /proc/$pid/status) $(du -sb /tmp/log | cut -f1)" \
		"$(awk '/^SUnreclaim/ { print $2 }' /proc/meminfo) $(ls /proc/$pid/fd | wc -l)"
}
echo 0x30000000 >/sys/devices/system/memory/probe || exit 1
memory=/sys/devices/system/memory/memory6/state
i=0
while kill -0 $pid 2>/dev/null; do
	i=$((i + 1))
	mkdir /sys/fs/cgroup/c$i
	sh -c "echo \$\$ >/sys/fs/cgroup/c$i/cgroup.procs; exec pagetest --size 1M --iterations 1 >/dev/null"
	rmdir /sys/fs/cgroup/c$i
	case $((i % 40)) in
	10) echo online_movable >$memory ;;
	30) echo offline >$memory ;;
	esac
	[ $i != 40 ] || sizes early
	[ $((i % 20)) != 0 ] || sizes late >/tmp/late
	sleep 0.5
done
wait $pid
echo "status $?"
cat /tmp/late
echo "rounds $i"
cp -r /tmp/log /share
EOF
is($vm->{status}, 0, 'the guest came to its end') or diag $vm->{err}, $vm->{out};
my %n = map { /^(\w+) (.*?) *$/ ? ($1 => $2) : () } split /\n/, $vm->{out};
is($n{status}, 0, 'so did memref watch');
like(slurp("$share/err"), qr/\b$intervals intervals, 0 missing, 0 incomplete, 0 events lost, 0 intervals not written$/m,
     "$intervals intervals, none missing");
diag slurp("$share/err") if !Test::More->builder->is_passing;
my @early = split / /, $n{early} // '';
my @late = split / /, $n{late} // '';
diag "processes and control groups: $n{rounds}; resident KiB, files, kernel's slabs KiB, open files: early @early, late @late";
cmp_ok($late[0] // 1e9, '<=', ($early[0] // 0) + 64, 'its memory does not grow');
cmp_ok($late[1] // 1e9, '<=', $keep + 8192, 'its files keep within their bound');
cmp_ok($late[2] // 1e9, '<=', ($early[2] // 0) + 1024, "nor do the kernel's slabs");
is($late[3], $early[3], 'no file stays open');

# What is kept has no gap.
my @seq;
for my $file (sort glob "$share/log/*.intervals.csv") {
	my (undef, @lines) = split /\n/, slurp($file);
	my @names = split /,/, (split /\n/, slurp($file))[0];
	for (@lines) {
		my %row;
		@row{@names} = split /,/, $_, -1;
		push @seq, $row{seq} if $row{node} eq '';
	}
}
cmp_ok(scalar @seq, '>=', 100, scalar(@seq) . ' of them are kept');
is(scalar(grep { $seq[$_] != $seq[$_ - 1] + 1 } 1 .. $#seq), 0, 'in order, without a gap');

done_testing();
