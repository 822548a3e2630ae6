#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
# dprof_truth.pl TRUTH TYPES SAMPLES: compares the shares of types in dprof's samples
# with those of all accesses that the oracle saw (oracle/types.c).
#	TRUTH	what libtypes.so wrote
#	TYPES	the guest's /sys/kernel/debug/oracle_objects
#	SAMPLES	the recording as `trace-cmd report` prints it, with markers begin and end about the
#		load, and dprof's file known_types, lines of events
# Prints a line for each of the ten first types, then
#	samples N, tau T, distance D %
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
my (%true, %seen);
open $f, '<', $truth or die "$truth: $!\n";
while (<$f>) {
	my ($what, $id, $reads, $writes) = split;
	my $name = $what eq 'type' ? $name{$id} : $region{$id} // $id;
	next if !defined $name || $name eq 'user';
	$true{$name} += $reads + $writes;
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
my ($all_true, $all_seen) = (sum0(values %true), sum0(values %seen));
die "no accesses, or no samples\n" if !$all_true || !$all_seen;
my @top = (sort { $true{$b} <=> $true{$a} } keys %true)[0 .. 9];
@top = grep { defined } @top;
printf "%-64s %5.2f %% of accesses, %5.2f %% of samples\n", $_, 100 * $true{$_} / $all_true,
	100 * ($seen{$_} // 0) / $all_seen for @top;
# Kendall's tau-b of the ten.
my ($agree, $disagree, $tied) = (0, 0, 0);
for my $i (0 .. $#top) {
	for my $j ($i + 1 .. $#top) {
		my $d = ($seen{$top[$i]} // 0) <=> ($seen{$top[$j]} // 0);
		$d > 0 ? $agree++ : $d < 0 ? $disagree++ : $tied++;
	}
}
my $pairs = $agree + $disagree + $tied;
my $tau = ($agree - $disagree) / sqrt($pairs * ($pairs - $tied) || 1);
my %all = (%true, %seen);
my $distance = 50 * sum0(map { abs(($true{$_} // 0) / $all_true - ($seen{$_} // 0) / $all_seen) } keys %all);
for my $name (sort { abs(($true{$b} // 0) / $all_true - ($seen{$b} // 0) / $all_seen) <=>
		     abs(($true{$a} // 0) / $all_true - ($seen{$a} // 0) / $all_seen) } keys %all) {
	my $d = 100 * (($seen{$name} // 0) / $all_seen - ($true{$name} // 0) / $all_true);
	last if abs($d) < .5;
	printf "off by %+.2f points: %s\n", $d, $name;
}
printf "samples %d, tau %.3f, distance %.2f %%\n", scalar @samples, $tau, $distance;
