#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Each column of each table has a meaning: --explain prints those of the columns that the same
# command prints of a recording, and docs/reference/columns.md has them.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use JSON::PP;
use Test::More;
use Tool;

my $bin = "$build/bin";

# --- where columns are defined ----------------------------------------------------

# Also those of tables that need a kernel of ours to be printed.
my $defined = 0;
for my $file (split /\n/, `cd $tools && ls */*.c */*/*.c */view/*.h`) {
	next if $file =~ m{/tests/|^made/};
	my $text = slurp("$tools/$file");
	while ($text =~ /\{ "([\w\[\]]+)", CELL_(?:INT|REAL|TEXT)([^}]*)\}/g) {
		my ($column, $rest) = ($1, $2);
		$defined++;
		like($rest, qr/^, (?:\d+|SIGNIFICANT\(\d+\)), "[^"]*",\s+"[^"]{3}/, "$file: $column has a unit and a meaning");
	}
}
cmp_ok($defined, '>', 300, 'columns are found');

# --- what --explain prints --------------------------------------------------------

my %columns;	# of a command, by name
for my $command (split /\n/, (run("$tools/columns.pl $bin tables"))[1]) {
	my ($status, $text, $err) = run("$bin/$command --explain -f json");
	is("$status$err", '0', "$command --explain") or next;
	my @rows = @{decode_json($text)->{rows}};
	cmp_ok(scalar @rows, '>', 1, 'has columns');
	is_deeply([ grep { length($_->{meaning}) < 3 } @rows ], [], 'with meanings');
	$columns{$command} = [ map { $_->{column} } @rows ];
	# For people, a column begins a line.
	($status, $text) = run("$bin/$command --explain");
	is_deeply([ $text =~ /^(\S+)/mg ], $columns{$command}, 'the same as text');
	unlike($text, qr/.{81}/, 'no line is wider than a screen');
}
cmp_ok(scalar keys %columns, '>', 40, 'tables have columns');
my ($status, undef, $err) = run("$bin/memref report --explain");
is($status, 2, 'a view must be named');
like($err, qr/VIEW is missing/, 'and it is said');

# --- what is printed --------------------------------------------------------------

# A recording of each kind, of which the tables can be made.
my ($gen) = grep { -d } map { "$build/$_/tests" } qw(tools ../tools);
my %recording = (memref => "$dir/refs.dat", dprof => "$dir/types.txt", memprof => "$dir/objects.data", raw => "$dir/raw.csv");
is(system("$gen/memref_gen $recording{memref}"), 0, 'a recording of memref');
is(system("$gen/memref_ages_gen $dir/ages.dat"), 0, 'a recording of idle ages');
is(system("$gen/trace_gen memref 7z $dir/virtual.dat 4"), 0, 'a recording of virtual memory, on two nodes');
is(system("$gen/memprof_gen $recording{memprof} 5000 5000 4 50 1"), 0, 'a recording of memprof');
is(system("$gen/bench_gen n=10 m=14 >$recording{raw}"), 0, 'results of a benchmark');
spew($recording{dprof}, <<'END');
# dprof events 1
host testbox
symbol ffffffff81000000 t alloc_foo
symbol ffffffff81001000 t fill
symbol ffffffff81002000 t drop_foo
symbol ffffffff81003000 t end_of_text
1000000000 0 1 dprof_type id=20 class=1 size=128 cache=foo_cache func=alloc_foo file=net/foo.c line=12
END
my %arguments = (
	'memref diff' => "$recording{memref} $recording{memref}", 'memprof diff' => "$recording{memprof} $recording{memprof}",
	'memref size' => "$dir/ages.dat -G web", (map { ("memref $_" => "$dir/ages.dat") } 'report ages', 'report curve'),
	map { ("memref report $_" => "$dir/virtual.dat") } qw(numa virtual mappings mapping-times)
);

sub printed {
	my ($command, $of) = @_;
	# By its own account of time: that of a run of true differs by more than a limit may cost.
	$command =~ s/COMMAND/'echo 1'/;
	my ($status, $text, $err) = run("$bin/$command $of -f csv");
	return $status ? undef : [ split /,/, (split /\n/, $text)[0] ];
}

# docs/reference/stability.md: what JSON is.
sub json_of {
	my ($command) = @_;
	my $json = eval { decode_json((run("$bin/$command -f json"))[1]) } // {};
	is($json->{schema_version}, 1, "JSON of $command has its version");
	return $json;
}

my $compared = 0;
for my $command (sort keys %columns) {
	my ($tool, $verb) = split / /, $command;
	# memscope-fleet needs an engine: see fleet.t.
	next if $tool =~ /^(?:pagealloc|dprof|memscope|memscope-fleet)$/;
	my $of = $arguments{$command =~ s/ --.*//r} // ($tool eq 'memscope-caps' ? '' : $recording{$tool});
	my $has = printed($command, $of);
	next if !$has && $command eq 'memscope-caps';
	is_deeply($has, $columns{$command}, "$command prints the columns that it explains");
	is(ref json_of("$command $of" =~ s/COMMAND/'echo 1'/r)->{rows}, 'ARRAY', 'and rows');
	$compared++;
}
cmp_ok($compared, '>=', 16, 'tables are compared');

# Of memscope, doctor has status 1 where a tool does not work.
my %memscope = (doctor => '', diagnose => $recording{memref}, why => "77 $recording{memref}");
for my $verb (sort keys %memscope) {
	my ($first) = (run("$bin/memscope $verb $memscope{$verb} -f csv"))[1] =~ /^(.*)/;
	is($first, join(',', @{$columns{"memscope $verb"} // []}), "memscope $verb prints the columns that it explains");
}

# Views without rows have columns, too.
my @dprof = grep { /^dprof report/ } sort keys %columns;
is_deeply(printed($_, $recording{dprof}) // $columns{$_}, $columns{$_}, $_) for @dprof;

# Of bench report, words in capital letters stand for what the data have.
my @patterns = map { s/\[_UNIT\]/(?:_\\w+)?/r =~ s/METRIC/[\\w.]+/r =~ s/_N\b|_N_/my $m = $&; $m =~ s|N|[\\d.]+|r/er }
	@{$columns{'pagealloc bench report'}};
my ($failed, $tables) = run("$bin/pagealloc bench report --replicates 199 --group-pairs 100 --view all -f csv $recording{raw}");
is($failed, 0, 'tables of results');
my %seen = map { $_ => 1 } map { split /,/ } grep { /^(benchmark|statistic|measurements|boot),/ } split /\n/, $tables;
cmp_ok(scalar keys %seen, '>', 30, 'columns of results');
for my $name (sort keys %seen) {
	ok((grep { $name =~ /^$_$/ } @patterns), "pagealloc bench report explains $name");
}

# Its JSON is an object of tables.
my $report = json_of("pagealloc bench report --replicates 199 --group-pairs 100 --view all $recording{raw}");
is(ref delete $report->{about}, 'ARRAY', 'with what it is about');
delete $report->{schema_version};
cmp_ok(scalar keys %$report, '>', 5, 'and tables');
is_deeply([ grep { ref $report->{$_}{rows} ne 'ARRAY' } sort keys %$report ], [], 'each of which has rows');

# --- the page ---------------------------------------------------------------------

($status, undef, $err) = run("$tools/columns.pl --check $bin $tools/../docs/reference/columns.md");
is("$status$err", '0', 'docs/reference/columns.md is up to date');

done_testing();
