#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# results.pl BUILD SEED DIR REFAULT_US INTERVAL_MS: makes BUILD/bench/memref-size.md and keys of
# memref.json of the output of guest.sh; with another seed than that for judging, prints the
# table only.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/..";
use JSON::PP;
use MemrefBench;

my ($build, $seed, $dir, $refault_us, $interval_ms) = @ARGV;
my $bench = "$build/bench";
my $most = 2;	# % of slowdown
my @peers = qw(damon mglru clear_refs);
my %metrics = (size_workloads => 0, size_within_2pct => 0, size_refault_us => $refault_us);
my @rows;

sub mib { return sprintf '%.1f', $_[0] / 1048576 }

# What guest.sh printed of a workload.
sub result {
	my ($file) = @_;
	my %r;
	open my $f, '<', $file or die "$file: $!\n";
	while (<$f>) {
		if (/^run (\S+) (.*)$/) {
			$r{run}{$1} = { split ' ', $2 };
			push @{$r{order}}, $1;
		} elsif (/^size (\d.*|\/.*)$/) {
			@{$r{size}}{qw(cgroup intervals seconds memory low estimate high limit)} = split /,/, $1;
		} elsif (/^best (\d+)/) {
			$r{best} = $1;
		} elsif (/^wss (\S+) (\d+)$/) {
			$r{wss}{$1} = $2;
		}
	}
	return \%r;
}

for my $file (sort glob "$dir/*.limit") {
	my ($name) = $file =~ m{([^/]*)\.limit$};
	my ($r, $truth) = (result($file), result("$dir/$name.best"));
	my ($tried) = map { $r->{run}{$_} } grep { /^\d+$/ } @{$r->{order}};
	my $free = $r->{run}{free};
	die "$file: incomplete\n" if !$tried || !$truth->{best};
	my $slowdown = $tried->{status} eq 'ok' ? 100 * ($tried->{ns} / $free->{ns} - 1) : undef;
	my $within = defined $slowdown && $slowdown <= $most;
	my ($saved, $best) = map { $free->{peak} - $_ } $tried->{limit}, $truth->{best};
	my $share = $best > 0 ? $saved / $best : undef;
	$metrics{size_workloads}++;
	$metrics{size_within_2pct} += $within;
	$metrics{"size_${name}_slowdown_pct"} = sprintf '%.2f', $slowdown if defined $slowdown;
	$metrics{"size_${name}_of_best"} = sprintf '%.3f', $share if defined $share;
	if ($within && defined $share && $share < ($metrics{size_of_best_min} // 9)) {
		$metrics{size_of_best_min} = sprintf '%.3f', $share;
	}
	push @rows, [ $name, mib($free->{peak}), mib($tried->{limit}),
		defined $slowdown ? sprintf('%.1f %%', $slowdown) : $tried->{status} eq 'late' ? 'over 40 %' : 'killed',
		$tried->{refaults}, mib($truth->{best}), defined $share ? sprintf('%.2f', $share) : '',
		(map { defined $truth->{wss}{$_} ? mib($truth->{wss}{$_}) : '' } @peers), mib($tried->{kernel}) ];
}

my $how = set_up($build, 'make bench-memref PARTS=size');
$how =~ s/, -icount.*/, -icount shift=1: an instruction takes 2 ns/;
head('Limits for 2 % of slowdown', 'workload', 'peak without a limit (MiB)', 'limit of memref size (MiB)', 'slowdown with it',
     'refaults', 'best limit (MiB)', 'saved, of the best', 'DAMON (MiB)', 'MGLRU (MiB)', 'clear_refs (MiB)',
     'kernel memory (MiB)');
row(@$_) for @rows;
note "$metrics{size_within_2pct} of $metrics{size_workloads} within $most %. Inputs of seed $seed; memref size was tuned on those " .
	"of seed 1. Recorded each $interval_ms ms; a refault takes $refault_us us (of a program of which each page is used). " .
	"Times and refaults are of a workload's second half. What is saved: the peak without a limit, less the limit.";
if ($seed != 2) {
	write_page("$dir/memref-size.md", 'The limit that memref size recommends', "$how.");
	exec 'cat', "$dir/memref-size.md";
}
my $json = JSON::PP->new->canonical->pretty;
my $old = {};
if (open my $f, '<', "$bench/memref.json") { local $/; $old = eval { $json->decode(<$f>) } // {} }
my %how = map { $_ => 1 } grep { !/PARTS=size/ } split / \| /, $old->{_how} // '';
$how{"size_*: $how"} = 1;
delete $old->{$_} for grep { /^size_/ } keys %$old;
$old->{$_} = 0 + $metrics{$_} for keys %metrics;
$old->{_how} = join ' | ', sort keys %how;
open my $f, '>', "$bench/memref.json" or die "$bench/memref.json: $!\n";
print $f $json->encode($old);
close $f or die "$bench/memref.json: $!\n";
write_page("$bench/memref-size.md", 'The limit that memref size recommends', "$how.");
