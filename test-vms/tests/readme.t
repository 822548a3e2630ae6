#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# The examples of README.md and docs/start: each command behind a $ runs, and prints the lines
# that the page shows below.  Numbers may differ, and lines that are left out ("...").
use strict;
use warnings;
use Test::More;
use FindBin;
use lib $FindBin::RealBin;
use Cwd 'abs_path';
use VM;

my $top = abs_path("$FindBin::RealBin/../..");
my $b = abs_path($build);
# The other pages use recordings that the first one makes.
my @pages = ('README.md', 'docs/start/working-set.md',
	     grep { !/working-set/ } map { s|^\Q$top/||r } sort glob "$top/docs/start/*.md");

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
my @examples;
for my $page (@pages) {
	my ($example, $continued);
	for (split /\n/, slurp("$top/$page")) {
		if (/^    \$ (.*)$/) {
			$example = { page => $page, command => $1, shown => [] };
			push @examples, $example;
			$continued = /\\$/;
		} elsif ($example && $continued) {
			$example->{command} .= "\n$_";
			$continued = /\\$/;
		} elsif ($example && /^    (.+)$/) {
			push @{ $example->{shown} }, $1;
		} elsif (/\S/) {
			# Text ends the output.
			undef $example;
		}
	}
}

for my $tool (qw(memref pagealloc dprof memprof)) {
	ok((grep { $_->{command} =~ /\b$tool\b/ && @{ $_->{shown} } } @examples),
	   "the pages show what $tool prints");
}
for my $page (grep { !m{README|real-machine} } @pages) {
	ok((grep { $_->{page} eq $page && @{ $_->{shown} } } @examples), "$page has examples with their output");
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
	is($status, 0, "$example->{page}: runs: $name") or diag(slurp("$share/err"));
	my %has = map { shape($_) => 1 } split /\n/, $printed;
	my @missing = grep { !/^\s*\.\.\.$/ && !$has{ shape($_) } } @{ $example->{shown} };
	is_deeply(\@missing, [], "prints what the page shows: $name")
		or diag("it printed:\n$printed");
}

done_testing();
