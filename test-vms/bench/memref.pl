#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# memref.pl BUILD: makes BUILD/bench/memref.md and memref.json of what
# memref_bench printed; see memref.sh.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use JSON::PP;
use MemrefBench;

my $build = shift or die "usage: memref.pl BUILD\n";
my $bench = "$build/bench";
read_parts(glob "$bench/memref-*.txt");
my $how = set_up($build, 'make bench-memref');

my %metrics = (
	insn_per_hot_pte => (need 'cost_memref')[0],
	insn_per_hot_pte_write => (need 'cost_memref_write')[0],
	insn_ratio_clear_refs => ratio('cost_memref', 'cost_clear_refs'),
	insn_ratio_page_idle => ratio('cost_memref', 'cost_page_idle'),
	insn_ratio_damon_exact => ratio('cost_memref', 'cost_damon_exact'),
	insn_ratio_damon_paddr_exact => ratio('cost_memref', 'cost_damon_paddr_exact'),
	cold8g_ratio => ratio('cold_8g', 'cold_0g'),
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

my $json = JSON::PP->new->canonical->pretty;
my $old = {};
if (open my $f, '<', "$bench/memref.json") { local $/; $old = eval { $json->decode(<$f>) } // {} }
my %how = map { $_ => 1 } grep { !/bench-memref/ } split / \| /, $old->{_how} // '';
$how{join(', ', sort keys %metrics) . ": $how"} = 1;
$old->{$_} = 0 + $metrics{$_} for keys %metrics;
$old->{_how} = join ' | ', sort keys %how;
open my $f, '>', "$bench/memref.json" or die "$bench/memref.json: $!";
print $f $json->encode($old);
close $f or die;

head('Memory that is mapped, but not used', 'cold memory', 'instructions for a harvest',
     'to 64 MiB in use alone', 'exact', 'page tables');
for my $gib (0, 8, 64, 256) {
	my ($all, $exact, $tables) = need("cold_${gib}g", "cold_exact_${gib}g",
					  "cold_${gib}g_page_tables_mib");
	row("$gib GiB", sprintf('%.0f', $all), ratio("cold_${gib}g", 'cold_0g'),
	    sprintf('%.0f', $exact), sprintf('%.0f MiB', $tables));
}
my $gib = ((need 'cold_256g')[0] - (need 'cold_8g')[0]) / 248;
note sprintf "Beside 64 MiB in use. A GiB more takes %.0f instructions (mappings of 64 MiB, which " .
	"is what they are spent on), so 1 TiB takes %.1f million; its page tables take 2 GiB. Of " .
	"each TiB of RAM memref keeps eight bitmaps of 32 MiB.", $gib, $gib * 1024 / 1e6;

head('Trace buffer', 'encoding', 'bytes for each group of 1 MiB referenced');
row($_, sprintf('%.1f', (need "bytes_per_group_$_")[0])) for qw(group batch);

head('Slowdown of a program on the CPU of the sampler', 'interval asked for', 'CPU budget',
     'interval', 'slowdown');
for ([1000, 2], [100, 2], [100, 0]) {
	my ($ms, $budget) = @$_;
	row("$ms ms", $budget ? "$budget %" : 'none',
	    sprintf('%.0f ms', (need "slowdown_${ms}ms_budget_${budget}_true_interval_ms")[0]),
	    sprintf('%.2f %%', (need "slowdown_${ms}ms_budget_${budget}_pct")[0]));
}
note "It writes to 256 MiB, a page at a time: the worst for a sampler of pages.";

head('Instructions to unmap a page that was used', 'sampler', 'instructions');
row($$_[0], sprintf('%.0f', (need $$_[1])[0]))
	for ['off', 'zap_off'], ['on: the reference is noted', 'zap_on'], ['off again', 'zap_off_again'];
note "4,096 anonymous pages, written and unmapped at once.";

head('Time of a mmap(), a page fault and a munmap(), in ns of the guest', 'interval', 'calls', 'mean',
     'median', '1 in 1,000 over', '1 in 100,000 over', 'longest');
for (['sampler off', 'off'], ['1000 ms', '1000ms'], ['100 ms, no CPU budget', '100ms'],
     ['clear_refs and smaps, 100 ms', 'refs']) {
	my ($name, $key) = @$_;
	row($name, map { sprintf '%.0f', $_ } need(map { "locks_${key}_$_" } qw(calls mean median p999 p99999 max)));
}
note "Two CPUs; the program does nothing else between uses of 256 MiB, so that a sampler that " .
	"holds its mmap_lock makes it wait. The longest two or three calls of each row are as long without " .
	"a sampler: the CPUs of an emulated machine take turns.";

write_page("$bench/memref.md", 'What memref costs', "$how. What it finds, beside its peers: [judge](judge.md).");
