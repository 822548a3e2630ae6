#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# memscope-fleet: the five questions over made hosts have the answers of a plain computation; what a
# hostile or broken host sends changes nothing of another's.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../../tests";
use Test::More;
use Tool;

my $fleet = "$build/bin/memscope-fleet";
# The programs with the sanitizers are below the others.
my ($engine) = grep { -d "$_/node_modules" } "$build/fleet", "$build/../fleet";
$engine //= "$build/fleet";
my $reason = `$tools/fleet/engine.sh $engine 2>&1`;
plan skip_all => "DuckDB: $reason" if $?;
my $library = "$engine/node_modules/\@duckdb/node-bindings-linux-x64/libduckdb.so";
sub helper { return (grep { -x } map { "$build/$_/tests/$_[0]" } qw(tools ../tools))[0] }

my $seed = 1 + int rand 1e6;
diag("seed $seed");

# Columns of recordings, as hosts export them.
my @recordings = map { "$dir/recording$_" } 0 .. 3;
for my $i (0 .. $#recordings) {
	system(helper('trace_gen') . " memref 7 $recordings[$i].dat " . (11 + 3 * $i)) == 0 or die;
	for my $table (qw(intervals services)) {
		my ($status, $text, $err) = run("$build/bin/memref export $recordings[$i].dat --to columns --rows $table --begin 1 -o $recordings[$i].$table.csv");
		is("$status $err", '0 ', "columns of $table");
	}
}
mkdir "$dir/$_" for qw(rows answers);
system(helper('fleet_gen') . " rows $dir/rows 0 41 900 $seed @recordings") == 0 or die;
system(helper('fleet_gen') . " answers $dir/answers 41 900 $seed @recordings") == 0 or die;

