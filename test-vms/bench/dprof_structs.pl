#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# dprof_structs.pl NAME PROFILE: of sampled accesses to objects of slab caches and to pages
# of the page allocator, what share has a named cache or an allocation site, and what share a
# C struct.  PROFILE is `dprof report profile --top 0 --vmlinux ... -f json`.
# Prints the types without a struct that have most samples, then
#	structs NAME accesses N, named A %, struct B %, none C %, of the others D %
# none: of objects that have no struct, data and stacks; D: struct, of those that have one.
use strict;
use warnings;
use JSON::PP;
use List::Util qw(min sum0);

die "usage: dprof_structs.pl NAME PROFILE\n" if @ARGV != 2;
my ($name, $profile) = @ARGV;
open my $f, '<', $profile or die "$profile: $!\n";
my $rows = decode_json(do { local $/; <$f> })->{rows};
my (%n, %without);
for my $row (@$rows) {
	next unless $row->{class} =~ /^(slab|kmalloc|page)$/;
	$n{all} += $row->{samples};
	$n{named} += $row->{samples} if $row->{class} eq 'slab' || $row->{type} =~ /:/;
	my $struct = $row->{struct} // '';
	my $is = $struct eq '' ? 'unknown' : $struct =~ /^\(/ ? 'none' : 'struct';
	$n{$is} += $row->{samples};
	$without{"$row->{type} $struct"} += $row->{samples} if $is ne 'struct' && $row->{samples};
}
die "no samples\n" if !$n{all};
my @without = sort { $without{$b} <=> $without{$a} || $a cmp $b } keys %without;
printf "%6.2f %% %s\n", 100 * $without{$_} / $n{all}, $_ for @without[0 .. min(5, $#without)];
my ($struct, $none) = ($n{struct} // 0, $n{none} // 0);
printf "structs %s accesses %d, named %.2f %%, struct %.2f %%, none %.2f %%, of the others %.2f %%\n",
	$name, $n{all}, 100 * ($n{named} // 0) / $n{all}, 100 * $struct / $n{all}, 100 * $none / $n{all},
	$n{all} > $none ? 100 * $struct / ($n{all} - $none) : 100;
