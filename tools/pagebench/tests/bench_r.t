#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# bench_r.t [--into FILE]: intervals of equal bootstrap replicates, ours and R's, differ
# by less than 1e-12.  --into sets r_boot_max_abs_diff in FILE, a flat JSON object.
use strict;
use warnings;
use File::Temp 'tempdir';
use FindBin;
use JSON::PP;
use Test::More;

my $build = $ENV{MEMSCOPE_BUILD} // "$FindBin::RealBin/../../../build";
my $into = @ARGV == 2 && $ARGV[0] eq '--into' ? $ARGV[1] : undef;
die "usage: bench_r.t [--into FILE]\n" if @ARGV && !defined $into;
system("Rscript -e 'library(boot)' >/dev/null 2>&1") == 0
	or BAIL_OUT('no R (Debian packages r-base-core and r-cran-boot: make deps)');

my $dir = tempdir('memscope-test.XXXXXX', TMPDIR => 1, CLEANUP => 1);
is(system("$build/tools/tests/bench_boot >$dir/replicates"), 0, 'replicates and our intervals');
my %diff = map { /^(\S+) (\S+)\s*$/ ? ($1 => $2) : () } `Rscript $FindBin::RealBin/bench_r.R $dir/replicates`;
is($?, 0, 'R read them');
is(scalar(grep { /^perc-/ } keys %diff), 16, 'percentile intervals');
is(scalar(grep { /^bca-/ } keys %diff), 16, 'BCa intervals');
cmp_ok($diff{$_}, '<=', 1e-12, "$_: $diff{$_}") for sort keys %diff;
my ($max) = sort { $b <=> $a } map { $diff{$_} } grep { /^(perc|bca|type6)-/ } keys %diff;
diag "r_boot_max_abs_diff $max";

if (defined $into) {
	my $n = {};
	if (open my $f, '<', $into) {
		local $/;
		$n = decode_json(<$f>);
	}
	$n->{r_boot_max_abs_diff} = $max + 0;
	open my $f, '>', "$into.tmp" or die "$into.tmp: $!\n";
	print $f JSON::PP->new->canonical->pretty->encode($n);
	close $f && rename "$into.tmp", $into or die "$into: $!\n";
}
done_testing;
