#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# The house: rooms are small, tools need nothing of the test VM, and no two files of a
# tool need each other, by way of others or not.
use strict;
use warnings;
use File::Find;
use FindBin;
use Test::More;

my $top = "$FindBin::RealBin/../..";
my $objects = ($ENV{MEMSCOPE_BUILD} // "$top/build") . '/tools';

my (%files, @sources);
find({ no_chdir => 1, wanted => sub {
	return if !/\.[ch]$/ || !-f;
	$files{$File::Find::dir}++;
	push @sources, $File::Find::name =~ /^\Q$top\E\/tools\/(.*)\.c$/ ? $1 : ();
} }, "$top/tools", "$top/test-vms");
is(join(' ', map { "$_: $files{$_}" } grep { $files{$_} > 25 } sort keys %files), '',
   'no folder has more than 25 files');

# Scripts, tests and plain text, too: tools/ builds, installs and is tested without test-vms/.
my @tracked = grep { $_ ne 'tools/tests/rooms.t' } split /\0/, `git -C "$top" ls-files -z -- tools`;
cmp_ok(scalar @tracked, '>', 700, 'files below tools/ were found');
my @outside;
for my $file (grep { -f "$top/$_" } @tracked) {
	open my $f, '<:raw', "$top/$file" or die "$file: $!\n";
	while (<$f>) {
		push @outside, "$file:$." if /test-vms/;
	}
}
is(join(' ', @outside), '', 'nothing below tools/ names anything below test-vms/');

# Which file uses what of which, by the symbols of the objects: inside of a tool and lib/.
my (%defined, %wanted);
my @looked_at = grep { -e "$objects/$_.o" } grep { !/\/tests\/|\/preload\/|\/examples\/|\/programs\// } @sources;
open my $nm, '-|', 'nm', '-A', map { "$objects/$_.o" } @looked_at or die "nm: $!\n";
while (<$nm>) {
	my ($source, $kind, $symbol) = /^\Q$objects\E\/(.*)\.o:.* ([A-Za-z]) (\S+)$/ or next;
	$wanted{$source}{$symbol} = 1 if $kind eq 'U';
	$defined{$symbol}{$source} = 1 if $kind =~ /[TDBR]/;
}
close $nm or die "nm: status $?\n";
cmp_ok(scalar keys %wanted, '>', 150, 'objects were looked at');

# What one program cannot have of another, it has not.
my %programs = (memscope => [qw(memscope)], memref => [qw(memref)], dprof => [qw(dprof)], memprof => [qw(memprof)],
		pagealloc => [qw(pagealloc pagebench)], 'memscope-fleet' => [qw(fleet)]);
for my $program (sort keys %programs) {
	my $mine = join '|', @{$programs{$program}}, 'lib';
	my %uses;
	for my $file (grep { /^(?:$mine)\// } keys %wanted) {
		for my $symbol (keys %{$wanted{$file}}) {
			$uses{$file}{$_} = $symbol
				for grep { /^(?:$mine)\// && $_ ne $file } keys %{$defined{$symbol} // {}};
		}
	}
	my (%state, @way, @circle);
	my $visit;
	$visit = sub {
		my ($file) = @_;
		$state{$file} = 1;
		push @way, $file;
		for my $next (sort keys %{$uses{$file} // {}}) {
			last if @circle;
			if (!$state{$next}) {
				$visit->($next);
			} elsif ($state{$next} == 1) {
				my ($from) = grep { $way[$_] eq $next } 0 .. $#way;
				@circle = (@way[$from .. $#way], $next);
			}
		}
		$state{$file} = 2;
		pop @way;
	};
	$visit->($_) for grep { !$state{$_} } sort keys %uses;
	is(join(' ', map { "$circle[$_] -> $circle[$_ + 1] ($uses{$circle[$_]}{$circle[$_ + 1]})" } 0 .. $#circle - 1),
	   '', "$program: no circle between files");
}
done_testing;
