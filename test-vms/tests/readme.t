#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# README's examples: each command in it that has output below runs, and prints the lines
# that README shows.  Numbers may differ, and lines that README leaves out ("...").
use strict;
use warnings;
use Test::More;
use FindBin;
use lib $FindBin::RealBin;
use Cwd 'abs_path';
use VM;

my $top = abs_path("$FindBin::RealBin/../..");
my $readme = slurp("$top/README.md");
my $b = abs_path($build);

# Numbers and the columns' widths are of one run.
sub shape {
	my ($line) = @_;
	$line =~ s/0x[0-9a-f]+/N/g;
	$line =~ s/[-+]?\d[\d.,]*/N/g;
	$line =~ s/\s+/ /g;
	$line =~ s/^ | $//g;
	return $line;
}

# Blocks of "    $ command", continued behind a backslash, and of what it prints.
my (@examples, $continued);
for (split /\n/, $readme) {
	if (/^    \$ (.*)$/) {
		push @examples, { command => $1, shown => [] };
		$continued = /\\$/;
	} elsif (@examples && $continued) {
		$examples[-1]{command} .= "\n$_";
		$continued = /\\$/;
	} elsif (@examples && /^    (.+)$/) {
		push @{ $examples[-1]{shown} }, $1 if !$examples[-1]{over};
	} elsif (@examples && /\S/) {
		# Text ends the output.
		$examples[-1]{over} = 1;
	}
}

cmp_ok(scalar(grep { @{ $_->{shown} } } @examples), '>=', 4, 'README has examples with their output');
for my $tool (qw(memref pagealloc dprof memprof)) {
	ok((grep { $_->{command} =~ /\b$tool\b/ && @{ $_->{shown} } } @examples),
	   "README shows what $tool prints");
}

# They run in a tree like a clone's, so that they leave nothing in this one.
my $clone = "$share/clone";
mkdir $clone or die "$clone: $!";
symlink "$top/$_", "$clone/$_" for grep { $_ ne 'build' } map { s|.*/||r } glob "$top/*";
mkdir "$clone/build" or die;
symlink "$b/$_", "$clone/build/$_" for map { s|.*/||r } glob "$b/*";
unlink "$clone/build/try";

$ENV{MEMSCOPE_BUILD} = $b;
for my $example (@examples) {
	my $command = $example->{command};
	my $printed = `cd $clone && { $command\n} 2>$share/err`;
	my $status = $?;
	my $name = (split /\n/, $command)[0] =~ s/ *\\$//r;
	is($status, 0, "runs: $name") or diag(slurp("$share/err"));
	my %has = map { shape($_) => 1 } split /\n/, $printed;
	my @missing = grep { !/^\s*\.\.\.$/ && !$has{ shape($_) } } @{ $example->{shown} };
	is_deeply(\@missing, [], "prints what README shows: $name")
		or diag("it printed:\n$printed");
}

done_testing();
