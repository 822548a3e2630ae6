#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# memscope-fleet: the five questions over made hosts have the answers of a plain computation; what a
# hostile or broken host sends changes nothing of another's.
use strict;
use warnings;
use Encode 'decode';
use FindBin;
use JSON::PP;
use lib "$FindBin::RealBin/../../tests";
use Test::More;
use lib $FindBin::RealBin;
use Tool;
use Hosts;

# The programs with the sanitizers are below the others.
my ($engine) = grep { -d "$_/node_modules" } "$build/fleet", "$build/../fleet";
$engine //= "$build/fleet";
my $reason = `$tools/fleet/engine.sh $engine 2>&1`;
plan skip_all => "DuckDB: $reason" if $?;
my $library = "$engine/node_modules/\@duckdb/node-bindings-linux-x64/libduckdb.so";

make_hosts();

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
		push @wrong, $question if "$status $err" ne '0 ' || $text ne slurp("$answers/$question.csv");
	}
	return "@wrong";
}

my ($status, $text, $err) = import_rows("$rows", "$dir/store");
is("$status $err", '0 ', 'import');
is($text, "table,host,result,rows\nintervals,,accepted,36900\nservices,,accepted,22140\n", 'all rows are accepted');
is(differences("$dir/store"), '', 'the answers are those of the plain computation');
for my $question (qw(wss coldest cache drift drain)) {
	my ($answer) = split /\n/, slurp("$answers/$question.csv");
	my @explained = (run("$fleet report $question --explain -f csv"))[1] =~ /^(\w+),/mg;
	is(join(',', @explained[1 .. $#explained]), $answer, "$question: --explain has the columns of the answer");
}
($status, $text) = run("$fleet report drain $dir/store -n 1 -f csv --engine $library");
is($text, join('', (split /^/, slurp("$answers/drain.csv"))[0, 1]), 'the first row only');

# The same in two imports.
mkdir "$dir/$_" for qw(first second);
system("cp -r $rows/host0000* $dir/first; cp -r $rows/host000[1-4]* $dir/second");
import_rows("$dir/$_", "$dir/parts") for qw(first second);
is(differences("$dir/parts"), '', 'and in parts');

# Words NAME=VALUE of a path are no data, and patterns of names no other files.
system("mkdir -p $dir/host=zz/node=3/boot=x; cp -r $dir/first $dir/host=zz/node=3/boot=x");
($status, $text, $err) = import_rows("$dir/host=zz/node=3/boot=x/first", "$dir/host=zz/store");
like("$status $err$text", qr/^0 table,.*\nintervals,,accepted,9000\nservices,,accepted,5400\n\z/, 'a path with host=zz: all rows');
import_rows("$dir/first", "$dir/plain");
for my $question (qw(wss drain)) {
	is((run("$fleet report $question $dir/host=zz/store -n 0 -f csv --engine $library"))[1],
	   (run("$fleet report $question $dir/plain -n 0 -f csv --engine $library"))[1], "and $question has its answer");
}
for my $name (qw(host00000/*.intervals.csv host00000/?.intervals.csv h[0]/x.intervals.csv)) {
	system("rm -rf $dir/patterns; mkdir -p $dir/patterns; cp -r $rows/host00000 $dir/patterns");
	spew("$dir/patterns/$name", slurp((glob "$rows/host00000/*.intervals.csv")[0]));
	($status, $text, $err) = import_rows("$dir/patterns", "$dir/patterns.store");
	is("$status $err", "1 memscope-fleet: $dir/patterns/$name: a name with *, ? or [ is not read\n", "$name: left out");
	like($text, qr/^intervals,,accepted,900$/m, 'the others are read once');
}

# Line ends of several kinds, over which the engine fails, are no reason to read nothing of the others.
for my $lines ("a\r\nb\n", "a\rb\n", "a\r", "a\n\r\n", "a\r\r\n") {
	my $name = $lines =~ s/\r/\\r/gr =~ s/\n/\\n/gr;
	($status, $text, $err) = import_rows(hostile_host("$lines"), "$dir/ends.store");
	is("$status $err", "1 memscope-fleet: $dir/evil/zz/x.intervals.csv: line ends of more than one kind\n", "$name: left out");
	like($text, qr/^intervals,,accepted,900$/m, 'the others are read');
}
{
	my $evil = hostile_host();
	for my $file (glob "$evil/host00000/*.csv") {
		spew($file, slurp($file) =~ s/\n/\r\n/gr);
	}
	($status, $text, $err) = import_rows($evil, "$dir/crlf.store");
	is("$status $err$text", "0 table,host,result,rows\nintervals,,accepted,900\nservices,,accepted,540\n", 'one kind, of two characters');
}

# A host that sends what it should not, among the others.
for (@hostile, [ 'lines in quotes', "1,\"zz\nzz\",,1,1000,1,,,1,1,1,0,0,1,0\n\"gar\n\nbage\"\n", undef,
		 'name of another host' => 1, 'not a row' => 1 ]) {
	my ($name, $intervals, $services, %want) = @$_;
	my $evil = hostile_host($intervals, $services);
	system("rm -rf $dir/evil.store");
	my ($status, $text, $err) = import_rows($evil, "$dir/evil.store", '--now 1800000000000000000');
	is("$status $err", '0 ', "$name: imported");
	my %got = $text =~ /^\w+,zz,"?([^,"]+)"?,(\d+)$/mg;
	is_deeply(\%got, \%want, "$name: refused");
	like($text, qr/^intervals,,accepted,900$/m, "$name: the other host's rows are all there");
	my ($hosts) = (run("$fleet report drain $dir/evil.store -n 0 -f csv --engine $library"))[1] =~ /\A.*\n((?:.*\n)*)/;
	my ($alone) = grep { /^host00000,/ } split /^/, slurp("$answers/drain.csv");
	is($hosts, $alone, "$name: and so is its answer");
}

{
	my ($status, $text, $err) = import_rows(strange_services(), "$dir/strange");
	is("$status $err", '0 ', 'strange names: imported');
	my %seen = map { $_->{service} => 1 } @{decode_json((run("$fleet report wss $dir/strange -n 0 -f json --engine $library"))[1])->{rows}};
	is_deeply([ grep { !$seen{decode('UTF-8', $_)} } @strange ], [], 'strange names: each is as it was');
}

{
	my ($status, $text, $err) = import_rows(million_services(), "$dir/million");
	is("$status $err", '0 ', 'a million services: imported');
	($status, $text) = run("$fleet report wss $dir/million -n 0 -f csv --engine $library");
	my %max = $text =~ /^([^,]+),1,\d+,\S+?,(\S+?),/mg;
	is(scalar(grep { /^service/ } keys %max), 1000, 'the 1,000 largest are kept');
	is($max{'(others)'}, sprintf('%.3f', 999_000 * 999_001 / 2 / 256), 'the others are added up');
	ok(exists $max{database} && exists $max{idle}, "the other host's services are all there");
}

# Broken files, and folders that are none.
spew("$dir/broken/a/x.intervals.csv", "time,pages\n1,2\n");
($status, $text, $err) = import_rows("$dir/broken", "$dir/broken.store");
is($status, 1, 'other columns');
like($err, qr{\A.*broken/a/x.intervals.csv: not the columns of intervals, schema 1\n\z}, 'says which file');
for ([ 'mkdir', 'not a regular file' ], [ 'ln -s none', 'No such file or directory' ]) {
	my ($make, $why) = @$_;
	system("rm -rf $dir/odd; mkdir -p $dir/odd/a; $make $dir/odd/a/x.intervals.csv");
	($status, undef, $err) = import_rows("$dir/odd", "$dir/broken.store");
	is("$status $err", "1 memscope-fleet: $dir/odd/a/x.intervals.csv: $why\n", "$make: left out by name");
}
mkdir "$dir/empty";
for ([ "import $dir/none -o $dir/x", 1, qr/none: No such/ ], [ "import $dir/empty -o $dir/x", 1, qr/empty: no HOST/ ],
     [ "report wss $dir/empty", 1, qr/not a store/ ], [ "report wss $dir/none", 1, qr/none: No such/ ],
     [ "report nothing $dir/store", 2, qr/nothing: no such question/ ], [ "import $rows", 2, qr/-o STORE is missing/ ],
     [ "report wss $dir/store --engine $dir/none.so", 1, qr/--engine .*none.so/ ]) {
	my ($command, $want, $why) = @$_;
	$command .= " --engine $library" if $command !~ /--engine/;
	my ($status, $text, $err) = run("$fleet $command");
	is($status, $want, $command);
	like($err, $why, 'says why');
	ok(!-e "$dir/x", 'makes nothing');
}

# Of two imports at once, one adds its rows, and the other says so and changes nothing.
mkdir "$dir/shared";
($status, $text, $err) = run("flock $dir/shared $fleet import $dir/first -o $dir/shared --engine $library");
is("$status $text$err", "1 memscope-fleet: $dir/shared: another import writes there\n", 'two imports at once');
is_deeply([ glob "$dir/shared/*" ], [], 'adds nothing');
($status, $text, $err) = import_rows("$dir/first", "$dir/shared");
is("$status $err", '0 ', 'once the other has ended');

# The numbers of parts start again behind the largest: a name that is taken.
mkdir "$dir/taken";
spew("$dir/taken/services-$_.parquet", 'mine') for '000001', 2 ** 32 - 1;
($status, undef, $err) = import_rows("$dir/first", "$dir/taken");
is("$status $err", "1 memscope-fleet: $dir/taken/services-000001.parquet: File exists\n", 'a part whose name is taken');
is(slurp("$dir/taken/services-000001.parquet"), 'mine', 'keeps what was there');
is_deeply([ glob "$dir/taken/{.[!.],}*" ], [ map { "$dir/taken/services-$_.parquet" } '000001', 2 ** 32 - 1 ],
	  'and none of the parts is there');

# A store that cannot be written has nothing of it.
spew("$dir/file", '');
($status, $text, $err) = import_rows("$rows", "$dir/file");
is($status, 1, 'a file for a store');
done_testing;
