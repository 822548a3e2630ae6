#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# pagealloc.pl BUILD SEED: makes BUILD/bench/pagealloc.json of what the programs
# of pagealloc.sh printed.  With PARTS, only of these; other numbers stay.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Figures;
use List::Util 'sum0';

my ($build, $seed) = @ARGV;
die "usage: pagealloc.pl BUILD SEED\n" if @ARGV != 2;
my $how = "1 GiB; fault and remap costs are instructions (-icount shift=0), the least ratio of all memories; " .
	"of time, the least of the memories' medians of seven boots";
my %n;

sub slurp {
	my ($name) = @_;
	my $file = "$build/bench/pagealloc-$name.txt";
	open my $f, '<', $file or die "$file: $!\n";
	local $/;
	return <$f>;
}
# What @pattern finds in the output of a part; it must be there.
sub found {
	my ($name, $pattern) = @_;
	my @all = slurp($name) =~ /$pattern/gm or die "pagealloc.pl: $name does not say $pattern\n";
	return @all;
}
sub median { return (sort { $a <=> $b } @_)[@_ / 2] }
sub least { return (sort { $a <=> $b } @_)[0] }

# Was one of the parts measured?
my %measured = map { $_ => 1 } split ' ', $ENV{PARTS} // '';
sub measured { return !%measured || grep { $measured{$_} } @_ }

sub full {
	($n{evicted_per_page_touched_default}) = found('full', qr/^evicted_default_per_page_touched ([\d.]+)$/m);
	($n{"evicted_boosted_$_"}) = found('full', qr/^evicted_${_}_boosted ([\d.]+)$/m) for 'default', 'coloring';
	for my $strategy ('partition', 'coloring') {
		($n{"hit_${strategy}_full_page_cache"}) = found('full', qr/^hit_${strategy}_full_page_cache ([\d.]+)$/m);
		# Of all that the page cache lost meanwhile, by supply or by reclaim.
		($n{"evicted_per_page_touched_$strategy"}) = found('full', qr/^evicted_${strategy}_per_page_touched ([\d.]+)$/m);
	}
	($n{evicted_per_page_supplied}) = sort { $b <=> $a } found('full', qr/^evicted_\w+_per_page_supplied ([\d.]+)$/m);
}
full() if measured('full');
($n{swapin_disk_steered}) = found('swapin', qr/^swapin_disk_steered ([\d.]+)$/m) if measured('swapin');

