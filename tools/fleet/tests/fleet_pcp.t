#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Performance Co-Pilot over three hosts in network namespaces: what pmrep reads of the archives that a
# pmlogger each wrote is what memref report has of the intervals that were published, row by row; a pmcd,
# or the network, that goes away costs what was published meanwhile, and nothing else.
use strict;
use warnings;
use FindBin;
use JSON::PP;
use lib "$FindBin::RealBin/../../tests";
use Test::More;
use Tool;

my $memref = "$build/bin/memref";
my @hosts = qw(alpha beta gamma);
my $folder = $ENV{FLEET_PCP};
my $intervals = 12;

# Once more, beside the hosts.
if (!$folder) {
	my $reason = `$tools/fleet/hosts.sh $build`;
	plan skip_all => $reason if $? >> 8 == 77;
	$ENV{FLEET_PCP} = "$dir/hosts";
	mkdir $ENV{FLEET_PCP};
	my ($gen) = grep { -x } map { "$build/$_/tests/trace_gen" } qw(tools ../tools);
	# The same recording, but each host begins elsewhere in it.
	system("$gen memref 7 $dir/whole.dat " . ($intervals + 4)) == 0 or die;
	for (0 .. $#hosts) {
		my ($status, $text, $err) = run("$memref cut $dir/whole.dat --from 0.$_ -o $dir/hosts/$hosts[$_].dat");
		die $err if $status;
	}
	system("$tools/fleet/hosts.sh", $build, $ENV{FLEET_PCP}, $^X, $0);
	exit($? & 127 ? 1 : $? >> 8);
}

sub until_true {
	my ($what, $condition) = @_;
	for (1 .. 6000) {
		return pass($what) if $condition->();
		select undef, undef, undef, 0.01;
	}
	return fail($what);
}
sub published { return scalar(() = (slurp("$folder/$_[0]/published") // '') =~ /\n/g) }

# What pmlogger wrote since, twice: the second time, it asked after the first.
sub logged_since {
	my ($host, $size) = @_;
	for (1, 2) {
		until_true("$host: values are logged", sub { -s "$folder/$host/archive.0" > $size }) or return;
		$size = -s "$folder/$host/archive.0";
	}
}
sub publish {
	my ($host) = @_;
	my $before = published($host);
	open my $f, '>', "$folder/$host/next" or die;
	print $f "\n";
	close $f;
	until_true("$host: interval " . ($before + 1) . ' is published', sub { published($host) > $before });
}

logged_since($_, 0) for @hosts;
for (2 .. $intervals - 4) {
	publish($_) for @hosts;
	my %size = map { $_ => -s "$folder/$_/archive.0" } @hosts;
	logged_since($_, $size{$_}) for @hosts;
}

# A pmcd that goes away while two intervals are published.
kill KILL => $ENV{GAMMA_PMCD};
publish('gamma') for 1, 2;
my $size = -s "$folder/gamma/archive.0";
system("$folder/gamma/pmcd &");
for (1, 2) {
	publish('gamma') if $_ == 2;
	logged_since('gamma', $size);
	$size = -s "$folder/gamma/archive.0";
}
publish('gamma');
logged_since('gamma', -s "$folder/gamma/archive.0");

# The network to a host that goes away, until pmlogger has given up the connection.  It asks again after
# the times that PMCD_RECONNECT_TIMEOUT has (PCPIntro(1); hosts.sh).
my $lost = () = (slurp("$folder/beta/log/pmlogger") // '') =~ /Lost connection/g;
is(system('ip link set beta down'), 0, 'the network goes away');
publish('beta') for 1, 2;
until_true('pmlogger loses the connection', sub { $lost < (() = (slurp("$folder/beta/log/pmlogger") // '') =~ /Lost connection/g) });
$size = -s "$folder/beta/archive.0";
is(system('ip link set beta up'), 0, 'and comes back');
logged_since('beta', $size);
publish('beta');
logged_since('beta', -s "$folder/beta/archive.0");
publish('beta');
logged_since('beta', -s "$folder/beta/archive.0");

# The metrics, and the rows of memref report, in bytes or as they are.
sub rows {
	my ($view, $host) = @_;
	return @{decode_json(scalar `$memref report $view $folder/$host.dat -f json`)->{rows}};
}
my %metrics = (
	'mmv.memref.working_set_bytes' => sub { map { my $r = $_; [ map { 4096 * $r->{"pages_$_"} } qw(kernel user page_cache) ] } rows('temporal', $_[0]) },
	'mmv.memref.groups_written' => sub { map { [ $_->{groups_written} ] } rows('temporal', $_[0]) },
	# memref report has MiB of them; node is empty, and pages_resident the last but one.
	'mmv.memref.resident_bytes' => sub {
		map { [ 4096 * $_->[-2] ] } grep { $_->[6] eq '' } map { [ split /,/ ] }
			grep { /^\d/ } `$memref export $folder/$_[0].dat --to columns --rows intervals --begin 1`;
	},
	'mmv.memref.node_working_set_bytes' => sub {
		my (@all, %at);
		for (rows('numa', $_[0])) {
			push @all, $at{$_->{seq}} = [] if !$at{$_->{seq}};
			push @{$at{$_->{seq}}}, 4096 * $_->{pages_kernel}, 4096 * $_->{pages_user}, 4096 * $_->{pages_page_cache};
		}
		return @all;
	},
);
# Of each column: values stay until the next interval is published, and are stored one by one.
sub changes {
	my @columns;
	for my $row (@_) {
		for (0 .. $#$row) {
			push @{$columns[$_]}, $row->[$_] if !$columns[$_] || $columns[$_][-1] ne $row->[$_];
		}
	}
	return \@columns;
}
# Debian's Python, for which its pcp module is.
my $pmrep = "/usr/bin/env -i PCP_CONF=$ENV{PCP_CONF} PATH=/usr/bin:/bin:$build/unpacked/usr/bin:$build/../unpacked/usr/bin pmrep";
SKIP: {
	skip 'no pmrep (python3-pcp)', 1 if system("$pmrep --version >/dev/null 2>&1");
	my %seen;
	for my $host (@hosts) {
		for my $metric (sort keys %metrics) {
			my ($status, $text, $err) = run("$pmrep -u -z -a $folder/$host/archive -o csv $metric");
			is("$status", '0', "pmrep of $host") or diag($err);
			my @got = map { [ (split /,/)[1 .. tr/,//] ] } grep { /^2.*\d,?/ && !/,$/ } split /\n/, $text;
			my @want = $metrics{$metric}->($host);
			@want = $host ne 'alpha' ? @want[0 .. $intervals - 5, $intervals - 3 .. $intervals - 1] : @want[0 .. $intervals - 5];
			is_deeply(changes(@got), changes(@want), "$host: $metric, row by row");
			$seen{join ' ', map { @$_ } @got}++ if $metric =~ /groups_written/;
		}
		my ($status, $label) = run("TZ=UTC pmdumplog -l $folder/$host/archive");
		like($label, qr/^Performance metrics from host $host$/m, "$host: the archive has its name");
	}
	is(scalar(keys %seen), 3, 'the hosts have different figures');
	for (qw(beta gamma)) {
		my ($status, $text) = run("pmdumplog -z $folder/$_/archive");
		is(scalar(() = $text =~ /<mark>/g), 1, "$_: the archive has a mark where it was away");
	}
}
done_testing;
