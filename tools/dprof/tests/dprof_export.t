#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# dprof export --to perf: perf reads the same samples as dprof script prints, names their types,
# also where a type took the place of another, and perf c2c lists the lines of dprof's sharing.
use strict;
use warnings;
no warnings 'portable';
use FindBin;
use lib "$FindBin::RealBin/../../tests";
use JSON::PP;
use Test::More;
use Tool;

plan skip_all => 'no perf (linux-perf)' if system('perf version >/dev/null 2>&1');

my $dprof = "$build/bin/dprof";
$ENV{HOME} = $dir;	# perf's settings, and its cache

my %function = map { (qw(fill send receive count scan end_of_text))[$_] => 0xffffffff81000000 + 0x1000 * $_ } 0 .. 5;
# struct perf_mem_data_src: found in the L1, and modified in another cache.
my %source = (l1 => 1 << 33 | 0x0a << 5, peer => 3 << 33 | 0x42 << 5 | 0x10 << 19);
my %latency = (l1 => 0, peer => 150);
my ($text, $time);

sub begin {
	$time = 1_000_000_000;
	$text = "# dprof events 1\nhost testbox, Linux 6.12\n";
	$text .= sprintf "symbol %x t %s\n", $function{$_}, $_ for sort keys %function;
	# Right behind the code, so that no map may begin before it.
	$text .= "symbol ffffffff81006000 D counters\nsymbol ffffffff81006100 D after_counters\n";
	my @types = ([ 20, 256, 'foo_cache', 'alloc_foo' ], [ 21, 64, 'bar_cache', 'alloc_bar' ],
		     [ 22, 192, 'kmalloc-192', 'make_baz' ]);
	$text .= "$time 0 1 dprof_type id=$_->[0] class=1 size=$_->[1] cache=$_->[2] func=$_->[3] file=x.c line=1\n"
		for @types;
}

sub sample {
	my ($cpu, $ip, $type, $base, $offset, $from, $op) = @_;
	$time += 100;
	$text .= join ' ', $time, $cpu, 100 + $cpu, 'dprof_sample', "ip=$ip", 'addr=' . ($base + $offset), "base=$base",
		"type=$type", "offset=$offset", 'width=8 source=1', "op=$op", "data_src=" . ($source{$from} | 2 * $op),
		"latency=$latency{$from}", 'phys=' . (($base + $offset) & 0xfffffff) . "\n";
}

# What dprof script prints of a sample, and what perf does.
sub of_dprof {
	my ($status, $text) = run("$dprof script $_[0]");
	is($status, 0, 'dprof script');
	return map {
		my %f = /(\w+)=(\S+)/g;
		my ($time, $cpu, $pid) = /^(\d+) (\d+) (\d+) dprof_sample/;
		$f{$_} = oct $f{$_} for grep { $f{$_} =~ /^0x/ } keys %f;
		$time ? sprintf('%d/%d [%03d] %d.%09d: %x %x %d %x %x', $pid, $pid, $cpu, $time / 1e9, $time % 1_000_000_000,
				@f{qw(addr data_src latency ip phys)}) : ();
	} split /\n/, $text;
}

sub of_perf {
	my ($status, $text) = run("perf script --ns -i $_[0] -F pid,tid,cpu,time,addr,data_src,weight,ip,phys_addr");
	is($status, 0, 'perf script');
	return map {
		my ($who, $cpu, $time, $addr, $source, $weight, $ip, $phys) =
			m{^\s*(\d+/\d+)\s+(\[\d+\])\s+(\S+):\s+(\w+)\s+(\w+) \|.*\S\s+(\d+)\s+([0-9a-f]+)\s+([0-9a-f]+)\s*$};
		$who ? "$who $cpu $time: $addr $source $weight $ip $phys" : "not understood: $_";
	} split /\n/, $text;
}

sub export {
	my ($file) = @_;
	is_deeply([ run("$dprof export $file --to perf -o $file.perf") ], [ 0, '', '' ], "export $file");
	is_deeply([ of_perf("$file.perf") ], [ of_dprof($file) ], 'the same samples, all fields');
	return "$file.perf";
}

# Samples by a key of perf mem report.
sub by {
	my ($file, $key) = @_;
	my ($status, $text) = run("perf mem report --stdio -i $file --sort $key");
	is($status, 0, "perf mem report --sort $key");
	my %n;
	/^\s*[\d.]+%\s+(\d+)\s+(?:\[k\] )?(.*?)(?:\s+-\s+-)?\s*$/ and $n{$2} += $1 for split /\n/, $text;
	return \%n;
}

