#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# dprof report warns of samples that cannot be true, on stderr and in JSON; not of those that can.
use strict;
use warnings;
no warnings 'portable';
use FindBin;
use lib "$FindBin::RealBin/../../tests";
use JSON::PP;
use Test::More;
use Tool;

my $dprof = "$build/bin/dprof";
my %source = (l1 => 1 << 33 | 2, l2 => 2 << 33 | 2, dram => 13 << 33 | 2);

# A recording of 1,200 samples: address, level and latency of each.
sub recording {
	my ($name, $of) = @_;
	my $text = "# dprof events 1\nhost testbox, Linux 6.12\n1 0 1 dprof_type id=20 class=1 size=128 cache=foo func=make line=1\n";
	for my $i (1 .. 1200) {
		my ($addr, $level, $latency) = $of->($i);
		$text .= "@{[1000 * $i]} 0 1 dprof_sample ip=@{[0xffffffff81000000]} addr=$addr base=$addr type=20 op=1 width=8 "
			. "source=1 data_src=$source{$level} latency=$latency\n";
	}
	return spew("$dir/$name.txt", $text);
}

my $kernel = 0xffff888000000000;
for ([ right => undef, sub { ($kernel + 128 * $_[0], $_[0] % 5 ? 'l1' : $_[0] % 10 ? 'l2' : 'dram', $_[0] % 5 ? 4 : $_[0] % 10 ? 14 : 200) } ],
     [ odd => '50 % of the addresses are none that a program can access',
       sub { ($_[0] % 2 ? $kernel + 128 * $_[0] : 0x0200000000000000, 'l1', 4) } ],
     [ one => '100.0 % of the accesses found their data in the same cache, and it is not the L1',
       sub { ($kernel + 128 * $_[0], 'l2', 14) } ],
     [ swapped => 'the L1 is slower (200 cycles) than memory (4)',
       sub { ($kernel + 128 * $_[0], $_[0] % 5 ? 'l1' : 'dram', $_[0] % 5 ? 200 : 4) } ]) {
	my ($name, $warning, $of) = @$_;
	my $file = recording($name, $of);
	my ($status, $json, $err) = run("$dprof report profile $file -f json");
	is($status, 0, "$name: no failure");
	is($err, $warning ? "dprof: $file: not plausible: $warning\n" : '', $warning ? 'a warning' : 'no warning');
	is(decode_json($json)->{warning}, $warning, 'in JSON, too');
}

done_testing;
