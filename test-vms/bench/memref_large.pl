#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# memref_large.pl BUILD PART: writes into BUILD/bench/memref.json what memref_bench printed of
# workers, stop or parts; see memref.sh.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Figures;
use MemrefBench;

my ($build, $part) = @ARGV;
die "usage: memref_large.pl BUILD workers|stop|parts\n" if ($part // '') !~ /^(?:workers|stop|parts)$/;
read_parts("$build/bench/memref-$part.txt");
my %figures;
if ($part eq 'workers') {
	for my $what (qw(one many one_used many_used)) {
		$figures{"workers_time_$what"} = ratio("workers_2_${what}_ms", "workers_1_${what}_ms");
		$figures{"workers_tables_$what"} = (need "workers_${what}_tables")[0];
		$figures{"workers_young_$what"} = (need "workers_${what}_young")[0];
	}
} elsif ($part eq 'parts') {
	for my $parts (1, 2, 4, 8, 16, 64) {
		my @names = map { "parts_${parts}_$_" } qw(insns pages tables);
		@figures{@names} = map { (need $_)[0] } @names;
	}
} else {
	my @names = qw(stop_ms stop_median_1_ms stop_median_8_ms stop_share_1 stop_share_8);
	@figures{@names} = need @names;
}
my $how = set_up($build);
$how =~ s/, -icount.*/, two CPUs at once/ if $part eq 'workers';
record_figures("$build/bench/memref.json", "make bench-memref PARTS=$part", $how,
	{ map { $_ => 0 + sprintf '%.6g', $figures{$_} } keys %figures });
