#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# What perf recorded, read by dprof: made-up files of which all is known, native, from a pipe
# and compressed; recordings of real machines, where MEMSCOPE_REALDATA has them.
use strict;
use warnings;
no warnings 'portable';
use FindBin;
use JSON::PP;
use lib "$FindBin::RealBin/../../tests";
use Test::More;
use Tool;

my $dprof = "$build/bin/dprof";
my ($gen) = grep { -x } map { "$build/$_/tests/perf_gen" } qw(tools ../tools);
my ($kinds) = grep { -x } map { "$build/$_/tests/dprof_perf_gen" } qw(tools ../tools);
$ENV{HOME} = $dir;	# perf's settings, and its cache

sub rows {
	my ($command) = @_;
	my ($status, $text, $err) = run("$dprof $command -f json");
	is($status, 0, $command =~ s/\Q$dir\E\///gr) or diag $err;
	return map { my $row = $_; $_ //= '-' for values %$row; $row } @{(eval { decode_json($text)->{rows} }) // []};
}

sub of { my ($columns, @rows) = @_; return [ map { my $r = $_; join ' ', map { $r->{$_} } split ' ', $columns } @rows ] }

# --- Arm SPE: an operation has a sample of each event that it is of ---

for my $kind (qw(spe spe-pipe spe-misses)) {
	my $file = "$dir/$kind.data";
	is(system($gen, $file, $kind), 0, "$kind: a file");
	is_deeply([ sort @{of('level samples loads stores latency_cycles', rows("report levels $file"))} ],
		  [ 'peer 200 200 0 245', 'unknown 100 0 100 9' ], "$kind: each operation once, peers' caches among them");
	is_deeply(of('line samples loads stores cpus offsets sharing peer hitm', (rows("report sharing $file"))[0]),
		  [ '0x600080 200 100 100 2 0,32 false 100 0' ], "$kind: the line that two cores share");
}

# --- threads that share a line, and an array on another node ---

for my $kind (qw(native pipe zstd zstd2)) {
	my $file = "$dir/$kind.data";
	is(system($gen, $file, $kind), 0, "$kind: a file");
	is_deeply(of('type class samples misses_l3 peer latency_cycles bounce', rows("report profile $file")),
		  [ 'prog:[anon] user 200 200 0 200 no', 'prog:[heap] user 200 200 200 300 yes' ],
		  "$kind: mappings stand for types");
	is_deeply(of('line physical type line_offset_bytes samples loads stores cpus offsets sharing peer hitm latency_cycles',
		     rows("report sharing $file")),
		  [ '0x600080 0x1000 prog:[heap] 128 200 0 200 2 0,32 false 200 200 300' ], "$kind: the shared line");
	is_deeply(of('function dso samples loads stores peer latency_cycles type', rows("report code $file")),
		  [ '0x10 prog 200 0 200 200 300 prog:[heap]', '0x20 prog 200 200 0 0 200 prog:[anon]' ], "$kind: code");
	is_deeply(of('level samples loads stores latency_cycles latency_pct', rows("report levels $file")),
		  [ 'peer 200 0 200 300 60', 'dram 200 200 0 200 40' ], "$kind: levels");
	is_deeply(of('cpu node samples peer hitm latency_cycles', rows("report cpus $file")),
		  [ '0 0 300 100 100 233.3', '1 1 100 100 100 300' ], "$kind: CPUs");
	is_deeply(of('cpu_node memory_node samples loads stores', rows("report nodes $file")),
		  [ '0 0 100 0 100', '0 1 200 200 0', '1 0 100 0 100' ], "$kind: nodes");
	my @lines = rows("report lines $file --top 0");
	is(scalar(@lines), 201, "$kind: all lines");
	is_deeply(of('type class true_pct false_pct', grep { $_->{type} =~ /heap/ } rows("report classify $file")),
		  [ 'prog:[heap] false_sharing 0 100' ], "$kind: why it misses");
	rows("report workingset $file");
	rows("report assoc-sets $file");
	is_deeply(of('type misses_pct_before misses_pct_after latency_ratio footprint_ratio', rows("diff $file $file")),
		  [ 'prog:[anon] 50 50 1 -', 'prog:[heap] 50 50 1 -' ], "$kind: diff");
	is((run("$dprof script --symbols $file -o $dir/$kind.txt"))[0], 0, "$kind: as text");
	is((run("$dprof report $_ $dir/$kind.txt"))[1], (run("$dprof report $_ $file"))[1], "$kind: of which $_ is the same")
		for qw(profile sharing code cpus nodes);
	if ($kind ne 'native') {
		is(slurp("$dir/$kind.txt"), slurp("$dir/native.txt"), "$kind: the same samples");
	}
}

# --- what is missing is named, in one line ---

my $native = "$dir/native.data";
my $types = 'no types of objects \(variables, mappings and regions stand for them\)';
for ([ 'profile', "$types, no events of allocations" ], [ 'classify', "$types, no histories of objects" ],
     [ 'workingset', "$types, no events of allocations, no histories of objects" ], [ 'sharing', $types ]) {
	my ($view, $missing) = @$_;
	my ($status, $text, $err) = run("$dprof report $view $native");
	is($status, 0, "$view: columns that are there are shown");
	like($err, qr/^dprof: \Q$native\E: perf recorded $missing\n\z/, "$view: what is missing is named");
}
is((run("$dprof report $_ $native"))[2], '', "$_: nothing is missing") for qw(levels cpus nodes);
for my $view (qw(paths dataflow)) {
	my ($status, $text, $err) = run("$dprof report $view $native");
	is("$status $text", '1 ', "$view: nothing remains");
	is($err, "dprof: $native: perf records no histories of objects (dprof record --history does)\n", 'which is said');
}
is_deeply([ run("$dprof plot sharing $native -o $dir/sharing.png") ], [ 1, '',
	"dprof: $native: no plot of sharing without types of objects: see dprof report sharing\n" ], 'no plot of lines without types');
is_deeply([ glob "$dir/sharing*" ], [], 'nor a file of it');
for ('--level l3', '--cache 4K:1', '--per-sample 7', '--seed 2') {
	my ($option) = /^(\S+)/;
	is_deeply([ run("$dprof report sharing $native $_") ], [ 2, '',
		"dprof: $option: not for the view sharing of perf.data; see dprof report --help\n" ], "nor lines of misses: $_");
}
is(join(',', map { $_->{column} } rows("report sharing $native --explain")),
   (split /\n/, (run("$dprof report sharing $native -f csv"))[1])[0], '--explain has the columns of lines');
my ($status, $text, $err) = run("$dprof plot dataflow $native -o $dir/x.png");
is($status, 1, 'no plot of histories');
ok(!-e "$dir/x.png", '... and no picture');
($status, $text, $err) = run("$dprof export $native --to perf -o $dir/x.data");
is("$status $err", "1 dprof: $native: is perf.data already\n", 'export: nothing to do');
SKIP: {
	skip('no gnuplot', 1) if system('gnuplot --version >/dev/null 2>&1');
	($status, $text, $err) = run("$dprof plot assoc-sets $native -o $dir/sets.png");
	ok($status == 0 && -s "$dir/sets.png", 'a plot') or diag $err;
}

# PERF_RECORD_LOST: 7 events.
spew("$dir/lost.data", slurp("$dir/pipe.data") . pack 'L S S Q Q x32', 2, 0, 56, 1, 7);
($status, $text, $err) = run("$dprof script $dir/lost.data");
is("$status $err", "0 dprof: $dir/lost.data: 7 events were lost while recording\n", 'script says that events were lost');

# The number of a file is of the recording that has it, so code of two would be confused.
run("$dprof script $native -o $dir/native.txt");
for my $file ($native, "$dir/native.txt") {
	($status, $text, $err) = run("$dprof merge $file $file -o $dir/not.txt");
	like("$status$text$err", qr/\A1dprof: \Q$file\E: recorded by perf: cannot be merged\n/, 'merge refuses what perf recorded');
	ok(!-e "$dir/not.txt", '... and writes nothing');
}

# --- memory of each kind ---

my $file = "$dir/kinds.data";
is(system($kinds, $file), 0, 'a file with memory of each kind');
my %type = map { $_->{type} => $_ } rows("report profile $file");
is(join(' ', map { "$_=$type{$_}{samples}" } sort keys %type),
   'direct_map=5 dprof_perf_gen:planted_data=4 dprof_perf_gen:planted_zero=4 module:netmod=5 next:[not_mapped]=1 ' .
   'prog:[heap]=20 queue=20 static=5 vmalloc_or_vmemmap=5', 'variables, mappings, regions of the kernel');
is($type{'dprof_perf_gen:planted_data'}{size_bytes}, 64, 'a variable of .data has its size');
is($type{'dprof_perf_gen:planted_zero'}{size_bytes}, 131072, 'and one of .bss, behind what the file has');
is_deeply(of('line cpus offsets sharing loads stores hitm', grep { $_->{type} eq 'queue' } rows("report sharing $file")),
	  [ '0x10000080 2 0 true 10 10 10' ], 'memory that two processes have at two addresses is one line');
is_deeply(of('line cpus stores', grep { $_->{type} eq 'prog:[heap]' } rows("report lines $file --top 0")),
	  [ '0x600040 1 10', '0x600040 1 10' ], 'the same address of two processes is two lines');
my %code = map { ("$_->{dso}:$_->{function}" => $_->{samples}) } rows("report code $file");
is(join(' ', map { "$_=$code{$_}" } sort keys %code),
   '[kernel]:0xffffffff81001004=10 [unknown]:0x400010=1 dprof_perf_gen:own_variables=4 dprof_perf_gen:processes=4 ' .
   'netmod:0xffffffffc0000010=10 prog:0x10=20 prog:0x20=10 prog:0x30=10', 'functions, and their files');

# The kernel was elsewhere when the symbols were copied.
sub kallsyms {
	my ($by) = @_;
	return join '', map { sprintf "%x %s %s\n", $_->[0] + $by, $_->[1], $_->[2] }
		[ 0xffffffff81000000, 'T', '_text' ], [ 0xffffffff81001000, 't', 'do_it' ], [ 0xffffffff81002000, 't', 'other' ],
		[ 0xffffffff82000040, 'D', 'counters' ], [ 0xffffffff82000080, 'D', 'behind' ], [ 0xffffffff83000000, 'B', '_end' ];
}
my $module = "ffffffffc0000000 t mod_func\t[netmod]\nffffffffc0002000 d mod_data\t[netmod]\n";
for ([ 0, ' mod_data=5' ], [ 0x5000000, '' ]) {
	my ($by, $data) = @$_;
	my $symbols = spew("$dir/kallsyms", kallsyms($by) . $module);
	my %type = map { $_->{type} => $_->{samples} } rows("report profile $file --kallsyms $symbols");
	is($type{counters}, 5, 'a variable of the kernel');
	is($type{mod_data} // '-', $by ? '-' : 5, $by ? 'modules are elsewhere, too' : 'one of a module');
	my %code = map { ("$_->{dso}:$_->{function}" => $_->{samples}) } rows("report code $file --kallsyms $symbols");
	is($code{'[kernel]:do_it'}, 10, 'a function of the kernel');
	is($code{'netmod:mod_func'} // '-', $by ? '-' : 10, '... and of a module');
}
($status, $text, $err) = run("$dprof report profile $file --kallsyms $dir/none");
is($status, 1, 'symbols that are not there');
like($err, qr/^dprof: \Q$dir\E\/none: No such file or directory$/m, '... which is said');
spew("$dir/zeros", "0000000000000000 T _text\n0000000000000000 T _end\n");
($status, $text, $err) = run("$dprof report profile $file --kallsyms $dir/zeros");
is($status, 1, 'symbols without addresses');
like($err, qr/zeros: not a \/proc\/kallsyms with addresses/, '... which is said');

# --- damaged ---

my $bytes = slurp($native);
spew("$dir/cut.data", substr($bytes, 0, 8000));
($status, $text, $err) = run("$dprof report profile $dir/cut.data");
is($status, 1, 'a file that is cut off is an error');
like($err, qr/^dprof: \Q$dir\E\/cut.data: truncated .* at 0x28$/, 'which says where');
my $at = index($bytes, pack('LSS', 9, 2, 88), 20000);
substr($bytes, $at + 6, 2, pack('S', 3));
spew("$dir/broken.data", $bytes);
($status, $text, $err) = run("$dprof report profile $dir/broken.data");
is($status, 1, 'a damaged record is an error');
like($err, qr/damaged record \(of 3 bytes\) at 0x[0-9a-f]+; \d+ samples read/, 'which says where, and how much was read');
like($text, qr/prog:\[heap\]/, 'what could be read is shown');

# --- real machines ---

my $folder = $ENV{MEMSCOPE_REALDATA} // "$FindBin::RealBin/../../../../shared/realdata";
SKIP: {
	my @files = glob "$folder/*perf.data*";
	skip("no recordings of real machines in $folder", 1) if !@files;
	for my $file (@files) {
		my ($name) = $file =~ /([^\/]+)$/;
		my ($status, $text, $err) = run("$dprof report profile $file");
		if ($name !~ /weight/) {
			is($status, 1, "$name: refused");
			like($err, qr/^dprof: .*: its samples have no addresses of data \(perf mem record .*\)\n\z/, 'with a sentence');
			next;
		}
		my ($count) = ((run("perf script -i $file -F addr,ip 2>/dev/null | wc -l"))[1] // '') =~ /(\d+)/;
		my @rows = rows("report code $file");
		my $sum = 0;
		$sum += $_->{samples} for @rows;
		is($sum, $count, "$name: each sample is counted") if $count;
		is_deeply([ grep { $_->{latency_cycles} eq '-' } @rows ], [], "$name: all have a latency");
		my $lines = 0;
		$lines += $_->{samples} for rows("report lines $file --top 0");
		is($lines, $sum, "$name: each is of a line");
		ok(read_under_sanitizers($folder), "$name: read under sanitizers");
	}
}
ok(read_under_sanitizers(), 'the recordings read under sanitizers');
done_testing();
