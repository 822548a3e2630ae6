#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# The rule of lint for bodies of commits: which it refuses, and why.
use strict;
use warnings;
use File::Temp 'tempdir';
use FindBin;
use Test::More;

my $dir = tempdir(CLEANUP => 1);

# What it prints of a commit, and its status.
sub judge {
	open my $f, '>', "$dir/log" or die "$dir/log: $!";
	print $f map { "$_->[0]\x01$_->[1]\x01$_->[2]\x02\n" } @_;
	close $f or die "$dir/log: $!";
	my $text = `$FindBin::RealBin/../../../.ci/commit-bodies <$dir/log`;
	return $text . ($? >> 8);
}

my $whole = "The table was cut where a name is long.\n\ntest_table passes (25).\n";
is(judge(['a1', 'lib: keep names', $whole]), '0', 'the problem, and how it was verified');
is(judge(['a1', 'lib: keep names', '']), "a1: no body\n1", 'none');
is(judge(['a1', 'docs: name the file', '']), "a1: no body\n1", 'none, of a page');
is(judge(['a1', 'lib: keep names', "It passes.\n"]), "a1: the body is less than two sentences\n1", 'one sentence');
is(judge(['a1', 'lib: keep names', "It passes.\n\nSigned-off-by: A <a\@b.c>\n"]), "a1: the body is less than two sentences\n1",
   'one, with a line of git');
is(judge(['a1', 'lib: keep names', "The table was cut.  Now it is not.\n"]), "a1: the body does not say how it was verified\n1",
   'two, without how it was verified');
is(judge(['a1', 'lib: keep names', "The table was shown twice.\nIts last row is found once now.\n"]),
   "a1: the body does not say how it was verified\n1", 'what was wrong, in words that verification has, too');
is(judge(['a1', 'docs: keep names', "The page had another name.\n"]), '0', 'of a page, a reason is enough');
is(judge(['a1', 'lib: a', $whole], ['a2', 'lib: b', "x\n"], ['a3', 'lib: c', $whole]),
   "a2: the body is less than two sentences\n1", 'one among others');
for ('Compiled with gcc 12.', 'page_hints.t: 12 tests.', 'Verified in a guest.', 'reuse lint finds nothing.', 'Not run: needs a guest.',
     'The objects are the same.', 'It was measured: 12 ns.', 'prove memref.t', 'git grep shows none.') {
	is(judge(['a1', 'lib: keep names', "The table was cut.\n$_\n"]), '0', $_);
}
done_testing;
