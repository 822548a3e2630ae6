# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# What the tests of programs share: a directory of their own, files, commands.
package Tool;

use strict;
use warnings;
use Exporter 'import';
use File::Basename 'dirname';
use File::Path 'make_path';
use File::Temp 'tempdir';

our @EXPORT = qw($tools $build $dir slurp spew run read_under_sanitizers);

our $tools = dirname(__FILE__) . '/..';
our $build = $ENV{MEMSCOPE_BUILD} // "$tools/../build";
# Programs of packages that are not installed (.ci/unpack).
$ENV{PATH} .= ":$build/unpacked/usr/bin";
our $dir = tempdir('memscope-test.XXXXXX', TMPDIR => 1, CLEANUP => 1);

sub slurp {
	open my $f, '<:raw', $_[0] or return undef;
	local $/;
	return <$f>;
}

# Makes the directories above; returns the path.
sub spew {
	my ($path, $text) = @_;
	make_path(dirname($path));
	open my $f, '>:raw', $path or die "$path: $!";
	print $f $text;
	close $f or die "$path: $!";
	return $path;
}

# Status, standard output, standard error.
sub run {
	my ($command) = @_;
	my $text = `$command 2>$dir/err`;
	return ($? & 127 ? 128 + ($? & 127) : $? >> 8, $text, slurp("$dir/err") // '');
}

# The recordings of a test, once more, by the readers built with sanitizers: true without a report.
sub read_under_sanitizers {
	my ($where) = @_;
	(my $program = $0) =~ s{^.*/|\.\w+$}{}g;
	return system("$tools/tests/read_recordings", "tools-$program", $where // $dir) == 0;
}

1;