my @memories = ('fresh', 'aged, half free', 'aged, a fifth free');
# By memory and CPUs: instructions of a fault, and throughput steered / default.
sub fault_costs {
	for (['cost', 1], ['cost-all', 2]) {
		my ($part, $cpus) = @$_;
		for my $memory (@memories) {
			my ($default, $steered, $ratio, $with_free) = found($part,
				qr/^# $memory, search windows: default (\d+), steered (\d+) a fault: ([\d.]+); with the free, \d+, \d+: ([\d.]+)$/m);
			my ($list_scan) = found($part, qr/^# $memory, search list: .* a fault: ([\d.]+);/m);
			push @{$n{fault}}, { memory => $memory, cpus => $cpus, default => 0 + $default, steered => 0 + $steered,
				ratio => 0 + $ratio, list_scan => 0 + $list_scan, with_free => 0 + $with_free };
		}
	}
}

# How often and how long zone->lock is held.
sub lock_costs {
	for my $memory (@memories) {
		my %row = (memory => $memory);
		for my $who ('default', 'steered') {
			(@row{map { "${who}_$_" } qw(times faults mean median p99 longest)}) = map { 0 + $_ } found('locks',
				qr/^# $memory, $who: held (\d+) times for (\d+) faults, mean (\d+) ns, median (\d+), p99 (\d+), longest (\d+);/m);
		}
		push @{$n{locks}}, \%row;
	}
}

sub others {
	($n{pages_fresh}) = found('fresh', qr/^ok .* fresh: [\d.]+ % of (\d+) pages/m);
	($n{pages_aged}) = found('aged', qr/^ok .* of a tenth of (\d+) pages/m);
	($n{pages_partition}) = found('partition', qr/^ok .* % of (\d+) pages used/m);
	fault_costs();
	lock_costs();
	($n{hit_fresh}) = map { $_ / 100 } found('fresh', qr/^ok .* fresh: ([\d.]+) % of/m);
	($n{hit_aged}) = map { $_ / 100 } found('aged', qr/^ok .* least ([\d.]+) % of/m);
	($n{hit_partition}) = map { $_ / 100 } found('partition', qr/^ok .* least ([\d.]+) %$/m);

	# Requests by the candidates that they looked at, log2.
	my %probes = found('aged', qr/ probes_(\d+) (\d+);/m);
	my ($requests, $seen) = (0, 0);
	$requests += $_ for values %probes;
	$n{probes_requests} = $requests;
	$n{probes_below_16} = sum0(@probes{grep { $_ < 16 } keys %probes}) / $requests;
	$n{probes_32_or_more} = sum0(@probes{grep { $_ >= 32 } keys %probes});
	for my $from (sort { $a <=> $b } keys %probes) {
		$seen += $probes{$from};
		next if $seen < 0.999 * $requests;
		# The bucket goes to the next power of two.
		$n{probes_p999} = $from ? 2 * $from - 1 : 0;
		last;
	}

	$n{fault_throughput_ratio_1t} = least(found('cost', qr/search windows: .* a fault: ([\d.]+);/m));
	$n{fault_throughput_ratio_all} = least(found('cost-all', qr/search windows: .* a fault: ([\d.]+);/m));
	# Of each memory the median of seven boots, of these the least.
	for (['1t', 1], ['all', 2]) {
		my ($threads, $cpus) = @$_;
		my @medians;
		for my $memory (@memories) {
			my @boots = sort { $a <=> $b }
				map { found("time-$cpus-$_", qr/^# $memory, search windows: .* a fault: ([\d.]+);/m) } 1 .. 7;
			print "# time, CPUs: $cpus, $memory: @boots\n";
			push @medians, median(@boots);
			push @{$n{"fault_time_$threads"}}, { memory => $memory, median => median(@boots) + 0, least => $boots[0] + 0, most => $boots[-1] + 0 };
		}
		$n{"fault_throughput_ratio_${threads}_time"} = least(@medians);
	}
	$n{fault_throughput_ratio_1t_with_free} = least(found('cost', qr/search windows: .*: ([\d.]+)$/m));
	$n{fault_throughput_ratio_listscan} = least(found('cost', qr/search list: .* a fault: ([\d.]+);/m));
	# Instructions of a fault in a process without hints, with the series and without.
	my ($with) = found('plain', qr/^# without hints: ([\d.]+) a fault/m);
	my ($without) = found('vanilla', qr/^# without hints: ([\d.]+) a fault/m);
	$n{unused_extra_insn} = sprintf '%.1f', $with - $without;
	@n{'unhinted_insn', 'unhinted_insn_vanilla'} = ($with, $without);
	my %replay = found('replay', qr/^(\w+) +(\d+)/m);
	@n{'replay_there', 'replay_recorded'} = @replay{'there', 'recorded'};
	$n{replay_color_match} = $replay{there} / $replay{recorded};
	# Of a guest's second, in which it runs 10^9 instructions.
	($n{remap_pages_per_s}) = found('remap', qr/^# remap_pages_per_s (\d+)$/m);
	($n{remap_ratio_move_pages}) = found('remap', qr/^# remap_ratio_move_pages ([\d.]+)$/m);
}
others() if !%measured;
$_ += 0 for grep { /^-?[\d.]+$/ } values %n;

my $parts = %measured ? "PARTS=\"$ENV{PARTS}\" " : '';
record_figures("$build/bench/pagealloc.json", "${parts}make bench-pagealloc", "seed $seed; $how", \%n);
print "$_ $n{$_}\n" for grep { !ref $n{$_} } sort keys %n;
