# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# What memref_bench printed, for memref.pl and judge.pl.
package MemrefBench;

use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(read_parts need ratio mean paired set_up %n %accuracy @cells);

our (%n, %accuracy, @cells);

# Numbers by name; recall and precision by working set, sampler and set-up.
sub read_parts {
	for my $file (@_) {
		open my $f, '<', $file or die "$file: $! (did memref_bench run?)\n";
		while (<$f>) {
			if (/^accuracy (\S+) (\S+) (\S+) (\S+) (\S+)$/) {
				push @cells, $1 if !$accuracy{$1};
				$accuracy{$1}{$2}{$3} = [ 0 + $4, 0 + $5 ];
			} elsif (/^(\w+) ([\d.e+-]+)$/) {
				$n{$1} = 0 + $2;
			}
		}
	}
}

sub need { return map { $n{$_} // die "no $_: did memref_bench run?\n" } @_ }
sub mean { my $sum = 0; $sum += $_ for @_; return $sum / @_ }
sub median { my @sorted = sort { $a <=> $b } @_; return ($sorted[$#sorted / 2] + $sorted[@sorted / 2]) / 2 }
sub ratio { my ($a, $b) = need(@_); return sprintf '%.4g', $a / $b }

# Runs of a seed with a sampler and with none are compared: how much more, in
# percent, the standard error of that, and the median.
sub paired {
	my ($lru, $sampler, $what) = @_;
	my @seeds = grep { defined $n{"reclaim_${lru}_${sampler}_${what}_$_"} } 1 .. 99;
	die "too few runs of reclaim $lru $sampler\n" if @seeds < 2;
	my @pct = map { 100 * ($n{"reclaim_${lru}_${sampler}_${what}_$_"} /
			       (need "reclaim_${lru}_off_${what}_$_")[0] - 1) } @seeds;
	my $mean = mean(@pct);
	return ($mean, sqrt(mean(map { ($_ - $mean) ** 2 } @pct) / (@pct - 1)), median(@pct),
		mean(map { $n{"reclaim_${lru}_${sampler}_${what}_$_"} } @seeds), scalar @seeds);
}

# Where the figures of a build directory are from.
sub set_up {
	my ($build) = @_;
	my ($kernel, $qemu) = ('unknown', `qemu-system-x86_64 --version`);
	if (open my $f, '<', "$build/kernel-vm/include/config/kernel.release") { chomp($kernel = <$f>) }
	$qemu =~ s/\n.*//s;
	return "kernel $kernel, $qemu, -icount shift=0: nanoseconds are instructions";
}

1;
