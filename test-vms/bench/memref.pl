#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# memref.pl BUILD: makes BUILD/bench/memref.md and memref.json of what
# memref_bench printed; see memref.sh.
use strict;
use warnings;
use JSON::PP;

my $build = shift or die "usage: memref.pl BUILD\n";
my $bench = "$build/bench";
my (%n, %accuracy, @cells);
for my $file (glob "$bench/memref-*.txt") {
	open my $f, '<', $file or die "$file: $!";
	while (<$f>) {
		if (/^accuracy (\S+) (\S+) (\S+) (\S+) (\S+)$/) {
			push @cells, $1 if !$accuracy{$1};
			$accuracy{$1}{$2}{$3} = [ $4, $5 ];
		} elsif (/^(\w+) ([\d.e+-]+)$/) {
			$n{$1} = 0 + $2;
		}
	}
}
sub need { return map { $n{$_} // die "memref.pl: no $_: did memref_bench run?\n" } @_ }
sub mean { my $sum = 0; $sum += $_ for @_; return $sum / @_ }
sub median { my @sorted = sort { $a <=> $b } @_; return ($sorted[$#sorted / 2] + $sorted[@sorted / 2]) / 2 }
# Runs of a seed with a sampler and with none are compared: how much more, in
# percent, the standard error of that, and the median.
sub paired {
	my ($lru, $sampler, $what) = @_;
	my @seeds = grep { defined $n{"reclaim_${lru}_${sampler}_${what}_$_"} } 1 .. 99;
	die "memref.pl: too few runs of reclaim $lru $sampler\n" if @seeds < 2;
	my @pct = map { 100 * ($n{"reclaim_${lru}_${sampler}_${what}_$_"} /
			       (need "reclaim_${lru}_off_${what}_$_")[0] - 1) } @seeds;
	my $mean = mean(@pct);
	return ($mean, sqrt(mean(map { ($_ - $mean) ** 2 } @pct) / (@pct - 1)), median(@pct),
		mean(map { $n{"reclaim_${lru}_${sampler}_${what}_$_"} } @seeds), scalar @seeds);
}
sub ratio { my ($a, $b) = need(@_); return sprintf '%.4g', $a / $b }

my ($kernel, $qemu) = ('unknown', `qemu-system-x86_64 --version`);
if (open my $f, '<', "$build/kernel-vm/include/config/kernel.release") { chomp($kernel = <$f>) }
$qemu =~ s/\n.*//s;
my $how = "make bench-memref; kernel $kernel, $qemu, -icount shift=0: nanoseconds are instructions";

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

my ($tables, @heads) = ('');
open $f, '>', \$tables or die $!;
sub row { printf $f "| %s |\n", join ' | ', @_ }
sub head { push @heads, $_[0]; print $f "\n## ", shift, "\n\n"; row(@_); row(('---') x @_) }

head('Instructions for each page table entry in use', 'sampler', 'instructions', 'memref / it');
for (['memref', 'memref'], ['memref, flush 2 (exact)', 'memref_exact'],
     ['memref, write anon', 'memref_write'], ['clear_refs and smaps', 'clear_refs'],
     ['page_idle', 'page_idle'], ['DAMON vaddr, a region for each page, one sample', 'damon_exact'],
     ['DAMON paddr, the same', 'damon_paddr_exact']) {
	my ($name, $key) = @$_;
	row($name, sprintf('%.0f', (need "cost_$key")[0]), ratio('cost_memref', "cost_$key"));
}
print $f "\n65,536 pages of 4 KiB, all in use; clearing the bits, and reading them again.\n";
print $f "DAMON's vaddr row differs between runs by more than the others, for a reason that is not known; ",
	"its paddr row, with as many regions in use, does not.\n";

head('Memory that is mapped, but not used', 'cold memory', 'instructions for a harvest',
     'to 64 MiB in use alone', 'exact', 'page tables');
for my $gib (0, 8, 64, 256) {
	my ($all, $exact, $tables) = need("cold_${gib}g", "cold_exact_${gib}g",
					  "cold_${gib}g_page_tables_mib");
	row("$gib GiB", sprintf('%.0f', $all), ratio("cold_${gib}g", 'cold_0g'),
	    sprintf('%.0f', $exact), sprintf('%.0f MiB', $tables));
}
my $gib = ((need 'cold_256g')[0] - (need 'cold_8g')[0]) / 248;
printf $f "\nBeside 64 MiB in use. A GiB more takes %.0f instructions (mappings of 64 MiB, which " .
	"is what they are spent on), so 1 TiB takes %.1f million; its page tables take 2 GiB. Of " .
	"each TiB of RAM memref keeps eight bitmaps of 32 MiB.\n", $gib, $gib * 1024 / 1e6;

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
print $f "\nIt writes to 256 MiB, a page at a time: the worst for a sampler of pages.\n";

head('Instructions to unmap a page that was used', 'sampler', 'instructions');
row($$_[0], sprintf('%.0f', (need $$_[1])[0]))
	for ['off', 'zap_off'], ['on: the reference is noted', 'zap_on'], ['off again', 'zap_off_again'];
print $f "\n4,096 anonymous pages, written and unmapped at once.\n";

head('Time of a mmap(), a page fault and a munmap(), in ns of the guest', 'interval', 'calls', 'mean',
     'median', '1 in 1,000 over', '1 in 100,000 over', 'longest');
for (['sampler off', 'off'], ['1000 ms', '1000ms'], ['100 ms, no CPU budget', '100ms'],
     ['clear_refs and smaps, 100 ms', 'refs']) {
	my ($name, $key) = @$_;
	row($name, map { sprintf '%.0f', $_ } need(map { "locks_${key}_$_" } qw(calls mean median p999 p99999 max)));
}
print $f "\nTwo CPUs; the program does nothing else between uses of 256 MiB, so that a sampler that " .
	"holds its mmap_lock makes it wait. The longest two or three calls of each row are as long without " .
	"a sampler: the CPUs of an emulated machine take turns.\n";

head('Refaults under a memory limit', 'reclaim', 'sampler', 'refaults', 'to none', 'standard error',
     'median', 'pages swapped out, to none');
for my $lru (qw(lru mglru)) {
	for my $sampler (qw(off memref clear_refs)) {
		my ($pct, $error, $median, $refaults) = paired($lru, $sampler, 'refaults');
		my ($swapped) = paired($lru, $sampler, 'swapped');
		row($lru eq 'lru' ? 'active/inactive lists' : 'multi-gen LRU',
		    $sampler eq 'off' ? 'none' : $sampler, sprintf('%.0f', $refaults),
		    $sampler eq 'off' ? ('', '', '', '') :
		    map { sprintf $_ == $error ? '%.2f %%' : '%+.2f %%', $_ } $pct, $error, $median, $swapped);
	}
}
printf $f "\n48 MiB used all the time and 96 MiB used in turn under a limit of 96 MiB; each of %d seeds " .
	"is run with each sampler, and the runs of a seed are compared. The program flushes its TLB " .
	"every 1,536 accesses, about as many as a processor's holds: QEMU's holds more, and is " .
	"sized by how busy the host is.\n", (paired('lru', 'memref', 'refaults'))[4];

head('Pages found of those used, and right ones of those reported (recall / precision)',
     'working set', 'sampler', 'alone on its CPU', 'with TLB flushes', 'with a neighbor');
for my $cell (@cells) {
	for my $tool (qw(memref page_idle clear_refs damon damon_exact damon_paddr damon_paddr_exact)) {
		my $with = $accuracy{$cell}{$tool} or next;
		row($cell =~ s/_/ /r, $tool =~ tr/_/ /r, map {
			$with->{$_} ? sprintf('%.1f %% / %.1f %%', map { 100 * $_ } @{$with->{$_}}) : ''
		} qw(alone flush neighbor));
	}
}
print $f "\nThe target's pages; \"sparse\" is one page in 128 of 256 MiB, or one in 32 of 32 MiB of a " .
	"file that is mapped anew. fork: a child lives on; mprotect: write-protected after the writes; " .
	"unmap, exit: nothing is mapped any more when the interval ends. With TLB flushes: the " .
	"target flushes its own before it works, which is the set-up in which the others look " .
	"best. clear_refs and smaps give a number of pages only: it is taken for the right ones. " .
	"QEMU's TLB is larger than that of a processor, and a context switch flushes all of it: " .
	"on hardware, what is missed are the pages that fit in the TLB.\n";
close $f or die;

# As the pages of docs/ begin: with links to their sections.
open $f, '>', "$bench/memref.md" or die "$bench/memref.md: $!";
print $f "# memref and its peers\n\n$how.\n\n";
print $f "- [$_](#" . (lc =~ s/[^\w\s-]//gr =~ tr/ /-/r) . ")\n" for @heads;
print $f $tables;
close $f or die;
