#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# dprof on planted cases made up from a seed (oracle/module/dprof_cases.c), a fault of each
# kind and each of them mended, by samples of emulated IBS: type, allocation site, field,
# functions and class are right, and nothing is said of what was mended; the same of locks,
# reference counts and other read-modify-writes.  The views sharing and classify agree on
# every line.  `make bench-dprof` has 112, and 56 of read-modify-writes.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use VM;

plan skip_all => 'this kernel has no dprof'
	if slurp("$kernel_dir/.config") !~ /^CONFIG_DPROF=y/m;
-x "$build/qemu-ibs/qemu-system-x86_64"
	or BAIL_OUT('the QEMU that emulates IBS is not built (make qemu-ibs)');

my $bench = "$FindBin::RealBin/../bench";
my $out = `MEMSCOPE_BUILD=$build $bench/dprof_cases.sh $share 14 1 28 2>&1`;
is($?, 0, 'recorded') or diag($out);

sub judge {
	my ($plan, $recording) = @_;
	my $said = `$bench/dprof_judge.pl $build/bin/dprof $share/$plan $share/$recording 2>&1`;
	is($?, 0, 'judged');
	diag($said);
	my $agree = `$FindBin::RealBin/../../tools/dprof/tests/dprof_agree.pl $build/bin/dprof $share/$recording 2>&1`;
	like($agree, qr/^agree ([1-9]\d*) of \1 lines$/m, 'sharing and classify agree on each line') or diag($agree);
	return map { $_ // 'none' } $said =~ /^planted (\d+), right (\d+) .* mended (\d+), false alarms (\d+)/m;
}

my ($planted, $right, $mended, $alarms) = judge('plan', 'cases.dat');
is($planted, 7, 'faults of seven kinds');
# 95 % of many, in make bench-dprof; a few samples may miss one of these.
cmp_ok($right, '>=', 6, 'are told right');
is($mended, 7, 'as many are mended');
is($alarms, 0, 'and no alarm is given of them');
($planted, $right, $mended, $alarms) = judge('atomic-plan', 'atomic.dat');
is($planted, 14, 'read-modify-writes of fourteen kinds');
cmp_ok($right, '>=', 13, 'are reported right: type, field, class and writer');
is($mended, 14, 'as many are of other objects');
is($alarms, 0, 'and no alarm is given of them');
done_testing;
