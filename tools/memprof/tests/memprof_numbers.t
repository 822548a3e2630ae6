#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Numbers of views that would mislead: of a source without levels, of a part of a recording, of
# one that is read on another machine.
use strict;
use warnings;
use FindBin;
use JSON::PP;
use lib "$FindBin::RealBin/../../tests";
use Test::More;
use Tool;

my $memprof = "$build/bin/memprof";
my $plots = "$FindBin::RealBin/../../../plots";
my ($data, $gen) = ("$dir/objects.data", "$dir/gen.data");

sub rows {
	my ($status, $out) = run("$memprof @_ -f json 2>$dir/err");
	return decode_json($out)->{rows};
}

sub summary {
	return { map { $_->{what} => $_->{value} } @{rows('report', 'summary', @_)} };
}

open my $f, '>', "$dir/table.c" or die;
print $f <<'END';
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(void)
{
	char rest[8], *table = malloc(20000);
	printf("%lx 20000\nend\n", (long)table);
	fflush(stdout);
	return read(0, rest, sizeof(rest)) < 0;
}
END
close $f;
is(system('gcc', '-g', '-o', "$dir/table", "$dir/table.c"), 0, 'a program');
{
	local $ENV{OBJECTS_PRELOAD} = "$build/lib/libmemprof-preload.so";
	is(system("$build/tools/tests/memprof_objects", $data, "$dir/table"), 0, 'its objects, without levels');
}
is(system("$build/tools/tests/memprof_gen", $gen, 6000, 6000, 4, 500, 1), 0, 'a minute, with levels');

my ($object) = @{rows('report', 'objects', $data)};
ok(!defined $object->{l1_misses_pct}, 'misses of the L1 are not known without levels');
is((rows('report', 'objects', $gen))->[0]{l1_misses_pct}, 100, 'and are with levels');

is_deeply(rows('diagnose', '--levels', $data), [], '--levels has no rows without levels');
like(slurp("$dir/err"), qr/source of the samples \(swmem\) does not report where/, 'and the reason');

is($object->{site}, (rows('report', 'flow', $data))->[0]{site}, 'flow and objects name a site alike');

is(summary($data)->{'files not found, of which names are missing'}, 0, 'no file is missing here');
cmp_ok(summary($data, '--symfs', '/nowhere')->{'files not found, of which names are missing'}, '>=', 4,
       'on another machine, those that are missing are counted');

my ($all, @parts) = (summary($gen), summary($gen, '--until', '20s'), summary($gen, '--from', '20s'));
for my $what ('samples of memory accesses', 'events of objects', 'allocations', 'frees', 'accesses') {
	is($parts[0]{$what} + $parts[1]{$what}, $all->{$what}, "parts add up: $what");
	cmp_ok($parts[$_]{$what}, '>', $all->{$what} / 5, 'each has its own') for 0, 1;
}
is(sprintf('%.0f', $parts[0]{duration}), 20, 'duration of the first part');
is(sprintf('%.0f', $parts[1]{duration}), 40, 'and of the other');
is(summary($gen, '--pid', 7)->{'samples of memory accesses'}, 0, 'no samples of a process that is not there');
is(summary($gen, @$_)->{'samples of memory accesses'}, $all->{'samples of memory accesses'}, "... but of those beside it: @$_")
	for [ '--pid', '7,100' ], [ '--pid', 7, '--pid', 100 ];

for my $until (qw(0 0.1ns)) {
	my ($status, undef, $err) = run("$memprof report summary $gen --until $until");
	is("$status $err", "2 memprof: --until $until: not a time above 0; see memprof report --help\n", "--until $until is not taken for no limit");
}
{
	my ($status, undef, $err) = run("$memprof report summary $gen --wrapper \@$dir");
	is($status, 2, '--wrapper of a directory is refused');
	like($err, qr/--wrapper \@\Q$dir\E: Is a directory/, '... and why');
}
my $local = "$dir/local.data";
is(system("$build/tools/tests/memprof_gen", '--local', $local, 2000, 500, 4, 20, 1), 0, 'no access is remote');
{
	my ($status, undef, $err) = run("$memprof plot objects $local -o $dir/objects.png");
	is("$status $err", '0 ', 'its objects can be drawn');
}

