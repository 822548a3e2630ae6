#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# memscope doctor on made machines: what works there, what does not, why, what to do.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../../tests";
use JSON::PP;
use Test::More;
use Tool;

my $memscope = "$build/bin/memscope";
my $dev = '/sys/bus/event_source/devices';
my @ibs = ("$dev/ibs_op/type" => "11\n", "$dev/ibs_op/format/cnt_ctl" => "config:19\n",
	   '/proc/cpuinfo' => "vendor_id\t: AuthenticAMD\nflags\t\t: fpu ibs\n");
my @swmem = ("$dev/swmem/type" => "12\n", "$dev/swmem/format/op" => "config:0-1\n");

# A machine on which all works: AMD, two nodes, root.
my %all = (
	@ibs, @swmem,
	'/proc/sys/kernel/osrelease' => "6.12.117-memscope\n",
	'/proc/self/status' => "Name:\tmemscope\nUid:\t0\t0\t0\t0\nCapEff:\t000001ffffffffff\n",
	'/proc/self/mounts' => "proc /proc proc rw 0 0\ntracefs /sys/kernel/tracing tracefs rw 0 0\n",
	'/proc/self/page_hints' => '',
	'/proc/meminfo' => "MemTotal: 16000000 kB\nMemFree: 8000000 kB\nMemAvailable: 9000000 kB\nHugePages_Total: 3\n",
	'/proc/swaps' => "Filename Type Size Used Priority\n",
	'/proc/sys/kernel/perf_event_paranoid' => "2\n",
	'/proc/sys/kernel/perf_event_max_sample_rate' => "100000\n",
	'/proc/sys/vm/mem_profiling' => "0\n",
	'/sys/devices/system/node/has_memory' => "0-1\n",
	'/sys/kernel/btf/vmlinux' => 'x',
	'/sys/kernel/mm/page_hint/color_info' => "colors 32\ncache_level 2\n",
	'/sys/kernel/security/lockdown' => "[none] integrity confidentiality\n",
	'/sys/kernel/tracing/tracing_on' => "1\n",
	'/sys/kernel/tracing/memref_pid' => '',
	'/sys/kernel/tracing/dprof/types' => '',
	'/sys/kernel/tracing/dprof/stats' => "running 0\nsites 0\nsampling off\n",
	'/usr/bin/trace-cmd' => '', '/usr/bin/gnuplot' => '',
);

# The machine without what begins with a path, and with other files.
sub make {
	my ($without, %with) = @_;
	my %files = (%all, %with);
	system 'rm', '-rf', "$dir/root";
	for my $path (keys %files) {
		next if !exists $with{$path} && grep { $path =~ /^\Q$_\E/ } @$without;
		spew("$dir/root$path", $files{$path});
		chmod 0755, "$dir/root$path" if $path =~ m{^/usr/bin/};
	}
}

sub doctor {
	my ($status, $out, $err) = run("PATH=/usr/bin MEMSCOPE_ROOT=$dir/root $memscope doctor @_");
	is($err, '', 'no complaint');
	return ($status, $out);
}

