#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# What perf recorded in a guest, of IBS and of swmem, native, through a pipe and compressed:
# the reader of tools/lib/perf has each field of each sample as perf script prints it, and
# memprof finds the nodes and the objects.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use VM;

-x "$build/qemu-ibs/qemu-system-x86_64"
	or BAIL_OUT('the QEMU that emulates IBS is not built (make qemu-ibs)');
ok((grep { -x "$_/perf" } split /:/, $ENV{PATH}), 'perf is there (make deps)');

my $vm = vm('--timeout', 900, '--qemu', 'ibs', '--smp', 2, '--numa', 2, '--root', 'host', '--share', $share,
	    '--', 'sh', '-c', <<'EOS');
cd /tmp
record() { perf record -q -c $1 -e $2 -d --phys-data -W -a "$3" -o $4 -- sh -c 'ls -R /sys/class; ls /bin' >/dev/null; }
record 8192 ibs_op/cnt_ctl=1/ -g /share/ibs-memory.perf.data || exit 1
record 8192 ibs_op/cnt_ctl=1/ -z /share/ibs-memory-zstd.perf.data || exit 1
record 20000 swmem// -R /share/swmem-memory.perf.data || exit 1
perf record -q -c 8192 -e ibs_op/cnt_ctl=1/ -d --phys-data -W -a -o - -- sh -c "ls -R /sys/class >&2" 2>/dev/null \
	>/share/ibs-memory-pipe.perf.data
EOS
is($vm->{status}, 0, 'perf records') or diag $vm->{err};
is(scalar(my @files = glob "$share/*.perf.data"), 4, 'four recordings');

my $out = `MEMSCOPE_REALDATA=$share MEMSCOPE_BUILD=$build $FindBin::RealBin/../../tools/lib/tests/perf_data.t 2>&1`;
is($?, 0, 'each field of each sample is what perf script prints') or diag $out;
note $out;
is(() = $out =~ /^ok .*where each access was, too$/mg, 4, 'addresses, latencies and data sources among them');

for my $file (@files) {
	my ($name) = $file =~ /([^\/]+)$/;
	my $rows = `$build/bin/memprof report summary -f csv $file 2>$share/err`;
	is($?, 0, "$name: memprof reads it") or diag slurp("$share/err");
	unlike(slurp("$share/err"), qr/node|latenc.*ibs|data sources/, "$name: and misses neither nodes nor data sources")
		if $name !~ /swmem/;
	my ($samples) = $rows =~ /^samples of memory accesses,([\d.]+)/m;
	cmp_ok($samples // 0, '>', 20, "$name: samples of memory accesses");
	my ($unknown) = $rows =~ /^"?node of the memory not known, of these"?,([\d.]+)/m;
	if ($name !~ /swmem/) {
		cmp_ok($unknown // 1e9, '<=', 1 + $samples / 50, "$name: the node is known of nearly all");
		next;
	}
	# swmem samples an access before it is made: a page that is not there yet has no frame.
	my $without = () = `perf script -G -i $file -F phys_addr` =~ /^\s*0\s*$/mg;
	cmp_ok($without, '<', $samples / 4, "$name: most samples have a physical address");
	is($unknown, $without, "$name: the node is unknown of those without one, and of no other");
}
done_testing;
