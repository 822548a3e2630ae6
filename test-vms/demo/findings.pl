#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# findings.pl CHAPTER DIRECTORY: computes what a chapter of the demonstration found, from what
# its recording left in DIRECTORY, and writes DIRECTORY/chapter.json: title, found (sentences),
# picture, its text, source of the data, links; plot: the CSV of the picture, and how
# tools/lib/page/page.js draws it.  Prints the sentences.
use strict;
use warnings;
use JSON::PP;
use List::Util qw(max min sum);

my ($chapter, $dir) = @ARGV;
die "usage: findings.pl CHAPTER DIRECTORY\n" if @ARGV != 2;

sub slurp {
	my ($path) = @_;
	open my $f, '<:raw', $path or die "findings.pl: $path: $!\n";
	local $/;
	return <$f>;
}

# The rows of a view, as the tools write JSON.
sub rows {
	my ($name) = @_;
	return @{ decode_json(slurp("$dir/$name"))->{rows} };
}

sub median {
	my @sorted = sort { $a <=> $b } @_;
	return $sorted[@sorted / 2];
}

sub memory {
	my @rows = rows('wss.json') or die "findings.pl: $dir/wss.json: no interval\n";
	my ($program) = slurp("$dir/commands") =~ /-- (\S+)/;
	my @used = map { $_->{wss_user_mib} } @rows;
	return {
		title => 'Which memory is used?',
		found => [ sprintf '%s has %.0f MiB resident at most. It uses %.0f MiB in the busiest interval, '
			   . 'and %.0f MiB or less in half of the %d intervals of %.2f s.', $program,
			   max(map { $_->{rss_mib} // 0 } @rows), max(@used), median(@used), scalar @rows,
			   median(map { $_->{interval_s} } @rows) ],
		picture => 'memory.png', alt => "pages that $program referenced, by virtual address and time",
		caption => "The address space of $program over time; color: pages referenced in an interval.",
		plot => { csv => 'memory.csv', spec => {
			kind => 'heat', x => 'time_s', width => 'interval_s', time => JSON::PP::true, y => 'virt_addr',
			size => 'size_kib', place => 'place_mib', series => [ [ 'pages', 'user' ] ], unit => 'pages',
			xlabel => 'time (s)', ylabel => 'virtual address, gaps left out' } },
		source => 'accessed bits of the page tables, read every interval by the tracepoints of memref',
		links => [ [ 'all views of this recording', 'memory.html' ] ],
	};
}

# Misses of each execution by program and strategy: the mean of its measurements.
sub executions {
	my (%misses, @names);
	for (split /\n/, slurp("$dir/misses.csv")) {
		next if /^#/;
		if (/^suite,/) {
			@names = split /,/;
			next;
		}
		my %row;
		@row{@names} = split /,/;
		next if $row{metric} ne 'L2_misses' || $row{warmup} || $row{strategy} eq 'canary';
		push @{ $misses{$row{benchmark}}{$row{strategy}}{"$row{boot} $row{execution}"} }, $row{value};
	}
	my %of;
	for my $program (keys %misses) {
		for my $strategy (keys %{ $misses{$program} }) {
			$of{$program}{$strategy} =
				[ map { sum(@$_) / @$_ } values %{ $misses{$program}{$strategy} } ];
		}
	}
	return %of;
}

sub cv_pct {
	my @x = @_;
	my $mean = sum(@x) / @x;
	return 100 * sqrt(sum(map { ($_ - $mean) ** 2 } @x) / (@x - 1)) / $mean;
}

sub times {
	my %of = executions();
	# The suite has a picture of each of these.
	my ($program) = sort { cv_pct(@{ $of{$b}{default} }) <=> cv_pct(@{ $of{$a}{default} }) }
		grep { -e "$dir/suite/$_-L2_misses.png" } keys %of;
	die "findings.pl: $dir: no program was measured\n" if !$program;
	my ($default, $coloring) = @{ $of{$program} }{qw(default coloring)};
	return {
		title => 'Why do run times vary, and how do they stop?',
		found => [ sprintf '%d executions of %s, with the same input, miss the second-level cache %.0f to %.0f '
			   . 'times for each measurement (CV %.1f %%), depending on which page frames the kernel gives them. With page '
			   . 'coloring they miss it %.0f to %.0f times (CV %.2f %%).', scalar @$default, $program,
			   min(@$default), max(@$default), cv_pct(@$default),
			   min(@$coloring), max(@$coloring), cv_pct(@$coloring) ],
		picture => "suite/$program-L2_misses.png", alt => "cache misses of each execution of $program, by strategy",
		caption => 'Each execution, its misses by strategy: default, page coloring, bin hopping.',
		source => 'a model of a physically indexed cache (256 KiB, 4 ways) that sees each access of the emulated CPU',
		links => [ [ 'report of all programs', 'report.txt' ] ],
	};
}

# The first line of a recording that several CPUs use, as text.
sub contended {
	my ($row, $all) = @_;
	my $text = sprintf '%s of %s is %s-shared', $row->{field}, $row->{type}, $row->{sharing};
	$text .= sprintf ' (%.0f %% of the misses of shared lines)', 100 * $row->{misses} / $all if $all;
	$text .= "; used by $row->{user}";
	$text .= sprintf ', written by %s: %s of %s', @$row{qw(writer writer_field writer_type)}
		if ($row->{writer} // '-') ne '-';
	return "$text.";
}

sub types {
	my @found;
	for ([ 'planted', 'A module with planted faults, on two CPUs' ], [ 'udp', 'Two CPUs that exchange UDP packets' ]) {
		my ($name, $what) = @$_;
		my @rows = rows("$name.json");
		push @found, @rows ? "$what: " . contended($rows[0], sum(map { $_->{misses} // 0 } @rows))
				   : "$what: no line is used by both.";
	}
	return {
		title => 'Which kernel type do CPUs contend for?', found => \@found,
		picture => 'types.png', alt => 'misses of lines that both CPUs use, by type and field, true and false sharing',
		caption => 'Misses of lines that both CPUs use while they exchange UDP packets.',
		plot => { csv => 'types.csv', spec => {
			kind => 'bars', label => [qw(field type sharing)], format => '{0} of {1}, {2} sharing',
			series => [ [ 'misses', 'misses' ] ], unit => 'misses' } },
		source => 'AMD IBS as QEMU emulates it, with modelled caches',
		links => [ [ 'shared lines of the module', 'planted.json' ], [ 'of the UDP load', 'types.csv' ] ],
	};
}

sub objects {
	my ($all) = rows('diff.json');
	my ($first) = grep { $_->{pattern} ne 'none' } rows('before.json');
	my $found = sprintf '%.1f %% of the sampled accesses of main memory are remote.', $all->{remote_pct_before};
	if ($first) {
		$found .= sprintf ' Most of them, %.0f %%, are of %s: %s. Advice: %s; expected: %.1f %% remote. '
			. 'After that change, %.1f %% are.', $first->{share_of_remote_pct}, $first->{site},
			$first->{pattern}, $first->{advice}, $first->{all_predicted_pct}, $all->{remote_pct_after};
	} else {
		$found .= ' No object is worth a change.';
	}
	return {
		title => 'Which object is on the wrong NUMA node, and what fixes it?', found => [ $found ],
		picture => 'objects.png', alt => 'accesses of main memory by node of the CPU and node of the memory',
		caption => 'Before the change: accesses of main memory, by node of the CPU and node of the memory.',
		plot => { csv => 'objects.csv', spec => {
			kind => 'bars', label => [qw(from_node to_node)], format => 'CPUs of node {0}, memory of node {1}',
			series => [ [ 'accesses', 'accesses' ] ], unit => 'samples' } },
		source => 'AMD IBS as QEMU emulates it, and the allocations of the program, from a preloaded library',
		links => [ [ 'diagnosis before the change', 'diagnosis.txt' ], [ 'before and after, by site', 'diff.text' ],
			   [ 'all views of the recording', 'objects.html' ] ],
	};
}

my %chapters = (memory => \&memory, times => \&times, types => \&types, objects => \&objects);
my $find = $chapters{$chapter} or die "findings.pl: $chapter: no such chapter\n";
my $result = $find->();
open my $f, '>:raw', "$dir/chapter.json" or die "findings.pl: $dir/chapter.json: $!\n";
print $f JSON::PP->new->canonical->pretty->encode($result);
close $f or die "findings.pl: $dir/chapter.json: $!\n";
print "   $_\n" for @{ $result->{found} };
