#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# The demonstration: what its four chapters say is what is true of a program of known memory,
# of the modelled cache, of the planted fault and of the planted object.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use JSON::PP;
use Test::More;
use VM;

my $demo = "MEMSCOPE_BUILD=$build $FindBin::RealBin/../demo/demo.sh $share/demo";

# Runs chapters, and returns what they found.
sub chapters {
	my ($names, $environment) = @_;
	my $text = `$environment $demo $names 2>$share/err`;
	is($?, 0, "demo.sh $names") or diag $text, slurp("$share/err");
	return map { @{ decode_json(slurp("$share/demo/$_/chapter.json") || '{"found":[]}')->{found} } } split / /, $names;
}

# pagetest writes 48 MiB in each iteration, and has little else.
my ($found) = chapters('memory', "DEMO_COMMAND='pagetest --size 48M --iterations 30 --sleep 100'");
my ($resident, $busiest, $half) = $found =~ /has ([\d.]+) MiB resident at most.* ([\d.]+) MiB in the busiest interval, and ([\d.]+) MiB/;
cmp_ok(abs(($busiest // 0) - 48), '<=', 3, 'memory: 48 MiB in the busiest interval') or diag $found;
cmp_ok($half // 1e9, '<=', $busiest // 0, 'half of the intervals have no more');
cmp_ok($resident // 0, '>=', 48, 'all of it is resident');
my $page = slurp("$share/demo/index.html") // '';
like($page, qr/<img src="data:image\/png;base64,[A-Za-z0-9+\/]{1000}/, 'the page has a picture');
unlike($page, qr/<section id="times"/, 'and no chapter that was not run');

my @found = chapters('times types objects', '');
my (undef, $program, $cv, $with) = $found[0] =~ /^(\d+) executions of (\w+),.*\(CV ([\d.]+) %\).*\(CV ([\d.]+) %\)/;
cmp_ok($with // 100, '<', ($cv // 0) / 5, 'times: executions differ five times less with page coloring') or diag $found[0];
# Its faults miss equally often, each of them with its field, its class and its functions.  Of the
# queue's objects, which one CPU allocates and the other one frees, also the allocator's pointer
# to the next free one, which lies in the middle of an object.
like($found[1], qr/^A module with planted faults, on two CPUs: (?:value of faults_pair:make_objects is false-shared.* faults_pair_(?:read|write)|\S+ of faults_false:make_objects is false-shared.* faults_false_read|\S+ of faults_true:make_objects is true-shared.* faults_true_read|\S+ of faults_queue:faults_queue_send is true-shared.* faults_queue_|tail\[0\] of faults_queue is true-shared.*; used by (?:kmem_cache_|__slab_))/,
     'types: a planted fault, its field and class') or diag $found[1];
# Sockets, packets, or waking up the receiver.
like($found[2], qr/^Two CPUs that exchange UDP packets: \S+ of (?:sock_inode_cache|UDP|skbuff_\w+|task_struct|call_single_queue)\S* is/,
     'types: what the UDP load shares') or diag $found[2];
# What code accesses in packets: an IP header, and a UDP header behind it.  In objects whose struct the
# allocation tells, code accesses that struct where the object begins.
sub structs_in {
	my ($type) = @_;
	my $rows = `$build/bin/dprof report structs --type $type --top 0 --format json --vmlinux $kernel_dir/vmlinux $share/demo/types/udp.dat`;
	return map { $_->{struct} ? $_ : () } @{ decode_json($rows || '{"rows":[]}')->{rows} };
}
my %begins;
for my $row (map { structs_in("$_:kmalloc_reserve") } qw(kmalloc-1k kmalloc-2k)) {
	$begins{$row->{struct}}{"$row->{at_bytes} $row->{at_pct}"} += $row->{samples} if $row->{struct} =~ /hdr$/;
}
my ($ip) = sort { $b <=> $a } map { /^(\d+) 100$/ ? $1 : () } keys %{ $begins{iphdr} // {} };
is_deeply({ map { $_ => [ keys %{ $begins{$_} } ] } qw(iphdr udphdr) }, { iphdr => [ ($ip // '?') . ' 100' ],
	  udphdr => [ (($ip // 0) + 20) . ' 100' ] }, 'types: headers of packets, and where they begin') or diag explain \%begins;
my ($all, $right) = (0, 0);
for (grep { $_->{struct} eq 'sk_buff' } structs_in('skbuff_head_cache:__alloc_skb')) {
	$all += $_->{samples};
	$right += $_->{samples} if !$_->{at_bytes} && $_->{at_pct} == 100;
}
cmp_ok($all, '>', 300, 'types: code accesses sk_buffs');
is($right, $all, 'all of them where the object begins');
like($found[3], qr/of \S.* \(memprof_plant\.c:\d+\): wrong-node\./, 'objects: the planted object and its pattern') or diag $found[3];
my ($before, $expected, $after) = $found[3] =~ /^([\d.]+) % .*expected: ([\d.]+) % remote.* ([\d.]+) % are\.$/;
cmp_ok(abs(($expected // 1e9) - ($after // 0)), '<=', 5, 'the advice does what was expected');
cmp_ok($after // 1e9, '<', $before // 0, 'and less is remote');
$page = slurp("$share/demo/index.html") // '';
is_deeply([ $page =~ /<section id="(\w+)"/g ], [ qw(memory times types objects) ], 'the page has four chapters');
is(() = $page =~ /alt="[^"]{20,}"/g, 4, 'four pictures with a description each');
my @dead = grep { !-e "$share/demo/$_" } $page =~ /href="([^"#]+)"/g;
is_deeply(\@dead, [], 'no link without its file');
done_testing;
