#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Memory that is added while the sampler runs: it is reported from the next
# harvest on, and nothing of the interval is lost.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use VM;

my @kernel = $ENV{MEMSCOPE_KERNEL} ? ('--kernel', $ENV{MEMSCOPE_KERNEL}) : ();
# The guest has 1 GiB, of which the kernel is told of 768 MiB at first.
my $vm = vm(@kernel, '--append', 'mem=768M', '--mem', '1G', '--', 'sh', '-c', <<'EOF');
cd /sys/kernel/tracing
blocks=/sys/devices/system/memory
echo "block $((0x$(cat $blocks/block_size_bytes) >> 20))"
echo 0 >memref/interval_ms
echo 1 >events/memref/memref_scan/enable
echo 1 >memref/scan
before=$(wc -c <memref/bitmap_user)
dd if=/dev/zero of=/tmp/file bs=1M count=16 2>/dev/null
echo 0x30000000 >$blocks/probe || exit 1
echo online_movable >$blocks/memory6/state || exit 1
pagetest --size 64M --prefault --iterations 1 --sleep 100000 >/tmp/out &
until [ -s /tmp/out ]; do sleep 0.1; done
echo 1 >memref/scan
after=$(wc -c <memref/bitmap_user)
echo "bitmap $before $after"
echo "added $(tail -c +$((before + 1)) memref/bitmap_user | tr -d '\0' | wc -c)"
echo "file $(tr -d '\0' <memref/bitmap_page_cache | wc -c)"
grep memref_scan: trace | tail -n 1
kill %1
wait
echo 0 >events/memref/memref_scan/enable
EOF
is($vm->{status}, 0, 'the guest ran') or diag $vm->{err}, $vm->{out};
{
	like($vm->{out}, qr/^block 128$/m, 'memory blocks are of 128 MiB');
	my ($before, $after) = $vm->{out} =~ /^bitmap (\d+) (\d+)$/m;
	is($before, 768 * 256 / 8, 'a bit for each page there is at first');
	is($after, 896 * 256 / 8, 'and for those added');
	my ($added) = $vm->{out} =~ /^added (\d+)$/m;
	cmp_ok($added, '>=', 64 * 256 / 8 * 0.9, "pages of the added memory are seen, in $added bytes");
	my ($file) = $vm->{out} =~ /^file (\d+)$/m;
	cmp_ok($file, '>=', 16 * 256 / 8, "what was written before is still seen, in $file bytes");
	my ($flags) = $vm->{out} =~ / flags=(\w+)/;
	ok(hex($flags) & 0x400, "the interval is marked: $flags");
}
diag $vm->{out};
done_testing;
