#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# The study of page allocation strategies, small: with colors given to their
# pages, programs miss a physically indexed cache as often in each execution.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use JSON::PP;
use Test::More;
use VM;

my $kernel = $ENV{MEMSCOPE_KERNEL} // 'vm';
my $evaluation = "SMALL=1 OUT=$share/out MEMSCOPE_BUILD=$build MEMSCOPE_KERNEL=$kernel $FindBin::RealBin/../bench/evaluation.sh";
my $text = `$evaluation 2>$share/err`;
is($?, 0, 'it comes to its end') or diag $text, slurp("$share/err");

my (%executions, %misses, $wrong);
for my $file (glob "$share/out/boot-*/joined.csv") {
	for (split /\n/, slurp($file)) {
		next if /^#|^suite,|,canary,/;
		my (undef, $b, $c, $s, undef, undef, $e, undef, $warmup, undef, $metric, undef, $value) = split /,/;
		$executions{"$b $s"}{$e}++ if $metric eq 'end';
		next if $warmup;
		push @{$misses{"$b $s"}}, $value if $metric eq 'L2_misses';
		$wrong++ if $metric eq 'instructions' && $value < 100000;
	}
}
is(scalar(keys %executions), 12, 'four programs with three strategies');
is_deeply([ grep { keys %$_ != 6 } values %executions ], [], 'six executions of each');
is_deeply([ grep { @{$misses{$_}} != (/gzip/ ? 6 : 24) } keys %misses ], [], 'misses of each measurement');
is($wrong, undef, 'the model saw the programs');
my $json = decode_json(slurp("$share/out/small.json") || '{}');
for my $program ('fft', 'lu', 'sor') {
	for my $strategy ('coloring', 'binhop') {
		my $reduction = $json->{"cv_reduction_${program}_$strategy"} // 0;
		cmp_ok($reduction, '>=', 10, "$program, $strategy: executions differ $reduction times less");
	}
}
# A whole run starts with empty caches: what ran before it does not matter.
for my $strategy ('coloring', 'binhop') {
	my @x = @{$misses{"gzip $strategy"} // [ 0 ]};
	my ($mean, $ss) = (0, 0);
	$mean += $_ / @x for @x;
	$ss += ($_ - $mean) ** 2 for @x;
	my $cv = $mean ? sqrt($ss / (@x - 1)) / $mean : 1;
	ok($mean > 1000 && $cv <= 0.007, sprintf "gzip, $strategy: %.0f misses, CV %.2f %%", $mean, 100 * $cv) or diag "@x";
}
cmp_ok($json->{residual_cv_max_pct} // 100, '<=', 0.7, 'all programs with 1,000 misses or more: ' . ($json->{residual_cv_max_of} // ''));
cmp_ok($json->{intervals} // 0, '>', 100, ($json->{intervals} // 0) . ' intervals');
is($json->{intervals_without_estimate}, 0, 'none without its estimate in it');
# What is complete is not measured again.
my @before = map { -M } glob "$share/out/boot-*/joined.csv";
is(system("$evaluation >$share/again 2>&1"), 0, 'again');
is_deeply([ map { -M } glob "$share/out/boot-*/joined.csv" ], \@before, 'nothing is measured again');
done_testing;
