#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Memory that is added while the sampler runs, behind what there was and in a hole: it is reported from the next
# harvest on, and nothing of what there was is lost.  And a sampler that begins with a large hole.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use VM;

my @kernel = $ENV{MEMSCOPE_KERNEL} ? ('--kernel', $ENV{MEMSCOPE_KERNEL}) : ();
# The guest has 1 GiB, of which the kernel is told of 512 MiB at first, then of 128 MiB behind a hole, and of
# 128 MiB in the hole.  What it is told of at last, at 256 GiB, is not there, and does not go online.
my $vm = vm(@kernel, '--append', 'mem=512M', '--mem', '1G', '--', 'sh', '-c', <<'EOF');
cd /sys/kernel/tracing
blocks=/sys/devices/system/memory
add() { echo $1 >$blocks/probe && echo online_movable >$blocks/memory$2/state; }
# Bytes of the bitmap that are not 0, of a block of memory.
bytes() { dd if=memref/bitmap_${2:-user} bs=4096 skip=$1 count=1 2>/dev/null | tr -d '\0' | wc -c; }
use() { pagetest --size $1 --prefault --iterations $2 --sleep $3 >/tmp/used & until [ -s /tmp/used ]; do sleep 0.1; done; rm /tmp/used; }
free() { awk '/MemFree/ { print $2 }' /proc/meminfo; }
echo "block $((0x$(cat $blocks/block_size_bytes) >> 20))"
echo 0 >memref/interval_ms
echo 1 >events/memref/memref_scan/enable
echo 1 >memref/scan
before=$(wc -c <memref/bitmap_user)
dd if=/dev/zero of=/tmp/file bs=1M count=16 2>/dev/null
add 0x30000000 6 || exit 1
use 64M 1 100000
echo 1 >memref/scan
echo "bitmap $before $(wc -c <memref/bitmap_user)"
echo "added $(bytes 6), hole $(bytes 4) $(bytes 5)"
echo "file $(tr -d '\0' <memref/bitmap_page_cache | wc -c)"
grep memref_scan: trace | tail -n 1
dd if=/dev/zero of=/tmp/more bs=1M count=8 2>/dev/null
add 0x20000000 4 || exit 1
dd if=/dev/zero of=/tmp/yet bs=1M count=8 2>/dev/null
use 140M 1 100000
# What was noted of it does not show in other holes.
echo "unread $(for which in user page_cache write; do bytes 5 $which; done | xargs)"
echo 1 >memref/scan
echo "filled $(bytes 4), hole $(bytes 5), file $(tr -d '\0' <memref/bitmap_page_cache | wc -c)"
echo 0 >events/memref/memref_scan/enable
echo 0x4000000000 >$blocks/probe || exit 1
# Memory that is used all the time.
use 130M 100000 0
sleep 1
before=$(free)
echo 1 >events/memref/memref_scan/enable
echo 1 >memref/scan
after=$(free)
echo "far bitmap $(wc -c <memref/bitmap_user), $((before - after)) KiB, $(bytes 4), far $(bytes 2048) $(bytes 1000)"
echo 0 >events/memref/memref_scan/enable
kill %1 %2 %3
wait
EOF
is($vm->{status}, 0, 'the guest ran') or diag $vm->{err}, $vm->{out};
like($vm->{out}, qr/^block 128$/m, 'memory blocks are of 128 MiB');
my ($before, $after) = $vm->{out} =~ /^bitmap (\d+) (\d+)$/m;
is($before, 512 * 256 / 8, 'a bit for each page there is at first');
is($after, 896 * 256 / 8, 'and for those added, and a hole');
my ($added, @hole) = $vm->{out} =~ /^added (\d+), hole (\d+) (\d+)$/m;
cmp_ok($added, '>=', 64 * 256 / 8 * 0.9, 'pages of the added memory are seen');
is("@hole", '0 0', 'and none of the hole');
my ($file) = $vm->{out} =~ /^file (\d+)$/m;
cmp_ok($file, '>=', 16 * 256 / 8, "what was written before is still seen, in $file bytes");
my ($flags) = $vm->{out} =~ / flags=(\w+)/;
ok(hex($flags) & 0x400, "the interval is marked: $flags");
like($vm->{out}, qr/^unread 0 0 0$/m, 'before the next harvest nothing is seen in holes');
(my $filled, my $hole, $file) = $vm->{out} =~ /^filled (\d+), hole (\d+), file (\d+)$/m;
cmp_ok($filled, '>=', (140 - 64) * 256 / 8 * 0.9, 'pages of memory in the hole are seen');
is($hole, 0, 'and none of what is still a hole');
cmp_ok($file, '>=', 8 * 256 / 8, "what was written before is seen then, too, in $file bytes");
my ($size, $kib, $seen, @far) = $vm->{out} =~ /^far bitmap (\d+), (-?\d+) KiB, (\d+), far (\d+) (\d+)$/m;
is($size, (256 * 1024 + 128) * 256 / 8, 'memory at 256 GiB: a bit for each page up to there');
# A bitmap of all that has 8 MiB, and there are eight.
cmp_ok($kib, '<', 4096, 'they take memory for what is present');
cmp_ok($seen, '>', 0, 'of which pages are seen');
is("@far", '0 0', 'and no others');
diag $vm->{out};
done_testing;
