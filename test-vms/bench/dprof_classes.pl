#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# dprof_classes.pl DPROF TRUTH TYPES RECORDING: why the accesses to each type missed the
# L1, as dprof says from samples and as the oracle of types (oracle/types.c) saw in all
# accesses.
#	TRUTH	what libtypes.so wrote, with misses=loads
#	TYPES	the guest's /sys/kernel/debug/oracle_objects
# A line for each type with 10 sampled misses, shares in percent of true sharing, false
# sharing, conflict and capacity; the oracle's, dprof's, and by the paper's heuristic
# where there are path traces; and the share of misses that dprof has in the oracle's
# class; then what a teller that is always right would be expected to reach with so few
# samples, since their shares are not those of all misses. Last
#	types N, agreement at least A %, mean of misses B %, by the paper's heuristic C %
#	misses N, mean agreement B %, possible D %
#	enough samples N, agreement at least A %
# the second of the types whose samples allow to expect 95 % of one that is always right.
# Cold misses, of which samples cannot tell, are capacity: no cache of the size had them.
# Types that the oracle saw miss less than 50 times are left out, and said.
use strict;
use warnings;
use JSON::PP;
use List::Util qw(min max sum0);

die "usage: dprof_classes.pl DPROF TRUTH TYPES RECORDING\n" if @ARGV != 4;
my ($dprof, $truth, $types, $recording) = @ARGV;
my %name;
open my $f, '<', $types or die "$types: $!\n";
while (<$f>) {
	my ($id, $cache, $site, $function) = split;
	$name{$id} = $site eq '-' ? $cache : "$cache:$function";
}
my %true;
open $f, '<', $truth or die "$truth: $!\n";
while (<$f>) {
	my ($what, $id, undef, undef, $cold, @class) = split;
	my $name = $what eq 'type' ? $name{$id} : $id;
	next if !defined $name || $name eq 'user' || $name eq 'direct' || $name eq 'static';
	$class[3] += $cold;
	$true{$name}[$_] += $class[$_] for 0 .. 3;
}
my (%said, %paper, %misses);
my $text = `$dprof report classify --top 0 -f json $recording`;
die "dprof report failed\n" if $?;
for my $row (@{ decode_json($text)->{rows} }) {
	# Two sites in a function are one here.
	my $type = $row->{type} =~ s/@\d+$//r;
	my @ours = map { $row->{misses} * ($row->{"${_}_pct"} // 0) / 100 } qw(true false conflict capacity);
	$ours[3] += $row->{misses} * ($row->{cold_pct} // 0) / 100;
	$misses{$type} += $row->{misses};
	$said{$type}[$_] += $ours[$_] for 0 .. 3;
	next if !defined $row->{paper_class};
	my @paper = map { $row->{misses} * ($row->{"paper_${_}_pct"} // 0) / 100 } qw(true false conflict capacity);
	$paper{$type}[$_] += $paper[$_] for 0 .. 3;
}

sub shares {
	my $sum = sum0(@_);
	return $sum ? map { 100 * $_ / $sum } @_ : (0) x 4;
}

sub agreement {
	my ($a, $b) = @_;
	my @a = shares(@$a);
	my @b = shares(@$b);
	return sum0(map { min($a[$_], $b[$_]) } 0 .. 3);
}

# The mean deviation of a share of n samples is sqrt(2 p (1 - p) / (pi n)), nearly.
sub possible {
	my ($n, @truth) = @_;
	return 100 - 50 * sum0(map { sqrt(2 * $_ / 100 * (1 - $_ / 100) / (3.14159265 * $n)) } shares(@truth));
}

my (@agree, @weight, @paper_agree, @enough, @could);
for my $type (sort { $misses{$b} <=> $misses{$a} } keys %misses) {
	next if $misses{$type} < 10;
	if (!$true{$type} || sum0(@{ $true{$type} }) < 50) {
		print "$type: left out, the oracle has no 50 misses of it\n";
		next;
	}
	my $agree = agreement($true{$type}, $said{$type});
	my $by_paper = $paper{$type} ? agreement($true{$type}, $paper{$type}) : undef;
	my $possible = possible($misses{$type}, @{ $true{$type} });
	push @enough, $agree if $possible >= 95;
	printf "%-40s %5d misses, oracle %s, dprof %s, paper %s: %.1f %% (possible %.1f %%%s)\n", $type, $misses{$type},
		(map { $_ ? join '/', map { sprintf '%.0f', $_ } shares(@$_) : '-' }
		 $true{$type}, $said{$type}, $paper{$type}), $agree, $possible,
		defined $by_paper ? sprintf(', by the heuristic %.1f %%', $by_paper) : '';
	push @agree, $agree;
	push @weight, $agree * $misses{$type};
	push @could, $possible * $misses{$type};
	push @paper_agree, $by_paper if defined $by_paper;
}
die "no types with misses\n" if !@agree;
my $all = sum0(map { $true{$_} && sum0(@{ $true{$_} }) >= 50 && $misses{$_} >= 10 ? $misses{$_} : 0 } keys %misses);
printf "types %d, agreement at least %.1f %%, mean of misses %.1f %%, by the paper's heuristic %s\n",
	scalar @agree, min(@agree), sum0(@weight) / $all,
	@paper_agree ? sprintf('%.1f %%', sum0(@paper_agree) / @paper_agree) : 'no traces';
printf "misses %d, mean agreement %.1f %%, possible %.1f %%\n", $all, sum0(@weight) / $all, sum0(@could) / $all;
printf "enough samples %d, agreement at least %s\n", scalar @enough,
	@enough ? sprintf('%.1f %%', min(@enough)) : '-';
