#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# memref.pl BUILD: writes into BUILD/bench/memref.json what memref_bench printed; see memref.sh.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Figures;
use MemrefBench;

my $build = shift or die "usage: memref.pl BUILD\n";
my $bench = "$build/bench";
read_parts(glob "$bench/memref-*.txt");

my %metrics = (
	insn_per_hot_pte => (need 'cost_memref')[0],
	insn_per_hot_pte_write => (need 'cost_memref_write')[0],
	insn_ratio_clear_refs => ratio('cost_memref', 'cost_clear_refs'),
	insn_ratio_page_idle => ratio('cost_memref', 'cost_page_idle'),
	insn_ratio_damon_exact => ratio('cost_memref', 'cost_damon_exact'),
	insn_ratio_damon_paddr_exact => ratio('cost_memref', 'cost_damon_paddr_exact'),
	cold8g_ratio => ratio('cold_8g', 'cold_0g'),
	insn_per_cold_table => sprintf('%.3g', ((need 'cold_256g')[0] - (need 'cold_0g')[0]) / (256 << 9)),
	bytes_per_group_batch => (need 'bytes_per_group_batch')[0],
	slowdown_1s_pct => (need 'slowdown_1000ms_budget_2_pct')[0],
	mmap_wait_1s_pct => sprintf('%.3g', 100 * (ratio('locks_1000ms_mean', 'locks_off_mean') - 1)),
	mmap_wait_100ms_pct => sprintf('%.3g', 100 * (ratio('locks_100ms_mean', 'locks_off_mean') - 1)),
	zap_extra_insn_per_page => sprintf('%.1f', (need 'zap_on')[0] - (need 'zap_off')[0]),
	slowdown_100ms_pct => (need 'slowdown_100ms_budget_2_pct')[0],
	map { ("refault_delta_${_}_pct" => sprintf('%.3g', (paired($_, 'memref', 'refaults'))[0]),
	       "swapout_delta_${_}_pct" => sprintf('%.3g', (paired($_, 'memref', 'swapped'))[0])) } qw(lru mglru),
);
# The worst of memref's cells.
for my $k (0, 1) {
	my ($least) = sort { $a <=> $b } map { map { $_->[$k] } values %{$_->{memref}} } values %accuracy;
	$metrics{('cells_recall_min', 'cells_precision_min')[$k]} = $least // die "memref.pl: no accuracy\n";
}
my ($worst) = sort { abs $b <=> abs $a } @metrics{qw(refault_delta_lru_pct refault_delta_mglru_pct)};
$metrics{refault_delta_pct} = $worst;

record_figures("$bench/memref.json", 'make bench-memref', set_up($build),
	{ (map { $_ => 0 + $metrics{$_} } keys %metrics), map { $_ => $n{$_} } grep { /^(?:cold|bytes|slowdown|zap|locks)_/ } keys %n });
