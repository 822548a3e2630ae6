#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Idle ages against the oracle, which knows in which interval a page was accessed: twenty
# workloads, anonymous memory, huge pages and files, mapped, read and written, processes that share
# memory, frames that get another use; what the ages cost, in instructions; and a recording of them and its views.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin, "$FindBin::RealBin/../bench";
use Figures;
use List::Util qw(max min);
use Test::More;
use VM;

my $vm = vm('--smp', 2, '--mem', '512M', '--timeout', 600, '--share', $share,
	    '--oracle', "out=$share/oracle", '--', 'memref_ages', '/share/ages');
is($vm->{status}, 0, 'the workloads run') or diag $vm->{err};
like($vm->{out}, qr/^huge 8192 KiB$/m, 'huge pages are such') or diag $vm->{out};
my @lines = split /\n/, `$build/guest/ages-score $share/oracle $share/ages`;
is($?, 0, 'ages-score compares') or BAIL_OUT('no scores');
my @names = split /\t/, shift @lines;
my @works = map { my %w; @w{@names} = split /\t/; \%w } @lines;
diag join "\n", join("\t", @names), map { my $w = $_; join "\t", map { $w->{$_} } @names } @works;
is(scalar @works, 20, 'all workloads are there');
for my $w (@works) {
	is($w->{harvests}, 10, "$w->{work}: harvests");
	cmp_ok($w->{pages}, '>=', 10000, "$w->{work}: pages that the oracle saw");
	cmp_ok($w->{within_one}, '>=', 0.99, "$w->{work}: ages within one interval");
	cmp_ok($w->{exact}, '>=', 0.99, "$w->{work}: exact ages");
	cmp_ok($w->{without_age}, '<=', $w->{pages} / 100, "$w->{work}: pages have ages");
	# Ages that are all 0 would pass where all pages are accessed.
	cmp_ok($w->{distinct}, '>=', 5, "$w->{work}: different ages") unless $w->{work} =~ /remapped/;
}

# One CPU on which a nanosecond is an instruction.  The first harvest looks at all frames.
my $cost = vm('--smp', 1, '--mem', '512M', '--timeout', 600, '--qemu-arg', '-icount',
	      '--qemu-arg', 'shift=0,sleep=off', '--', 'memref_ages', 'cost');
is($cost->{status}, 0, 'the costs are measured') or diag $cost->{err};
my %share;
for ($cost->{out} =~ /^(\w+ \d+ \d+ \d+)$/mg) {
	my ($work, $n, $harvest, $ages) = split;
	push @{$share{$work}}, $ages / $harvest if $n > 1;
	diag "$work: harvest $harvest, ages $ages instructions";
}
my %median = map { $_ => (sort { $a <=> $b } @{$share{$_}})[@{$share{$_}} / 2] } keys %share;
is(join(' ', sort keys %median), 'dense idle random sparse', 'four patterns');
diag sprintf 'age_cost_share: %s', join ', ', map { sprintf '%s %.3f', $_, $median{$_} } sort keys %median;
cmp_ok($median{$_}, '<=', 0.1, "age_cost_share, $_") for sort keys %median;

# A recording, and its views.
my $rec = vm('--mem', '512M', '--root', 'host', '--chdir', '/tmp', '--', 'sh', '-ec', <<'EOS');
mkdir -p /tmp/cg && mount -t cgroup2 none /tmp/cg && echo +memory >/tmp/cg/cgroup.subtree_control && mkdir /tmp/cg/web
memref record --ages --cpu-max 0 -i 200 -o t.dat -- sh -c 'echo $$ >/tmp/cg/web/cgroup.procs; exec pagetest --size 16M --iterations 20 --sleep 100' >/dev/null
echo ages; memref report ages t.dat --format csv
echo cgroup; memref report ages t.dat --by cgroup --format csv
echo node; memref report ages t.dat --by node --format json
echo curve; memref report curve t.dat --format csv
memref plot ages t.dat -o a.svg && grep -c '<svg' a.svg
memref record --mapping-ages --command-only --cpu-max 0 -i 0 -o m.dat -- pagetest --size 160M --iterations 10 --scan >/dev/null
for by in process mapping file; do memref report ages m.dat --by $by --format csv | sed "s/^/$by,/"; done
stat -L -c 'libc %s' /lib/x86_64-linux-gnu/libc.so.6
cat /sys/kernel/tracing/memref/ages /sys/kernel/tracing/memref/vma_ages
EOS
is($rec->{status}, 0, 'a recording with ages') or diag $rec->{err}, $rec->{out};
like($rec->{out}, qr/^seq,time_s,interval_s,of,age_0_mib,.*,age_128_mib,all_mib$/m, 'report ages');
like($rec->{out}, qr/^\d+,[\d.]+,[\d.]+,anon,/m, 'by class');
like($rec->{out}, qr{^\d+,[\d.]+,[\d.]+,/web,}m, 'by control group');
like($rec->{out}, qr/^anon,128,/m, 'report curve');
like($rec->{out}, qr/^0\n0\n/m, 'record switches the ages off again');
# BY -> name -> the most of any interval, and its age 0, in MiB.
my %most;
while ($rec->{out} =~ /^(process|mapping|file),\d+,[\d.]+,[\d.]+,"?([^",]+)"?,([\d.]+),.*,([\d.]+)$/mg) {
	my $m = $most{$1}{$2} //= [ 0, 0 ];
	$m->[0] = $3 if $3 > $m->[0];
	$m->[1] = $4 if $4 > $m->[1];
}
my ($process) = grep { /^pagetest \(\d+\)$/ } keys %{$most{process}};
ok($process, 'ages by process') or diag join ' ', keys %{$most{process}};
# More than what is read under one mmap_lock: several events.
my @memory = grep { /^pagetest \(\d+\) \[/ && $most{mapping}{$_}[0] >= 160 && $most{mapping}{$_}[0] < 161 } keys %{$most{mapping}};
is(scalar @memory, 1, 'by mapping: the memory that it references') or diag explain $most{mapping};
my ($libc) = grep { m{/libc[.-]} } keys %{$most{file}};
my ($size) = $rec->{out} =~ /^libc (\d+)$/m;
cmp_ok($most{file}{$libc // ''}[1] // 1e9, '<', ($size // 0) / 1048576, 'by file: a library, of which not all is mapped');
cmp_ok($most{process}{$process // ''}[1] // 0, '>=', ($most{mapping}{$memory[0] // ''}[1] // 0) + $most{file}{$libc // ''}[1],
	'a process has what its mappings have');

if (($ENV{MEMSCOPE_KERNEL} // 'vm') eq 'vm') {
	record_figures("$build/bench/memref.json", 'prove test-vms/tests/memref-ages.t', 'TCG, -icount', {
		age_within_one_interval => 0 + min(map { $_->{within_one} } @works),
		age_cost_share => 0 + sprintf('%.3g', $median{dense}),
		map { ("age_cost_share_$_" => 0 + sprintf '%.3g', $median{$_}) } qw(idle random sparse) });
}
done_testing();