# Types that share lines, one after the other in the same memory; and variables.
begin();
my %types;
for my $i (0 .. 399) {
	my $foo = 0xffff888000100000 + 256 * ($i % 20);
	sample(0, $function{fill} + 8, 20, $foo, 0, 'l1', 2);
	sample(1, $function{receive} + 16, 20, $foo, 0, 'peer', 1);
	sample(1, $function{receive} + 24, 20, $foo, 64, 'l1', 1);
	sample(0, $function{fill} + 12, 20, $foo, 192, 'l1', 2);
	sample(1, $function{receive} + 28, 20, $foo, 200, 'peer', 1) if $i % 2;
	# The memory of one type is another's later; beside it, a third's.
	my $type = $i < 200 ? 21 : 22;
	sample(0, $function{count} + 4, $type, 0xffff888000200000, 0, 'l1', 2);
	sample(1, $function{scan} + 4, $type, 0xffff888000200000, 8, 'peer', 1);
	sample(0, $function{scan} + 8, 22, 0xffff888000200100, 64, 'l1', 1);
	# Two counters of a variable.
	sample($_, $function{count} + 8 + $_, 7, 0xffffffff81006000, 64 + 8 * $_, 'peer', 1) for 0, 1;
	sample($_, $function{count} + 12 + $_, 7, 0xffffffff81006000, 64 + 8 * $_, 'l1', 2) for 0, 1;
	$types{$_->[0]} += $_->[1] for [ 'foo_cache:alloc_foo', 4 + $i % 2 ], [ counters => 4 ], [ 'kmalloc-192:make_baz', 1 ],
		[ $i < 200 ? 'bar_cache:alloc_bar' : 'kmalloc-192:make_baz', 2 ];
}
my $file = spew("$dir/types.txt", $text);
my $perf = export($file);
is_deeply(by($perf, 'dso_daddr'), \%types, 'types, by where the kernel found them at that time');
is_deeply(by($perf, 'symbol'), { '[fill]' => 800, '[receive]' => 1000, '[count]' => 2000, '[scan]' => 800 },
	  'functions');

# Lines that c2c lists, and how many samples found them modified elsewhere.
my ($status, $c2c) = run("perf c2c report --stdio -i $perf");
is($status, 0, 'perf c2c report');
like($c2c, qr/^  $_ +: +0$/m, $_) for 'Loads - no mapping', 'Store - no mapping', 'No Page Map Rejects',
	'Unable to parse data source';
my ($table) = $c2c =~ /Shared Data Cache Line Table(.*)Shared Cache Line Distribution/s;
# The first line that each of them had, as the type's.
my %place = ('foo_cache:alloc_foo' => 0xffff888000100000, 'bar_cache:alloc_bar' => 0xffff888000200000,
	     'kmalloc-192:make_baz' => 0xffff888000200000, counters => 0xffffffff81006000);
my ($ok, $json) = run("$dprof report sharing $file -f json");
my @shared = sort map { "$_->{type}+$_->{line_offset_bytes} $_->{misses}" } @{decode_json($json)->{rows}};
is_deeply(\@shared, [ sort 'foo_cache:alloc_foo+0 400', 'foo_cache:alloc_foo+192 200', 'bar_cache:alloc_bar+0 200',
		      'kmalloc-192:make_baz+0 200', 'counters+64 800' ], 'what dprof has as shared');
# perf c2c of two types in the same memory has a line each.
cmp_ok(scalar(() = $table =~ /^ +\d+ +0x/mg), '==', @shared, 'as many lines in perf c2c');
my @hitm = sort { $a <=> $b } $table =~ /^ +\d+ +0x\w+ +N\/A +\d+ +[\d.]+% +(\d+)/mg;
my @misses = sort { $a <=> $b } map { / (\d+)$/ } @shared;
is_deeply(\@hitm, \@misses, 'with as many misses');
for (@shared) {
	my ($type, $offset, $misses) = /^(.*)\+(\d+) (\d+)$/;
	my $line = sprintf '0x%x', $place{$type} + $offset & ~63;
	like($table, qr/^ +\d+ +$line +N\/A +\d+ +[\d.]+% +$misses /m, "$type+$offset is at $line");
}

# Wrong usage, and what has no samples.
begin();
my $empty = spew("$dir/empty.txt", $text);
for ([ "$file -o $dir/x", 2, qr/--to FORMAT is missing/ ], [ "$file --to perf", 2, qr/-o OUTPUT is missing/ ],
     [ "$dir/none --to perf -o $dir/x", 1, qr/none: / ], [ "$empty --to perf -o $dir/x", 1, qr/no samples/ ],
     [ "$file --to perf -o $dir/none/x", 1, qr/none/ ]) {
	my ($options, $want, $why) = @$_;
	my ($status, $text, $err) = run("$dprof export $options");
	is($status, $want, "export $options");
	like($err, $why, 'says why');
}
ok(!-e "$dir/x", 'and leaves nothing');

done_testing;
