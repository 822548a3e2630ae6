#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# The sum of make check: a test that is skipped without being listed in .ci/skips fails, so that
# a program that is not there any more does not take its tests with it; and each line of the list
# is about a test that exists.
use strict;
use warnings;
use File::Temp 'tempdir';
use FindBin;
use Test::More;

my $top = "$FindBin::RealBin/../../..";
my $dir = tempdir(CLEANUP => 1);

sub spew {
	my ($path, $text) = @_;
	open my $f, '>', $path or die "$path: $!";
	print $f $text;
	close $f or die "$path: $!";
}

# What the sum of a TAP file says, and its status.
sub sum {
	my ($tap, @options) = @_;
	spew("$dir/tools-a.tap", $tap);
	open my $sum, '-|', "$top/.ci/tap-sum", @options, '--line', 'tools-a', 1, "$dir/tools-a.tap" or die "tap-sum: $!";
	my $text = join '', <$sum>;
	close $sum;
	return ($text, $? >> 8);
}

spew("$dir/skips", <<'end');
# a comment
any | tools-a | no dot (graphviz) | why
any | tools-a | no * in * | why
any | tools-a | no_space | why
trixie | tools-a | no perf | why
end
my @listed = ('--skips', "$dir/skips", 'bookworm');

for (["1..1\nok 1 # skip no dot (graphviz)\n", 'by its reason'], ["1..1\nok 1 - a test # SKIP no dot (graphviz)\n", 'with a name'],
     ["1..1\nok 1 # skip no recordings in /a b/c\n", 'by a pattern'], ["1..1\nnot ok 1 # SKIP no_space\n", 'as cmocka prints it'],
     ["1..0 # SKIP no dot (graphviz)\n", 'a whole program']) {
	my ($tap, $name) = @$_;
	my ($text, $status) = sum($tap, @listed);
	is($status, 0, "listed, $name: passes");
	like($text, qr/ 0 passed, 0 failed, 1 skipped, /, 'and counts as skipped');
	($text, $status) = sum($tap =~ s/no[ _]/none of /r, @listed);
	is($status, 1, "not listed, $name: fails");
	like($text, qr/ 0 passed, 1 failed, .*skips has no such skip of tools-a:\n.*none of /s, 'and the sum has the reason');
	is((sum($tap =~ s/no[ _]/none of /r))[1], 0, 'without a list, all may be skipped');
}
is((sum("1..1\nok 1 # skip no dot\n", @listed))[1], 1, 'a part of the reason is not enough');
is((sum("1..1\nok 1 # skip no perf\n", @listed))[1], 1, 'what another release lacks');
is((sum("1..1\nok 1 # skip no perf\n", '--skips', "$dir/skips", 'trixie'))[1], 0, 'is listed for that');
my ($text, $status) = sum("1..2\nok 1\nnot ok 2 - a\n", @listed);
is($status, 1, 'a failed test fails');
like($text, qr/ 1 passed, 1 failed, 1 s\n +not ok 2 - a\n/, 'and is in the sum');
spew("$dir/skips", "any | tools-a | no dot\n");
is((sum("1..1\nok 1\n", @listed, ))[1] != 0, 1, 'a line without why is an error');

# Names as .ci/check has them.
my %tests = map { $_ => 1 } qw(patches-check patches-bases patches-decoder patches-silicon);
for (glob("$top/tools/*/tests/*.t $top/tools/tests/*.t $top/tools/*/tests/test_*.c $top/tools/*/*/tests/test_*.c")) {
	my ($name) = m{([^/]*)\.\w+$};
	$tests{"tools-$name"} = $tests{"tools-sanitized-$name"} = 1;
}
for (glob("$top/test-vms/tests/*.t $top/test-vms/tests/*/*.t")) {
	my ($where, $name) = m{tests/(?:(\w+)/)?([^/]*)\.t$};
	$tests{"$_-$name"} = 1 for $where // ('vm', 'rt');
}
open my $f, '<', "$top/.ci/skips" or die ".ci/skips: $!";
is(join(' ', grep { !$tests{$_} } map { /^\w+ \| (\S+) \|/ } <$f>), '', '.ci/skips names tests that exist');
done_testing;
