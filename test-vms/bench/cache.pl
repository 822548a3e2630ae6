#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# cache.pl BUILD [MODE...]: runs cache_speed with the oracle's parts on and off.
# Time is the processor time of QEMU on the host, less that of a run that does no
# work; the least of REPEAT (default 3), for what others do on the host can only add
# to it.  The reads of `misses' miss in the modeled caches, not in QEMU's small TLB.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Figures;
use List::Util 'min';

my $build = shift or die "usage: cache.pl BUILD [MODE...]\n";
my $counts = "$build/bench/cache.csv";
my $model = "counts=$counts,cache=L1d:32K:8:64:private";
my %spec = (
	no_plugin => [ quiet => undef ],
	loaded => [ quiet => "out=$build/bench/cache.oracle" ],
	pages => [ mark => "out=$build/bench/cache.oracle" ],
	l1 => [ mark => "who=user,$model" ],
	l1_l2 => [ mark => "who=user,$model,L2:64K:8:64:private" ],
	l1_l2_xor => [ mark => "who=user,$model,L2:64K:8:64:private:xor="
		       . join '/', map { sprintf '0x%x', 1 << 6 + $_ | 1 << 13 + $_ } 0 .. 6 ],
	l1_l2_l3_plru => [ mark => "who=user,$model:plru,L2:64K:8:64:private:plru,L3:128K:16:64:plru" ],
);
my $repeat = $ENV{REPEAT} || 3;
my %n;

mkdir "$build/bench";
sub seconds {
	my ($oracle, @command) = @_;
	my @before = times;

	system("$FindBin::Bin/../run", '--smp', 1, $oracle ? ('--oracle', $oracle) : (), '--',
	       'cache_speed', @command) == 0 or die "cache.pl: @command failed\n";
	my @after = times;
	return $after[2] + $after[3] - $before[2] - $before[3];
}

sub accesses {
	open my $f, '<', $counts or die "$counts: $!\n";
	while (<$f>) {
		return $1 if /^0,L1d,1,0,(\d+)/;
	}
	die "$counts: no phase\n";
}

sub measure {
	my ($oracle, @command) = @_;

	return min(map { seconds($oracle, @command) } 1 .. $repeat);
}

$| = 1;
for my $mode (@ARGV ? @ARGV : sort keys %spec) {
	my ($mark, $oracle) = @{ $spec{$mode} // die "cache.pl: $mode: none of @{[ sort keys %spec ]}\n" };
	my $none = measure($oracle, $mark, 'hits', 0);
	my @line;

	for my $work (qw(hits misses sort)) {
		my $rounds = $mark eq 'quiet' ? 200 : 50;
		my $s = measure($oracle, $mark, $work, $rounds) - $none;

		die "cache.pl: $mode $work: no time passed\n" if $s <= 0;
		$n{"seconds_${mode}_$work"} = sprintf('%.5f', $s / $rounds) + 0;
		push @line, "$work: " . $n{"seconds_${mode}_$work"} . ' s';
		next unless ($oracle // '') =~ /cache=/;
		$n{"m_accesses_per_s_${mode}_$work"} = sprintf('%.1f', accesses() / $s / 1e6) + 0;
		$line[-1] .= ' (' . $n{"m_accesses_per_s_${mode}_$work"} . ' M/s)';
	}
	printf "%-14s %s\n", $mode, join '  ', @line;
}
my ($qemu) = split /\n/, `qemu-system-x86_64 --version`;
# Some modes leave the figures of the others.
my $command = @ARGV ? "test-vms/bench/cache.pl build @ARGV" : 'make bench-cache';
record_figures("$build/bench/cache.json", $command, "$qemu; seconds a round of cache_speed, accesses reaching L1d a second", \%n);
