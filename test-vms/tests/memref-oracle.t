#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# memref against the oracle: what it reports in an interval is what was
# accessed.  Working sets from 64 KiB to 256 MiB, dense and sparse, reading and
# writing, alone on the CPU and with a neighbor; which pages were written, also
# if they were write protected since; what was unmapped, freed or made cold since;
# pages of a mapped file; and the kernel's own references.  The control:
# without the TLB flush memref must be seen to be wrong.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin, "$FindBin::RealBin/../bench";
use Figures;
use List::Util 'min';
use Test::More;
use VM;

my %need = (user_recall => 0.995, user_precision => 0.99, kernel_recall => 0.99,
	    write_recall => 0.98, write_precision => 0.98);
my @command = ('--smp', 2, '--mem', '1G', '--timeout', 2400, '--share', $share,
	       '--oracle', "out=$share/oracle", '--', 'memref_accuracy', '/share/scans');

my $vm = vm(@command);
is($vm->{status}, 0, 'the working sets run') or diag $vm->{err};
my @lines = split /\n/, `$build/guest/memref-score $share/oracle $share/scans`;
is($?, 0, 'memref-score compares') or BAIL_OUT('no scores');
my @names = split /\t/, shift @lines;
my @cells = map { my %c; @c{@names} = split /\t/; \%c } @lines;
my @scored = grep { $_->{cell} !~ /no flush/ } @cells;

diag sprintf '%-40s %6s %9s %9s %6s %9s %9s %7s %9s %9s', 'cell', 'pages', 'recall',
	'precision', 'blocks', 'recall', 'precision', 'written', 'recall', 'precision';
diag sprintf '%-40s %6d %9.6f %9.6f %6d %9.6f %9.6f %7d %9.6f %9.6f', @$_{@names[0, 2 .. 10]}
	for @cells;

is(scalar @scored, 45, 'all cells are there');
for my $c (@scored) {
	for my $what (sort keys %need) {
		next if $what =~ /kernel/ && $c->{cell} =~ /writes/;
		next if $what =~ /write/ && $c->{cell} !~ /writes/;
		cmp_ok($c->{$what}, '>=', $need{$what}, "$c->{cell}: $what");
	}
	is($c->{intervals}, 3, "$c->{cell}: intervals");
}
for my $c (@cells) {
	my ($work, $pages, $rest) = $c->{cell} =~ /^(\S+) (\d+)(?: of \d+)? pages, (.*)/;
	next if $work =~ /file/;
	cmp_ok($c->{user_pages}, '>=', $pages, "$c->{cell}: the oracle saw the working set");
	my $part = $work =~ /fork|mprotect|clear-refs|uffd/ ? 1 / 20 : $work eq 'child-read' ? 0 : 1 / 2;
	cmp_ok($c->{written_pages}, '>=', $pages * $part, "$c->{cell}: and its writes")
		if $rest =~ /writes/;
}

# Without a flush it is blind, as it must be.  No context switch flushes then, but QEMU does
# when it makes its TLB larger: all is seen of one cell.
my @blind = map { $_->{user_recall} } grep { $_->{cell} =~ / (256|1024|4096) pages, alone, no flush/ } @cells;
is(scalar @blind, 6, 'cells without a flush');
cmp_ok(scalar(grep { $_ < 0.5 } @blind), '>=', 4, 'blind without a flush') or diag("@blind");

# The numbers are the plain kernel's.
if (($ENV{MEMSCOPE_KERNEL} // 'vm') ne 'vm') {
	done_testing();
	exit;
}

my $release = slurp("$kernel_dir/include/config/kernel.release") // 'unknown';
my ($qemu) = `qemu-system-x86_64 --version`;
chomp($release, $qemu);
my @protected = grep { $_->{cell} =~ /^(fork|child-read|mprotect|clear-refs|uffd-wp) / } @scored;
my @gone = grep { $_->{cell} =~ /^(munmap|exit|free|cold) / } @scored;
my ($mapped) = grep { $_->{cell} =~ /^mapped / } @scored;
my %mine = (
	write_recall_fork => min(map { $_->{write_recall} } @protected),
	write_precision_fork => min(map { $_->{write_precision} } @protected),
	recall_unmapped => min(map { $_->{user_recall} } @gone),
	faultaround_pages_per_touch => sprintf('%.4g', $mapped->{user_recall} / $mapped->{user_precision}),
	recall_min => min(map { $_->{user_recall} } @scored),
	precision_min => min(map { $_->{user_precision} } @scored),
	kernel_recall_2m => min(map { $_->{kernel_recall} } grep { $_->{cell} !~ /writes/ } @scored),
	kernel_precision_2m =>
		min(map { $_->{kernel_precision} } grep { $_->{cell} !~ /writes/ } @scored),
	write_recall => min(map { $_->{write_recall} } grep { $_->{cell} =~ /writes/ } @scored),
	write_precision =>
		min(map { $_->{write_precision} } grep { $_->{cell} =~ /writes/ } @scored),
	recall_256_pages_no_flush =>
		map { $_->{user_recall} } grep { $_->{cell} eq 'read 256 pages, alone, no flush' } @cells,
);
$_ += 0 for values %mine;
record_figures("$build/bench/memref.json", 'prove test-vms/tests/memref-oracle.t', "kernel $release, $qemu, TCG, 2 CPUs, 1 GiB; no seed", \%mine);
done_testing();
