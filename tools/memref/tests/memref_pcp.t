#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# memref export --to pcp: archives that Performance Co-Pilot reads, of three hosts, whose values are
# those of memref report row by row, with host, time, units and help.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../../tests";
use JSON::PP;
use Test::More;
use Tool;

plan skip_all => 'no pmdumplog (pcp)' if system('command -v pmdumplog >/dev/null');
plan skip_all => 'no libpcp_import.so.1 (libpcp-import1)' if `/sbin/ldconfig -p` !~ /libpcp_import\.so\.1/;

my $memref = "$build/bin/memref";
sub helper { return (grep { -x } map { "$build/$_/tests/$_[0]" } qw(tools ../tools))[0] }

sub rows {
	my ($status, $json, $err) = run("$memref report @_ -f json");
	is($status, 0, "report @_");
	return @{decode_json($json)->{rows}};
}

# Records of an archive: the time, and values by name and instance.
sub records {
	my ($archive) = @_;
	my ($status, $text, $err) = run("TZ=UTC pmdumplog $archive");
	is($status, 0, 'pmdumplog') or diag($err);
	my (@records, $metric);
	for (split /\n/, $text) {
		push @records, { time => $1 } if /^(\d\d:\d\d:\d\d\.\d+) +\d+ metric/;
		$metric = $1 if /^ +[\d.]+ \((\S+)\):/;
		$records[-1]{$metric} = $1 if /\): value (\S+)$/;
		$records[-1]{"$metric\[$1\]"} = $2 if /^ +inst \[\d+ or "(.*)"\] value (\S+)$/;
	}
	return @records;
}

my @host = qw(alpha beta gamma);
for my $n (0 .. $#host) {
	my ($file, $archive) = ("$dir/$host[$n].dat", "$dir/$host[$n]");
	system(helper('trace_gen') . " memref 7 $file " . (4 + $n) . ' >/dev/null') == 0 or die;
	is_deeply([ run("$memref export $file --to pcp --host $host[$n] --begin 1700000000000000000 -o $archive") ], [ 0, '', '' ], 'export');
	is(join(' ', sort map { s{.*/}{}r } glob "$archive.*"), join(' ', map { "$host[$n].$_" } qw(0 dat index meta)),
	   'an archive is three files');
	my @records = records($archive);
	my @temporal = rows("temporal $file");
	my @numa = rows("numa $file");
	my @wss = rows("wss $file");
	is_deeply([ map { my $r = $_; [ map { $r->{"memref.working_set_bytes[$_]"} } qw(kernel user page_cache) ] } @records ],
		  [ map { my $r = $_; [ map { 4096 * $r->{"pages_$_"} } qw(kernel user page_cache) ] } @temporal ], 'pages, row by row');
	is_deeply([ map { my $r = $_; [ map { sprintf '%.3f', $r->{$_} / (1 << 20) } 'memref.resident_bytes' ] } @records ],
		  [ map { [ sprintf '%.3f', $_->{rss_mib} ] } @wss ], 'resident, row by row');
	is_deeply([ map { my $r = $_; map { my $n = $_; [ $n, map { $r->{"memref.node_working_set_bytes[$n:$_]"} } qw(kernel user) ] } 0, 1 } @records ],
		  [ map { [ $_->{node}, 4096 * $_->{pages_kernel}, 4096 * $_->{pages_user} ] } @numa ], 'nodes, row by row');
	is_deeply([ map { sprintf '%.3f', 1000 * $_->{'memref.scan_seconds'} } @records ], [ map { sprintf '%.3f', $_->{scan_ms} } @temporal ],
		  'scans, row by row');
	my ($status, $label) = run("TZ=UTC pmdumplog -l $archive");
	like($label, qr/^Performance metrics from host $host[$n]$/m, 'host');
	my ($from, $to) = map { $_->{time} =~ /([\d.]+)$/ } @records[0, -1];
	cmp_ok(abs($to - $from - 0.1 * (@temporal - 1)), '<', 1e-6, 'time');
	($status, my $about) = run("pminfo -a $archive -dt memref.working_set_bytes memref.scan_seconds");
	like($about, qr/memref.working_set_bytes \[Memory referenced in the interval.*\n.*64-bit unsigned.*\n.*instant  Units: byte\n/, 'units, semantics, help');
	like($about, qr/memref.scan_seconds \[Time .*\n.*double.*\n.*Units: sec\n/, 'seconds');
}
my ($status, $text, $err) = run("pmval -a $dir/alpha -z -f 0 -t 100msec memref.groups_written");
is($status, 0, 'pmval') or diag($err);
# Debian's Python, for which its pcp module is.
my $debian = "/usr/bin/env -i PATH=/usr/bin:/bin:$build/unpacked/usr/bin";
SKIP: {
	skip 'no pmrep (python3-pcp)', 2 if system("$debian pmrep --version >/dev/null 2>&1");
	($status, $text, $err) = run("$debian pmrep -z -a $dir/beta -t 100msec -o csv memref.groups_written");
	is($status, 0, 'pmrep') or diag($err);
	my @got = map { (split /,/)[1] } grep { /^2/ } split /\n/, $text;
	is_deeply([ grep { /\d/ } @got ], [ map { $_->{groups_written} } rows("temporal $dir/beta.dat") ], 'values of pmrep');
}

for ([ "$dir/none.dat --to pcp -o $dir/x", 1, qr/none/ ], [ "$dir/alpha.dat --to pcp -o $dir/none/x", 1, qr/none/ ],
     [ "$dir/alpha.dat --to pcp", 2, qr/-o OUTPUT is missing/ ]) {
	my ($options, $want, $why) = @$_;
	my ($status, $text, $err) = run("$memref export $options");
	is($status, $want, "export $options");
	like($err, qr/\A.*${why}.*\n\z/, 'one line');
	is(join(' ', glob "$dir/x*"), '', 'leaves nothing');
}
done_testing;
