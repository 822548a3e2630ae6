#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# The series' own selftests of memref, page hints and dprof, installed and run as the
# kernel's are (those of swmem want -icount: swmem.t).  What memref's measure goes
# where the metrics of the benchmarks are.  Arguments: these collections only.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin, "$FindBin::RealBin/../bench";
use Figures;
use Test::More;
use VM;

my @collections = @ARGV ? @ARGV : qw(dprof memref page_hint);
my $uapi = "$FindBin::RealBin/../../tools/pagealloc/uapi";
my @make = ('make', '-s', '-C', "$build/linux/tools/testing/selftests", "O=$share/build",
	    "TARGETS=@collections", "INSTALL_PATH=$share/install", "KHDR_INCLUDES=-I$uapi",
	    'FORCE_TARGETS=1', 'install');
open my $log, '>', "$share/log" or die "$share/log: $!";
my $pid = fork // die "fork: $!";
if (!$pid) {
	open STDOUT, '>&', $log;
	open STDERR, '>&', $log;
	exec @make;
	die "make: $!";
}
waitpid $pid, 0;
is($?, 0, 'they build and install') or diag slurp("$share/log");
unlike(slurp("$share/log"), qr/warning:/, 'without a warning') or diag slurp("$share/log");

# Two nodes with a CPU each, for those of page hints.
my $vm = vm('--root', 'host', '--smp', 2, '--numa', 2, '--mem', '1G', '--timeout', 900,
	    '--share', "$share/install", '--',
	    'sh', '-c', <<'END');
settings() {
	cat /proc/sys/kernel/modprobe /proc/sys/vm/compaction_proactiveness /proc/sys/vm/page_hints_*
	cat /sys/kernel/mm/page_hint/color_function /sys/kernel/tracing/memref/interval_ms
	cat /sys/kernel/tracing/memref/cpu_max /sys/kernel/tracing/dprof/history_offsets
}
before=$(settings)
cp -r /share /tmp/tests && cd /tmp/tests || exit 1
./run_kselftest.sh || exit 1
[ "$(settings)" = "$before" ] && echo settings kept || { echo "$before" now; settings; }
END
is($vm->{status}, 0, 'the guest ran') or diag $vm->{err};
like($vm->{out}, qr/^settings kept/m, 'settings of the machine are what they were') or diag $vm->{out};

# A level of KTAP below another is behind "# ".
my %metrics = $vm->{out} =~ /^# # metric (\w+) ([\d.e+-]+)/mg;
my ($program, $planned, $seen);
for (split /\r?\n/, $vm->{out}) {
	($program, $planned, $seen) = ($1, undef, 0) if /^# selftests: \w+: (\w+)/;
	$planned = $1 if /^# 1\.\.(\d+)/;
	if (/^# (not )?ok \d+ (?:- )?(.*)/) {
		$seen++;
		$1 ? fail("$program: $2") : pass("$program: $2");
	} elsif (/^(not )?ok \d+ selftests: (.*)/) {
		ok(!$1, $2);
		is($seen, $planned, "$program: as many tests as planned");
	} elsif (/^# # (?!Totals)(.*)/) {
		diag "$program: $1";
	}
}
for my $collection (@collections) {
	my @programs = grep { /^$collection:/ } split /\n/, slurp("$share/install/kselftest-list.txt");
	my @ran = $vm->{out} =~ /^(?:not )?ok \d+ selftests: $collection: /mg;
	is(scalar @ran, scalar @programs, "$collection: all programs ran");
}

# The numbers are the plain kernel's.
if (%metrics && ($ENV{MEMSCOPE_KERNEL} // 'vm') eq 'vm') {
	$_ += 0 for values %metrics;
	record_figures("$build/bench/memref.json", 'prove test-vms/tests/selftests.t', 'TCG, 2 CPUs, 1 GiB', \%metrics);
}
done_testing();
