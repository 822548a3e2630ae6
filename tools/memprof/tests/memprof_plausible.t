#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Reports warn of a recording that cannot be true, once, on stderr and in JSON; not of one that can,
# also where they compare two.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../../tests";
use JSON::PP;
use Test::More;
use Tool;

my $memprof = "$build/bin/memprof";
my $unmapped = '10 % of the addresses are outside of any mapping';

sub check {
	my ($file, $warning) = @_;
	for my $verb ('report summary', 'report objects', 'report threads', 'diagnose') {
		my ($status, $json, $err) = run("$memprof $verb $file -f json");
		is($status, 0, "$verb: no failure");
		is($err, $warning ? "memprof: $file: not plausible: $warning\n" : '', $warning ? 'a warning, once' : 'no warning');
		my $all = decode_json($json);
		ok(exists $all->{warning}, 'a key in JSON');
		is($all->{warning}, $warning, $warning ? 'says it' : 'null');
		is(ref $all->{rows}, 'ARRAY', 'rows as before');
	}
	my ($status, undef, $err) = run("$memprof html $file -o $dir/page.html --no-plots");
	is("$status $err", '0 ' . ($warning ? "memprof: $file: not plausible: $warning\n" : ''), 'html');
}

my $gen = "$build/tools/tests/memprof_gen";
is(system("$gen $dir/right.data 3000 300 4 50 1"), 0, 'a recording as they are');
is(system("$gen --unmapped $dir/wrong.data 3000 0 4 50 1"), 0, 'one with addresses where nothing is');
is(system("$gen --unmapped $dir/few.data 60 0 4 50 1"), 0, 'and with too few to say so');
check("$dir/right.data", undef);
check("$dir/wrong.data", $unmapped);
check("$dir/few.data", undef);

# Of two recordings, each is judged by itself.
is(system("$gen $dir/short.data 600 60 4 50 1"), 0, 'a short one, as they are');
for my $pair ([ 'wrong', 'short' ], [ 'short', 'wrong' ], [ 'wrong', 'wrong' ], [ 'short', 'right' ]) {
	my ($status, $json, $err) = run("$memprof diff $dir/$pair->[0].data $dir/$pair->[1].data -f json");
	is($status, 0, "diff @$pair");
	is($err, join('', map { "memprof: $dir/$_.data: not plausible: $unmapped\n" } grep { $_ eq 'wrong' } @$pair), 'accuses the wrong ones');
	my @said = map { $pair->[$_] eq 'wrong' ? qw(first second)[$_] . " recording: $unmapped" : () } 0, 1;
	is(decode_json($json)->{warning}, @said ? join('; ', @said) : undef, 'as does JSON');
}

# CSV has the columns alone.
unlike((run("$memprof report summary $dir/wrong.data -f csv"))[1], qr/plausible|outside of any/, 'CSV is as it was');

done_testing;
