#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Two equal runs of a program whose threads write to the same lines: the share of each line of
# its accesses is the same in what dprof recorded and in what perf did, to 2 points; of the
# latter, perf c2c lists the same lines, with the same counts, as dprof report sharing.
use strict;
use warnings;
no warnings 'portable';
use FindBin;
use lib $FindBin::RealBin;
use File::Copy 'copy';
use JSON::PP;
use List::Util 'max';
use Test::More;
use VM;

-x "$build/qemu-ibs/qemu-system-x86_64"
	or BAIL_OUT('the QEMU that emulates IBS is not built (make qemu-ibs)');
copy("$build/guest/memprof/memprof_plant", "$share/memprof_plant") or die "memprof_plant: $!";
chmod 0755, "$share/memprof_plant";

my $vm = vm('--qemu', 'ibs', '--ibs', 'seed=7,slice=500,model=trace', '--smp', 2, '--numa', 2, '--mem', '1G',
	    '--accel', 'icount', '--root', 'host', '--share', $share, '--timeout', 900, '--', 'sh', '-c', <<'END');
cd /share
echo 10000000 >/proc/sys/kernel/perf_event_max_sample_rate
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
# The same addresses in both runs.
run='setarch -R ./memprof_plant false 3'
dprof record -s ibs -c 1024 --user --types none -H none -o own.dat -- $run >/dev/null 2>own.err || exit 1
perf record -q -c 1024 -e ibs_op/cnt_ctl=1/ -d --phys-data -W -a -o perf.data -- $run >/dev/null 2>perf.err || exit 1
perf c2c report -i perf.data --stdio >c2c.txt 2>c2c.err
END
is($vm->{status}, 0, 'recorded by dprof and by perf') or diag $vm->{err}, map { slurp("$share/$_.err") // '' } qw(own perf c2c);

# Where the program and its heap are without randomization; recorders are elsewhere.
sub of_program { my ($addr) = @_; return length $addr == 12 && $addr =~ /^55555/ }

# Samples of user mode in these, in percent, by line.
sub shares {
	my ($file) = @_;
	my (%n, $all);
	for (`$build/bin/dprof script $share/$file 2>/dev/null`) {
		my ($addr) = / dprof_sample .* addr=0x(\w+) .* flags=(?:0x)?1\b/ or next;
		next if !of_program($addr);
		$n{sprintf '0x%x', hex($addr) & ~63}++;
		$all++;
	}
	cmp_ok($all // 0, '>', 5000, "$file: @{[$all // 0]} samples");
	return { map { $_ => 100 * $n{$_} / $all } keys %n };
}

my ($own, $perf) = map { shares($_) } qw(own.dat perf.data);
my %lines = (%$own, %$perf);
my %apart = map { $_ => abs(($own->{$_} // 0) - ($perf->{$_} // 0)) } keys %lines;
cmp_ok(max(0, values %$own), '>', 15, 'lines that are accessed much');
cmp_ok(max(0, values %apart), '<=', 2, 'shares by line are within 2 points')
	or diag map { sprintf "%s: %.2f of %.2f\n", $_, $perf->{$_} // 0, $own->{$_} // 0 }
		grep { $apart{$_} > 2 } sort keys %lines;
note map { sprintf "%s: dprof %.2f %%, perf %.2f %%\n", $_, $own->{$_}, $perf->{$_} // 0 }
	grep { $own->{$_} > 5 } sort keys %$own;

# Lines of it of which data were found modified in another CPU's cache.
my ($table) = (slurp("$share/c2c.txt") // '') =~ /Shared Data Cache Line Table(.*)Shared Cache Line Distribution/s;
# What the kernel does at a program's address, as it clears the end of its data, perf c2c leaves
# out, and dprof counts with the line.
my %kernel;
for (`$build/bin/dprof script $share/perf.data 2>/dev/null`) {
	my ($addr, $src, $op) = / dprof_sample .* addr=0x(\w+) .* data_src=0x(\w+) .* op=(\d+) .* flags=(?:0x)?0\b/ or next;
	next if !of_program($addr);
	my $of = $kernel{sprintf '0x%x', hex($addr) & ~63} //= {};
	$of->{samples}++;
	$of->{loads} += $op & 1;
	$of->{stores} += $op >> 1;
	$of->{hitm} += hex($src) >> 19 & 0x10 ? 1 : 0;	# PERF_MEM_SNOOP_HITM
}
note map { "$_: $kernel{$_}{samples} samples of the kernel\n" } sort keys %kernel;
my @theirs = map { /^ +\d+ +0x(\w+) +\S+ +\d+ +[\d.]+% +(\d+) +\d+ +\d+ +(\d+) +(\d+) +(\d+) / && of_program($1) ?
			   "0x$1: hitm $2, of $3: $4 loads, $5 stores" : () } split /\n/, $table // '';
my $rows = eval { decode_json(join "", `$build/bin/dprof report sharing $share/perf.data --top 0 -f json 2>/dev/null`)->{rows} } // [];
my @ours = map {
	my ($row, $of) = ($_, $kernel{$_->{line}} // {});
	my ($hitm, $samples, $loads, $stores) = map { $row->{$_} - ($of->{$_} // 0) } qw(hitm samples loads stores);
	$hitm && of_program($row->{line} =~ s/^0x//r) ?
		"$row->{line}: hitm $hitm, of $samples: $loads loads, $stores stores" : () } @$rows;
cmp_ok(scalar @theirs, '>', 2, 'perf c2c lists ' . @theirs . ' lines of the program');
is_deeply([ sort @ours ], [ sort @theirs ], 'dprof report sharing has the same lines, and the same counts')
	or diag map { "$_\n" } 'dprof:', sort(@ours), 'perf c2c:', sort @theirs;

done_testing();
