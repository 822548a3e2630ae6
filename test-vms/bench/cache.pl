#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
# cache.pl BUILD: runs cache_speed with the oracle's parts on and off.  Time is the
# processor time of QEMU on the host, less that of a run that does no work: others
# on the host do not matter.  The median of three.
use strict;
use warnings;
use FindBin;
use JSON::PP;
use List::Util 'max';

my $build = shift or die "usage: cache.pl BUILD\n";
my $counts = "$build/bench/cache.csv";
my $model = "counts=$counts,cache=L1d:32K:8:64:private";
my %spec = (
	no_plugin => [ quiet => undef ],
	loaded => [ quiet => "out=$build/bench/cache.oracle" ],
	pages => [ mark => "out=$build/bench/cache.oracle" ],
	l1 => [ mark => "who=user,$model" ],
	l1_l2 => [ mark => "who=user,$model,L2:1M:16:64:private" ],
	l1_l2_xor => [ mark => "who=user,$model,L2:1M:16:64:private:xor="
		       . join '/', map { sprintf '0x%x', 1 << 6 + $_ | 1 << 16 + $_ } 0 .. 9 ],
	l1_l2_l3_plru => [ mark => "who=user,$model:plru,L2:1M:16:64:private:plru,L3:8M:16:64:plru" ],
);
my %n;

mkdir "$build/bench";
sub seconds {
	my ($oracle, @command) = @_;
	my @before = times;

	system("$FindBin::Bin/../run", '--smp', 1, $oracle ? ('--oracle', $oracle) : (), '--',
	       'cache_speed', @command) == 0 or die "cache.pl: @command failed\n";
	my @after = times;
	return $after[2] + $after[3] - $before[2] - $before[3];
}

sub accesses {
	open my $f, '<', $counts or return;
	while (<$f>) {
		return $1 if /^0,L1d,1,0,(\d+)/;
	}
	return;
}

for my $mode (sort keys %spec) {
	my ($mark, $oracle) = @{ $spec{$mode} };

	for my $work (qw(hits misses sort)) {
		my $rounds = $mark eq 'quiet' ? 200 : 50;
		my @s = sort { $a <=> $b } map {
			max(1e-3, seconds($oracle, $mark, $work, $rounds) - seconds($oracle, $mark, $work, 0))
		} 1 .. 3;

		$n{"seconds_${mode}_$work"} = sprintf('%.5f', $s[1] / $rounds) + 0;
		next unless ($oracle // '') =~ /cache=/;
		unlink $counts;
		seconds($oracle, $mark, $work, $rounds);
		$n{"m_accesses_per_s_${mode}_$work"} = sprintf('%.1f', accesses() / $s[1] / 1e6) + 0;
	}
	printf "%-14s %s\n", $mode, join '  ', map {
		my $m = $n{"m_accesses_per_s_${mode}_$_"};
		"$_: " . $n{"seconds_${mode}_$_"} . ' s' . ($m ? " ($m M/s)" : '');
	} qw(hits misses sort);
}
my ($qemu) = split /\n/, `qemu-system-x86_64 --version`;
$n{_how} = "make bench-cache; $qemu; seconds a round of cache_speed, accesses reaching L1d a second";
open my $f, '>', "$build/bench/cache.json" or die "$build/bench/cache.json: $!\n";
print $f JSON::PP->new->canonical->pretty->encode(\%n);
close $f or die "$build/bench/cache.json: $!\n";
