# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Recordings made up for the tests of memscope, with planted answers.
package Planted;

use strict;
use warnings;
no warnings 'portable';
use Exporter 'import';
use FindBin;
use lib "$FindBin::RealBin/../../tests";
use Tool;

our @EXPORT = qw(plant_memref plant_objects plant_types helper);

sub helper {
	my ($name) = @_;
	my ($path) = grep { -x } map { "$build/$_/tests/$name" } qw(tools ../tools);
	return $path // die "$name: not built\n";
}

# Of three intervals, 64, 288 to 384 and 16 pages; see memref_gen.c.
sub plant_memref {
	my ($path) = @_;
	system(helper('memref_gen'), $path) == 0 or die 'memref_gen';
	return $path;
}

# Each object is [name, node of the thread, node of the memory, samples, address, thread].
sub plant_objects {
	my ($path, @objects) = @_;
	my $text = join '', map { sprintf "%s %u %u %u 0x%x %u\n", @$_[0 .. 4], $_->[5] // 107 } @objects;
	spew("$path.txt", $text);
	my $planted = helper('memprof_planted');
	system("$planted $path <$path.txt") == 0 or die 'memprof_planted';
	unlink "$path.txt";
	return $path;
}

# Objects of a cache: CPU 1 writes one field, CPU 0 reads another one of the same line.
# With VERSION, a trace.dat file; else the text form.
sub plant_types {
	my ($path, $version, %o) = @_;
	my ($cache, $site, $writer, $reader) = map { $o{$_->[0]} // $_->[1] }
		[ cache => 'foo_cache' ], [ site => 'alloc_foo' ], [ writer => 'count' ], [ reader => 'scan' ];
	my $text = "# dprof events 1\nhost testbox, Linux 6.12\n";
	my ($n, %at) = (0);
	$at{$_} = 0xffffffff81000000 + 0x1000 * $n++ for $site, $writer, $reader;
	$text .= sprintf "symbol %x t %s\n", $at{$_}, $_ for $site, $writer, $reader;
	$text .= "symbol ffffffff81007000 t end_of_text\n";
	my $time = 1_000_000_000;
	$text .= "$time 0 1 dprof_type id=20 class=1 size=128 cache=$cache func=$site file=net/foo.c line=12\n";
	for my $i (0 .. ($o{samples} // 60) - 1) {
		my $base = 0xffff888000100000 + 128 * ($i % 10);
		my $common = "base=$base type=20 width=8 source=1";
		$time += 500;
		$text .= "$time 0 1 dprof_sample ip=@{[$at{$reader} + 2]} addr=$base offset=0 op=1 latency=50 " .
			 "data_src=@{[3 << 33 | 2]} $common\n";
		$time += 500;
		$text .= "$time 1 1 dprof_sample ip=@{[$at{$writer} + 2]} addr=@{[$base + 8]} offset=8 op=2 $common\n";
	}
	return spew($path, $text) if !$version;
	spew("$path.txt", $text);
	system(helper('trace_gen'), 'dprof', $version, $path, "$path.txt") == 0 or die 'trace_gen';
	return $path;
}

1;
