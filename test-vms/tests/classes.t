#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# malloc, mapped files, shared memory and read() raise the class they should,
# by the number of pages touched.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use VM;

my $pages = 8192;	# 32 MiB

# ext4 is made on the host: the guest has no mkfs.
system "truncate -s 96M $share/disk && PATH=\$PATH:/usr/sbin:/sbin mkfs.ext4 -q -F $share/disk";

my $script = <<'EOF';
mkdir -p /mnt && mount -t ext4 /dev/vda /mnt || exit 1
cd /sys/kernel/tracing
echo 0 >memref/interval_ms
for gen in n y; do
	echo $gen >/sys/kernel/mm/lru_gen/enabled
	for how in malloc anon shm file:/mnt/f file:/tmp/f read:/mnt/f read:/tmp/f; do
		for op in write read; do
			case $how:$op in read:*:write) continue ;; esac
			file=${how#*:}
			[ "$file" = "$how" ] && file=
			echo >trace
			# The sampler's first harvest, then one after each part.
			echo 1 >events/memref/enable
			pagetest --size 32M --how ${how%%:*} ${file:+--file $file} --op $op \
				--prefault --thp no --iterations 3 --sleep 300 --scan >/tmp/out || exit 1
			echo 0 >events/memref/enable
			echo "== lru_gen=$gen $how $op"
			grep memref_scan: trace
		done
	done
done
EOF

# Interval 1 is what came before; then, by turns, an iteration and a sleep.
sub check {
	my ($what, $out) = @_;
	for (split /^== /m, $out) {
		next unless s/^(lru_gen=(\S) (\S+) (\S+))\n//;
		my ($name, $gen, $how, $op) = ("$what: $1", $2, $3, $4);
		my @scan = map { my %s = /(\w+)=(\d+)/g; \%s } split /\n/;
		is(scalar @scan, 7, "$name: seven intervals") or next;
		my ($class, $other) = $how =~ /^read/ ? qw(page_cache user) : qw(user page_cache);
		for my $i (1, 3, 5) {
			my ($busy, $idle) = @scan[$i, $i + 1];
			# pagetest's own code, stack and libraries, and those of
			# the shell, are some 100 pages.
			ok($busy->{$class} >= $pages && $busy->{$class} <= $pages + 150,
			   "$name: interval " . ($i + 1) . ": $class shows $pages pages")
				or diag "it shows $busy->{$class}";
			ok($busy->{$other} <= 150, "$name: interval " . ($i + 1) . ": $other does not")
				or diag "it shows $busy->{$other}";
			ok($idle->{$class} <= 150, "$name: interval " . ($i + 2) . ": flat while it sleeps")
				or diag "$idle->{$class} pages";
		}
	}
}

my @disk = ('--qemu-arg', '-drive', '--qemu-arg', "file=$share/disk,if=virtio,format=raw,cache=unsafe");
my @kernel = $ENV{MEMSCOPE_KERNEL} ? ('--kernel', $ENV{MEMSCOPE_KERNEL}) : ();
for my $append ('', 'memref_kernel_4k') {
	my $vm = vm(@kernel, '--timeout', 900, @disk, '--append', $append, '--', 'sh', '-c', $script);
	is($vm->{status}, 0, "the guest ran, '$append'") or diag $vm->{err}, $vm->{out};
	check($append || 'large kernel pages', $vm->{out});
}
done_testing;
