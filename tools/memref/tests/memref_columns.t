#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# memref export --to columns: the rows have the values of memref report and of --to csv, the columns
# are those of docs/reference/fleet-columns.md, and names of machines and processes cannot break the CSV.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../../tests";
use JSON::PP;
use Test::More;
use Tool;

my $memref = "$build/bin/memref";
sub helper { return (grep { -x } map { "$build/$_/tests/$_[0]" } qw(tools ../tools))[0] }
our $file = "$dir/made.dat";
system(helper('trace_gen') . " memref 7 $file 6 >/dev/null") == 0 or die;
system(helper('memref_ages_gen') . " $dir/ages.dat 3") == 0 or die;

sub report {
	my ($status, $json, $err) = run("$memref report @_ -f json");
	return @{decode_json($json)->{rows}};
}

sub columns {
	my ($rows, $options) = @_;
	my ($status, $text, $err) = run("$memref export $file --to columns --rows $rows " . ($options // '--begin 1000000000000000000'));
	is("$status $err", '0 ', "--rows $rows");
	my ($head, @lines) = split /\n/, $text;
	my @names = split /,/, $head;
	return ([ @names ], map { my @cells = split /,/, $_, -1; +{ map { $names[$_] => $cells[$_] } 0 .. $#names } } @lines);
}

# The tables of the page, in order: first the columns of all.
my (@page, $on);
for (split /\n/, slurp("$tools/../docs/reference/fleet-columns.md")) {
	push @page, [] if /^\| column/;
	push @{$page[-1]}, split /, /, $1 if /^\| ((?!column)\w[\w, ]*) \| /;
}
my %names;
for (qw(groups intervals services ages)) {
	local $file = $_ eq 'ages' ? "$dir/ages.dat" : $file;
	($names{$_}) = columns($_);
	is_deeply($names{$_}, [ @{$page[0]}, @{$page[1 + keys(%names) - 1]} ], "$_: the columns of docs/reference/fleet-columns.md");
}

my (undef, @groups) = columns('groups');
my @csv = split /\n/, (run("$memref export $file --to csv"))[1];
is(scalar @groups, $#csv, 'groups: as many rows as --to csv has');
is_deeply([ map { join ',', @$_{qw(seq base node pages_kernel pages_user pages_page_cache written)} } @groups ],
	  [ map { my @c = split /,/, $_, -1; join ',', @c[0, 2 .. 7] } @csv[1 .. $#csv] ], 'and the same values');
is($groups[-1]{time_ns} - $groups[0]{time_ns}, 5e8, 'time');
is($groups[0]{size}, 1 << 20, 'size');

my (undef, @intervals) = columns('intervals');
my @temporal = report("temporal $file");
my @machine = grep { $_->{node} eq '' } @intervals;
is_deeply([ map { [ @$_{qw(seq pages_kernel pages_user pages_page_cache groups groups_written)} ] } @machine ],
	  [ map { [ @$_{qw(seq pages_kernel pages_user pages_page_cache groups groups_written)} ] } @temporal ],
	  'intervals: those of memref report temporal');
is_deeply([ map { [ @$_{qw(seq node pages_kernel pages_user pages_page_cache)} ] } grep { $_->{node} ne '' } @intervals ],
	  [ map { [ @$_{qw(seq node pages_kernel pages_user pages_page_cache)} ] } report("numa $file") ],
	  'of nodes: those of memref report numa');
is($machine[0]{memory_bytes}, 128 << 20, 'memory of the machine');
is($machine[-1]{pages_resident}, 15000, 'resident');

my (undef, @services) = columns('services');
for my $task (report("tasks $file")) {
	my @mine = grep { $_->{service} eq $task->{comm} || $task->{comm} =~ /\?/ && $_->{service} =~ /\xef\xbf\xbd/ } @services;
	is(scalar @mine, $task->{intervals}, "$task->{comm}: a row each interval");
	my $sum = 0;
	$sum += $_->{pages} for @mine;
	cmp_ok(abs($sum / 6 - $task->{mean_pages}), '<', 0.06, 'and its pages');
}

# Ages: as memref report ages has them.
{
	my $made = $file;
	$file = "$dir/ages.dat";
	system(helper('memref_ages_gen') . " $file 80") == 0 or die;
	my (undef, @ages) = columns('ages');
	my @buckets = map { "age_$_" } 0, 1, 2, 4, 8, 16, 32, 64, 128;
	my (%mine, %report);
	for my $row (@ages) {
		$mine{"$row->{seq} $row->{cgroup} $_"} += $row->{"pages_$_"} for @buckets;
	}
	for my $row (report("ages $file --by cgroup")) {
		$report{"$row->{seq} $row->{of} $_"} = sprintf '%.0f', $row->{"${_}_mib"} * 256 for @buckets;
	}
	is_deeply(\%mine, \%report, 'ages: those of memref report ages');
	cmp_ok(scalar keys %mine, '>=', 80 * 2 * 9, 'of each interval');
	$file = $made;
}

# --begin is the begin of the first interval.
system(helper('memref_gen'), "$dir/known.dat") == 0 or die;
($_) = (run("$memref export $dir/known.dat --to columns --begin 1000000000000000000"))[1] =~ /\n(.*)\n/;
is($_, '1,machine,,1000000000990000000,990000000,1,,16777216,1048576,64,0,0,0', 'from --begin on');

# By default, the end is the file's.
my $end = 1_700_000_000;
utime $end, $end, $file;
(undef, @machine) = columns('intervals', '');
is(int($machine[-1]{time_ns} / 1e9), $end - 1, 'time by the file');

# Names of other machines.
($_) = (run("$memref export $file --to columns --host 'a,\"b\"\nc' --boot-id 'x y' --begin 1"))[1] =~ /\n(.*)\n/;
like($_, qr/^1,"a,""b""\?c",x y,/, 'names are quoted');

for ([ "$dir/none.dat --to columns -o $dir/x", 1, qr/none/ ], [ "$file --to columns -o $dir/none/x", 1, qr/none/ ],
     [ "$file --to columns >/dev/full", 1, qr/standard output/ ], [ "$file --to columns --rows none", 2, qr/none/ ],
     [ "$file --to columns --begin -1", 2, qr/--begin/ ]) {
	my ($options, $want, $why) = @$_;
	my ($status, $text, $err) = run("$memref export $options");
	is($status, $want, "export $options");
	like($err, $why, 'says why');
	ok(!-e "$dir/x", 'no file');
}
done_testing;
