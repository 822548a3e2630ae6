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
my $judging = 9;
my %figures = (map({ $_ => 0 } qw(size_workloads size_within_2pct size_tried_within_2pct size_tries_max)), size_refault_us => 0 + $refault_us,
	size_evict_us => 0 + $evict_us);
my @columns = qw(peak limit slowdown refaults best of_best tried tried_says tried_slowdown tried_of_best tries damon mglru clear_refs kernel);

sub mib { return defined $_[0] ? 0 + sprintf('%.1f', $_[0] / 1048576) : undef }

# What guest.sh printed of a workload.
sub result {
	my ($file) = @_;
	my %r;
	open my $f, '<', $file or die "$file: $!\n";
	while (<$f>) {
		if (/^run (\S+) (.*)$/) {
			$r{run}{$1} = { split ' ', $2 };
		} elsif (/^tried (.*)$/) {
			my @words = split /,/, $1;
			@{$r{tried}}{@{$r{titles}}} = @words if $r{titles};
			$r{titles} = \@words;
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

# Runs with one limit, which are repeated: the median of their times, none if one did not get to its end.
sub repeated {
	my ($r, $name) = @_;
	my @runs = map { $r->{run}{"$name.$_"} // return {} } 1 .. 3;
	my @ns = sort { $a <=> $b } map { $_->{ns} } @runs;
	return { %{$runs[0]}, ns => (grep { $_->{status} ne 'ok' } @runs) ? undef : $ns[1] };
}

# Of runs: their slowdown in %, none if one did not get to its end, and what their limit saves of what the best saves.
sub cost {
	my ($runs, $free, $best) = @_;
	my $can = $free->{peak} - $best;
	return (defined $runs->{ns} ? 0 + sprintf '%.2f', 100 * ($runs->{ns} / $free->{ns} - 1) : undef,
		$can > 0 ? 0 + sprintf '%.3f', ($free->{peak} - $runs->{limit}) / $can : undef);
}

# A workload: sizes in MiB, slowdowns in %.
sub workload {
	my ($name) = @_;
	my ($r, $truth) = (result("$dir/$name.limit"), result("$dir/$name.best"));
	my ($free, $estimate, $found) = map { repeated($r, $_) } qw(free estimate found);
	die "$dir/$name.limit: incomplete: remove it\n" if !$estimate->{limit} || !$found->{limit} || !$r->{tried}{tries};
	die "$dir/$name.limit: a run without a limit did not end\n" if !$free->{ns};
	die "$dir/$name.best: incomplete: remove it\n" if !$truth->{best};
	my $prices = "--refault-us $refault_us --evict-us $evict_us";
	die "$dir/$name.limit: not with $prices: remove it\n" if ($r->{prices} // '') ne $prices;
	my %w = (
		peak => mib($free->{peak}), limit => mib($estimate->{limit}), tried => mib($found->{limit}),
		refaults => 0 + $estimate->{refaults}, tries => 0 + $r->{tried}{tries}, tried_says => 0 + $r->{tried}{tried_slowdown_pct},
		best => mib($truth->{best}), kernel => mib($estimate->{kernel}),
		map { $_ => mib($truth->{wss}{$_}) } qw(damon mglru clear_refs),
	);
	@w{qw(slowdown of_best)} = cost($estimate, $free, $truth->{best});
	@w{qw(tried_slowdown tried_of_best)} = cost($found, $free, $truth->{best});
	return \%w;
}

# Counts a limit that is within what is allowed, and notes the least that one saves.
sub judge {
	my ($within, $of_best, $slowdown, $saves) = @_;
	return if !defined $slowdown || $slowdown > $most;
	$figures{$within}++;
	$figures{$of_best} = $saves if defined $saves && $saves < ($figures{$of_best} // 9);
}

printf '%-10s' . ' %10s' x @columns . "\n", 'workload', @columns;
for my $name (sort map { m{([^/]*)\.limit$} } glob "$dir/*.limit") {
	my $w = workload($name);
	$figures{size_workloads}++;
	judge('size_within_2pct', 'size_of_best_min', @$w{qw(slowdown of_best)});
	judge('size_tried_within_2pct', 'size_tried_of_best_min', @$w{qw(tried_slowdown tried_of_best)});
	$figures{size_tries_max} = $w->{tries} if $w->{tries} > $figures{size_tries_max};
	push @{$figures{size_programs}}, { program => $name, ended => 0 + defined $w->{slowdown}, map { defined $w->{$_} ? ($_ => $w->{$_}) : () } @columns };
	printf '%-10s' . ' %10s' x @columns . "\n", $name, map { $_ // '-' } @$w{@columns};
}
print "Sizes in MiB, the slowdown in %: $figures{size_within_2pct} of $figures{size_workloads} within $most %, " .
	"$figures{size_tried_within_2pct} with the limit found by tries. " .
	"A refault takes $refault_us us, eviction $evict_us us for each page that is looked at.\n";
my $set_up = set_up($build) =~ s/, -icount.*/, -icount shift=1/r;
record_figures("$build/bench/memref.json", 'make bench-memref PARTS=size', $set_up, \%figures) if $seed == $judging;
