#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# What the kernel packs, many samples in an event, has the reports of the same samples as single
# events: recordings are written once more in each encoding, and all of their reports compared.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use VM;

plan skip_all => 'this kernel has no dprof'
	if slurp("$kernel_dir/.config") !~ /^CONFIG_DPROF=y/m;

my %period = (swmem => 50000, ibs => 4096);
my @types = map { "'$_'" } 'filp faults_queue faults_false faults_true', 'filp faults_queue';
my $vm = vm('--qemu', 'ibs', '--accel', 'icount', '--ibs', 'model=trace,slice=1000', '--smp', 2, '--mem', '1G',
	    '--share', $share, '--timeout', 900,
	    '--append', 'hpet=disable tsc=reliable clocksource=tsc sysctl.vm.mem_profiling=1', '--', 'sh', '-ec',
	    'samples_ready; ' . join('; ', map {
		"dprof record -s $_ -c $period{$_} --types $types[0] -H $types[1] --encoding batch -o $_.dat -- " .
		'sh -c "modprobe dprof_faults rounds=2000 && kernel_load files 60"; rmmod dprof_faults'
	    } sort keys %period));
is($vm->{status}, 0, 'recorded') or diag($vm->{out}, $vm->{err});

my $gen = "$build/tools/tests/trace_gen";
my $dprof = "$build/bin/dprof";

# report(VIEW, FILE): what is said names the file, which is the only difference that may be
sub report {
	my ($view, $file) = @_;
	my $all = $view =~ /^(?:levels|cpus|nodes)$/ ? '' : '--top 0';
	my $vmlinux = $view eq 'structs' ? "--vmlinux $kernel_dir/vmlinux" : '';
	my $text = `$dprof report $view $all $vmlinux -f csv $share/$file 2>&1`;
	return $text =~ s/\Q$file\E/FILE/gr . "status $?";
}

# All but callers, whose chains are not packed.
my ($listed) = `$dprof report --help` =~ /\n\n(.*?)\n\n/s;
my @views = grep { $_ ne 'callers' } $listed =~ /^  (\S+)  /mg;
# Those with rows: a report of nothing is easily the same.
my @both = qw(profile classify workingset assoc-sets dataflow paths lines code structs cpus);
my %rows = (swmem => \@both, ibs => [ @both, qw(c2c latency levels) ]);
for my $source (sort keys %period) {
	my $packed = "$source.dat";
	my $text = `$dprof script --symbols $share/$packed`;
	my $samples = () = $text =~ / dprof_sample /g;
	my $events = () = `trace-cmd report -i $share/$packed 2>/dev/null` =~ / dprof_samples: /g;
	cmp_ok($samples, '>', 8 * $events, "$source: $samples samples, in $events events");
	open my $f, '>', "$share/$source.txt" or die;
	print $f $text;
	close $f or die;
	is(system("$gen dprof 7 $share/$source-single.dat $share/$source.txt"), 0, 'each sample in an event');
	is(system("$gen batches 6 $share/$source-again.dat $share/$source.txt"), 0, 'packed once more');
	unlike(slurp("$share/$source-single.dat"), qr/name: dprof_samples\n/, 'which has no other event');
	like(slurp("$share/$source-again.dat"), qr/name: dprof_samples\n/, 'which has those of many');
	for my $view (@views) {
		my $report = report($view, $packed);
		is(report($view, "$source-single.dat"), $report, "$source: $view of single events is the same");
		is(report($view, "$source-again.dat"), $report, 'and as packed once more');
		next if !grep { $_ eq $view } @{ $rows{$source} };
		cmp_ok(scalar(() = $report =~ /\n/g), '>', 1, 'which has rows');
	}
}
done_testing;
