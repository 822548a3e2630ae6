#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# judge.pl BUILD: memref and its peers on the same working sets, of what memref_bench printed
# (cost, accuracy, hinting, reclaim; see judge.sh): BUILD/bench/judge.json.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Figures;
use List::Util 'max';
use MemrefBench;

my $build = shift or die "usage: judge.pl BUILD\n";
my $bench = "$build/bench";
read_parts(map { "$bench/memref-$_.txt" } qw(cost accuracy hinting reclaim));

# The name here, and that of memref_bench.
my @samplers = (
	[ 'memref', 'memref' ],
	[ 'pageidle', 'page_idle' ],
	[ 'clearrefs', 'clear_refs' ],
	[ 'damon', 'damon' ],
	[ 'damonpaddr', 'damon_paddr' ],
	[ 'damonexact', 'damon_exact' ],
	[ 'damonpaddrexact', 'damon_paddr_exact' ],
	[ 'mglru', 'mglru' ],
	[ 'numab', 'numab' ],
);
my @set_ups = qw(alone flush neighbor);
my %words = (alone => 'alone on its CPU', flush => 'with TLB flushes', neighbor => 'with a neighbor');
my @common = grep { my $c = $accuracy{$_}; !grep { !$c->{$_->[1]} } @samplers } @cells;
die "judge.pl: no working set was shown to all\n" if !@common;

# Means over the working sets that all were shown.
sub means {
	my ($tool, @with) = @_;
	return map { my $k = $_; mean(map { my $c = $accuracy{$_}{$tool}; map { $c->{$_}[$k] } @with } @common) } 0, 1;
}
sub f1 { my ($recall, $precision) = @_; return $recall + $precision ? 2 * $recall * $precision / ($recall + $precision) : 0 }

my (%judge, %best);
for (@samplers) {
	my ($name, $tool) = @$_;
	@judge{"${name}_recall", "${name}_precision"} = means($tool, @set_ups);
	my %f = map { $_ => f1(means($tool, $_)) } @set_ups;
	my $most = max(values %f);
	($best{$name}) = grep { $f{$_} == $most } @set_ups;
	$judge{"${name}_best"} = $words{$best{$name}};
	@judge{"${name}_recall_best", "${name}_precision_best"} = means($tool, $best{$name});
	# By default, an aggregation of DAMON's is 20 samples.
	my $samples = defined $n{"cost_${tool}_sample"} ? 20 : 1;
	$judge{"${name}_cost"} = $samples * (need($samples > 1 ? "cost_${tool}_sample" : "cost_$tool"))[0];
}
$_ = 0 + sprintf '%.4f', $_ for grep { /^[\d.]+$/ } values %judge;
# Runs of a seed with a sampler and with none, compared.
for my $lru (qw(lru mglru)) {
	for my $sampler (qw(off memref clear_refs)) {
		my ($pct, $error, $median, $refaults, $seeds) = paired($lru, $sampler, 'refaults');
		my ($swapped) = paired($lru, $sampler, 'swapped');
		my %of = (refaults => $refaults);
		%of = (%of, delta_pct => $pct, error_pct => $error, median_pct => $median, swapped_pct => $swapped) if $sampler ne 'off';
		$judge{"${lru}_${sampler}_$_"} = 0 + sprintf '%.6g', $of{$_} for keys %of;
		$judge{reclaim_seeds} = $seeds;
	}
}
$judge{common} = join ', ', map { s/_/ /r } @common;
# Recall and precision of each working set, sampler and set-up.
for my $cell (@cells) {
	for my $tool (map { $_->[1] } @samplers) {
		my $with = $accuracy{$cell}{$tool} or next;
		push @{$judge{cells}}, { working_set => $cell =~ s/_/ /r, sampler => $tool =~ tr/_/ /r, %$with };
	}
}
record_figures("$bench/judge.json", 'make judge', set_up($build), \%judge);
