#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# results.pl BUILD DOCS: brings pages of DOCS/results up to date with the tables that benches
# left in BUILD/bench (make results).  A bench that was not run leaves its page as it is.
use strict;
use warnings;

my ($build, $docs) = @ARGV;
die "usage: results.pl BUILD DOCS\n" if !defined $docs;

sub slurp {
	my ($path) = @_;
	open my $f, '<', $path or return undef;
	local $/;
	return <$f>;
}

sub update {
	my ($page, $text) = @_;
	my $path = "$docs/results/$page";
	my $old = slurp($path) // '';
	print "$page: ", $old eq $text ? "is as it was\n" : "rewritten\n";
	return if $old eq $text;
	open my $f, '>', $path or die "$path: $!\n";
	print $f $text;
	close $f or die "$path: $!\n";
}

# make bench-memref, make judge: a page each.
for (['memref', 'memref-costs'], ['judge', 'judge']) {
	my $page = slurp("$build/bench/$_->[0].md");
	update("$_->[1].md", $page) if defined $page;
}

# make bench-coverage: the rows of a table, whose columns are as the page's.
my $coverage = slurp("$build/bench/coverage.md");
if (defined $coverage) {
	my $page = slurp("$docs/results/intervals.md") // die "$docs/results/intervals.md: $!\n";
	my ($table) = $coverage =~ /^((?:\|.*\n)+)/m or die "$build/bench/coverage.md: has no table\n";
	my ($head) = split /\n/, $table;
	my ($old) = $page =~ /^(\Q$head\E\n(?:\|.*\n)*)/m or die "intervals.md: has no table with the columns $head\n";
	# An interrupted bench leaves a part.
	die "$build/bench/coverage.md: has fewer rows than intervals.md\n" if $table =~ tr/\n// < $old =~ tr/\n//;
	$page =~ s/\Q$old\E/$table/;
	update('intervals.md', $page);
}