# machine NAME, STATUS, STATES, WITHOUT, FILES...: states are "topic check state [pattern of its texts]".
sub machine {
	my ($name, $expected, $states, @files) = @_;
	make(@files);
	my ($status, $out) = doctor('-f', 'json');
	is($status, $expected, "$name: status $expected");
	my %rows = map { ("$_->{topic} $_->{check}" => $_) } @{decode_json($out)->{rows}};
	for (@$states) {
		my ($row, $state, $pattern) = /^(\S+ \S+) (\w+) ?(.*)$/ or die;
		my $got = $rows{$row} // {};
		is($got->{state}, $state, "$name: $row is $state");
		like(join(' ', map { $got->{$_} // '' } 'value', 'why', 'fix'), qr/$pattern/, "and says so") if $pattern;
	}
	for my $bad (grep { $_->{state} eq 'bad' } values %rows) {
		ok($bad->{why} && ($bad->{fix} || $bad->{topic} eq 'samples'), "$name: $bad->{check} has a reason and a remedy");
	}
	return \%rows;
}

my $rows = machine('all works', 0, [ 'tools memref ok', 'tools pagealloc ok', 'tools dprof ok', 'tools memprof ok',
	'samples source ok ibs', 'samples ibs ok event ibs_op/cnt_ctl=1/', 'samples swmem ok', 'machine nodes ok 2',
	'permissions perf ok CAP_PERFMON', 'colors colors ok 32' ], []);
is(join(' ', map { "$_: $rows->{$_}{value}" } grep { $rows->{$_}{state} =~ /^(warn|bad)$/ } sort keys %$rows), '',
   'nothing is wrong with it');
my ($status, $out) = doctor();
like($out, qr/^tools\nok    memref: works: .*^Works here: memref, pagealloc, dprof, memprof\.\n\z/ms, 'the text begins and ends with the tools');

# 1: an ordinary user cannot look into tracefs.
my @user = ('/proc/self/status' => "Uid:\t1000\t1000\t1000\t1000\nCapEff:\t0000000000000000\n");
machine('no root', 1, [ 'tools memref bad needs root', 'tools dprof bad needs root', 'tools pagealloc bad CAP_SYS_NICE',
	'tools memprof bad CAP_PERFMON', 'permissions user bad', 'permissions tracefs warn as root', 'kernel memref warn not visible' ],
	[ '/sys/kernel/tracing/' ], @user);
machine('no root, but a configuration to read', 1, [ 'kernel memref ok', 'kernel dprof bad not in this kernel',
	'tools memprof warn move_pages', 'tools pagealloc ok' ],
	[ '/sys/kernel/tracing/', "$dev/ibs" ], @user, '/boot/config-6.12.117-memscope' => "CONFIG_MEMREF=y\n# CONFIG_DPROF is not set\n",
	'/proc/sys/vm/page_hints_unprivileged' => "1\n");
machine('Debian for users', 1, [ 'tools memprof bad paranoid is 3', 'permissions perf bad' ], [], @user,
	'/proc/sys/kernel/perf_event_paranoid' => "3\n");

# 2
machine('no tracefs', 1, [ 'tools memref bad mount -t tracefs', 'tools dprof bad', 'tools memprof ok', 'permissions tracefs bad' ],
	[ '/sys/kernel/tracing' ], '/proc/self/mounts' => "proc /proc proc rw 0 0\n");

# 3
machine('stock kernel', 1, [ 'tools memref bad CONFIG_MEMREF', 'tools pagealloc bad CONFIG_PAGE_HINT',
	'tools dprof bad CONFIG_DPROF', 'tools memprof ok', 'kernel swmem note', 'samples source ok ibs' ],
	[ '/sys/kernel/tracing/memref', '/sys/kernel/tracing/dprof', '/proc/self/page_hints', "$dev/swmem" ],
	'/proc/sys/kernel/osrelease' => "6.12.0-1-amd64\n");

# 4
machine('lockdown, confidentiality', 1, [ 'tools memref bad lockdown', 'tools dprof bad lockdown', 'tools pagealloc warn signed',
	'tools memprof ok', 'permissions lockdown bad' ], [],
	'/sys/kernel/security/lockdown' => "none integrity [confidentiality]\n");
machine('lockdown, integrity', 0, [ 'tools memref ok', 'tools pagealloc warn signed', 'permissions lockdown warn' ], [],
	'/sys/kernel/security/lockdown' => "none [integrity] confidentiality\n");

# 5
machine('no PMU', 1, [ 'tools dprof bad no source', 'tools memprof bad no source', 'tools memref ok', 'samples source bad',
	'samples ibs note hides it', 'kernel swmem bad' ], [ $dev ],
	'/proc/cpuinfo' => "vendor_id\t: AuthenticAMD\nflags\t\t: fpu hypervisor\n");
machine('no perf', 1, [ 'permissions perf bad no perf', 'tools memprof bad' ], [ $dev, '/proc/sys/kernel/perf' ]);

# 6
machine('IBS only', 0, [ 'samples source ok ibs', 'samples ibs ok levels', 'samples swmem note', 'tools memprof ok' ], [ "$dev/swmem" ]);

# 7
machine('swmem only', 0, [ 'samples source ok swmem', 'samples ibs note', 'tools memprof warn neither the level',
	'tools dprof ok' ], [ "$dev/ibs" ], '/proc/cpuinfo' => "vendor_id\t: GenuineIntel\nflags\t\t: fpu\n");

# 8
my @busy = ('/sys/kernel/tracing/dprof/stats' => "running 1\nsites 0\nsampling ibs\n");
machine('IBS in use, and swmem', 0, [ 'samples ibs warn in use by dprof', 'samples source ok swmem', 'tools dprof ok' ], [], @busy);
machine('IBS in use, and no other', 1, [ 'samples ibs bad in use by dprof', 'samples source bad', 'tools memprof bad IBS is in use' ],
	[ "$dev/swmem" ], @busy);
make([], '/proc/4711/comm' => "perf\n", '/proc/4711/fd/0' => '');
symlink 'anon_inode:[perf_event]', "$dir/root/proc/4711/fd/3" or die;
($status, $out) = doctor('-f', 'csv');
is($status, 0, 'another user of perf: all may work');
like($out, qr/^samples,perf_users,note,perf \(pid 4711\),/m, 'and is named');

# 9
machine('one node', 0, [ 'machine nodes note no access is remote', 'tools memprof note one NUMA node', 'tools memref ok' ], [],
	'/sys/devices/system/node/has_memory' => "0\n");

# 10
machine('low memory', 0, [ 'machine memory warn 97 of 1953 MiB', 'colors free_memory warn', 'tools memref ok' ], [],
	'/proc/meminfo' => "MemTotal: 2000000 kB\nMemFree: 60000 kB\nMemAvailable: 100000 kB\n");

machine('no trace-cmd', 1, [ 'tools memref bad apt install trace-cmd', 'permissions trace-cmd bad', 'permissions gnuplot warn' ], [ '/usr/bin' ]);
machine('a low rate', 0, [ 'samples max_sample_rate warn perf_cpu_time_max_percent' ], [],
	'/proc/sys/kernel/perf_event_max_sample_rate' => "1000\n");

# A machine without any file, and output that cannot be written.
system 'rm', '-rf', "$dir/root";
($status, $out) = doctor();
is($status, 1, 'nothing to read: status 1');
like($out, qr/^None of the tools works here: /m, 'nothing works');
make([]);
($status, $out) = run("MEMSCOPE_ROOT=$dir/root $memscope doctor -o $dir/no/such/place");
is($status, 1, 'no place for the output: status 1');
my $err;
($status, $out, $err) = run("$memscope dcotor");
is("$status$out", '2', 'a mistyped verb: status 2');
like($err, qr/^memscope: dcotor: no such verb \(did you mean doctor\?\); see memscope --help\n\z/, 'and the nearest');
done_testing;
