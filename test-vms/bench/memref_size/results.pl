#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# results.pl BUILD SEED DIR REFAULT_US EVICT_US: prints what guest.sh measured of each
# workload, and writes it into BUILD/bench/memref.json if it is of the seed for judging.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/..";
use Figures;
use MemrefBench;

my ($build, $seed, $dir, $refault_us, $evict_us) = @ARGV;
die "usage: results.pl BUILD SEED DIR REFAULT_US EVICT_US\n" if !defined $evict_us;
my $most = 2;	# % of slowdown
my %figures = (size_workloads => 0, size_within_2pct => 0, size_refault_us => 0 + $refault_us,
	size_evict_us => 0 + $evict_us);
my @columns = qw(peak limit slowdown refaults best of_best damon mglru clear_refs kernel);

sub mib { return defined $_[0] ? 0 + sprintf('%.1f', $_[0] / 1048576) : undef }

# What guest.sh printed of a workload.
sub result {
	my ($file) = @_;
	my %r;
	open my $f, '<', $file or die "$file: $!\n";
	while (<$f>) {
		if (/^run (\S+) (.*)$/) {
			$r{run}{$1} = { split ' ', $2 };
			push @{$r{order}}, $1;
		} elsif (/^prices (.*)$/) {
			$r{prices} = $1;
		} elsif (/^best (\d+)/) {
			$r{best} = $1;
		} elsif (/^wss (\S+) (\d+)$/) {
			$r{wss}{$1} = $2;
		}
	}
	return \%r;
}

# A workload: sizes in MiB, the slowdown in %, none if it did not get to its end.
sub workload {
	my ($name) = @_;
	my ($r, $truth) = (result("$dir/$name.limit"), result("$dir/$name.best"));
	my ($tried) = map { $r->{run}{$_} } grep { /^\d+$/ } @{$r->{order}};
	my $free = $r->{run}{free};
	die "$dir/$name.limit: incomplete\n" if !$tried || !$truth->{best};
	my $prices = "--refault-us $refault_us --evict-us $evict_us";
	die "$dir/$name.limit: not with $prices: remove it\n" if ($r->{prices} // '') ne $prices;
	my ($saved, $best) = map { $free->{peak} - $_ } $tried->{limit}, $truth->{best};
	my %w = (
		peak => mib($free->{peak}), limit => mib($tried->{limit}), refaults => 0 + $tried->{refaults},
		best => mib($truth->{best}), kernel => mib($tried->{kernel}),
		map { $_ => mib($truth->{wss}{$_}) } qw(damon mglru clear_refs),
	);
	$w{slowdown} = 0 + sprintf '%.2f', 100 * ($tried->{ns} / $free->{ns} - 1) if $tried->{status} eq 'ok';
	$w{of_best} = 0 + sprintf '%.3f', $saved / $best if $best > 0;
	return \%w;
}

printf '%-10s' . ' %10s' x @columns . "\n", 'workload', @columns;
for my $name (sort map { m{([^/]*)\.limit$} } glob "$dir/*.limit") {
	my $w = workload($name);
	my $within = defined $w->{slowdown} && $w->{slowdown} <= $most;
	$figures{size_workloads}++;
	$figures{size_within_2pct} += $within;
	$figures{size_of_best_min} = $w->{of_best}
		if $within && defined $w->{of_best} && $w->{of_best} < ($figures{size_of_best_min} // 9);
	push @{$figures{size_programs}}, { program => $name, ended => 0 + defined $w->{slowdown}, map { defined $w->{$_} ? ($_ => $w->{$_}) : () } @columns };
	printf '%-10s' . ' %10s' x @columns . "\n", $name, map { $_ // '-' } @$w{@columns};
}
print "Sizes in MiB, the slowdown in %: $figures{size_within_2pct} of $figures{size_workloads} within $most %. " .
	"A refault takes $refault_us us, eviction $evict_us us for each page that is looked at.\n";
my $set_up = set_up($build) =~ s/, -icount.*/, -icount shift=1/r;
record_figures("$build/bench/memref.json", 'make bench-memref PARTS=size', $set_up, \%figures) if $seed == 2;