# gnuplot warns of a range or an image without an extent.
is(system("$build/tools/tests/memprof_gen", '--local', "$dir/one.data", 1, 0, 1, 1, 1), 0, 'one sample');
{
	my ($status, undef, $err) = run("$memprof html $dir/one.data -o $dir/one.html");
	is("$status $err", '0 ', 'a page without a warning');
}
for ([ 'flow', "time_s,thread,node,access,remote\n0.1,1,0,read,0\n0.2,1,0,read,0\n", 'reads of one thread' ],
     [ 'nodes', "from_node,to_node,share_pct\n0,0,100.00\n", 'one node' ]) {
	my ($view, $csv, $what) = @$_;
	spew("$dir/one.csv", $csv);
	my ($status, undef, $err) = run("gnuplot -e \"plots='$plots'; csv='$dir/one.csv'; out='$dir/one.svg'\" " .
					"$plots/memprof-$view.gp");
	is("$status $err", '0 ', "$view: $what, without a warning");
}

{
	my ($status, undef, $err) = run("TMPDIR=$dir/none $memprof html $local -o $dir/page.html");
	is($status, 1, 'a page without a place for its pictures');
	like($err, qr{\Q$dir\E/none/memprof-html\.\w+: No such file}, '... fails, and says where');
}

is_deeply([ run("$memprof diagnose $gen --pid 7") ], [ 1, '', "memprof: no access matches --pid 7\n" ], 'diagnose gives no share of nothing');

# --- options that only some views have ---------------------------------------------

my %for = (object => ['flow'], thread => ['flow'], site => ['objects'], instances => ['objects'],
	   top => [qw(objects threads flow lines)], all => [qw(flow nodes lines)], wrapper => [qw(objects flow lines)]);
my %example = (object => '--object 1', thread => '--thread 1', site => '--site f', instances => '--instances', top => '-n 1',
	       all => '--all', wrapper => '--wrapper f');
my %views = (report => [qw(summary objects threads flow nodes lines)], plot => [qw(objects flow nodes)]);
for my $verb (sort keys %views) {
	my $help = (run("$memprof $verb --help"))[1];
	for my $option (sort keys %for) {
		my @of = grep { my $v = $_; grep { $_ eq $v } @{$views{$verb}} } @{$for{$option}};
		my ($said) = $help =~ /^ +(?:-\w, )?--$option\b *[A-Z|@]*\n? +([a-z, ]+):/m;
		is($said, join(', ', @of), "$verb --help says which views --$option is for");
		for my $view (@{$views{$verb}}) {
			next if grep { $_ eq $view } @of;
			my ($status, $out, $err) = run("$memprof $verb $view $gen -o $dir/refused.svg $example{$option}");
			my $only = join(', ', @of) =~ s/(.*), /$1 and /r;
			is("$status$out$err", "2memprof: --$option: not for the view $view, only for $only; see memprof $verb --help\n",
			   "$verb $view $example{$option} is refused");
			ok(!-e "$dir/refused.svg", '... and nothing is written');
		}
	}
}
for my $view (@{$views{report}}) {
	my $plain = (run("$memprof report $view $gen -f csv"))[1];
	for my $option (qw(top instances)) {
		next if $view eq 'lines' || !grep { $_ eq $view } @{$for{$option}};
		my ($status, $out) = run("$memprof report $view $gen -f csv $example{$option}");
		is($status, 0, "report $view --$option");
		isnt($out, $plain, '... has an effect');
	}
}
for (['report flow', '--object 1 --thread 1', '--object and --thread: give one of them; see memprof report --help'],
     ['diagnose', '--levels --latency', '--levels and --latency: give one of them; see memprof diagnose --help'],
     ['diagnose', '--levels --local', '--local: not for --levels; see memprof diagnose --help'],
     (map { ['diagnose', $example{$_}, "--$_: no such option; see memprof diagnose --help"] } qw(object thread instances))) {
	my ($verb, $options, $says) = @$_;
	my ($status, $out, $err) = run("$memprof $verb $gen $options");
	is("$status$out$err", "2memprof: $says\n", "$verb $options is refused");
}

# --- options that match nothing -----------------------------------------------------

my %nothing = ('--site no_such_function' => ['objects'], '--pid 7' => $views{report}, '--tid 7' => ['threads'], '--tid 7,8' => ['threads'],
	       '--from 100' => ['nodes', 'lines'], '--pid 100 --site no_such_function' => ['objects'],
	       '--until 0.0005 --thread 1' => ['flow'], '--until 0.0005 --object 1' => ['flow'],
	       '--thread 99999' => ['flow'], '--object 99999' => ['flow']);
