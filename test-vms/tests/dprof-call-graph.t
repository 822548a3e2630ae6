#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# dprof record --call-graph: accesses by samples, allocations and frees have the functions that
# called theirs, and the tracer's option is put back.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use JSON::PP;
use Test::More;
use VM;

plan skip_all => 'this kernel has no dprof'
	if slurp("$kernel_dir/.config") !~ /^CONFIG_DPROF=y/m;

my $vm = vm('--smp', 2, '--mem', '1G', '--accel', 'icount', '--share', $share, '--timeout', 600,
	    '--append', 'hpet=disable sysctl.vm.mem_profiling=0', '--', 'sh', '-c',
	    'samples_ready; dprof record -s swmem -c 100000 -g --types filp -H none -o chains.dat -- kernel_load files 400 && ' .
	    'cat /sys/kernel/tracing/options/stacktrace; ' .
	    'dprof record -g --encoding batch -o none.dat -- true; echo "batch $?"; ls');
is($vm->{out}, "0\nbatch 2\nchains.dat\n", 'recorded, the option is as before, batches are refused')
	or diag($vm->{out}, $vm->{err});

my $json = `$build/bin/dprof report callers --top 0 -f json $share/chains.dat`;
my @rows = @{ decode_json($json)->{rows} };
my %rows;
push @{ $rows{$_->{event}} }, $_ for @rows;
my $script = `$build/bin/dprof script $share/chains.dat`;
for (['access', 'sample'], ['alloc', 'alloc'], ['free', 'free']) {
	my ($event, $name) = @$_;
	my $events = () = $script =~ / dprof_$name /g;
	my $sum = 0;
	$sum += $_->{count} for @{ $rows{$event} // [] };
	cmp_ok($events, '>', 100, "$event: $events events");
	# An event within another one's chain takes its place.
	cmp_ok($sum, '>=', 0.99 * $events, "$event: $sum have a chain");
}
# Who may have called it, of functions that are not inlined: open() allocates a file.
my @allocs = grep { $_->{type} eq 'filp:alloc_empty_file' } @{ $rows{alloc} // [] };
my ($all, $open) = (0, 0);
for (@allocs) {
	$all += $_->{count};
	$open += $_->{count} if $_->{callers} =~ /^path_openat < do_filp_open < do_sys_openat2 < __x64_sys_open(?:at)? < do_syscall_64\b/;
}
cmp_ok($open, '>', 0.8 * $all, "files are allocated by open(): $open of $all")
	or diag map { "$_->{count} $_->{callers}\n" } @allocs;
# A sample of a system call has the call at its chain's end, and the interrupt is not in it.
my @accesses = @{ $rows{access} // [] };
my ($samples, $calls, $nmi) = (0, 0, 0);
for (@accesses) {
	$samples += $_->{count};
	$calls += $_->{count} if ($_->{callers} // '') =~ /\bdo_syscall_64\b/ || $_->{function} =~ /^(?:do_syscall_64|entry_SYSCALL)/;
	$nmi += $_->{count} if ($_->{callers} // '') =~ /\bnmi|_nmi\b|^native_apic_mem_write/;
}
is($nmi, 0, 'no chain has the interrupt');
cmp_ok($calls, '>', 0.5 * $samples, "$calls of $samples samples are in system calls");
my ($longest) = sort { $b->{count} <=> $a->{count} } grep { $_->{function} eq 'link_path_walk' || $_->{function} =~ /^link_path_walk/ } @accesses;
like($longest->{callers} // '', qr/^path_(?:openat|lookupat|parentat) </, 'paths are walked by what looks files up');
done_testing;
