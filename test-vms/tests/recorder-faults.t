#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Each recorder, with each of its calls for memory, files, mappings, processes and
# descriptors failing once, built with the sanitizers, in a guest for each CPU of the host (up to 4): it
# says what failed, leaks nothing, leaves no half-written file, and all settings are as they were
# (guest/recorder_faults.sh).  FAULTS=PATTERN: only commands that match.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use VM;

my $bin = "$build/tools-sanitize/faults";
my @programs = qw(memref dprof memprof pagealloc memscope);
-x "$bin/$_" or plan skip_all => "$_ was not built with the sanitizers (make -C tools check)" for @programs;
for my $config (qw(MEMREF DPROF PAGE_HINT)) {
	(slurp("$kernel_dir/.config") // '') =~ /^CONFIG_$config=y/m or plan skip_all => "this kernel has no CONFIG_$config";
}

mkdir "$share/faults" or die;
for (@programs) {
	# Debug information would take the guest's memory; here it says where a place is.
	system('strip', '-o', "$share/faults/$_", "$bin/$_") == 0 or die;
}
system 'cp', "$FindBin::RealBin/../guest/recorder_faults.sh", $share;
open my $suite, '>', "$share/s.ini" or die;
print $suite <<'END';
[suite]
name = s
executions = 1
measurements = 1
warmup = 0
boots = 1
aging = 1M
[strategies]
default =
colored = --strategy coloring
[program lines]
command = pagealloc-programs fft --lines
protocol = lines
marks = program
config.small = --size 4K
[program run]
prepare = echo a >b
command = true
END
close $suite or die;

my $only = $ENV{FAULTS} // '.';
chomp(my $parts = `nproc`);
$parts = 4 if $parts > 4;
my @vms = map {
	vm_start('--accel', 'tcg', '--share', $share, '--timeout', 3000, '--append', 'hpet=disable sysctl.vm.mem_profiling=1 rcupdate.rcu_expedited=1',
		 '--', 'sh', '-c', <<'END', $only, $_, $parts);
cd /lib/modules/*/kernel/mm/page_hint/strategies && for m in *.ko; do insmod $m || exit 1; done
exec sh /share/recorder_faults.sh "$0" "$@"
END
} 0 .. $parts - 1;
vm_finish($_) for @vms;
for my $part (1 .. $parts) {
	my $vm = $vms[$part - 1];
	is($vm->{status}, 0, "guest $part of $parts came to its end") or diag $vm->{err};
	like($vm->{out}, qr/^to the end$/m, 'with all commands');
	unlike($vm->{out}, qr/^not run/m, 'which run where nothing fails') or diag $vm->{out};
}

my ($places, $wrong) = (0, '');
for (map { split /\n/, $_->{out} } @vms) {
	$places += $1 if /^places (\d+)/;
	my ($is, $program, $place, $callers, $how, $command, $said) = split /\|/;
	next if $is ne 'wrong';
	# Of a call, not of what follows it.
	my @where = map { sprintf '%x', hex($_) - 1 } grep { hex } split ' ', $callers;
	$wrong .= "$command: $place: $how\n" . `addr2line -s -i -f -e $bin/$program @where` . "$said\n";
}
cmp_ok($places, '>', 150, "places: $places") if $only eq '.';
is($wrong, '', 'what fails is said, nothing is left of it, and all settings are as before');
done_testing();
