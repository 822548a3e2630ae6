#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# memprof diagnose, html and report summary never give an all-clear from too few samples:
# they report how many there are, and how many are needed.
use strict;
use warnings;
use FindBin;
use JSON::PP;
use lib "$FindBin::RealBin/../../tests";
use Test::More;
use Tool;

my $memprof = "$build/bin/memprof";
my $clear = qr/Nothing found that would be worth a change/;

# What is said of so many local accesses: as text, on a page, as rows.
sub diagnose {
	my ($samples) = @_;
	my $file = "$dir/$samples.data";
	is(system("$build/tools/tests/memprof_gen", '--local', $file, $samples, 0, 4, 50, 1), 0, "$samples local accesses");
	is(system("$memprof html $file -o $dir/page.html --no-plots"), 0, 'a page');
	my ($status, $text) = run("$memprof diagnose $file");
	is($status, 0, 'a diagnosis');
	return ($text, slurp("$dir/page.html"), decode_json((run("$memprof diagnose $file -f json"))[1])->{rows},
		decode_json((run("$memprof report summary $file -f json"))[1])->{rows});
}


for my $samples (0, 19, 62, 1389, 1390, 5000) {
	my ($text, $page, $rows, $summary) = diagnose($samples);
	my ($needed) = grep { $_->{what} =~ /^needed of these/ } @$summary;
	is($needed->{value}, 1390, 'the summary has how many are needed');
	if ($samples >= 1390) {
		like($text, qr/$clear\. $samples samples .*\(1390 samples needed\)/, 'enough for an all-clear');
		like($page, $clear, 'on the page, too');
		is_deeply($rows, [], 'no row');
		next;
	}
	unlike($text, $clear, 'no all-clear');
	like($text, qr/^Too few samples to say that nothing is wrong: $samples are of known objects, and 1390 are needed/m,
	     'so many there are, so many are needed');
	like($text, $samples < 20 ? qr/no site is reported from fewer than 20/ :
	     qr/from $samples, only a site whose remote accesses are @{[$samples == 62 ? 42 : 3]} % of all/,
	     'what these would have shown');
	unlike($page, $clear, 'no all-clear on the page');
	like($page, qr/Too few samples to say that nothing is wrong/, 'which says why');
	is_deeply([ map { "$_->{pattern} $_->{fix} $_->{type} $_->{accesses}" } @$rows ],
		  [ "too-few-samples none recording $samples" ], 'a row says so, too');
}

ok(read_under_sanitizers(), 'no report of the sanitizers');
done_testing();
