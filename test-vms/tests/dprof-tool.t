#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
# dprof from record to report, on planted faults (oracle/module/dprof_faults.c): a
# queue that hands objects to another CPU, by its histories.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use JSON::PP;
use Test::More;
use VM;

plan skip_all => 'this kernel has no dprof'
	if slurp("$build/kernel-vm/.config") !~ /^CONFIG_DPROF=y/m;

# Clocks of a guest without a known TSC are too coarse for times, not for the order.
my $vm = vm('--smp', 2, '--mem', '1G', '--accel', 'tcg', '--share', $share,
	    '--append', 'hpet=disable sysctl.vm.mem_profiling=0', '--', 'sh', '-c',
	    'cat /sys/kernel/tracing/dprof/types >before; ' .
	    'dprof record -t "faults_*" -H faults_queue --offsets "0,8 8,64 0,64" -o trace.dat -- ' .
	    'modprobe dprof_faults rounds=20000 || exit 1; ' .
	    'cmp before /sys/kernel/tracing/dprof/types && ' .
	    'grep -qx "history_slots 0" /sys/kernel/tracing/dprof/stats');
is($vm->{status}, 0, 'recorded, and all is as it was') or diag($vm->{out}, $vm->{err});

sub rows {
	my $text = `$build/bin/dprof report @_ $share/trace.dat -F json 2>&1`;
	is($?, 0, "report @_") or diag($text);
	return $? ? () : @{ decode_json($text) };
}

my @paths = rows('paths', '--type', 'faults_queue', '--top', 1);
# The compiler may have made .isra.0 of a function.
my @functions = map { $_->{function} =~ s/\..*//r } @paths;
is($functions[1], 'faults_queue_send', 'filled by who sends');
is_deeply([ map { $_->{function} =~ s/\..*//r } grep { $_->{cpu_change} eq 'yes' } @paths ],
	  [ 'faults_queue_receive' ], 'changes CPU where it is received, and only there');
ok($paths[0]{frequency_pct} > 80, 'nearly all take this path') or diag($paths[0]{frequency_pct});

my @edges = grep { $_->{cpu_change} eq 'yes' } rows('dataflow', '--type', 'faults_queue');
is($edges[0]{from}, 'faults_queue_send', 'the pair of functions: from');
like($edges[0]{to}, qr/^faults_queue_receive\b/, 'to');

my ($row) = rows('classify', '--type', 'faults_queue');
is($row->{class}, 'true_sharing', 'its misses are true sharing');
like($row->{writer}, qr/ by faults_queue_send\+/, 'by what the sender writes');

($row) = rows('workingset', '--type', 'faults_queue');
# How many depends on clocks: frees that seem to come before their allocation are not told.
ok($row->{remote_frees_pct} > 5, 'freed by the other CPU') or diag($row->{remote_frees_pct});

# What each CPU has of its own is neither shared nor handed over.
is_deeply([ rows('sharing', '--type', 'faults_private') ], [], 'the control: nothing')
	if `$build/bin/dprof report profile $share/trace.dat -F csv` =~ /^faults_private/m;

done_testing();
