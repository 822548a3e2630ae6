#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Three guests as hosts with Performance Co-Pilot, each with a load of its own: what pmrep reads of the
# archives that their pmloggers wrote is what memref report has of trace-cmd's recordings of the same
# intervals, row by row.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use JSON::PP;
use Test::More;
use VM;

my $guests = "$FindBin::RealBin/../guests.sh";
my $reason = `$guests`;
plan skip_all => $reason if $? >> 8 == 77;
# Debian's Python, for which its pcp module is.
my $pmrep = "/usr/bin/env -i PATH=/usr/bin:/bin:$build/unpacked/usr/bin pmrep";
plan skip_all => 'no pmrep (python3-pcp)' if system("$pmrep --version >/dev/null 2>&1");
is(system("$guests $share/hosts >$share/said 2>&1"), 0, 'three guests') or diag(slurp("$share/said"));

my @metrics = map { "mmv.memref.$_" } qw(intervals working_set_bytes groups groups_written resident_bytes);
my @classes = qw(kernel user page_cache);
my %seen;
for my $host (qw(alpha beta gamma)) {
	my $archive = "$share/hosts/$host";
	my $text = `$pmrep -u -z -a $archive -o csv @metrics 2>$share/err`;
	is($?, 0, "pmrep of $host") or diag(slurp("$share/err"));
	my ($names, @lines) = split /\n/, $text;
	my @names = map { s/^"?mmv\.memref\.|"$//gr } split /,/, $names;
	# A row for each interval that was published, the first time that pmlogger had it.
	my (%published, @published);
	for (@lines) {
		my %value;
		@value{@names} = split /,/, $_, -1;
		next if !length($value{resident_bytes} // '') || $published{$value{intervals}}++;
		push @published, join ' ', (map { $value{"working_set_bytes-$_"} } @classes), (map { $value{"groups-$_"} } @classes),
			@value{qw(groups_written resident_bytes)};
	}
	# One or more may have ended before pmlogger began.
	my @numbers = sort { $a <=> $b } keys %published;
	is("@numbers", join(' ', $numbers[0] .. $numbers[0] + $#numbers), "$host: no interval is missing in the archive");
	my ($temporal, $wss) = map { decode_json(scalar `$build/bin/memref report $_ $archive.dat -f json`)->{rows} } qw(temporal wss);
	cmp_ok(scalar(@$temporal), '>=', 4, "$host: " . @$temporal . ' intervals recorded by trace-cmd');
	# memref report has MiB of resident memory.
	my @reported = map {
		my ($t, $w) = ($temporal->[$_], $wss->[$_]);
		join ' ', (map { 4096 * $t->{"pages_$_"} } @classes), (map { $t->{"groups_$_"} } @classes), $t->{groups_written},
			sprintf('%.0f', $w->{rss_mib} * 256) * 4096;
	} 0 .. $#$temporal;
	my ($first) = grep { $published[$_] eq $reported[0] } 0 .. $#published;
	is_deeply([ @published[($first // 0) .. ($first // 0) + $#reported] ], \@reported, "$host: as memref report has it, row by row")
		or diag map { "$_\n" } 'published:', @published, 'reported:', @reported;
	$seen{$reported[-1]}++;
	my $label = `TZ=UTC PATH=\$PATH:$build/unpacked/usr/bin pmdumplog -l $archive`;
	like($label, qr/^Performance metrics from host $host$/m, "$host: the archive has its name");
}
is(scalar(keys %seen), 3, 'the hosts have different figures');
done_testing;
