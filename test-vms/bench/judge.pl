#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# judge.pl BUILD: memref and its peers on the same working sets, of what memref_bench printed
# (cost, accuracy, hinting, reclaim; see judge.sh): BUILD/bench/judge.json and the page judge.md.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use JSON::PP;
use List::Util 'max';
use MemrefBench;

my $build = shift or die "usage: judge.pl BUILD\n";
my $bench = "$build/bench";
read_parts(map { "$bench/memref-$_.txt" } qw(cost accuracy hinting reclaim));
my $how = set_up($build, 'make judge');

# The name here, that of memref_bench, what a reader calls it, what it reports, what it keeps.
my @samplers = (
	[ 'memref', 'memref', 'memref', 'pages', 'a bit a page frame for each class, and for writes' ],
	[ 'pageidle', 'page_idle', 'page_idle', 'pages', '2 bits of the page' ],
	[ 'clearrefs', 'clear_refs', 'clear_refs and smaps', 'a number for each mapping', 'nothing: reclaim loses the bits it clears' ],
	[ 'damon', 'damon', 'DAMON, virtual, as by default', 'regions', 'up to 1,000 regions' ],
	[ 'damonpaddr', 'damon_paddr', 'DAMON, physical, as by default', 'regions', 'up to 1,000 regions' ],
	[ 'damonexact', 'damon_exact', 'DAMON, virtual, a region for each page', 'pages', 'a region a page' ],
	[ 'damonpaddrexact', 'damon_paddr_exact', 'DAMON, physical, a region for each page', 'pages', 'a region a page' ],
	[ 'mglru', 'mglru', 'ages of the multi-gen LRU', 'a number for each cgroup and node', 'its generations: reclaim ages faster' ],
	[ 'numab', 'numab', 'hinting faults of NUMA balancing', 'pages', 'nothing: each page faults' ],
);
my @set_ups = qw(alone flush neighbor);
my %words = (alone => 'alone on its CPU', flush => 'with TLB flushes', neighbor => 'with a neighbor');
my @common = grep { my $c = $accuracy{$_}; !grep { !$c->{$_->[1]} } @samplers } @cells;
die "judge.pl: no working set was shown to all\n" if !@common;

# Means over the working sets that all were shown.
sub means {
	my ($tool, @with) = @_;
	return map { my $k = $_; mean(map { my $c = $accuracy{$_}{$tool}; map { $c->{$_}[$k] } @with } @common) } 0, 1;
}
sub f1 { my ($recall, $precision) = @_; return $recall + $precision ? 2 * $recall * $precision / ($recall + $precision) : 0 }
sub percents { return sprintf '%.1f %% / %.1f %%', map { 100 * $_ } @_ }

my (%judge, %best);
for (@samplers) {
	my ($name, $tool) = @$_;
	@judge{"${name}_recall", "${name}_precision"} = means($tool, @set_ups);
	my %f = map { $_ => f1(means($tool, $_)) } @set_ups;
	my $most = max(values %f);
	($best{$name}) = grep { $f{$_} == $most } @set_ups;
	@judge{"${name}_recall_best", "${name}_precision_best"} = means($tool, $best{$name});
	# By default, an aggregation of DAMON's is 20 samples.
	my $samples = defined $n{"cost_${tool}_sample"} ? 20 : 1;
	$judge{"${name}_cost"} = $samples * (need($samples > 1 ? "cost_${tool}_sample" : "cost_$tool"))[0];
}
$_ = 0 + sprintf '%.4f', $_ for values %judge;
$judge{_how} = $how;
open my $f, '>', "$bench/judge.json" or die "$bench/judge.json: $!\n";
print $f JSON::PP->new->canonical->pretty->encode(\%judge);
close $f or die "$bench/judge.json: $!\n";

head('All of them', 'sampler', 'it reports', 'recall / precision, mean', 'best', 'where it is best',
     'instructions a page', 'it keeps');
