#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Recordings in the text form: what dprof writes it reads.
use strict;
use warnings;
no warnings 'portable';
use FindBin;
use lib "$FindBin::RealBin/../../tests";
use Test::More;
use Tool;

my $dprof = "$build/bin/dprof";
my $magic = "# dprof events 1\n";

# --- what is printed is read ---

my $least = $magic . "5 0 -1 dprof_sample ip=0x10 addr=0x20 op=1\n" .
	"6 -1 7 dprof_access id=0x1 since=0x0 offset=-2147483648 len=8 op=1\n" .
	"7 1 7 dprof_access id=0x1 since=0x0 offset=2147483647 len=8 op=1\n";
my $file = spew("$dir/least.txt", $least);
my ($status, $out, $err) = run("$dprof script $file");
is("$status$err", '0', 'a task that was ending, the least and the largest offset');
like($out, qr/^$_/m, $_) for '5 0 -1 dprof_sample', '6 -1 7 dprof_access .* offset=-2147483648 ',
	'7 1 7 dprof_access .* offset=2147483647 ';
my $again = spew("$dir/again.txt", $out);
is((run("$dprof script $again"))[1], $out, 'are the same when they are read again');
is((run("$dprof merge $again $again -o $dir/merged.txt"))[0], 0, 'and merged');
for my $wrong ('5 0 -2 dprof_free', '5 -2 1 dprof_free', '-1 0 1 dprof_free', '5 0 1 dprof_access offset=-2147483649',
	       '5 0 1 dprof_access offset=2147483648', '5 0 1 dprof_access len=-1', '5 0 1 dprof_access len=256') {
	spew("$dir/wrong.txt", "$magic$wrong\n");
	($status, $out, $err) = run("$dprof script $dir/wrong.txt");
	like("$status $err", qr/^1 dprof: \S+wrong\.txt:2: invalid: /, "$wrong is none");
}

done_testing();
