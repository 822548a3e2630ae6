#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# bench/parts.sh: a part of a bench is measured again if what it depends on has changed, committed
# or not, and only then.
use strict;
use warnings;
use FindBin;
use File::Temp 'tempdir';
use Test::More;

my $top = tempdir(CLEANUP => 1);
sub sh {
	my ($script) = @_;
	open my $out, '-|', 'bash', '-c', "cd $top && exec 2>&1 && { $script\n}" or die "bash: $!";
	return join '', <$out>;
}

sub write_file {
	my ($name, $text) = @_;
	open my $f, '>', "$top/$name" or die "$name: $!";
	print $f $text;
	close $f or die;
}

is(sh("mkdir -p bench/b tools pages out && cp $FindBin::RealBin/../../bench/parts.sh bench/b"), '', 'a tree, without git');
write_file('tools/a', "1\n");
write_file('pages/a', "1\n");

# Which of the parts are measured, as a run of the bench with these PATHs finds it.
sub of_tree {
	my (@paths) = @_;
	return sh(". bench/b/parts.sh; parts_of out b FEW @paths\nfor p in one two; do ! is_measured \$p || echo \$p; done") =~ tr/\n/ /r;
}
sub measure {
	my ($part, @paths) = @_;
	return sh(". bench/b/parts.sh; parts_of out b FEW @paths; echo table >out/new; measured $part out/new; cat out/b-$part.txt");
}
is(of_tree('tools'), '', 'nothing is measured');
is(measure('one', 'tools'), "table\n", 'a part is');
is(of_tree('tools'), 'one ', 'and known');
write_file('pages/a', "2\n");
is(of_tree('tools'), 'one ', 'also if another file has changed');
is(of_tree('tools', 'pages'), '', 'not of more paths');
write_file('tools/a', "2\n");
is(of_tree('tools'), '', 'not if its own has');
measure('two', 'tools');
is(of_tree('tools'), 'two ', 'another part of that');
write_file('tools/b', '');
is(of_tree('tools'), '', 'a new file is another tree');
unlink "$top/tools/b";
write_file('tools/a', "1\n");
is(of_tree('tools'), 'one ', 'it is that tree again');
is(of_tree('t*'), 'one ', 'by a pattern, too');
{
	local $ENV{FEW} = 4;
	is(of_tree('tools'), '', 'a run that measures less does not take it');
	measure('two', 'tools');
	is(of_tree('tools'), 'two ', 'but what it has measured itself');
}
is(of_tree('tools'), 'one ', 'which is not for another one');
unlink "$top/out/b-one.txt";
is(of_tree('tools'), '', 'without its tables it is not measured');

done_testing();
