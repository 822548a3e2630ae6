#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# What swmem.rst says of perf as Debian has it: perf mem record and perf c2c record find no
# events of swmem, perf record does; perf mem report shows its samples, and perf c2c report counts
# them, but lists no lines, as no sample has HITM.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use VM;

my $vm = vm('--smp', 2, '--mem', '1G', '--accel', 'icount', '--append', 'hpet=disable', '--root', 'host', '--share', $share, '--timeout', 300,
	    '--', 'sh', '-c', <<'END');
cd /share
echo 10000000 >/proc/sys/kernel/perf_event_max_sample_rate
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
for what in mem c2c; do
	perf $what record -o none.data true 2>&1
	echo "perf $what record: $?"
done
ls none.data 2>/dev/null
perf record -q -e swmem// -c 50000 -d -a --sample-cpu -o some.data -- ls -R /sys/block /sys/bus >/dev/null || exit 1
perf script -i some.data -F cpu,addr 2>/dev/null | wc -l
perf mem -i some.data report --stdio --sort=mem 2>/dev/null
perf c2c report -i some.data --stdio 2>&1
END
is($vm->{status}, 0, 'recorded') or diag $vm->{out}, $vm->{err};
for my $what (qw(mem c2c)) {
	my ($status) = $vm->{out} =~ /^failed: memory events not supported\nperf $what record: (\d+)$/m;
	ok($status, "perf $what record finds no events") or diag $vm->{out};
}
my ($samples) = $vm->{out} =~ /^(\d+)$/m;
unlike($vm->{out}, qr/^none\.data$/m, 'and leave no file');
cmp_ok($samples // 0, '>=', 100, 'perf record does') or diag $vm->{out}, $vm->{err};
like($vm->{out}, qr{^\s*100\.00%\s+$samples\s+N/A or N/A\s*$}m, 'perf mem report: all, without levels') or diag $vm->{out};
my %n = $vm->{out} =~ /^  (Total records|Load Operations|Store Operations) +: +(\d+)$/mg;
is($n{'Total records'}, $samples, 'perf c2c report: all');
cmp_ok($n{'Load Operations'} // 0, '>', 0, 'loads');
cmp_ok($n{'Store Operations'} // 0, '>', 0, 'and stores');
unlike($vm->{out}, qr/no sample cpu/, 'whose CPUs it knows');
my ($table) = $vm->{out} =~ /Shared Data Cache Line Table(.*)Shared Cache Line Distribution/s;
ok(defined $table, 'a table of lines') or diag $vm->{out};
is(scalar(() = ($table // 'none') =~ /0x[0-9a-f]+/g), 0, 'but no line') or diag $table;

done_testing();
