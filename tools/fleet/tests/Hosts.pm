# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# What the tests of memscope-fleet's engines share: made hosts, the answers of a plain computation, and
# what hostile hosts send.
package Hosts;

use strict;
use warnings;
use Exporter 'import';
use Test::More;
use Tool;

our @EXPORT = qw(@strange strange_services $fleet $answers $rows @head @hostile make_hosts hostile_host million_services);

our $fleet = "$build/bin/memscope-fleet";
our ($rows, $answers) = ("$dir/rows", "$dir/answers");
our @head;	# the first line of each table
my $t = 1700000000000000000;

# Columns of recordings, as hosts export them, replayed for 41 hosts.
sub make_hosts {
	my $seed = 1 + int rand 1e6;
	diag("seed $seed");
	my @recordings = map { "$dir/recording$_" } 0 .. 3;
	for my $i (0 .. $#recordings) {
		system(helper('trace_gen') . " memref 7 $recordings[$i].dat " . (11 + 3 * $i)) == 0 or die;
		for my $table (qw(intervals services)) {
			my ($status, $text, $err) = run("$build/bin/memref export $recordings[$i].dat --to columns --rows $table --begin 1 -o $recordings[$i].$table.csv");
			is("$status $err", '0 ', "columns of $table");
		}
	}
	mkdir $_ for $rows, $answers;
	system(helper('fleet_gen') . " rows $rows 0 41 900 $seed @recordings") == 0 or die;
	system(helper('fleet_gen') . " answers $answers 41 900 $seed @recordings") == 0 or die;
	@head = map { (split /\n/, slurp("$recordings[0].$_.csv"))[0] } qw(intervals services);
}

# The programs with the sanitizers are below the others.
sub helper { return (grep { -x } map { "$build/$_/tests/$_[0]" } qw(tools ../tools))[0] }

# Name, rows of intervals, of services, how many rows are refused by reason; --now 1800000000000000000.
our @hostile = (
	[ 'huge values', "1,zz,,$t,1000,1,,,99999999999999999999999999,1,1,0,0,1,0\n" .
	  "1,zz,,$t,1000,1,,9999999999999999,1,1,1,0,0,1,0\n1,zz,,$t,1000,1,,,1e30,1,1,0,0,1,0\n" .
	  "1,zz,,$t,99999999999999999,1,,,1,1,1,0,0,1,0\n1,zz,,$t,1000,1,,1048576,1,1,257,0,0,1,0\n", undef,
	  number => 3, time => 1, 'more than the memory' => 1 ],
	[ 'negative values', "1,zz,,$t,1000,1,,,-1,1,1,0,0,1,0\n1,zz,,-$t,1000,1,,,1,1,1,0,0,1,0\n" .
	  "1,zz,,$t,-5,1,,,1,1,1,0,0,1,0\n1,zz,,$t,1000,1,-2,,1,1,1,0,0,1,0\n1,zz,,$t,1000,1,,,1,1,1,0,0,-1,0\n", undef,
	  number => 3, time => 2 ],
	[ 'times in the future', "1,zz,,1800000000000000001,1000,1,,,1,1,1,0,0,1,0\n1,zz,,9223372036854775807,1000,1,,,1,1,1,0,0,1,0\n", undef,
	  'time in the future' => 2 ],
	[ 'the name of another host', "1,host00000,,$t,1000,1,,,1,1,1,0,0,9999,0\n1,,,$t,1000,1,,,1,1,1,0,0,9999,0\n", undef,
	  'name of another host' => 2 ],
	[ 'another schema', "2,zz,,$t,1000,1,,,1,1,1,0,0,1,0\n", undef, schema => 1 ],
	[ 'what is no row', "garbage\n1,zz,,$t\n\xff\xfe\n", undef, 'not a row' => 3 ],
	# A table of errors of the engine takes minutes for them.
	[ 'much that is no row', join('', map { "garbage\n" x 2 . "a," x 20 . "\n\n" } 1 .. 26667), undef, 'not a row' => 80001 ],
	[ 'services', undef, "1,zz,,$t,1000,1,,1,1,0,0\n1,zz,,$t,1000,1,s,4194305,1,0,0\n1,zz,,$t,1000,1,s,1,-1,0,0\n" .
	  "1,zz,,$t,1000,1,s,1,x,0,0\n1,zz,,$t,1000,1,s,1,,0,0\n1,zz,,$t,1000,1," . 's' x 257 . ",1,1,0,0\n" .
	  '1,zz,' . 'b' x 65 . ",$t,1000,1,s,1,1,0,0\n1,zz,,$t,86400000000001,1,s,1,1,0,0\n",
	  service => 2, number => 4, boot => 1, time => 1 ],
	[ 'lines without an end', undef, '1,zz,,' . 'x' x 3_000_000, 'not a row' => 1 ],
	[ 'SQL', "1,zz'); DROP TABLE results; --,,$t,1000,1,,,1,1,1,0,0,1,0\n", undef, 'name of another host' => 1 ],
);

# A folder with a good host, host00000, and one that sends these rows, zz.
sub hostile_host {
	my ($intervals, $services) = @_;
	system("rm -rf $dir/evil; mkdir -p $dir/evil; cp -r $rows/host00000 $dir/evil");
	spew("$dir/evil/zz/x.intervals.csv", "$head[0]\n$intervals") if defined $intervals;
	spew("$dir/evil/zz/x.services.csv", "$head[1]\n$services") if defined $services;
	return "$dir/evil";
}

# Names that are good rows, and their hosts'; a quote in a field of CSV is two.
our @strange = ("x'); DROP TABLE services; --", 'back\\slash', '\\N', '\\\\', "tab\tbed", '"quoted"', 'a,b', "\xc3\xa4");
sub strange_services {
	return hostile_host(undef, join '', map { "1,zz,\"\\';--\",$t,1000,1,\"" . s/"/""/gr . "\",1,256,0,0\n" } @strange);
}

# A million control groups, or names of processes.
sub million_services {
	return hostile_host(undef, join '', map { "1,zz,,$t,1000,1,service$_,1,$_,0,0\n" } 1 .. 1_000_000);
}

1;
