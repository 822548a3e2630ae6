#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# dprof_truth.pl TRUTH TYPES SAMPLES: compares the shares of types in dprof's samples
# with those of all accesses that the oracle saw (oracle/types.c).
#	TRUTH	what libtypes.so wrote
#	TYPES	the guest's /sys/kernel/debug/oracle_objects
#	SAMPLES	the recording as `trace-cmd report` prints it, with markers begin and end about the
#		load, and dprof's file known_types, lines of events
# Prints a line for each of the ten first types, then
#	samples N, tau T, distance D %
# If the oracle says what sampling of instructions can tell (count=ops), this is the truth
# for these, and a last line has the same against all accesses:
#	all accesses, tau T, distance D %
# Accesses to user memory are no part of it: dprof's types are the kernel's.
use strict;
use warnings;
use List::Util qw(max sum0);

die "usage: dprof_truth.pl TRUTH TYPES SAMPLES\n" if @ARGV != 3;
my ($truth, $types, $samples) = @ARGV;
my @class = qw(unknown slab kmalloc page pagecache anon pagetable static percpu stack
	struct_page vmalloc module user fixmap boot);
# Pages that are no slab are one to the oracle.
my %region = (page => 'direct', pagecache => 'direct', anon => 'direct', pagetable => 'direct',
	boot => 'direct',	fixmap => 'fixmap', entry => 'fixmap');

# The end of a path: events cut it at the beginning.
sub site { my ($file, $line) = @_; return $line ? substr("$file", -40) . ":$line" : '-' }

my %name;
open my $f, '<', $types or die "$types: $!\n";
while (<$f>) {
	my ($id, $cache, $site) = split;
	my ($file, $line) = $site =~ /^(.*):(\d+)$/ ? ($1, $2) : ('', 0);
	$name{$id} = $site eq '-' ? $cache : "$cache " . site($file, $line);
}
my (%true, %all, %seen);
open $f, '<', $truth or die "$truth: $!\n";
while (<$f>) {
	my ($what, $id, $reads, $writes, $ops) = (split)[0 .. 3, 9];
	my $name = $what eq 'type' ? $name{$id} : $region{$id} // $id;
	next if !defined $name || $name eq 'user';
	$all{$name} += $reads + $writes;
	$true{$name} += $ops // $reads + $writes;
}
my (%type, @samples, $inside);
open $f, '<', $samples or die "$samples: $!\n";
while (<$f>) {
	if (/ dprof_type: +id=(\d+) class=(\d+) size=\d+ cache=(\S*) func=\S* file=(\S*) line=(\d+)/) {
		my $class = $class[$2];
		$type{$1} = $2 == 1 || $2 == 2 ? ($5 ? "$3 " . site($4, $5) : $3) : $region{$class} // $class;
	} elsif (/ (?:tracing_mark_write|print): +(begin|end)\b/) {
		# What the oracle counts is what happens between.
		$inside = $1 eq 'begin';
	} elsif ($inside && / dprof_sample: .*\btype=(\d+)\b.*\bop=(\d+) width=(\d+)/) {
		push @samples, [ $1, $2, $3 ];
	}
}
for (@samples) {
	my ($id, $op, $width) = @$_;
	my $name = $type{$id} // 'unknown';
	next if $name eq 'user';
	# TCG accesses at most 8 bytes at a time, and a load and a store are two accesses.
	$seen{$name} += max(1, $width / 8) * (($op & 1) + ($op >> 1 & 1));
}
die "no accesses, or no samples\n" if !sum0(values %true) || !sum0(values %seen);

# Their ten first types, Kendall's tau-b of these, the distance in percent, and how far
# off each type is.
sub compare {
	my ($true) = @_;
	my ($all_true, $all_seen) = (sum0(values %$true), sum0(values %seen));
	my @top = grep { defined } (sort { $true->{$b} <=> $true->{$a} } keys %$true)[0 .. 9];
	my ($agree, $disagree, $tied) = (0, 0, 0);
	for my $i (0 .. $#top) {
		for my $j ($i + 1 .. $#top) {
			my $d = ($seen{$top[$i]} // 0) <=> ($seen{$top[$j]} // 0);
			$d > 0 ? $agree++ : $d < 0 ? $disagree++ : $tied++;
		}
	}
	my $pairs = $agree + $disagree + $tied;
	my $tau = ($agree - $disagree) / sqrt($pairs * ($pairs - $tied) || 1);
	my %off = map {
		$_ => 100 * (($seen{$_} // 0) / $all_seen - ($true->{$_} // 0) / $all_true)
	} keys %$true, keys %seen;
	my $distance = sum0(map { abs } values %off) / 2;
	my %share = map { $_ => 100 * $true->{$_} / $all_true } @top;
	return (\@top, \%share, $tau, $distance, \%off);
}

my ($top, $share, $tau, $distance, $off) = compare(\%true);
printf "%-64s %5.2f %% of accesses, %5.2f %% of samples\n", $_, $share->{$_},
	$share->{$_} + $off->{$_} for @$top;
for my $name (sort { abs($off->{$b}) <=> abs($off->{$a}) } keys %$off) {
	last if abs($off->{$name}) < .5;
	printf "off by %+.2f points: %s\n", $off->{$name}, $name;
}
printf "samples %d, tau %.3f, distance %.2f %%\n", scalar @samples, $tau, $distance;
(undef, undef, $tau, $distance) = compare(\%all);
printf "all accesses, tau %.3f, distance %.2f %%\n", $tau, $distance;
