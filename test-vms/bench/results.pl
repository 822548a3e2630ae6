#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# results.pl BUILD DOCS: brings pages of DOCS/results up to date with the tables that benches
# left in BUILD/bench (make results).  A bench that was not run leaves its page as it is.
use strict;
use warnings;
use JSON::PP;

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

# make bench-fleet: a page, of as many hosts as it is about.
my $fleet = slurp("$build/bench/fleet.json");
$fleet = decode_json($fleet) if defined $fleet;
if ($fleet && ($fleet->{hosts} // 0) == 10000) {
	my $cell = sub { my ($name, $format) = @_; defined $fleet->{$name} ? sprintf($format // '%s', $fleet->{$name}) : '-' };
	my @rows = (
		[ 'questions whose answer is that of the plain computation', 'questions_right', 'questions_right_clickhouse' ],
		[ 'of so many', 'questions_asked', 'questions_asked_clickhouse' ],
		map({ my ($what, $key) = @$_; map { [ "$what, $_->[0] hosts, s", "${key}_duckdb$_->[1]", "${key}_clickhouse$_->[1]", '%.2f' ] }
			[ '10,000', '' ], [ '1,000', '_1000_hosts' ] } [ 'longest time of a question', 'question_max_s' ],
			[ 'most CPU time of a question', 'question_max_cpu_s' ]),
		[ 'import of all, s', 'import_s', 'import_s_clickhouse', '%.0f' ],
		[ 'bytes per host and day, intervals', 'bytes_per_host_day_intervals_parquet', 'bytes_per_host_day_intervals_clickhouse' ],
		[ 'bytes per host and day, services', 'bytes_per_host_day_services_parquet', 'bytes_per_host_day_services_clickhouse' ],
	);
	my $table = join '', map { my ($what, $duckdb, $clickhouse, $format) = @$_;
		"| $what | " . $cell->($duckdb, $format) . ' | ' . $cell->($clickhouse, $format) . " |\n" } @rows;
	my ($how) = $fleet->{_how} =~ /^([^|]*?) *(?:\||$)/;
	update('fleet.md', <<"end");
# Results: questions over 10,000 hosts

`make bench-fleet`, a day of 10,000 made hosts: the five questions of memscope-fleet, by the two engines, beside a plain
computation over the same rows ([how to ask them](../guide/fleet.md#questions)). `make results` makes this page.

| | DuckDB | ClickHouse |
|---|---|---|
$table
As CSV, a host's day has $fleet->{bytes_per_host_day_csv} bytes.

| of a host and day | bytes |
|---|---:|
| figures, a record a minute, as an archive of Performance Co-Pilot | @{[$cell->('bytes_per_host_day_figures_pcp')]} |
| maps, 2,048 groups a minute with random numbers of pages, as CSV by xz | @{[$cell->('bytes_per_host_day_maps_csv_xz')]} |
| samples, 100 a second and CPU of 64 for 10 s an hour, as profiles of pprof | @{[$cell->('bytes_per_host_day_samples_pprof')]} |

Times are of programs that began to run for the
question: that of DuckDB includes loading it, and CPU time of ClickHouse is that of both servers.

$how.
end
}