sub import_rows {
	my ($rows, $store, $options) = @_;
	return run("$fleet import $rows -o $store --engine $library -f csv " . ($options // ''));
}

# Answers of a store that differ from those of the plain computation.
sub differences {
	my ($store) = @_;
	my @wrong;
	for my $question (qw(wss coldest cache drift drain)) {
		my ($status, $text, $err) = run("$fleet report $question $store -n 0 -f csv --engine $library");
		push @wrong, $question if "$status $err" ne '0 ' || $text ne slurp("$dir/answers/$question.csv");
	}
	return "@wrong";
}

my ($status, $text, $err) = import_rows("$dir/rows", "$dir/store");
is("$status $err", '0 ', 'import');
is($text, "table,host,result,rows\nintervals,,accepted,36900\nservices,,accepted,22140\n", 'all rows are accepted');
is(differences("$dir/store"), '', 'the answers are those of the plain computation');
for my $question (qw(wss coldest cache drift drain)) {
	my ($answer) = split /\n/, slurp("$dir/answers/$question.csv");
	my @explained = (run("$fleet report $question --explain -f csv"))[1] =~ /^(\w+),/mg;
	is(join(',', @explained[1 .. $#explained]), $answer, "$question: --explain has the columns of the answer");
}
($status, $text) = run("$fleet report drain $dir/store -n 1 -f csv --engine $library");
is($text, join('', (split /^/, slurp("$dir/answers/drain.csv"))[0, 1]), 'the first row only');

# The same in two imports.
mkdir "$dir/$_" for qw(first second);
system("cp -r $dir/rows/host0000* $dir/first; cp -r $dir/rows/host000[1-4]* $dir/second");
import_rows("$dir/$_", "$dir/parts") for qw(first second);
is(differences("$dir/parts"), '', 'and in parts');

# A host that sends what it should not, among the others.
my @head = map { (split /\n/, slurp("$recordings[0].$_.csv"))[0] } qw(intervals services);
sub hostile {
	my ($name, $intervals, $services, %want) = @_;
	system("rm -rf $dir/evil; mkdir -p $dir/evil; cp -r $dir/rows/host00000 $dir/evil");
	spew("$dir/evil/zz/x.intervals.csv", "$head[0]\n$intervals") if defined $intervals;
	spew("$dir/evil/zz/x.services.csv", "$head[1]\n$services") if defined $services;
	system("rm -rf $dir/evil.store");
	my ($status, $text, $err) = import_rows("$dir/evil", "$dir/evil.store", '--now 1800000000000000000');
	is("$status $err", '0 ', "$name: imported");
	my %got = $text =~ /^\w+,zz,"?([^,"]+)"?,(\d+)$/mg;
	is_deeply(\%got, \%want, "$name: refused");
	like($text, qr/^intervals,,accepted,900$/m, "$name: the other host's rows are all there");
	my ($hosts) = (run("$fleet report drain $dir/evil.store -n 0 -f csv --engine $library"))[1] =~ /\A.*\n((?:.*\n)*)/;
	my ($alone) = grep { /^host00000,/ } split /^/, slurp("$dir/answers/drain.csv");
	is($hosts, $alone, "$name: and so is its answer");
}

my $t = 1700000000000000000;
hostile('huge values', "1,zz,,$t,1000,1,,,99999999999999999999999999,1,1,0,0,1,0\n" .
	"1,zz,,$t,1000,1,,9999999999999999,1,1,1,0,0,1,0\n1,zz,,$t,1000,1,,,1e30,1,1,0,0,1,0\n" .
	"1,zz,,$t,99999999999999999,1,,,1,1,1,0,0,1,0\n1,zz,,$t,1000,1,,1048576,1,1,257,0,0,1,0\n", undef,
	number => 3, time => 1, 'more than the memory' => 1);
hostile('negative values', "1,zz,,$t,1000,1,,,-1,1,1,0,0,1,0\n1,zz,,-$t,1000,1,,,1,1,1,0,0,1,0\n" .
	"1,zz,,$t,-5,1,,,1,1,1,0,0,1,0\n1,zz,,$t,1000,1,-2,,1,1,1,0,0,1,0\n1,zz,,$t,1000,1,,,1,1,1,0,0,-1,0\n", undef,
	number => 3, time => 2);
hostile('times in the future', "1,zz,,1800000000000000001,1000,1,,,1,1,1,0,0,1,0\n1,zz,,9223372036854775807,1000,1,,,1,1,1,0,0,1,0\n", undef,
	'time in the future' => 2);
hostile('the name of another host', "1,host00000,,$t,1000,1,,,1,1,1,0,0,9999,0\n1,,,$t,1000,1,,,1,1,1,0,0,9999,0\n", undef,
	'name of another host' => 2);
hostile('another schema', "2,zz,,$t,1000,1,,,1,1,1,0,0,1,0\n", undef, schema => 1);
hostile('what is no row', "garbage\n1,zz,,$t\n\xff\xfe\n", undef, 'not a row' => 3);
hostile('SQL', "1,zz'); DROP TABLE results; --,,$t,1000,1,,,1,1,1,0,0,1,0\n", undef, 'name of another host' => 1);

# A million control groups, or names of processes.
{
	system("rm -rf $dir/evil; mkdir -p $dir/evil/zz; cp -r $dir/rows/host00000 $dir/evil");
	open my $f, '>', "$dir/evil/zz/x.services.csv" or die;
	print $f "$head[1]\n";
	print $f "1,zz,,$t,1000,1,service$_,1,", $_, ",0,0\n" for 1 .. 1_000_000;
	close $f;
	my ($status, $text, $err) = import_rows("$dir/evil", "$dir/million");
	is("$status $err", '0 ', 'a million services: imported');
	($status, $text) = run("$fleet report wss $dir/million -n 0 -f csv --engine $library");
	my %max = $text =~ /^([^,]+),1,\d+,\S+?,(\S+?),/mg;
	is(scalar(grep { /^service/ } keys %max), 1000, 'the 1,000 largest are kept');
	is($max{'(others)'}, sprintf('%.3f', 999_000 * 999_001 / 2 / 256), 'the others are added up');
	my %alone = slurp("$dir/answers/wss.csv") =~ /^([^,]+),/mg;
	ok(exists $max{database} && exists $max{idle}, "the other host's services are all there");
}

# Broken files, and folders that are none.
spew("$dir/broken/a/x.intervals.csv", "time,pages\n1,2\n");
($status, $text, $err) = import_rows("$dir/broken", "$dir/broken.store");
is($status, 1, 'other columns');
like($err, qr{\A.*broken/a/x.intervals.csv: not the columns of intervals, schema 1\n\z}, 'says which file');
mkdir "$dir/empty";
for ([ "import $dir/none -o $dir/x", 1, qr/none: No such/ ], [ "import $dir/empty -o $dir/x", 1, qr/empty: no HOST/ ],
     [ "report wss $dir/empty", 1, qr/not a store/ ], [ "report wss $dir/none", 1, qr/none: No such/ ],
     [ "report nothing $dir/store", 2, qr/nothing: no such question/ ], [ "import $dir/rows", 2, qr/-o STORE is missing/ ],
     [ "report wss $dir/store --engine $dir/none.so", 1, qr/--engine .*none.so/ ]) {
	my ($command, $want, $why) = @$_;
	$command .= " --engine $library" if $command !~ /--engine/;
	my ($status, $text, $err) = run("$fleet $command");
	is($status, $want, $command);
	like($err, $why, 'says why');
	ok(!-e "$dir/x", 'makes nothing');
}

# A store that cannot be written has nothing of it.
spew("$dir/file", '');
($status, $text, $err) = import_rows("$dir/rows", "$dir/file");
is($status, 1, 'a file for a store');
done_testing;
