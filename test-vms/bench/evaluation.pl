#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# evaluation.pl DIR OUTPUT SUITE CACHES: the numbers of evaluation.sh, of the
# joined.csv of all boots in DIR and of the reports there.  Prints a table, too.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Figures;

my ($dir, $output, $suite, $caches) = @ARGV;
die "usage: evaluation.pl DIR OUTPUT SUITE CACHES\n" if @ARGV != 4;

# {benchmark config}{strategy}{metric}{execution}: sum and number of measurements.
my (%sum, $seed, $kernel);
for my $file (glob "$dir/boot-*/joined.csv") {
	open my $f, '<', $file or die "$file: $!\n";
	while (<$f>) {
		chomp;
		$seed = $1 if /^# seed: (.*)/;
		$kernel = $1 if /^# kernel: (.*)/;
		next if /^#|^suite,/;
		my (undef, $b, $c, $s, undef, undef, $e, undef, $warmup, undef, $metric, undef, $value) = split /,/;
		next if $warmup || $metric eq 'end' || $b eq 'canary';
		my $cell = $sum{"$b $c"}{$s}{$metric}{$e} //= [ 0, 0 ];
		$cell->[0] += $value;
		$cell->[1]++;
	}
	close $f;
}
die "evaluation.pl: $dir has no results\n" if !%sum;

