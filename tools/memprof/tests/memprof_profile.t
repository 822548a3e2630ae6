#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# memprof export --to pprof: totals of a profile are those of the reports, and its leaves are objects;
# memprof export --to openmetrics: the figures that memprof report summary prints.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../../tests";
use JSON::PP;
use Test::More;
use Tool;

my $memprof = "$build/bin/memprof";
sub helper { return (grep { -x } map { "$build/$_/tests/$_[0]" } qw(tools ../tools))[0] }
my $file = "$dir/made.data";
is(system(helper('memprof_gen') . " $file 20000 5000 8 100 1 >/dev/null"), 0, 'a recording');
my $objects = "$dir/objects.data";
is(system(helper('memprof_export_gen') . " $objects >/dev/null"), 0, 'a recording with objects of all kinds');

sub report {
	my ($status, $json, $err) = run("$memprof report @_ -f json");
	is($status, 0, "report @_");
	return @{decode_json($json)->{rows}};
}

my %summary = map { $_->{what} => $_->{value} } report("summary $file");
my ($status, $text, $err) = run("$memprof export $file --to openmetrics");
is("$status $err", '0 ', 'export --to openmetrics');
my %metric = $text =~ /^(memprof_\S+) (\S+)$/mg;
is($metric{memprof_accesses}, $summary{accesses}, 'accesses');
is($metric{memprof_memory_accesses}, $summary{'of main memory, as far as is known'}, 'of main memory');
cmp_ok(abs(100 * $metric{memprof_remote_ratio} - $summary{'remote, of these'}), '<', 0.01, 'remote');
cmp_ok(abs($metric{memprof_memory_latency_cycles} - $summary{'latency of memory'}), '<', 0.01, 'latency');
for my $node (0, 1) {
	is($metric{"memprof_node_memory_accesses{node=\"$node\"}"}, $summary{"node $node: accesses of its memory"}, "node $node");
	cmp_ok(abs(100 * $metric{"memprof_node_cpu_remote_ratio{node=\"$node\"}"} - $summary{"node $node: of these, remote"}),
	       '<', 0.01, "node $node, remote");
}
SKIP: {
	skip 'no promtool (prometheus)', 1 if system('command -v promtool >/dev/null');
	is_deeply([ run("promtool check metrics <<'end' 2>&1\n${text}end\n") ], [ 0, '', '' ], 'promtool finds nothing');
}

# profile FILE [NOTE]: its totals, and accesses by leaf.
sub profile {
	my ($file, $note) = @_;
	my ($status, $text, $err) = run("$memprof export $file --to pprof -o $file.pb.gz");
	like("$status $err", $note // qr/^0 $/, "export $file --to pprof");
	($status, $text, $err) = run(helper('pprof_print') . " $file.pb.gz");
	is("$status $err", '0 ', 'decoded by libprotobuf-c');
	my %total = $text =~ /^total (\S+) (-?\d+)$/mg;
	my %leaf;
	/^(\d+) \S+ \S+ \S+ \| ([^<|]+?)(?:<| \|)/ and $leaf{$2} += $1 for split /\n/, $text;
	return (\%total, \%leaf, $text);
}

my ($total, $leaf) = profile($file);
is($total->{'accesses/count'}, $summary{accesses}, 'accesses');
is($total->{'remote/count'}, sprintf('%.0f', $metric{memprof_remote_ratio} * $metric{memprof_memory_accesses}), 'remote');
is($total->{'latency/cycles'}, sprintf('%.0f', $metric{memprof_memory_latency_cycles} * $metric{memprof_memory_accesses}),
   'latency, all of main memory');
is($total->{'bytes/bytes'}, 64 * $metric{memprof_memory_accesses}, 'a line for each access of main memory');

# Sites of objects, where two have the same name at different places their accesses add up.
($total, $leaf, $text) = profile($objects);
my %site;
$site{$_->{site} =~ s/ \(.*\)$//r} += $_->{accesses} for grep { $_->{accesses} } report("objects $objects");
is_deeply($leaf, \%site, 'leaves are the sites of memprof report objects');
like($text, qr/ \| \Q$_\E/m, "object $_") for 'exported_table';
is((run("$memprof export $objects --to pprof | cmp - $objects.pb.gz"))[0], 0, 'the same on standard output');

# Control groups: by thread and time.
is(system(helper('perf_gen') . " $dir/groups.data cgroups"), 0, 'a recording of perf record --all-cgroups');
for my $from ("$dir/groups.data", "$dir/imported.data") {
	run("$memprof import $dir/groups.data -o $from") if $from =~ /imported/;
	my $text = (profile($from, $from =~ /groups/ ? qr/^0 .*no events of allocations/ : undef))[2];
	my %in;
	$in{/ cgroup=(.*?)(?: [a-z_]+=|$)/ ? $1 : '-'} += /^(\d+) / ? $1 : 0 for grep { !/^total/ } split /\n/, $text;
	is_deeply(\%in, { '/machine.slice/first' => 250, "/second\xef\xbf\xbd group" => 130, '-' => 20 },
		  'accesses of control groups, one of which has no path') or diag(explain(\%in));
}

# Perfetto: each access once, on the track of its thread.
($status, $text, $err) = run("$memprof export $file --to perfetto");
is("$status $err", '0 ', 'export --to perfetto');
my @events = grep { $_->{ph} eq 'i' } @{decode_json($text)->{traceEvents}};
is(scalar(@events), $metric{memprof_accesses}, 'all accesses');
my ($remote, $latency, %of) = (0, 0);
for (@events) {
	$remote += $_->{args}{node} != $_->{args}{memory_node};
	$latency += $_->{args}{latency_cycles};
	$of{$_->{tid}}++;
}
is($remote, sprintf('%.0f', $metric{memprof_remote_ratio} * $metric{memprof_memory_accesses}), 'remote ones');
is($latency, sprintf('%.0f', $metric{memprof_memory_latency_cycles} * $metric{memprof_memory_accesses}), 'their latency');
is_deeply(\%of, { map { $_->{tid} => $_->{accesses} } report("threads $file --top 0") }, 'those of each thread');
is(join(' ', grep { $events[$_]{ts} < $events[$_ - 1]{ts} } 1 .. $#events), '', 'in the order of time');

for ([ "$dir/none --to pprof -o $dir/x", qr/none/ ], [ "$file --pid 1 --to perfetto -o $dir/x", qr/no access/ ],
     [ "$file --to perfetto >/dev/full", qr/standard output/ ], [ "$file --to pprof -o $dir/none/x", qr/none/ ],
     [ "$file --to pprof >/dev/full", qr/standard output/ ], [ "$file --pid 1 --to pprof -o $dir/x", qr/no access/ ]) {
	my ($options, $why) = @$_;
	my ($status, $text, $err) = run("$memprof export $options");
	is($status, 1, "export $options");
	like($err, qr/\A.*${why}.*\n\z/, 'one line');
	ok(!-e "$dir/x", 'no file');
}
done_testing;
