#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# What processors report beside the accesses of an instruction (docs/develop/ibs.md, "Seen on
# silicon"): the emulation does it as often as the properties say, and neither memprof nor
# dprof charges any of it to memory that the instruction did not access.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use VM;

-x "$build/qemu-ibs/qemu-system-x86_64"
	or BAIL_OUT('the QEMU that emulates IBS is not built (make qemu-ibs)');

# Within 4 standard deviations of a binomial distribution: wrong once in 16,000.
sub in_band {
	my ($count, $total, $p, $name) = @_;
	my $sigma = sqrt($total * $p * (1 - $p));
	cmp_ok(abs($count - $total * $p), '<=', 4 * $sigma, sprintf '%s: %d of %d, expected %.0f +- %.0f',
	       $name, $count, $total, $total * $p, 4 * $sigma);
}

# A boot with these properties: what ibs_check counts, what memprof reports of the same
# program, what dprof records of the kernel and of user mode.
sub boot {
	my ($name, $properties) = @_;
	my $script = <<"END";
ibs_check silicon 1024 || exit 1
memprof record -s ibs -c 4096 --no-preload -o /share/$name.data -- ibs_check silicon || exit 1
memprof report summary /share/$name.data -f csv || exit 1
cd /share && dprof record -s ibs -c 4096 --user --types none -H none -o $name.dat -- kernel_load files 30 || exit 1
sed 's/^/dprof_/' /sys/kernel/tracing/dprof/stats
END
	my $vm = vm('--qemu', 'ibs', '--ibs', "seed=7$properties", '--smp', 1, '--mem', '1G', '--accel', 'icount',
		    '--share', $share, '--timeout', 900, '--', 'sh', '-c', $script);
	is($vm->{status}, 0, "$name: runs") or diag $vm->{err}, $vm->{out};
	my %n;
	for (split /\n/, $vm->{out}) {
		/^([\w-]+) +(\S+)$/ and $n{$1} = $2;
		/^"?([^",]+(?:,[^",]+)*)"?,([\d.]+),/ and $n{$1} = $2;
	}
	$n{samples} = [ map { { /(\w+)=(\S+)/g } } grep { / dprof_sample / } `$build/bin/dprof script $share/$name.dat 2>/dev/null` ];
	is($?, 0, "$name: dprof reads its recording");
	is($n{wrong}, 0, "$name: all else of the samples is right") or diag $vm->{out};
	cmp_ok($n{$_} // 0, '>', 1000, "$name: $n{$_} samples, $_") for qw(plain rep);
	$n{discarded} = $n{'instructions sampled that access no memory'};
	return \%n;
}

my $kernel_memory = sub { hex(substr($_[0]{addr}, 0, 6)) >= 0xffff };
my $user = sub { $_[0]{flags} & 1 };

# Off, nothing of it is there.
my $off = boot('off', '');
is("$off->{'no-linear'} $off->{kernel} $off->{both}", '0 0 0', 'off: none of it');
is($off->{memory}, $off->{plain}, 'off: all are loads or stores');
# When all is done, it takes one more iteration of a rep to notice: 64 of 65 store.
in_band($off->{'rep-tagged'}, $off->{rep}, 64 / 65, 'off: rep that stores');
cmp_ok($off->{accesses}, '>', 300, "off: memprof has $off->{accesses} accesses");
in_band($off->{writes} / 100 * $off->{accesses}, $off->{accesses}, (81920 + 128000) / (163840 + 128000),
	'off: memprof has stores, those of rep among them');
cmp_ok(scalar(grep { $user->($_) } @{$off->{samples}}), '>', 0, 'off: dprof has samples of user mode');
is(scalar(grep { $user->($_) && $kernel_memory->($_) } @{$off->{samples}}), 0, 'off: none of kernel memory');

# No linear address: no access that could be charged to anything.
my $n = boot('no-linear', ',no-linear=100');
is("$n->{linear} $n->{'no-linear'} $n->{'in-page'}", "0 $n->{plain} $n->{plain}",
   'no-linear: none has one, and the physical one is an offset in a page');
is($n->{accesses}, 0, 'no-linear: memprof leaves them out');
cmp_ok($n->{discarded}, '>', $off->{discarded}, "no-linear: and counts them, $n->{discarded}");
is(scalar @{$n->{samples}}, 0, 'no-linear: dprof has no samples');
cmp_ok($n->{dprof_samples_no_address}, '>', 0, "no-linear: and counts $n->{dprof_samples_no_address} without address");

# The processor's own access under an instruction of user mode: not the program's.
$n = boot('kernel-entry', ',kernel-entry=100');
is($n->{kernel}, $n->{linear}, 'kernel-entry: all are of kernel memory');
is($n->{accesses}, 0, 'kernel-entry: memprof does not charge them to the program');
cmp_ok($n->{discarded}, '>', $off->{discarded}, "kernel-entry: and counts them, $n->{discarded}");
my @entry = grep { $user->($_) } @{$n->{samples}};
cmp_ok(scalar @entry, '>', 0, 'kernel-entry: dprof has ' . @entry . ' samples of user mode');
is(scalar(grep { !$kernel_memory->($_) } @entry), 0, 'kernel-entry: all are of kernel memory');
# Type 14 is the class fixmap, which has the CPUs' entry areas.
is(scalar(grep { $_->{type} != 14 } @entry), 0, 'kernel-entry: none is charged to an object');
cmp_ok(scalar(grep { !$user->($_) } @{$n->{samples}}), '>', 100, "kernel-entry: the kernel's own are as ever");

# Load and store at once.
$n = boot('both', ',both=100');
is($n->{both}, $n->{plain}, 'both: all have both bits');
cmp_ok($n->{accesses}, '>', 300, "both: memprof has $n->{accesses} accesses");
is($n->{reads} + 0, 100, 'both: each of which reads');
is($n->{writes} + 0, 100, 'both: and writes');
cmp_ok(scalar @{$n->{samples}}, '>', 100, 'both: dprof has samples');
is(scalar(grep { $_->{op} != 3 } @{$n->{samples}}), 0, 'both: all of them are load and store');

# String instructions that are tagged elsewhere: the others are as before.
$n = boot('rep-untagged', ',rep-untagged=100');
is("$n->{'rep-tagged'} $n->{memory}", "0 $n->{plain}", 'rep-untagged: no rep, but all others');
cmp_ok($n->{accesses}, '>', 200, "rep-untagged: memprof has $n->{accesses} accesses");
in_band($n->{writes} / 100 * $n->{accesses}, $n->{accesses}, 0.5, 'rep-untagged: memprof has stores, none of rep');
cmp_ok(scalar @{$n->{samples}}, '>', 100, 'rep-untagged: dprof has samples');

# As often as on the machine that docs/develop/ibs.md has the numbers of.
$n = boot('mixed', ',no-linear=4,kernel-entry=1,both=1,rep-untagged=94');
in_band($n->{'no-linear'}, $n->{plain}, 0.04, 'mixed: no linear address');
in_band($n->{kernel}, $n->{linear}, 0.01, 'mixed: kernel memory');
in_band($n->{both}, $n->{plain}, 0.01, 'mixed: both bits');
in_band($n->{'rep-tagged'}, $n->{rep}, 0.06 * 64 / 65, 'mixed: rep that is tagged');
cmp_ok($n->{accesses}, '>', 100, "mixed: memprof has $n->{accesses} accesses");
cmp_ok(scalar @{$n->{samples}}, '>', 100, 'mixed: dprof has samples');

# Refused as what they are.
my $vm = vm('--qemu', 'ibs', '--ibs', 'both=101', '--', 'true');
isnt($vm->{status}, 0, 'more than 100 percent is refused');
like($vm->{err}, qr/ibs-both.*more than 100 percent/, 'with the reason') or diag $vm->{err};

done_testing();
