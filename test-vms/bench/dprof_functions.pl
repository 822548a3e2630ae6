#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# dprof_functions.pl DPROF SYSTEM_MAP BEFORE AFTER [N]: what a profiler of functions says (the
# paper's Table 12): of recording BEFORE, the N (default 20) functions with the most sampled
# accesses, their share of these and of the accesses that missed the L2, and by how much
# fewer missed in AFTER. A table of Markdown.
use strict;
use warnings;

die "usage: dprof_functions.pl DPROF SYSTEM_MAP BEFORE AFTER [N]\n" if @ARGV < 4;
my ($dprof, $map, $before, $after, $top) = (@ARGV, 20);
my (@start, @name);
open my $f, '<', $map or die "$map: $!\n";
while (<$f>) {
	my ($addr, $type, $name) = split;
	next if $type !~ /^[tTwW]$/ || length $addr != 16 || $addr lt 'ffffffff80000000';
	push @start, hex substr $addr, 8;
	push @name, $name;
}

sub function {
	my ($ip) = @_;
	return '(modules)' if substr($ip, 0, 8) ne 'ffffffff';
	my ($low, $high, $at) = (0, scalar @start, hex substr $ip, 8);
	while ($low < $high) {
		my $middle = $low + $high >> 1;
		$start[$middle] <= $at ? ($low = $middle + 1) : ($high = $middle);
	}
	return $low ? $name[$low - 1] : $ip;
}

# Accesses, and those that neither L1 nor L2 had, by function.
sub count {
	my ($recording) = @_;
	my (%accesses, %misses);
	open my $p, '-|', $dprof, 'script', $recording or die "$dprof: $!\n";
	while (<$p>) {
		my ($ip, $source) = /dprof_sample ip=0x([0-9a-f]{16}) .*data_src=0x([0-9a-f]+)/ or next;
		# PERF_MEM_LVLNUM_*, bits 33 to 36: 1 is L1, 2 is L2, 0 and 15 are not known.
		my $level = length $source > 8 ? hex(substr $source, 0, -8) >> 1 & 15 : 0;
		my $function = function($ip);
		$accesses{$function}++;
		$misses{$function}++ if $level > 2 && $level < 15;
	}
	close $p or die "$dprof script $recording failed\n";
	return (\%accesses, \%misses);
}

sub sum {
	my $n = 0;
	$n += $_ for @_;
	return $n || 1;
}

my ($accesses, $misses) = count($before);
my (undef, $later) = count($after);
my ($all, $missed) = (sum(values %$accesses), sum(values %$misses));
print "| function | of accesses | of L2 misses | fewer of these in $after |\n|---|---:|---:|---:|\n";
my @functions = sort { $accesses->{$b} <=> $accesses->{$a} || $a cmp $b } keys %$accesses;
for my $function (splice @functions, 0, $top) {
	my ($n, $then) = ($misses->{$function} // 0, $later->{$function} // 0);
	printf "| `%s` | %.1f %% | %.1f %% (%d) | %s |\n", $function,
		100 * $accesses->{$function} / $all, 100 * $n / $missed, $n,
		$n ? sprintf('%.0f %%', 100 * (1 - $then / $n)) : '-';
}
printf "All: %d accesses, %d L2 misses, then %d.\n", $all, $missed, sum(values %$later);
