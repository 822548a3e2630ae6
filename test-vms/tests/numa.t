#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# A guest of two nodes: a program's memory is seen on the node it is bound to,
# on both if it is interleaved (the paper's Figures 15 to 22).
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use JSON::PP;
use Test::More;
use VM;

system 'cp', "$build/bin/memref", "$build/bin/pagetest", $share;
my @kernel = $ENV{MEMSCOPE_KERNEL} ? ('--kernel', $ENV{MEMSCOPE_KERNEL}) : ();
my $vm = vm(@kernel, '--root', 'host', '--share', $share, '--timeout', 900,
	    '--numa', 2, '--mem', '1G', '--env', 'PATH=/share:/usr/sbin:/usr/bin:/sbin:/bin',
	    '--', 'sh', '-c', <<'EOF');
cd /sys/kernel/tracing
for binding in --membind=0 --membind=1 --interleave=all; do
	memref record -i 300 --group-size 16M --cpu-max 0 --command-only --children --tasks \
		-o /share/numa$binding.dat -- \
		numactl $binding pagetest --size 128M --iterations 8 --sleep 200 >/dev/null || exit 1
done
cat /sys/devices/system/node/node1/meminfo | sed -n 's/.*MemTotal: */node1 /p'
EOF
is($vm->{status}, 0, 'the guest recorded') or diag $vm->{err}, $vm->{out};
like($vm->{out}, qr/^node1 \d/m, 'it has two nodes');
my $memref = "$build/bin/memref";
my %want = ('--membind=0' => [ 1, 0 ], '--membind=1' => [ 0, 1 ], '--interleave=all' => [ 0.5, 0.5 ]);
for my $binding (sort keys %want) {
	my $file = "$share/numa$binding.dat";
	my $rows = decode_json(scalar(`$memref report numa $file -f json`) || '{}')->{rows} // [];
	my %pages;
	$pages{$_->{node}} += $_->{pages_user} for @$rows;
	my $all = ($pages{0} // 0) + ($pages{1} // 0);
	cmp_ok($all, '>', 32768, "$binding: pages were seen: $all");
	for my $node (0, 1) {
		# Libraries and the page tables' reader are where they are.
		my $share = ($pages{$node} // 0) / ($all || 1);
		cmp_ok(abs($share - $want{$binding}[$node]), '<', 0.05,
		       sprintf '%s: node %d has %.1f %% of the user pages', $binding, $node, 100 * $share);
	}
	for my $view (qw(numa spatial)) {
		is(system("$memref plot $view $file --class user -o $share/$view.svg"), 0, "$binding: plot $view");
	}
	for my $node (grep { $want{$binding}[$_] } 0, 1) {
		ok((slurp("$share/spatial.svg") // '') =~ /node $node/i,
		   "$binding: the spatial plot names node $node");
	}
}
done_testing;
