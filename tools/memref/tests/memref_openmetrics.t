#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# memref export --to openmetrics: the last interval as memref report prints it; names that processes
# chose break nothing.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../../tests";
use JSON::PP;
use Test::More;
use Tool;

my $memref = "$build/bin/memref";
sub helper { return (grep { -x } map { "$build/$_/tests/$_[0]" } qw(tools ../tools))[0] }

sub rows {
	my ($status, $json, $err) = run("$memref report @_ -f json");
	is($status, 0, "report @_");
	return @{decode_json($json)->{rows}};
}

sub metrics {
	my ($file) = @_;
	my ($status, $text, $err) = run("$memref export $file --to openmetrics");
	is("$status $err", '0 ', "export $file");
	my %metric = $text =~ /^([^# ]\S*(?:\{.*\})?) (\S+)$/mg;
	return ($text, \%metric);
}

sub check {
	my ($file) = @_;
	my ($text, $m) = metrics($file);
	my $wss = (rows("wss $file"))[-1];
	my $temporal = (rows("temporal $file"))[-1];
	for my $class (qw(kernel user page_cache)) {
		is($m->{"memref_working_set_bytes{class=\"$class\"}"}, 4096 * $temporal->{"pages_$class"}, "$class");
		is($m->{"memref_groups{class=\"$class\"}"}, $temporal->{"groups_$class"}, "groups, $class");
	}
	cmp_ok(abs($m->{memref_resident_bytes} / (1 << 20) - $wss->{rss_mib}), '<', 0.001, 'resident');
	cmp_ok(abs($m->{memref_scan_seconds} * 1000 - $temporal->{scan_ms}), '<', 0.001, 'scan');
	cmp_ok(abs($m->{memref_interval_seconds} - $temporal->{interval_s}), '<', 0.001, 'interval');
	SKIP: {
		skip 'no promtool (prometheus)', 2 if system('command -v promtool >/dev/null');
		is_deeply([ run("promtool check metrics <<'end' 2>&1\n${text}end\n") ], [ 0, '', '' ], 'promtool finds nothing');
		# Prometheus' own parser of OpenMetrics is strict, and takes values with a time only.
		spew("$dir/om", $text =~ s/^([^#].*)$/$1 1700000000/mgr);
		my ($status, $out, $err) = run("promtool tsdb create-blocks-from openmetrics $dir/om $dir/blocks");
		is($status, 0, 'OpenMetrics by its parser') or diag($err);
	}
	return ($text, $m);
}

my $known = "$dir/known.dat";
system(helper('memref_gen'), $known) and die;
my ($text, $m) = check($known);
is($m->{'memref_process_working_set_bytes{comm="worker"}'}, sprintf('%.9g', 992 / 3 * 4096), 'a process, mean');
is($m->{memref_lost_events}, 5, 'events lost');
is($m->{'memref_host_info{host="machine"}'}, 1, 'host');

# Two nodes; a process whose name is not UTF-8.
my $nodes = "$dir/nodes.dat";
system(helper('trace_gen') . " memref 7 $nodes 5 >/dev/null") and die;
($text, $m) = check($nodes);
for my $n (0, 1) {
	my ($row) = grep { $_->{seq} == 5 && $_->{node} == $n } rows("numa $nodes");
	is($m->{"memref_node_working_set_bytes{node=\"$n\",class=\"user\"}"}, 4096 * $row->{pages_user}, "node $n");
}
like($text, qr/comm="b\x{ef}\x{bf}\x{bd}ro"/, 'a name that is not UTF-8');

for ([ "$dir/none.dat -o $dir/x", qr/none/ ], [ "$known -o $dir/none/x", qr/none/ ], [ "$known >/dev/full", qr/standard output/ ]) {
	my ($options, $why) = @$_;
	my ($status, $out, $err) = run("$memref export --to openmetrics $options");
	is($status, 1, "export $options");
	like($err, qr/\A.*${why}.*\n\z/, 'one line');
	ok(!-e "$dir/x", 'no file');
}
# Counter tracks: the same figures of all intervals, from the begin of each on.
my ($status, $json, $err) = run("$memref export $nodes --to perfetto");
is("$status $err", '0 ', 'export --to perfetto');
my @events = @{decode_json($json)->{traceEvents}};
is($events[0]{args}{name}, (rows("summary $nodes"))[0]{value}, 'the machine');
my @temporal = rows("temporal $nodes");
my @tracks = grep { $_->{name} eq 'memref_working_set_bytes' } @events;
is_deeply([ map { [ $_->{ts}, map { $_ / 4096 } @{$_->{args}}{qw(kernel user page_cache)} ] } @tracks ],
	  [ map { [ 1e5 * ($_->{seq} - 1), @$_{qw(pages_kernel pages_user pages_page_cache)} ] } @temporal ], 'a track, row by row');
my @of_nodes = grep { $_->{name} eq 'memref_node_working_set_bytes' } @events;
is(join(' ', sort keys %{$of_nodes[0]{args}}), join(' ', map { my $n = $_; map { "$n:$_" } qw(kernel page_cache user) } 0, 1), 'nodes');
is((run("$memref export $nodes --to perfetto >/dev/full"))[0], 1, 'a full disk');
# Idle ages.
system(helper('memref_ages_gen') . " $dir/ages.dat 80") == 0 or die;
my (undef, $idle) = metrics("$dir/ages.dat");
my @last = rows("ages $dir/ages.dat --by class");
my $seq = $last[-1]{seq};
my %age = (0 => '0', 1 => '1', 2 => '2-3', 4 => '4-7', 8 => '8-15', 16 => '16-31', 32 => '32-63', 64 => '64-127', 128 => '128-');
my %want = map { my $r = $_; map { ("memref_age_bytes{class=\"$r->{of}\",age=\"$age{$_}\"}" => 4096 * sprintf '%.0f', $r->{"age_${_}_mib"} * 256) } keys %age }
	grep { $_->{seq} == $seq } @last;
cmp_ok(scalar keys %want, '>=', 9, 'there are ages');
is_deeply({ map { $_ => $idle->{$_} } grep { /^memref_age/ } keys %$idle }, \%want, 'memory by class and age');

done_testing;
