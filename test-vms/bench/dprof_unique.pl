#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# dprof_unique.pl NAME PLACES TRACE: how many unique paths there are in so many sets of
# histories, NAME,SETS,PATHS,PERCENT of those in all of them, up to 720 (section 5.4 of the
# paper), and the percentage of all histories that are of one of these paths.  A set has a
# history of each of the PLACES of an object; a path is where the object was allocated, the
# instructions that accessed the place, where the CPU changed between them, and where it was
# freed.
use strict;
use warnings;

my ($name, $places, $trace) = @ARGV;
my (%history, %path);
open my $f, '<', $trace or die "$trace: $!\n";
while (<$f>) {
	my ($cpu, $what, $rest) = /\[(\d+)\].*?\bdprof_(history|access|history_end): +(.*)/ or next;
	my %f = $rest =~ /(\w+)=(\S*)/g;
	if ($what eq 'history') {
		$history{$f{id}} = { path => "$f{offset} $f{ip}", cpu => $cpu };
		next;
	}
	my $h = $history{$f{id}} or next;
	if ($what eq 'access') {
		push @{ $h->{accesses} }, [ $f{seq}, $f{ip}, $cpu ];
	} elsif ($f{how} == 0) {
		$cpu = $h->{cpu};
		for (sort { $a->[0] <=> $b->[0] } @{ $h->{accesses} // [] }) {
			$h->{path} .= ($_->[2] != $cpu ? ' to' : '') . " $_->[1]";
			$cpu = $_->[2];
		}
		$path{$f{id}} = "$h->{path} $f{ip}";
	}
}
my @paths = map { $path{$_} } sort { $a <=> $b } keys %path;
my $sets = int(@paths / $places);
$sets = 720 if $sets > 720;
my (%seen, %times, @unique, @covered);
$times{$_}++ for @paths[0 .. $sets * $places - 1];
my $covered = 0;
for my $i (0 .. $sets * $places - 1) {
	$covered += $times{$paths[$i]} if !$seen{$paths[$i]}++;
	next if ($i + 1) % $places;
	$unique[($i + 1) / $places] = keys %seen;
	$covered[($i + 1) / $places] = $covered;
}
for my $n ((grep { $_ < $sets } 1, 2, 5, 10, 20, 30, 50, 80, 100, 120, 160, 240, 360), $sets) {
	printf "%s,%d,%d,%.1f,%.1f\n", $name, $n, $unique[$n], 100 * $unique[$n] / $unique[$sets],
		100 * $covered[$n] / ($sets * $places) if $n;
}
