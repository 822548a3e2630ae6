#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# read_recordings: what the sanitizers report of a reader is counted and kept, as are a crash
# and a reader that cannot be built; nothing else is, and no recording is read twice.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use Tool;

# Readers of our own: what a recording of memprof says after its magic, they do.
spew("$dir/reader.c", <<'END');
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	char text[64] = "", *volatile p = malloc(8);
	FILE *f = NULL;
	int i;

	for (i = 1; i < argc && !f; i++)
		f = fopen(argv[i], "r");
	if (f)
		text[fread(text, 1, sizeof(text) - 1, f)] = 0;
	fclose(f);
	i = INT_MAX;
	if (strstr(text, "heap")) {
		free(p);
		return p[1];
	}
	free(p);
	if (strstr(text, "overflow"))
		return (i + argc) & 1;
	if (strstr(text, "crash"))
		__builtin_trap();
	if (strstr(text, "bad")) {
		fprintf(stderr, "memprof: not a recording of memprof\n");
		return 1;
	}
	return 0;
}
END
my $bin = "$dir/build/tools-sanitize/bin";
spew("$bin/here", '');
is(system("gcc -fsanitize=address,undefined -g -o $bin/memprof $dir/reader.c && cp $bin/memprof $bin/memref && cp $bin/memprof $bin/dprof"),
   0, 'readers with sanitizers');
# They are not to be built.
spew("$dir/stub/make", "#!/bin/sh\nexit \${MAKE_FAILS:-0}\n");
chmod 0755, "$dir/stub/make";
$ENV{MEMSCOPE_BUILD} = "$dir/build";
delete $ENV{MEMSCOPE_BUILT};
$ENV{PATH} = "$dir/stub:$ENV{PATH}";

# Status, the tally, what is kept of reports, after so many recordings.
sub read_them {
	my ($name, @texts) = @_;
	my $n = 0;
	spew("$dir/$name/r" . ++$n, $_) for @texts;
	my ($status, $out, $err) = run("$tools/tests/read_recordings $name $dir/$name");
	return ($status, slurp("$dir/build/log/recordings/$name") // 'none',
		slurp("$dir/build/log/recordings/$name.reports") // '', $out);
}

my ($status, $tally, $reports, $out) = read_them('clean', "MEMPROF\nfine", 'no recording', "# dprof events 1\n");
is_deeply([ $status, $tally, $reports, $out ], [ 0, "2 0\n", '', '' ], 'two recordings, no report');
($status, $tally) = read_them('clean');
is_deeply([ $status, $tally ], [ 0, "2 0\n" ], 'they are not read again');
($status, $tally) = read_them('clean', "MEMPROF\nfiner");
is_deeply([ $status, $tally ], [ 0, "2 0\n1 0\n" ], 'a new one is');
($status, $tally) = read_them('bad', "MEMPROF\nbad");
is_deeply([ $status, $tally ], [ 0, "0 0\n" ], 'what is no recording does not count as read');
for (['heap', qr/AddressSanitizer: heap-use-after-free.*reader\.c/s], ['overflow', qr/reader\.c:\d+.*runtime error: signed integer overflow/],
     ['crash', qr/status 13[0-9]|AddressSanitizer/]) {
	my ($what, $text) = @$_;
	($status, $tally, $reports) = read_them($what, "MEMPROF\nfine", "MEMPROF\n$what");
	is($status, 1, "$what: status 1");
	like($tally, qr/^[12] [1-9]\d*\n\z/, 'counted');
	like($reports, $text, 'kept');
	like($reports, qr/^memprof html .*$dir\/$what\/r2: status/m, 'with the command and the recording');
}
{
	local $ENV{MAKE_FAILS} = 1;
	($status, $tally, $reports) = read_them('unbuilt', "MEMPROF\nfine");
	isnt($status, 0, 'readers that cannot be built: a failure');
	is($tally, "0 1\n", 'counted');
	like($reports, qr/cannot be built/, 'kept');
	# Where other tests run them, none is linked.
	local $ENV{MEMSCOPE_BUILT} = 1;
	($status, $tally) = read_them('built', "MEMPROF\nfine");
	is_deeply([ $status, $tally ], [ 0, "1 0\n" ], 'readers that are built: not built again');
	unlink "$bin/memprof";
	($status, $tally) = read_them('missing', "MEMPROF\nfine");
	isnt($status, 0, 'nor if they are missing, which is a failure');
}

done_testing();