# Mean, standard deviation and number of the means of executions.
sub moments {
	my ($cells) = @_;
	my @x = map { $_->[0] / $_->[1] } values %{$cells // {}};
	my ($n, $mean, $ss) = (scalar(@x), 0, 0);
	return (0, 0, 0) if !$n;
	$mean += $_ / $n for @x;
	$ss += ($_ - $mean) ** 2 for @x;
	my $sd = $n > 1 ? sqrt($ss / ($n - 1)) : 0;
	# Executions that are alike differ by rounding only.
	return ($mean, $sd > 1e-9 * abs($mean) ? $sd : 0, $n);
}

# The intervals of a table of a report, and those without their estimate in them.
sub intervals {
	my ($rows) = @_;
	my ($all, $wrong) = (0, 0);
	for my $row (@$rows) {
		for my $low (grep { /^(ratio_)?low/ && defined $row->{$_} } keys %$row) {
			my ($of, $unit) = $low =~ /^(ratio_)?low(.*)/;
			my ($name) = $of ? 'ratio' : grep { exists $row->{$_} } "mean$unit", "mean_change$unit",
				'cv', 'impact_factor', 'lag1', grep { /^rho/ } sort keys %$row;
			my ($estimate, $high) = @$row{$name, $low =~ s/low/high/r};
			$all++;
			$wrong++ if !defined $estimate || $estimate < $row->{$low} || $estimate > $high;
		}
	}
	return ($all, $wrong);
}

# Spearman's rank correlation, ties with mean ranks.
sub ranks {
	my @x = @_;
	my @order = sort { $x[$a] <=> $x[$b] } 0 .. $#x;
	my @rank;
	for (my $i = 0; $i < @order;) {
		my $j = $i;
		$j++ while $j < $#order && $x[$order[$j + 1]] == $x[$order[$i]];
		$rank[$_] = ($i + $j) / 2 for @order[$i .. $j];
		$i = $j + 1;
	}
	return @rank;
}

sub correlation {
	my ($x, $y) = @_;
	my $n = @$x;
	my ($mx, $my, $xy, $xx, $yy) = (0) x 5;
	$mx += $_ / $n for @$x;
	$my += $_ / $n for @$y;
	for (0 .. $n - 1) {
		$xy += ($x->[$_] - $mx) * ($y->[$_] - $my);
		$xx += ($x->[$_] - $mx) ** 2;
		$yy += ($y->[$_] - $my) ** 2;
	}
	return $xx && $yy ? $xy / sqrt($xx * $yy) : undef;
}

# cv_reduction: CV of L2 misses over executions, default / strategy, the least over sizes that have at
# least 100 misses by default; a strategy with less than 1 % of default's misses is divided by default's
# mean; where a strategy's executions do not differ at all it is taken as half a miss.
# residual_cv_max_pct: the largest CV of L2 misses over executions with coloring or binhop, of
# experiments that have at least 1,000 misses with it.
# intervals: of all reports; intervals_without_estimate: of these.
# *_ratio_*: the mean's ratio to default, geometric mean over configurations.
# spearman_time_misses: of wall time and L2 misses over executions, mean over programs that differ in misses.
my %json;
my $how = "suite $suite, caches $caches, seed $seed, kernel $kernel";
printf "%-18s %-10s %3s %14s %10s %9s %12s %9s %12s\n", 'benchmark config', 'strategy', 'n', 'L2 misses', 'CV %',
	'CV ratio', 'time s', 'CV %', 'instructions';
my (%least, %log_cost, @rho);
@json{qw(residual_cv_max_pct residual_cv_max_of)} = (0, '');
for my $experiment (sort keys %sum) {
	my ($program) = split / /, $experiment;
	my ($base, $base_sd) = moments($sum{$experiment}{default}{L2_misses});
	for my $strategy (sort { ($b eq 'default') <=> ($a eq 'default') || $a cmp $b } keys %{$sum{$experiment}}) {
		my $metrics = $sum{$experiment}{$strategy};
		my ($mean, $sd, $n) = moments($metrics->{L2_misses});
		my ($time, $time_sd) = moments($metrics->{wall_time});
		my ($insns) = moments($metrics->{instructions});
		my $ratio;
		if ($strategy ne 'default' && $mean >= 1000 && 100 * $sd / $mean > $json{residual_cv_max_pct}) {
			$json{residual_cv_max_pct} = 0 + sprintf '%.3g', 100 * $sd / $mean;
			$json{residual_cv_max_of} = "$experiment $strategy";
		}
		if ($strategy ne 'default' && $base >= 100) {
			my $spread = ($sd || 0.5) / ($mean < 0.01 * $base ? $base : $mean);
			$ratio = $base_sd / $base / $spread;
			my $l = \$least{$program}{$strategy};
			$$l = $ratio if !defined $$l || $ratio < $$l;
		}
		printf "%-18s %-10s %3d %14.1f %10.4f %9s %12.6f %9.3f %12.0f\n", $experiment, $strategy, $n, $mean,
			$mean ? 100 * $sd / $mean : 0, defined $ratio ? sprintf('%.2f', $ratio) : '-', $time,
			$time ? 100 * $time_sd / $time : 0, $insns;
		if ($strategy ne 'default') {
			my %by = (time => 'wall_time', instructions => 'instructions', misses => 'L2_misses',
				  cycles => 'model_cycles');
			for my $what (keys %by) {
				my ($of) = moments($metrics->{$by{$what}});
				my ($default) = moments($sum{$experiment}{default}{$by{$what}});
				push @{$log_cost{"${what}_ratio_$strategy"}}, log($of / $default) if $of && $default;
			}
		}
	}
	# Executions of all strategies, as the paper's Figure 10.
	my (@time, @misses);
	for my $m (values %{$sum{$experiment}}) {
		for (keys %{$m->{L2_misses} // {}}) {
			push @time, $m->{wall_time}{$_}[0] / $m->{wall_time}{$_}[1];
			push @misses, $m->{L2_misses}{$_}[0] / $m->{L2_misses}{$_}[1];
		}
	}
	my $rho = @time > 2 ? correlation([ ranks(@time) ], [ ranks(@misses) ]) : undef;
	push @rho, $rho if defined $rho;
}
# The table: of each program and the size of its data in L2s, misses and their CV by strategy.
my %sizes = (half => '1/2', one => '1', two => '2');
for my $experiment (sort keys %sum) {
	my %row = (experiment => $experiment =~ s/ (half|one|two)$/ $sizes{$1}/r =~ s/ -?$//r);
	for my $strategy (keys %{$sum{$experiment}}) {
		my ($mean, $sd, $n) = moments($sum{$experiment}{$strategy}{L2_misses});
		$row{executions} = $n;
		$row{"${strategy}_misses"} = 0 + sprintf '%.6g', $mean;
		$row{"${strategy}_cv_pct"} = 0 + sprintf '%.3g', $mean ? 100 * $sd / $mean : 0;
	}
	push @{$json{experiments}}, \%row;
}
for my $program (grep { $least{$_} } qw(fft sor lu)) {
	$json{"cv_reduction_${program}_$_"} = 0 + sprintf '%.4g', $least{$program}{$_} for keys %{$least{$program}};
}
for my $name (keys %log_cost) {
	my $log = 0;
	$log += $_ / @{$log_cost{$name}} for @{$log_cost{$name}};
	$json{$name} = 0 + sprintf '%.5g', exp $log;
}
if (@rho) {
	my $mean = 0;
	$mean += $_ / @rho for @rho;
	$json{spearman_time_misses} = 0 + sprintf '%.3f', $mean;
}
for my $file (glob "$dir/report-*.json") {
	my $report = read_json($file);
	for my $table (grep { ref eq 'HASH' } values %$report) {
		my ($all, $wrong) = intervals($table->{rows});
		$json{intervals} += $all;
		$json{intervals_without_estimate} += $wrong;
	}
}
record_figures($output, ($suite =~ /small/ ? 'SMALL=1 ' : '') . 'make bench-evaluation', $how, \%json);
