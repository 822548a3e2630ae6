#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# memscope-collect with a perf made up here: what it keeps and what it does not, the same page
# before and after, and each reason for which it refuses.
use strict;
use warnings;
no warnings 'portable';
use FindBin;
use lib "$FindBin::RealBin/../../tests";
use Test::More;
use Tool;

my $collect = "$build/bin/memscope-collect";
my $path = $ENV{PATH};
my $columns = 'time,pid,tid,cpu,node,address,phys,ip,access,level,latency';

# A machine: its PMU, processor and nodes.
sub machine {
	my ($pmu) = @_;
	system("rm -rf $dir/root");
	spew("$dir/root/sys/bus/event_source/devices/$pmu", '') if $pmu;
	spew("$dir/root/proc/cpuinfo", "processor\t: 0\nmodel name\t: AMD EPYC 9654 96-Core Processor\n" x 2);
	spew("$dir/root/proc/version", "Linux version 6.12.30 (someone\@build.example) (gcc) #1 SMP\n");
	spew("$dir/root/sys/devices/system/node/node0/cpulist", "0-1,4\n");
	spew("$dir/root/sys/devices/system/node/node1/cpulist", "2-3\n");
	# Of memory only.
	spew("$dir/root/sys/devices/system/node/node2/cpulist", "\n");
	$ENV{MEMSCOPE_COLLECT_ROOT} = "$dir/root";
}

# perf record writes a file, or fails; perf script prints @lines.
sub perf {
	my ($record, @lines) = @_;
	spew("$dir/lines", join '', @lines);
	spew("$dir/bin/perf", <<"END");
#!@{['/bin/sh']}
echo "\$*" >>$dir/calls
case \$1 in
record)
	$record
	while [ \$# -gt 0 ]; do [ "\$1" = -o ] && echo PERFILE2 >"\$2"; shift; done ;;
script) cat $dir/lines ;;
esac
exit 0
END
	chmod 0755, "$dir/bin/perf";
	$ENV{PATH} = "$dir/bin:$path";
	unlink "$dir/calls";
}

sub sample {
	my ($pid, $tid, $cpu, $time, $addr, $op, $level, $weight, $ip, $phys) = @_;
	return sprintf("%7d/%-7d [%03d] %s: %16x %16x |OP %s|LVL %s|SNP N/A|TLB L1 or L2 hit|LCK No|BLK  N/A %15d %16x%s\n",
		       $pid, $tid, $cpu, $time, $addr, 0x1a05081042, $op, $level, $weight, $ip,
		       defined $phys ? sprintf(' %16x', $phys) : '');
}

