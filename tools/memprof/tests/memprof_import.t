#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# What perf recorded, and comma-separated samples: read by memprof's views; LULESH's samples
# (of MemAxes, where MEMSCOPE_REALDATA has them) as an independent count has them.
use strict;
use warnings;
use FindBin;
use JSON::PP;
use lib "$FindBin::RealBin/../../tests";
use Test::More;
use Tool;

my $memprof = "$build/bin/memprof";
my ($gen) = grep { -x } map { "$build/$_/tests/perf_gen" } qw(tools ../tools);

# rows COMMAND: of a table, by column; numbers as they are, however many digits they have.
sub rows {
	my ($command) = @_;
	my ($status, $text) = run("$memprof $command --format json");
	is($status, 0, $command =~ s/\Q$dir\E\///gr);
	my $rows = eval { decode_json($text)->{rows} } // [];
	for my $row (@$rows) {
		$_ = !defined $_ ? '' : /^[\d.]+$/ ? 0 + $_ : $_ for values %$row;
	}
	return @$rows;
}

# --- perf.data ---

for my $kind (qw(native pipe zstd zstd2 offline)) {
	my $file = "$dir/$kind.data";
	is(system($gen, $file, $kind), 0, "$kind: a file");
	my ($status, $text, $notes) = run("$memprof report summary $file");
	is($status, 0, "$kind: read");
	like($notes, qr/^memprof: \Q$file\E: no events of allocations: objects are variables, files and mappings$/,
	     "$kind: what is missing is named, and nothing else");
	my %objects = map { $_->{site} => $_ } rows("report objects $file");
	is(join(' ', sort keys %objects), '[anon] [heap]', "$kind: mappings are the objects");
	is("$objects{'[heap]'}{accesses} $objects{'[heap]'}{threads} $objects{'[anon]'}{accesses}", '200 2 200',
	   "$kind: their accesses");
	is("$objects{'[anon]'}{remote_pct} $objects{'[anon]'}{on_nodes}", '100 1',
	   "$kind: the node of the memory is that of its physical address");
	my ($line, @more) = rows("report lines $file");
	is(join(' ', @$line{qw(line accesses writes sharing threads cpus nodes hitm latency_cycles offset site)}),
	   '0x600080 200 200 false 2 2 2 200 300 128 [heap]', "$kind: a line that is shared falsely");
	is(@more, 0, "$kind: no other line is of two threads");
	my ($first) = rows("diagnose --latency $file");
	is(join(' ', @$first{qw(latency_share_pct accesses mean_cycles site)}), '60 200 300 [heap]',
	   "$kind: most of the latency");
	my %summary = map { $_->{what} => $_->{value} } rows("report summary $file");
	is($summary{'instructions sampled that access no memory'}, 2, "$kind: samples without an access are counted");
	is((run("$memprof import $file -o $dir/made.data"))[0], 0, "$kind: memprof import makes a recording");
	is_deeply([ rows("report objects $dir/made.data") ], [ rows("report objects $file") ],
	   "$kind: which has the same in it");
}

my $native = slurp("$dir/native.data");
spew("$dir/cut.data", substr($native, 0, 8000));
my ($status, $text, $err) = run("$memprof report summary $dir/cut.data");
is($status, 1, 'a file that is cut off is an error');
like($err, qr/^memprof: \Q$dir\E\/cut.data: truncated .* at 0x28$/, 'which says where');
my $broken = $native;
substr($broken, length($native) - 4096, 2, "\xff\xff");
# The size of a record in the middle of the data.
my $at = index($broken, pack('LSS', 9, 2, 88), 20000);
substr($broken, $at + 6, 2, pack('S', 3));
spew("$dir/broken.data", $broken);
($status, $text, $err) = run("$memprof report summary $dir/broken.data");
is($status, 1, 'a damaged record is an error');
like($err, qr/damaged record \(of 3 bytes\) at 0x[0-9a-f]+; \d+ samples read/, 'which says where, and how much was read');
like($text, qr/samples of memory accesses +\d\d/, 'what could be read is shown');

# Options that say what the columns are have no effect on perf.data.
for ('--column time=t', '--hex address', '--pebs', '--time-unit ms', '--element 16') {
	my ($option) = /^(\S+)/;
	is_deeply([ run("$memprof import $dir/native.data -o $dir/no.data $_") ], [ 2, '',
		"memprof: $option: for comma-separated samples, not for perf.data as $dir/native.data; see memprof import --help\n" ],
		  "$option is not for perf.data");
}
ok(!-e "$dir/no.data", 'and nothing is imported then');

# Arm SPE: an operation has a sample of each event that it is of.
for my $kind (qw(spe spe-pipe spe-misses)) {
	my $file = "$dir/$kind.data";
	my $event = $kind eq 'spe-misses' ? 'l1d-access' : 'memory';
	is(system($gen, $file, $kind), 0, "$kind: a file");
	my (undef, undef, $notes) = run("$memprof report summary $file");
	my $repeated = $kind eq 'spe-misses' ? 200 : 500;
	like($notes, qr/: $repeated samples left out: their operations have samples of event $event, too/,
	     "$kind: what repeats is left out, and named");
	my %summary = map { $_->{what} => $_->{value} } rows("report summary $file");
	is($summary{accesses}, 300, "$kind: each operation is an access");
	is($summary{'instructions sampled that access no memory'}, 0, "$kind: and none is taken for no access");
	my %levels;
	$levels{"$_->{site} $_->{access} $_->{level}"}++ for map { rows("report flow --all --thread $_ $file") } 0, 1;
	is_deeply(\%levels, { '[heap] write unknown' => 100, '[heap] read peer cache' => 100,
			      '[anon] read remote cache' => 100 }, "$kind: levels as perf names them");
	my ($line) = rows("report lines $file");
	is(join(' ', @$line{qw(line accesses writes sharing threads offset site)}), '0x600080 200 100 false 2 128 [heap]',
	   "$kind: the line that two cores share");
}

# A recording takes the place of another file only when it is complete, even of the one it is made of.
mkdir "$dir/place";
is((run("$memprof import $dir/native.data -o $dir/made.data"))[0], 0, 'a recording');
my $made = slurp("$dir/made.data");
spew("$dir/place/same", $native);
is((run("$memprof import $dir/place/same -o $dir/place/same"))[0], 0, 'a file is imported into itself');
is((run("$memprof report summary $dir/place/same"))[0], 0, '... and is a recording then');
spew("$dir/place/in", $native);
symlink('in', "$dir/place/out");
is((run("$memprof import $dir/place/in -o $dir/place/out"))[0], 0, '... or through a symbolic link');
is((run("$memprof report summary $dir/place/in"))[0], 0, '... of which the file becomes the recording');
ok(-l "$dir/place/out", '... and which stays');
spew("$dir/place/samples", "address\n1\nzz\n");
spew("$dir/place/good", $made);
is((run("$memprof import $dir/place/samples -o $dir/place/samples"))[0], 1, 'what cannot be read');
is(slurp("$dir/place/samples"), "address\n1\nzz\n", '... stays when it was to be imported into itself');
is((run("$memprof import $dir/place/samples -o $dir/place/good"))[0], 1, '... or into a recording');
ok(slurp("$dir/place/good") eq $made, '... which stays, too');
is(join(' ', sort map { s{.*/}{}r } glob("$dir/place/*")), 'good in out same samples', 'no other file is left');

# --- comma-separated samples ---

my $samples = spew("$dir/samples.csv", <<'END');
time,cpu,cpu_node,node,tid,address,latency,level,op,object
10,0,0,1,7,0x1000,200,remote memory,load,"a, b"
20,1,1,1,8,0x1040,100,memory,load,"a, b"
30,0,0,0,7,0x9000,4,L1,store,other
40,0,0,,7,0x7fff00001000,,,store,
END
is((run("$memprof import $samples -o $dir/csv.data"))[0], 0, 'comma-separated samples');
my ($object) = rows("report objects --site other $dir/csv.data");
is(join(' ', @$object{qw(type accesses writes_pct site)}), 'static 1 100 other', 'objects have their names');
my ($nodes) = grep { $_->{from_node} == 0 && $_->{to_node} == 1 } rows("report nodes $dir/csv.data");
is("$nodes->{accesses} $nodes->{latency_cycles}", '1 200', 'nodes and latency');
my @flow = rows("report flow --thread 1 --all $dir/csv.data");
is(join(' ', map { "$_->{access}:$_->{level}" } @flow), 'read:remote memory write:L1 write:unknown', 'levels and stores');

# CPU 1 has no samples, and CPU 2 no node: those behind them have theirs.
spew($samples, "time,cpu,cpu_node,node,tid,address\n10,0,0,1,7,0x1000\n20,2,,1,7,0x1040\n30,3,1,1,7,0x1080\n");
($status, $text, $err) = run("$memprof import $samples -o $dir/gap.data");
is($status, 0, 'CPUs without a node');
like($err, qr/samples.csv: the node is not known of 1 of the CPUs, the first of which is 2$/m, '... of which it is said');
is(join(',', map { $_->{node} } rows("report flow --thread 1 --all $dir/gap.data")), '0,,1',
   '... have none, and the others have theirs');
is((run("$memprof export $dir/gap.data --to perf -o $dir/gap.perf"))[0], 0, '... exported');
is(join(',', map { $_->{node} } rows("report flow --thread 1 --all $dir/gap.perf")), '0,,1', '... as it is');
is((grep { $_->{what} =~ /^node \d+: memory accesses/ } rows("report summary $dir/gap.perf")), 2, '... of two nodes');

my @threads = map { join ' ', @$_{qw(node on_node_pct)} } rows("report threads $dir/gap.data");
is_deeply(\@threads, [ '0 50' ], '... of the accesses with a known node, those of the node that has most');

# In any order of time; a line without one is of that of the line before.
spew($samples, "time,cpu,tid,address,latency\n3,0,7,0x1000,300\n\n2,1,7,0x1040,200\n1,0,7,0x1080,100\n,0,7,0x10c0,150\n");
is((run("$memprof import $samples --time-unit s -o $dir/late.data"))[0], 0, 'lines that are not in order of time');
is(join(' ', map { "$_->{time_s}:$_->{latency_cycles}" } rows("report flow --thread 1 --all $dir/late.data")),
   '0:100 0:150 1:200 2:300', '... are put in order');
@threads = map { join ',', @$_{qw(node on_node_pct)} } rows("report threads $dir/late.data");
is_deeply(\@threads, [ ',' ], '... and their threads have no node where none is known');
# Times of the wall clock, to the nanosecond; the largest.
for my $case ([ 'ns', '1700000000123456789', '1700000000123457789' ], [ 's', '1700000000.123456', '1700000000.123457' ],
	      [ 's --hex time', '6553f100', '6553f101', 1 ], [ 'ns', '9223372036854774807', '9223372036854775807' ]) {
	my ($unit, $first, $second, $want) = @$case;
	spew($samples, "time,cpu,tid,address\n$second,0,7,0x1000\n$first,0,7,0x1040\n");
	is((run("$memprof import $samples --time-unit $unit -o $dir/wall.data"))[0], 0, "$first $unit");
	is(join(' ', map { $_->{time_s} } rows("report flow --thread 1 --all $dir/wall.data")), '0 ' . ($want // 1e-6),
	   '... is a time');
}
for my $case ([ 'ns', '9223372036854775808' ], [ 'ns', '99999999999999999999999' ], [ 's', '9223372036.854775808' ],
	      [ 's', '0x225c17d05' ], [ 'us', '0xffffffffffffffff' ]) {
	my ($unit, $time) = @$case;
	spew($samples, "time,cpu,tid,address\n$time,0,7,0x1000\n");
	my ($status, undef, $err) = run("$memprof import $samples --time-unit $unit -o $dir/none.data");
	is($status, 1, "$time $unit is refused");
	like($err, qr/samples.csv:2: time: $time: too large: a time is less than 2\^63 ns/, '... as too large');
}

my @times = map { ($_ * 7919) % 20011 } 1 .. 20010;
spew($samples, "time,cpu,tid,address,latency\n" . join('', map { "$_,0,7,0x" . sprintf('%x', 4096 + $_) . ',' .
	(1 + $_ % 1000) . "\n" } @times));
is((run("$memprof import $samples --time-unit us -o $dir/many.data"))[0], 0, '... as are many');
my @many = rows("report flow --thread 1 --all $dir/many.data");
is(@many, 20010, '... of which none is missing');
is((grep { $many[$_]{latency_cycles} != 1 + ($_ + 1) % 1000 } 0 .. $#many), 0, '... or at another place');

spew($samples, "time,cpu,tid,address\n10,0,7,0xffff888000001040\n20,1,8,0xffff888000001040\n");
is((run("$memprof import $samples -o $dir/kernel.data"))[0], 0, 'samples of the kernel');
is((rows("report lines --all $dir/kernel.data"))[0]{line}, '0xffff888000001040', '... lines have whole addresses');

# What comes through a pipe is read twice, too.
spew($samples, "time,cpu,tid,address\n2,0,7,0x1000\n1,0,7,0x1040\n");
for my $input ([ $samples, 2 ], [ "$dir/native.data", 400 ]) {
	($status, $text, $err) = run("cat $input->[0] | $memprof import /dev/stdin -o $dir/piped.data");
	is($status, 0, "from a pipe: $input->[0]" =~ s/\Q$dir\E\///r);
	unlike($err, qr{/proc/}, '... whose name is the one that was given');
	my %summary = map { $_->{what} => $_->{value} } rows("report summary $dir/piped.data");
	is($summary{accesses}, $input->[1], '... has all samples');
	($status, $text, $err) = run("cat $input->[0] | TMPDIR=$dir/none $memprof import /dev/stdin -o $dir/none.data");
	is($status, 1, '... which needs a place for them');
	like($err, qr{^memprof: \Q$dir\E/none/memprof}, '... that is named');
}
($status, $text, $err) = run("cat $dir/cut.data | $memprof import /dev/stdin -o $dir/none.data");
is($status, 1, 'a damaged one');
like($err, qr{^memprof: /dev/stdin: truncated}m, '... is told by its name');
for my $file ('/dev/null', $dir) {
	($status, $text, $err) = run("$memprof import $file -o $dir/none.data");
	is($status, 1, 'no file');
	my $why = -d $file ? 'Is a directory' : 'neither a regular file nor a pipe';
	like($err, qr/^memprof: \Q$file\E: $why$/, '... is refused');
}
ok(!-e "$dir/none.data", '... with no file');

for my $case (
	[ "cpu,latency\n1,2\n", qr/samples.csv:1: neither a column address nor object/ ],
	[ "address\nzz\n", qr/samples.csv:2: address: zz: not a number/ ],
	[ "address,cpu\n1\n", qr/samples.csv:2: not as many fields as the first line/ ],
	[ "address,level\n1,L9\n", qr/samples.csv:2: level: L9: no such level/ ],
	[ "address\n\"1\n", qr/samples.csv:2: too many fields, or a quote out of place/ ],
	[ "address\n", qr/samples.csv: no samples/ ], [ '', qr/samples.csv: empty file/ ], [ "\n", qr/samples.csv:1: no names of columns/ ],
	[ "address\n1\0\n", qr/samples.csv:2: no text/ ],
) {
	spew($samples, $case->[0]);
	($status, $text, $err) = run("$memprof import $samples -o $dir/none.data");
	is($status, 1, 'refused');
	like($err, $case->[1], "... $case->[1]");
	ok(!-e "$dir/none.data", '... with no file');
}

# A line without end takes no more memory than any: of a file of 4 GiB, which has no blocks.
spew($samples, "address\n1");
truncate $samples, 4 << 30 or die;
($status, $text, $err) = run("ulimit -v 500000; $memprof import $samples -o $dir/none.data");
is($status, 1, 'a line without end is refused');
like($err, qr/samples.csv:2: no text/, '... once a MiB of it was read');
ok(!-e "$dir/none.data", '... with no file');
spew($samples, "address,cpu\n1," . '1' x (2 << 20) . "\n");
($status, $text, $err) = run("$memprof import $samples -o $dir/none.data");
is($status, 1, 'a line of 2 MiB is refused');
like($err, qr/samples.csv:2: a line of more than 1048576 bytes/, '... for its length');
unlink $samples;

# --- LULESH ---

SKIP: {
	my $folder = $ENV{MEMSCOPE_REALDATA} // "$FindBin::RealBin/../../../../shared/realdata";
	my $file = "$folder/memaxes.lulesh.samples.out";
	skip("no $file", 4) if !-e $file;
	is((run("$memprof import $file -o $dir/lulesh.data --column object=variable --column cpu_node=node " .
	       '--column level=dataSource --pebs --hex time'))[0], 0, "LULESH's samples");
	my (undef, $said) = run("$memprof diagnose $dir/lulesh.data");
	like($said, qr/^By latency of 15676 .*\n    m_x: 41\.6 % of it \(6535 accesses, 65 cycles each\)$/m,
	     'the diagnosis names m_x as first by latency');
	my ($all, %count) = (0);
	for (split /\n/, slurp($file)) {
		my ($variable, $latency) = (split /,/)[0, 5];
		next if $variable eq 'variable';
		$count{$variable}[0] += $latency;
		$count{$variable}[1]++;
		$all += $latency;
	}
	my @want = map { sprintf '%s %d %d %.2f', $_, @{$count{$_}}, 100 * $count{$_}[0] / $all } sort keys %count;
	my @got = sort map { sprintf '%s %d %d %.2f', @$_{qw(site latency_cycles accesses latency_share_pct)} }
		rows("diagnose --latency $dir/lulesh.data");
	is_deeply(\@got, [ sort @want ], scalar(@want) . ' variables have the latency that the file has');
}
ok(read_under_sanitizers(), 'the recordings read under sanitizers');
done_testing();
