#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Histories against an oracle that sees every access (oracle/watched.c): whatever is done to
# watched bytes once all CPUs are armed is logged, in order, and nothing else; each history
# is one life of its object, of those that come and go in bulk, by RCU, with
# SLAB_TYPESAFE_BY_RCU and through the cache of NAPI, too.  `make bench-dprof` has more.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use VM;

plan skip_all => 'only the plain kernel has debug information'
	if ($ENV{MEMSCOPE_KERNEL} // 'vm') ne 'vm';

my $bench = "$FindBin::RealBin/../bench";

sub judge {
	my ($trace) = @_;
	my $said = `$bench/dprof_watched.pl $share/truth $trace 2>$share/judged`;
	is($?, 0, 'judged');
	return { $said =~ /^(\w+) (\d+)$/mg };
}

sub record {
	my ($name, @what) = @_;
	system('sh', '-c', 'MEMSCOPE_BUILD=$0 "$@" >$LOG 2>&1', $build,
	       "$bench/dprof_watched.sh", $share, @what);
	is($?, 0, "$name: recorded") or diag(slurp("$share/log"));
	my $n = judge("$share/trace");
	diag "$name: " . join ', ', map { "$_ $n->{$_}" } sort keys %$n;
	for (qw(missed invented disordered unmatched wrong_op wrong_lives)) {
		is($n->{$_}, 0, "$name: none $_") or diag(slurp("$share/judged"));
	}
	return $n;
}
$ENV{LOG} = "$share/log";

my $n = record('lives', 'lives', 20, '0,8 64,112', 2);
cmp_ok($n->{lives}, '>=', 60, 'lives of objects, each a history');
cmp_ok($n->{logged}, '>', 300, 'accesses once all CPUs were armed');
is($n->{stale}, 0, 'nobody uses what another CPU frees');

# Logs that are wrong: without some accesses, with some that were not made, and with two in
# the wrong order.
my @trace = split /^/, slurp("$share/trace");
my @accesses = grep { $trace[$_] =~ /dprof_access: / } 0 .. $#trace;

sub tampered {
	open my $f, '>', "$share/tampered" or die;
	print $f @_;
	close $f;
	return judge("$share/tampered");
}

my @less = @trace;
$less[$accesses[10 * $_]] = '' for 0 .. $#accesses / 10;
cmp_ok(tampered(@less)->{missed}, '>=', 10, 'what is left out is found');
my @more = @trace;
$more[$accesses[10 * $_]] .= $trace[$accesses[10 * $_]] =~ s/offset=\d+/offset=24/r
	for 0 .. $#accesses / 10;
cmp_ok(tampered(@more)->{invented}, '>=', 10, 'and what was not made');
my @of = map { $trace[$_] =~ /(\[\d+\]).* (id=\d+)/ ? "$1 $2" : '' } @accesses;
my ($first) = grep { $of[$_] eq $of[$_ + 1] } 0 .. $#of - 1;
my @swapped = @trace;
@swapped[@accesses[$first, $first + 1]] = @trace[@accesses[$first + 1, $first]];
is(tampered(@swapped)->{disordered}, 1, 'and the wrong order');

$n = record('a load', 'skbuff_head_cache', 'udp', 200, '', 4);
cmp_ok($n->{lives}, '>=', 150, 'lives as the tracepoints of the allocator have them');
cmp_ok($n->{logged}, '>', 500, 'and accesses');
done_testing;
