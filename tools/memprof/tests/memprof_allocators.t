#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Objects that other allocators than the C library's give out: each has its site, its size and
# its accesses, as with the C library's.
use strict;
use warnings;
use File::Temp 'tempdir';
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use Allocators;

my $build = $ENV{MEMSCOPE_BUILD} // "$FindBin::RealBin/../../../build";
my $dir = tempdir('memprof-allocators.XXXXXX', TMPDIR => 1, CLEANUP => 1);

my %least = (c => 10, 'c++' => 13);
for my $language (sort keys %least) {
	cmp_ok(scalar keys %{expected_objects($FindBin::RealBin, $language)}, '>=', $least{$language},
	       "objects of $language are expected");
}
for my $case (allocator_cases($FindBin::RealBin, $dir)) {
	SKIP: {
		skip $case->{skip}, 1 if $case->{skip};
		subtest "$case->{language}, $case->{allocator}, $case->{how}, -$case->{level}" => sub {
			my $got = allocator_objects($build, $dir, $case);
			ok($got, 'runs') or return;
			for (sort keys %{$case->{expected}}) {
				my $o = delete $got->{$_};
				ok($o, "$_ is an object") or next;
				is($o->[0], $case->{expected}{$_}, "of $case->{expected}{$_} bytes");
				is($o->[1], 200, 'with all of its accesses');
			}
			is_deeply([ sort keys %$got ], [], 'and nothing else is accessed');
		};
	}
}
done_testing();
