# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# A recording of each kind, and each verb of the tools that reads one.
package Readers;

use strict;
use warnings;
no warnings 'portable';
use Exporter 'import';
use Tool;

our @EXPORT = qw(make_recordings readers);

my $gen = "$build/tools/tests";

sub make_recordings {
	system("$gen/trace_gen memref 7z $dir/memref.dat 4") == 0 or die;
	system("$gen/trace_gen memref 6 $dir/memref6.dat 3") == 0 or die;
	system("$gen/memprof_gen $dir/memprof.data 300 400 3 20 1") == 0 or die;
	{
		my $text = "# dprof events 1\n";
		my $time = 1_000_000_000;
		$text .= "$time 0 1 dprof_type id=$_ class=1 size=128 cache=c$_ func=alloc_$_ file=a.c line=$_ module=\n" for 20, 21;
		for my $i (1 .. 12) {
			my $base = sprintf '0x%x', 0xffff888000100000 + 128 * $i;
			my $type = 20 + $i % 2;
			$time += 1000;
			$text .= "$time 0 1 dprof_alloc base=$base ip=0xffffffff81000009 type=$type size=128\n" .
				 "$time 0 1 dprof_history id=$i base=$base type=$type size=128 ip=0xffffffff81000009 offset=0,8,0,0 len=8,8,0,0 slots=2\n";
			for my $k (1 .. 4) {
				$time += 100;
				my $cpu = $k % 2;
				my $offset = $k % 2 * 8;
				my $addr = sprintf '0x%x', hex($base) + $offset;
				$text .= "$time $cpu 1 dprof_access id=$i ip=0xffffffff8100100$k since=@{[100 * $k]} type=$type offset=$offset len=8 op=@{[1 + $k % 2]}\n" .
					 "$time $cpu 1 dprof_sample ip=0xffffffff8100100$k addr=$addr phys=0x0 base=$base type=$type offset=$offset data_src=0x600800002 latency=150 op=1 width=8 source=1 flags=0\n";
			}
			$text .= "$time 1 1 dprof_history_end id=$i ip=0xffffffff81004004 lifetime=3000 blind=0 accesses=4 lost=0 how=0\n" .
				 "$time 1 1 dprof_free base=$base ip=0xffffffff81004004 type=$type\n";
		}
		spew("$dir/dprof.txt", $text);
		system("$gen/trace_gen dprof 7 $dir/dprof.dat $dir/dprof.txt") == 0 or die;
	}
	system("$gen/memref_ages_gen $dir/ages.dat") == 0 or die;
	system("$gen/bench_gen n=6 m=6 >$dir/results.csv") == 0 or die;
}

# OUT is where an output goes, in a folder of its own.
sub readers {
	return (
		(map { "memref report $_ $dir/memref.dat" } qw(summary temporal spatial wss heatmap virtual numa tasks thp mappings mapping-times)),
		(map { "memref report $_ $dir/ages.dat" } qw(ages curve)), "memref size $dir/ages.dat -f json -o OUT/size.json",
		"memref report summary $dir/memref6.dat -f json", "memref report wss $dir/memref.dat -f csv -o OUT/wss.csv",
		(map { "memref export $dir/memref.dat --to $_ -o OUT/export" } qw(damo damo-json csv json folded raw openmetrics columns perfetto)),
		"memref diff $dir/memref.dat $dir/memref6.dat", "memref html $dir/memref.dat -o OUT/page.html",
		"memref plot wss $dir/memref.dat -o OUT/wss.svg", "memref cut $dir/memref.dat --from 0.1 -o OUT/cut.dat",
		(map { "dprof report $_ $dir/dprof.txt" } qw(profile classify workingset assoc-sets paths sharing)),
		"dprof report profile $dir/dprof.dat -f json", "dprof script $dir/dprof.dat -o OUT/script.txt",
		"dprof diff $dir/dprof.txt $dir/dprof.dat", "dprof plot dataflow $dir/dprof.txt -o OUT/flow.svg --type c20:alloc_20",
		(map { "dprof export $dir/dprof.txt --to $_ -o OUT/export" } qw(pprof openmetrics)),
		(map { "memprof export $dir/memprof.data --to $_ -o OUT/export" } qw(pprof openmetrics)),
		(map { "memprof report $_ $dir/memprof.data" } qw(summary objects threads flow nodes)),
		"memprof report objects $dir/memprof.data --instances -f json -o OUT/objects.json",
		"memprof diagnose $dir/memprof.data", "memprof diagnose $dir/memprof.data --levels",
		"memprof html $dir/memprof.data -o OUT/page.html", "memprof plot objects $dir/memprof.data -o OUT/objects.svg",
		"pagealloc bench report --replicates 99 --group-pairs 20 $dir/results.csv", "pagealloc bench report --replicates 99 --group-pairs 20 $dir/results.csv -f json -o OUT/report.json",
	);
}

1;
