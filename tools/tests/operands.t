#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Operands that are no recording but are easily given: a directory, an empty file.  Each tool names
# the operand and the fault in the same words.  And "help", which every program takes, with
# verbs or without.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use Tool;

my $bin = "$build/bin";
spew("$dir/empty", '');
mkdir "$dir/folder" or die "$dir/folder: $!";

for my $command ('memref report summary OPERAND', 'memref report wss -f csv OPERAND', "memref cut OPERAND --from 0.0 -o $dir/out",
		 'memprof report summary OPERAND', 'memprof diagnose OPERAND', "memprof import OPERAND -o $dir/out",
		 'dprof report profile OPERAND', 'dprof script OPERAND', 'pagealloc run --replay OPERAND true') {
	for (["$dir/folder", 'Is a directory'], ["$dir/empty", 'empty file']) {
		my ($operand, $why) = @$_;
		my ($status, $out, $err) = run("$bin/" . $command =~ s/OPERAND/$operand/r);
		is("$status$out", '1', "$command: $why: status 1, no output") or diag $out;
		like($err, qr/\A[a-z]+: \Q$operand: $why\E\n\z/, 'the operand and the fault, once');
		ok(!-e "$dir/out", 'and no file');
	}
}
my ($status, undef, $err) = run("$bin/memscope report $dir/empty");
is("$status $err", "1 memscope: $dir/empty: empty file\n", 'memscope, too, which reads all recordings of a directory');

for my $program (qw(memscope memref dprof memprof pagealloc memscope-fleet memscope-caps pagetest)) {
	my ($status, $out, $err) = run("$bin/$program help");
	is("$status$err", '0', "$program help");
	is($out, (run("$bin/$program --help"))[1], 'is --help');
}
# An operand of that name is one where operands are taken, and one argument too many elsewhere.
($status, undef, $err) = run("$bin/pagetest help me");
is("$status $err", "2 pagetest: help: one argument too many; see pagetest --help\n", 'pagetest help me');
($status, undef, $err) = run("cd $dir && $bin/memref report summary help");
is("$status $err", "1 memref: help: No such file or directory\n", 'a file named help');
done_testing;
