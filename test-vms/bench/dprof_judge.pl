#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# dprof_judge.pl DPROF PLAN RECORDING: what dprof says of planted cases
# (oracle/module/dprof_cases.c), against what was planted.
#	PLAN	what the module printed, a line each case
# A case is reported when at least 5 samples of its type, by cache and allocation site,
# missed the L1, and a quarter of those that could.  Prints what is wrong of each fault
# (not reported, class, field, reader, writer) and of each mended case (reported), then
#	kind KIND: right N of N, false alarms N of N
#	planted N, right N (P %), classes right N, mended N, false alarms N
# A case of cases_atomic.h is right if one CPU's functions miss its field most, and the
# writer is one of the other's, in its field.
use strict;
use warnings;
use JSON::PP;

die "usage: dprof_judge.pl DPROF PLAN RECORDING\n" if @ARGV != 3;
my ($dprof, $plan, $recording) = @ARGV;
my %class = (true_sharing => 'true_sharing', false_sharing => 'false_sharing',
	false_between => 'false_sharing', conflict => 'conflict', capacity => 'capacity',
	queue => 'true_sharing', backlog => 'capacity');
$class{$_} = 'true_sharing' for qw(lock_add lock_inc inc xadd cmpxchg xchg bts refcount kref lockref
	spinlock);
$class{$_} = 'false_sharing' for qw(add_beside spin_beside spin_read_beside);
my %writes = map { $_ => 1 } qw(true_sharing false_sharing false_between queue);

# Rows of a view by type, in the view's order.
sub view {
	my %by;
	my $text = `$dprof report @_ --top 0 -f json $recording`;
	die "dprof report @_ failed\n" if $?;
	push @{ $by{$_->{type}} }, $_ for @{ decode_json($text)->{rows} };
	return \%by;
}
my ($profile, $class, $place) = (view('profile'), view('classify'), view('classify', '--by', 'ip'));
my $shared = view('sharing');

sub reported {
	my ($type) = @_;
	my $row = $profile->{$type} ? $profile->{$type}[0] : return 0;
	return ($row->{misses_l1} // 0) >= 5 && ($row->{miss_rate_pct} // 0) >= 25;
}

# "+0x48" is the offset of a field on the first of so many lines.
sub is_at {
	my ($field, $at, $lines) = @_;
	return 0 if $field !~ /^\+0x([0-9a-f]+)/;
	my $far = hex($1) - $at;
	return $far >= 0 && $far % 64 == 0 && $far < 64 * $lines;
}

# Which CPU's accesses these are: the functions of the plan, at its field.
sub sides {
	my ($is, $field, $place) = @_;
	my ($offset, $function) = ($field =~ /^\+0x([0-9a-f]+)/, $place =~ /^(\w+)/);
	return grep {
		my $far = hex($offset // 'ffff') - $is->{"${_}_at"};
		$far >= 0 && $far < $is->{width} && ($function // '') =~ /^(?:$is->{$_})$/
	} qw(left right);
}

# What is wrong of a case of cases_atomic.h.
sub judge_atomic {
	my ($is, $type, $top, $writer) = @_;
	my ($at, $of, $by) = ($writer // '') =~ /^(\S+) of (\S+) by (\S+)/;
	my @victims = sides($is, $top->{field}, $top->{place});
	my @writers = sides($is, $at // '', $by // '');

	return "place $top->{place} at $top->{field}" if !@victims;
	return () if ($of // '') eq $type && grep { my $v = $_; grep { $_ ne $v } @writers } @victims;
	return 'writer ' . ($writer // '-') . ", of $top->{place} at $top->{field}";
}

my (%right, %planted, %mended, %alarm, $class_right, $reported);
open my $f, '<', $plan or die "$plan: $!\n";
while (<$f>) {
	my ($number, $kind, $how, $rest) = /^(\d+) (\w+) (fault|mended) (.*)/ or next;
	my %is = map { split /=/ } split ' ', $rest;
	my $type = "case_$number:$is{alloc}";

	if ($how eq 'mended') {
		$mended{$kind}++;
		my @said = grep { reported($_) } grep { /^case_$number\b/ } keys %$profile;
		$alarm{$kind}++ if @said;
		print "case $number $kind, mended: @said reported\n" if @said;
		next;
	}
	$planted{$kind}++;
	my @wrong;
	my $row = $profile->{$type} ? $profile->{$type}[0] : {};
	if (!reported($type)) {
		@wrong = sprintf 'not reported: %d misses, %s %% of samples', $row->{misses_l1} // 0,
			$row->{miss_rate_pct} // 'no';
	} else {
		$reported++;
		my $said = $class->{$type}[0];
		my $top = $place->{$type}[0];
		push @wrong, "class $said->{class} ($said->{conflict_pct} % conflict, $said->{capacity_pct} % capacity)"
			if $said->{class} ne $class{$kind};
		$class_right++ if $said->{class} eq $class{$kind};
		if ($is{left}) {
			# A field that is only read takes nothing from anybody.
			($top) = grep { $_->{writer} } @{ $place->{$type} } if $kind eq 'spin_read_beside';
			push @wrong, $top ? judge_atomic(\%is, $type, $top, $top->{writer}) : 'no writer';
			push @wrong, "sharing: " . join ', ', map { "$_->{sharing} at $_->{field}" } @{$shared->{$type} // []}
				if !grep { "$_->{sharing}_sharing" eq $class{$kind} } ($shared->{$type} // [])->[0] // ();
			$right{$kind}++ if !@wrong;
			print "case $number $kind: ", join(', ', @wrong), "\n" if @wrong;
			next;
		}
		push @wrong, "field $top->{field}" if !is_at($top->{field}, $is{read_at}, $is{lines});
		push @wrong, "reader $top->{place}" if $top->{place} !~ /^$is{reader}\b/;
		if ($writes{$kind}) {
			my ($at, $of, $by) = ($said->{writer} // '') =~ /^(\S+) of (\S+) by (\w+)/;
			push @wrong, 'writer ' . ($said->{writer} // '-') if ($by // '') ne $is{writer} ||
				$of ne $type || !is_at($at, $is{write_at}, $is{lines});
		}
	}
	$right{$kind}++ if !@wrong;
	print "case $number $kind: ", join(', ', @wrong), "\n" if @wrong;
}
my ($planted, $right, $mended, $alarms) = (0, 0, 0, 0);
for my $kind (sort keys %planted) {
	printf "kind %s: right %d of %d, false alarms %d of %d\n", $kind, $right{$kind} // 0,
		$planted{$kind}, $alarm{$kind} // 0, $mended{$kind} // 0;
	$planted += $planted{$kind};
	$right += $right{$kind} // 0;
	$mended += $mended{$kind} // 0;
	$alarms += $alarm{$kind} // 0;
}
die "$plan: no cases in it\n" if !$planted;
printf "planted %d, right %d (%.1f %%), classes right %d, mended %d, false alarms %d\n", $planted,
	$right, 100 * $right / $planted, $class_right // 0, $mended, $alarms;
