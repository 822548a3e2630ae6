#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# memprof diff: what became local or remote, and whether predictions came true.
use strict;
use warnings;
use FindBin;
use JSON::PP;
use lib "$FindBin::RealBin/../../tests";
use Test::More;
use Tool;

my $memprof = "$build/bin/memprof";

# A recording of [object, nodes that access it, node of the memory], 1,000 accesses each.
sub recording {
	my ($name, @objects) = @_;
	my ($csv, $time) = ("time,pid,tid,cpu,cpu_node,node,address,op,object\n", 0);
	for my $i (0 .. 999) {
		for my $k (0 .. $#objects) {
			my ($object, $nodes, $home) = @{$objects[$k]};
			my $node = $nodes->[$i % @$nodes];
			$csv .= join(',', $time += 1000, 10, 10 + $node, $node, $node, $home,
				     sprintf('0x%x', 0x100000 * ($k + 1) + $i * 64 % 65536), 'read', $object) . "\n";
		}
	}
	spew("$dir/$name.csv", $csv);
	is((run("$memprof import $dir/$name.csv -o $dir/$name.data"))[0], 0, "$name: a recording");
	return "$dir/$name.data";
}

sub diff {
	my ($before, $after, @options) = @_;
	my ($status, $out, $err) = run("$memprof diff $before $after -f json @options");
	is($status, 0, 'compared') or diag $err;
	return { map { $_->{site} => $_ } @{decode_json($out)->{rows}} };
}

my $before = recording('before', ['one', [1], 0], ['both', [0, 1], 0], ['fine', [0], 0], ['old', [0], 0]);
my $after = recording('after', ['one', [1], 1], ['both', [0, 1], 0], ['fine', [1], 0], ['fresh', [0], 0]);

my $d = diff($before, $after);
my %said = map { $_ => join ' ', grep { defined } @{$d->{$_}}{qw(became prediction)} } keys %$d;
is($said{one}, 'local as predicted', 'a site whose advice was followed');
is($said{both}, 'same unchanged', 'one whose advice was not');
is($said{fine}, 'remote', 'one that was local has no prediction');
is($said{old}, 'gone', 'one that is not there any more');
is($said{fresh}, 'new', 'one that was not there before');
is($d->{one}{remote_pct_before}, 100, 'remote before');
is($d->{one}{remote_pct_after}, 0, 'and after');
is($d->{one}{predicted_pct}, 0, 'as was predicted');
is(sprintf('%.0f', $d->{one}{change_points}), -25, 'points of all accesses');
is(sprintf('%.1f %.1f', @{$d->{'[all]'}}{qw(remote_pct_before remote_pct_after)}), '37.5 37.5', 'of all accesses');
my ($first) = @{decode_json((run("$memprof diagnose $before -f json"))[1])->{rows}};
is($d->{'[all]'}{predicted_pct}, $first->{all_fixes_pct}, 'the prediction of all fixes together is that of diagnose');

$d = diff($before, $before);
is(join(' ', sort { $a cmp $b } map { $_->{became} } values %$d), 'same same same same same', 'of itself, nothing changed');
is(scalar keys %{diff($before, $after, '--top', 1)}, 2, '--top has so many sites');
is((run("$memprof diff $before"))[0], 2, 'two recordings are needed');

ok(read_under_sanitizers(), 'no report of the sanitizers');
done_testing();