sub collect {
	my ($options) = @_;
	unlink "$dir/out.csv";
	my ($status, $text, $err) = run("$collect -o $dir/out.csv @{[$options // '']}");
	my @all = split /\n/, slurp("$dir/out.csv") // '';
	my @rows = map { [ split /,/, $_, -1 ] } grep { !/^#/ && $_ ne $columns } @all;
	return ($status, "$text$err", [ grep { /^#/ } @all ], \@rows, scalar grep { $_ eq $columns } @all);
}

# What a machine with IBS has: users' and the kernel's addresses, a sample without an address.
my @samples = (
	sample(31337, 31337, 0, '1000.000000100', 0x7f1234567890, 'LOAD', 'L1 or L1 hit', 4, 0x55d000001234, 0x3fedcb890),
	sample(31337, 31338, 2, '1000.000000200', 0x7f12345678b8, 'STORE', 'N/A', 0, 0x55d000001238, 0x3fedcb8b8),
	sample(31337, 31338, 3, '1000.500000000', 0x7f1234568000, 'LOAD', 'Local RAM or RAM hit', 300, 0x55d000002000, 0),
	sample(4242, 4242, 4, '1001.000000000', 0xffff888123456780, 'LOAD', 'L3 or L3 hit', 50, 0xffffffff81234567, 0x123456780),
	sample(4242, 4242, 4, '1001.000000001', 0, 'LOAD', 'L1 or L1 hit', 4, 0xffffffff81234569, 0),
	sample(4242, 4242, 1, '1002.000000000', 0x7f1234567890, 'LOAD', 'Remote RAM (1 hop) or Remote, RAM hit', 700,
	       0x55d000001234, 0x3fedcb890),
	sample(4242, 4242, 1, '1002.000000001', 0x7f1234567890, 'LOAD',
	       'L3 or Remote Cache (1 hop) or Any cache hit', 90, 0x55d000001234, 0x3fedcb890),
	"a line that is no sample\n",
);
machine('ibs_op/type');
perf('true', @samples);
my ($status, $said, $head, $rows, $columns_there) = collect('--duration 7');
is($status, 0, 'collected') or diag($said);
is($columns_there, 1, 'the columns that memprof import reads');
is_deeply($head, [ '# memscope-collect 1', '# model: AMD EPYC 9654 96-Core Processor', '# kernel: 6.12', '# nodes: 3',
		   '# node 0 cpus: 0-1,4', '# node 1 cpus: 2-3', '# node 2 cpus: ', '# source: ibs', '# seconds: 7', '# sampled: 6' ], 'the machine');
like(slurp("$dir/calls"), qr/^record .*-a .*-e ibs_op.* -- sleep 7\nscript .*phys_addr$/m, 'by IBS, of all the machine');
is_deeply([ map { join ',', @$_[0 .. 4, 8 .. 10] } @$rows ],
	  [ '0.000000000,1,1,0,0,load,L1,4', '0.000000100,1,2,2,1,store,unknown,0', '0.499999900,1,2,3,1,load,memory,300',
	    '0.999999900,2,3,4,0,load,L3,50', '1.999999900,2,3,1,0,load,remote memory,700',
	    '1.999999901,2,3,1,0,load,L3 or peer cache,90' ],
	  'times from 0, numbers of processes and threads from 1, nodes, accesses, levels, latencies');

# Addresses are others, but their pages, lines and places in the page are as they were.
my @address = map { $_->[5] } @$rows;
my @was = map { /: +(\w+)/ && hex $1 ? hex $1 : () } @samples;
for my $i (0 .. $#address) {
	isnt(hex $address[$i], $was[$i], 'another address');
	is(hex($address[$i]) & 4095, $was[$i] & 4095, 'the same place in its page');
	is(hex($address[$i]) >> 63, $was[$i] >> 63, "the kernel's is the kernel's");
	is(hex($address[$i]) >> $_->[0] == hex($address[$_->[1]]) >> $_->[0] ? 1 : 0,
	   $was[$i] >> $_->[0] == $was[$_->[1]] >> $_->[0] ? 1 : 0, "$i and $_->[1]: the same page or line")
		for map { [ 12, $_ ], [ 6, $_ ] } 0 .. $#address;
}
is($rows->[2][6], '', 'a physical address that is not known');
is($rows->[0][6], $rows->[4][6], 'one that is, twice');
is(hex($rows->[0][6]) & 4095, 0x890, 'with its place in the page');
is($rows->[0][7], $rows->[4][7], 'an instruction, twice');
isnt($rows->[0][7], $rows->[1][7], 'and another');

# Nothing of what was there is in the file, and the key is another each time.
my $file = slurp("$dir/out.csv");
# What addresses are made of is random, so that a few digits may come again.
unlike($file, qr/$_/, "no $_") for qw(7f1234567 7f1234568 55d000001 55d000002 ffff888123456 ffffffff81234 3fedcb someone example),
	(map { "\\b$_\\b" } qw(31337 31338 4242)), '\\b1000\\.';
my ($again) = (collect())[3];
isnt($again->[0][5], $rows->[0][5], 'another key each time');

# Of many samples, a few, evenly; small.
perf('true', map { sample(1, 1, $_ % 4, sprintf('%d.%09d', 10 + $_ / 1000, $_ % 1000 * 1_000_000), 0x7f0000000000 + 64 * $_, 'LOAD',
			  'L2 or L2 hit', 14, 0x400000 + $_, 4096 * $_ + 8) } 1 .. 30000);
($status, undef, $head, $rows) = collect();
is(scalar @$rows, 5000, 'of 30,000 samples, 5,000');
is($head->[-1], '# sampled: 30000', 'how many there were');
cmp_ok($rows->[-1][0], '>', 29.9, 'from begin to end');
cmp_ok(-s "$dir/out.csv", '<', 512 << 10, 'less than 512 KiB');
is(scalar @{(collect('--samples 10'))[3]}, 10, 'or fewer');

# No number of samples makes one more.
perf('true', map { sample(1, 1, 0, sprintf('%d.%09d', 10, $_), 0x7f0000000000, 'LOAD', 'L2 or L2 hit', 14, 0x400000, 8) } 1 .. 11);
is(scalar @{(collect('--samples=10'))[3]}, 10, 'at most what --samples says');

# The letter of an earlier release.
($status, $said) = collect('-d 3');
is($status, 0, '-d works');
like($said, qr/^memscope-collect: -d: goes away with the next release, use --duration$/m, 'and warns');
like(slurp("$dir/calls"), qr/ -- sleep 3$/m, 'as --duration');

# Without the right to physical addresses.
perf('case "$*" in *--phys-data*) exit 1 ;; esac', map { s/ +\S+\n/\n/r } @samples[0 .. 2]);
($status, $said, undef, $rows) = collect();
is($status, 0, 'no physical addresses') or diag($said);
is_deeply([ map { "$_->[6] $_->[10]" } @$rows ], [ ' 4', ' 0', ' 300' ], 'are no reason to fail');

# The event of each machine.
for ([ 'arm_spe_0/type', qr/-e arm_spe_0/, 'spe' ], [ 'cpu/events/mem-loads', qr/cpu\/mem-loads,ldlat=/, 'pebs' ],
     [ 'swmem/type', qr/-e swmem/, 'swmem' ]) {
	my ($pmu, $event, $name) = @$_;
	machine($pmu);
	perf('true', @samples);
	($status, undef, $head) = collect();
	is($status, 0, $name);
	ok((grep { $_ eq "# source: $name" } @$head), 'says which');
	like(slurp("$dir/calls"), $event, 'its event');
}

# A file that cannot be written whole is not there; what was there is as it was.
spew("$dir/bin/cat", "#!/bin/sh\ncase \$1 in */all) head -c 100 \"\$1\"; exit 1 ;; esac\nexec /bin/cat \"\$\@\"\n");
chmod 0755, "$dir/bin/cat";
mkdir "$dir/full";
($status, undef, my $said_full) = run("$collect -o $dir/full/out.csv");
is("$status $said_full", "1 memscope-collect: $dir/full/out.csv: not written\n", 'a write that fails');
is_deeply([ glob "$dir/full/*" ], [], 'leaves nothing');
spew("$dir/full/out.csv", 'mine');
chmod 0640, "$dir/full/out.csv";
is((run("$collect -o $dir/full/out.csv"))[0], 1, 'the same over a file');
is(slurp("$dir/full/out.csv"), 'mine', 'which is as it was');
unlink "$dir/bin/cat";
is((run("$collect -o $dir/full/out.csv"))[0], 0, 'a write over a file');
is(sprintf('%o', (stat "$dir/full/out.csv")[2] & 07777), '640', 'keeps its mode');
like(slurp("$dir/full/out.csv"), qr/^# memscope-collect 1\n.*,\d+\n\z/s, 'and is whole');
is((run("$collect -o $dir/full/new.csv"))[0], 0, 'a new one');
is(sprintf('%o', (stat "$dir/full/new.csv")[2] & 07777), '600', 'is for its owner only');
like((run("$collect -o /dev/stdout"))[1], qr/^# memscope-collect 1\n.*,\d+\n\z/s, 'a pipe has it, too');
is_deeply([ glob "$dir/full/*" ], [ "$dir/full/new.csv", "$dir/full/out.csv" ], 'nothing else is there');

# Refusals: each with a sentence, and no file.
sub refused {
	my ($want, $why, $options) = @_;
	my ($status, $said) = collect($options);
	is($status, $want, "refused: $why");
	like($said, qr/^memscope-collect: .*$why/m, 'says why');
	ok(!-e "$dir/out.csv", 'no file');
}
refused(2, "$_->[0] $_->[1]: not a number from 1 to \\d+; see", "@$_")
	for [ '--duration', 'x' ], [ '--samples', 0 ], [ '--duration', -1 ], [ '--samples', 5001 ], [ '--duration', '9' x 30 ];
refused(2, 'needs an argument', '--duration');
refused(2, '-n: no longer has this meaning, use --samples', $_) for '-n 10', '-n10';
perf('echo "Error: Access to performance monitoring and observability operations is limited." >&2; exit 255');
refused(1, 'no permission');
perf('echo "event syntax error" >&2; exit 129');
refused(1, 'perf record failed: event syntax error');
perf('true');
refused(1, 'nothing was sampled');
perf('exit 0');
refused(1, 'wrote nothing');
perf('true', @samples);
machine();
refused(1, 'no samples of memory accesses');
$ENV{PATH} = "$dir/none";
spew("$dir/none/mktemp", '');
($status, undef, my $err) = run("/bin/sh $collect -o $dir/out.csv");
is($status, 1, 'without perf');
like($err, qr/perf: not found/, 'says so');
$ENV{PATH} = $path;
is((run("$collect --help"))[0], 0, '--help');
is((run("$collect --nothing"))[0], 2, 'an option that is none');
is_deeply([ glob(($ENV{TMPDIR} // '/tmp') . '/memscope-collect.*') ], [], 'nothing is left');

done_testing;
