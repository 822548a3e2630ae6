#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
# dprof on planted cases made up from a seed (oracle/module/dprof_cases.c), a fault of each
# kind and each of them mended, by samples of emulated IBS: type, allocation site, field,
# functions and class are right, and nothing is said of what was mended.  `make bench-dprof`
# has 112.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use VM;

plan skip_all => 'this kernel has no dprof'
	if slurp("$kernel_dir/.config") !~ /^CONFIG_DPROF=y/m;
-x "$build/qemu-ibs/qemu-system-x86_64"
	or plan skip_all => 'the QEMU that emulates IBS is not built (make qemu-ibs)';

my $bench = "$FindBin::RealBin/../bench";
my $out = `MEMSCOPE_BUILD=$build $bench/dprof_cases.sh $share 14 1 2>&1`;
is($?, 0, 'recorded') or diag($out);
my $said = `$bench/dprof_judge.pl $build/bin/dprof $share/plan $share/cases.dat 2>&1`;
is($?, 0, 'judged');
diag($said);
my ($planted, $right, $mended, $alarms) =
	$said =~ /^planted (\d+), right (\d+) .* mended (\d+), false alarms (\d+)/m;
is($planted // 0, 7, 'faults of seven kinds');
# 95 % of many, in make bench-dprof; a few samples may miss one of these.
cmp_ok($right // 0, '>=', 6, 'are told right');
is($mended // 0, 7, 'as many are mended');
is($alarms // 'none', 0, 'and no alarm is given of them');
done_testing;
