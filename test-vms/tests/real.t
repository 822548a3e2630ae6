#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# memref on a machine like real ones, in one boot: five levels of page tables, 1 GiB pages
# in the direct map, two nodes with NUMA balancing, swap on a disk.  What it reports is what
# was accessed (as in memref-oracle.t, some of its cells), and no byte is lost while dirty bits
# are taken beside writeback of ext4, swapping and userfaultfd (guest/stress).
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use VM;

local $ENV{PATH} = "$ENV{PATH}:/usr/sbin:/sbin";
for my $disk (qw(swap ext4)) {
	open my $f, '>', "$share/$disk" or die "$disk: $!";
	truncate $f, 256 << 20 or die "$disk: $!";
}
system("mkfs.ext4 -q -F $share/ext4") == 0 or BAIL_OUT('mkfs.ext4');
mkdir "$share/guest";
my @disks = map { ('--qemu-arg', '-drive', '--qemu-arg',
		   "file=$share/$_,if=virtio,format=raw,cache=unsafe") } qw(swap ext4);
my $vm = vm('--smp', 4, '--mem', '3G', '--numa', 2, '--cpu', 'max', '--timeout', 900,
	    '--share', "$share/guest", '--oracle', "out=$share/oracle",
	    '--append', 'transparent_hugepage=madvise', @disks, '--', 'sh', '-c', <<'EOF');
grep -o -w -m1 la57 /proc/cpuinfo
grep DirectMap1G /proc/meminfo
[ ! -e /proc/sys/kernel/numa_balancing ] || echo 1 >/proc/sys/kernel/numa_balancing
mkswap /dev/vda >/dev/null && swapon /dev/vda || exit
# A file of 32 MiB in memory that goes to the disk, and must come back.
cd /sys/fs/cgroup && echo +memory >cgroup.subtree_control && mkdir swapped &&
	mkdir /tmpfs && mount -t tmpfs none /tmpfs || exit
sh -c 'echo $$ >swapped/cgroup.procs; dd if=/dev/urandom of=/tmpfs/file bs=1M count=32 2>/dev/null
	md5sum </tmpfs/file >/tmpfs/sum'
# One write may reclaim less than it was asked for.
i=0; until [ "$(awk '/vda/ { print $4 }' /proc/swaps)" -ge 30000 ] || [ $((i += 1)) -gt 100 ]; do
	echo 32M >swapped/memory.reclaim || sleep 0.1
done 2>/dev/null
grep vda /proc/swaps; echo reclaimed $i times
memref_accuracy /share/scans few || exit
[ "$(md5sum </tmpfs/file)" = "$(cat /tmpfs/sum)" ] && echo came back
stress 15 1 /dev/vdb dirty
EOF
is($vm->{status}, 0, 'the guest did it all') or diag $vm->{err};
note $vm->{out};
like($vm->{out}, qr/^la57$/m, 'five levels of page tables');
like($vm->{out}, qr/^DirectMap1G: +[1-9]/m, 'the direct map has 1 GiB pages');
like($vm->{out}, qr/^working set at 0x1\d{13}/m, 'the working set is above 2^47');
like($vm->{out}, qr/^\/dev\/vda .*\s\d{5,}\s+-?\d+$/m, 'the disk holds swapped pages');
like($vm->{out}, qr/^came back$/m, 'and gives them back');
my $balances = slurp("$kernel_dir/.config") =~ /^CONFIG_NUMA_BALANCING=y/m;
SKIP: {
	skip 'this kernel has no NUMA balancing', 1 if !$balances;
	like($vm->{out}, qr/^ok \d+ - NUMA balancing: [1-9]/m, 'NUMA balancing took entries away');
}
unlike($vm->{out}, qr/^not ok/m, 'no byte was lost');
is(() = $vm->{out} =~ /: data intact$/mg, 4, 'of four kinds of memory and work');

my @lines = split /\n/, `$build/guest/memref-score $share/oracle $share/guest/scans`;
is($?, 0, 'memref-score compares') or BAIL_OUT('no scores');
my @names = split /\t/, shift @lines;
my @cells = map { my %c; @c{@names} = split /\t/; \%c } @lines;
is(scalar @cells, 3, 'all cells are there');
for my $c (@cells) {
	# Leaves of 1 GiB: of the kernel's references only that none is missed.
	my %need = (user_recall => 0.995, user_precision => 0.99);
	%need = (%need, $c->{cell} =~ /writes/ ? (write_recall => 0.98, write_precision => 0.98)
					     : (kernel_recall => 0.99));
	cmp_ok($c->{$_}, '>=', $need{$_}, "$c->{cell}: $_") for sort keys %need;
}
done_testing();