for my $options (sort keys %nothing) {
	for my $view (@{$nothing{$options}}) {
		my ($status, $out, $err) = run("$memprof report $view $gen $options -f json");
		my $there = $options =~ /^--(\w+) 99999/ ? qr/: there are \d+ $1s/ : '';
		is($status, 1, "report $view $options: status 1");
		like($err, qr/^memprof: no access matches $options$there\n\z/, '... what matches nothing, in a line');
		my $rows = decode_json($out)->{rows};
		is_deeply($rows, [], '... no rows') if $view !~ /summary|nodes/;
		next if !grep { $_ eq $view } @{$views{plot}};
		($status, $out, $err) = run("$memprof plot $view $gen $options -o $dir/nothing.svg");
		is("$status$out", '1', "plot $view $options: status 1");
		like($err, qr/^memprof: no access matches $options$there\n\z/, '... says why');
		is(join(' ', glob("$dir/nothing*")), '', '... and leaves no picture');
	}
}
my ($header) = (run("$memprof report objects $gen -f csv"))[1] =~ /^(.*\n)/;
is((run("$memprof report objects $gen --site no_such_function -f csv"))[1], $header, 'CSV has its header');
is((run("$memprof report objects $gen --site no_such_function -o $dir/nothing.csv -f csv"))[0], 1, 'to a file, too');
ok(!-e "$dir/nothing.csv", '... which is not made');
spew("$dir/nothing.csv", "old\n");
for my $options ('objects --site no_such_function', 'objects --pid 7', 'flow --object 99999') {
	is((run("$memprof report $options $gen -o $dir/nothing.csv -f csv"))[0], 1, "report $options -o: status 1");
	is(slurp("$dir/nothing.csv"), "old\n", '... and an older file stays');
}

# Not of the type of an object, nor of its number.
for ('--site dynamic', '--instances --site 1') {
	my ($status, $out, $err) = run("$memprof report objects $gen $_ -f csv");
	is("$status$out", "1$header", "report objects $_: status 1, no rows") or diag $err;
}
for my $options ('--pid 7', '--tid 7,8', '--site no_such_function', '--until 0.0005 --thread 1') {
	spew("$dir/page.html", "old\n");
	is_deeply([ run("$memprof html $gen -o $dir/page.html --no-plots $options") ], [ 1, '', "memprof: no access matches $options\n" ],
		  "html $options: status 1");
	is(slurp("$dir/page.html"), "old\n", '... and an older page stays');
	next if $options =~ /site|thread/;
	is_deeply([ run("$memprof diff $gen $gen $options -o $dir/nothing.csv -f csv") ], [ 1, '', "memprof: no access matches $options\n" ],
		  "diff $options: status 1");
	is(slurp("$dir/nothing.csv"), "old\n", '... and an older file stays');
}

my $cached = spew("$dir/cached.csv", "time,cpu,cpu_node,node,tid,address,latency,level,op\n10,0,0,0,7,0x1000,4,L1,load\n");
is((run("$memprof import $cached -o $dir/cached.data"))[0], 0, 'accesses that caches answered');
is((run("$memprof report flow --thread 1 $dir/cached.data"))[2],
   "memprof: no access of main memory matches --thread 1: --all shows those that caches answered\n", '... are no flow without --all');
is((run("$memprof report flow --thread 1 --all $dir/cached.data"))[0], 0, '... and are with it');

# Other systems have larger numbers of threads than Linux.
my $large = spew("$dir/large.csv", "time,cpu,cpu_node,node,tid,address,latency,level,op\n10,0,0,0,5000000,0x1000,4,RAM,load\n");
is((run("$memprof import $large -o $dir/large.data"))[0], 0, 'a thread with a large number');
like((run("$memprof report threads --tid 5000000 $dir/large.data -f csv"))[1], qr/\b5000000\b/, '... can be chosen');

my $empty = "$dir/empty.data";
is(system("$build/tools/tests/memprof_gen", $empty, 0, 60, 4, 5, 1), 0, 'a recording without samples');
for my $options ('--pid 7', '--site f', '') {
	my ($status, $out, $err) = run("$memprof report objects $empty $options -f csv");
	is("$status$out$err", "0$header", "... is no failure: $options");
}
is((run("$memprof diagnose $empty"))[0], 0, 'nor is that a diagnosis has nothing to go by');

ok(read_under_sanitizers(), 'no report of the sanitizers');
done_testing();