for (@samplers) {
	my ($name, $tool, $words, $reports, $keeps) = @$_;
	row($words, $reports, percents(@judge{"${name}_recall", "${name}_precision"}),
	    percents(@judge{"${name}_recall_best", "${name}_precision_best"}), $words{$best{$name}},
	    sprintf('%.0f', $judge{"${name}_cost"}), $keeps);
}
note "Means over the working sets ", join(', ', map { s/_/ /r } @common), " (the last table), and over the three ",
	"set-ups; best: in the set-up in which the mean of the two is highest. The truth is the list of pages that the target ",
	"was told to use; `test-vms/tests/memref-oracle.t` compares memref with an emulator that notes each access. Instructions ",
	"are for each of 65,536 pages in use, to begin and end an interval. DAMON's by default are those of the 20 samples of an ",
	"aggregation: its regions bound them, not the number of pages. A hinting fault's include the program's own entry to the ",
	"kernel. DAMON's virtual ",
	"exact row differs from run to run by more than the others, for a reason that is not known.";
note "Which set-up favors which: an accessed bit is set when a TLB entry is loaded. So who clears bits without ",
	"flushing (page_idle, clear_refs, DAMON) is right only where others flush the TLB meanwhile; memref flushes itself, ",
	"so do the multi-gen LRU's aging, in part, and NUMA balancing, whose marks mprotect() (the flushes here) undoes. ",
	"DAMON's regions suit one block of memory in use, not pages far apart. Not shown: memory of terabytes, for which ",
	"DAMON's cost by default is bounded and all others' grows; and DAMON's page-level monitoring of later kernels.";

head('Refaults under a memory limit', 'reclaim', 'sampler', 'refaults', 'to none', 'standard error',
     'median', 'pages swapped out, to none');
for my $lru (qw(lru mglru)) {
	for my $sampler (qw(off memref clear_refs)) {
		my ($pct, $error, $median, $refaults) = paired($lru, $sampler, 'refaults');
		my ($swapped) = paired($lru, $sampler, 'swapped');
		row($lru eq 'lru' ? 'active/inactive lists' : 'multi-gen LRU',
		    $sampler eq 'off' ? 'none' : $sampler, sprintf('%.0f', $refaults),
		    $sampler eq 'off' ? ('', '', '', '') :
		    map { sprintf $_ == $error ? '%.2f %%' : '%+.2f %%', $_ } $pct, $error, $median, $swapped);
	}
}
note sprintf "48 MiB used all the time and 96 MiB used in turn under a limit of 96 MiB; each of %d seeds " .
	"is run with each sampler, and the runs of a seed are compared. The program flushes its TLB " .
	"every 1,536 accesses, about as many as a processor's holds: QEMU's holds more, and is " .
	"sized by how busy the host is.", (paired('lru', 'memref', 'refaults'))[4];

head('Pages found of those used, and right ones of those reported (recall / precision)',
     'working set', 'sampler', map { $words{$_} } @set_ups);
for my $cell (@cells) {
	for my $tool (map { $_->[1] } @samplers) {
		my $with = $accuracy{$cell}{$tool} or next;
		row($cell =~ s/_/ /r, $tool =~ tr/_/ /r, map { $with->{$_} ? percents(@{$with->{$_}}) : '' } @set_ups);
	}
}
note "The target's pages; \"sparse\" is one page in 128 of 256 MiB, or one in 32 of 32 MiB of a " .
	"file that is mapped anew. fork: a child lives on; mprotect: write-protected after the writes; " .
	"unmap, exit: nothing is mapped any more when the interval ends. With TLB flushes: the " .
	"target flushes its own before it works. clear_refs with smaps, and the multi-gen LRU, give a number of " .
	"pages only: these are taken for the right ones. An interval is one use of the working set; DAMON's is an " .
	"aggregation (0.1 s, exact 0.5 s), NUMA balancing's 6 s, in which it asks about all of the memory. " .
	"QEMU's TLB is larger than that of a processor, and a context switch flushes all of it: " .
	"on hardware, what is missed are the pages that fit in the TLB.";

write_page("$bench/judge.md", 'memref and its peers', "$how.");
