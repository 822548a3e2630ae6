#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# The house: rooms are small, tools need nothing of the test VM, no two files of a tool need each
# other, by way of others or not, and no room needs one that is before it.
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
		push @outside, "$file:$." if m{test-vms|debug/oracle};
	}
}
is(join(' ', @outside), '', 'nothing below tools/ names anything below test-vms/, or a file of the modules there');

# Which file uses what of which, by the symbols of the objects: inside of a tool and lib/.
my (%defined, %wanted);
my @looked_at = grep { -e "$objects/$_.o" } grep { !/\/tests\/|\/examples\// } @sources;
open my $nm, '-|', 'nm', '-A', map { "$objects/$_.o" } @looked_at or die "nm: $!\n";
while (<$nm>) {
	my ($source, $kind, $symbol) = /^\Q$objects\E\/(.*)\.o:.* ([A-Za-z]) (\S+)$/ or next;
	$wanted{$source}{$symbol} = 1 if $kind eq 'U';
	$defined{$symbol}{$source} = 1 if $kind =~ /[TDBR]/;
}
close $nm or die "nm: status $?\n";
cmp_ok(scalar keys %wanted, '>', 150, 'objects were looked at');

# What one program cannot have of another, it has not: the preloaded library, which has malloc(), is
# linked on its own, and so are the programs that are measured.
my %programs = (memscope => 'memscope|lib', memref => 'memref|lib', dprof => 'dprof|lib', memprof => 'memprof(?!/preload/)|lib',
		'libmemprof-preload.so' => 'memprof/preload', pagealloc => '(?:pagealloc|pagebench(?!/programs/))|lib',
		'pagealloc-programs' => 'pagebench/programs|lib', 'memscope-fleet' => 'fleet|lib');
for my $program (sort keys %programs) {
	my @mine = grep { /^(?:$programs{$program})\// } keys %wanted;
	my %is_mine = map { $_ => 1 } @mine;
	cmp_ok(scalar @mine, '>', 3, "$program: its objects were looked at");
	my %uses;
	for my $file (@mine) {
		for my $symbol (keys %{$wanted{$file}}) {
			$uses{$file}{$_} = $symbol
				for grep { $is_mine{$_} && $_ ne $file } keys %{$defined{$symbol} // {}};
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

# The Makefile has the rooms of a program in an order: none includes a header of one before it.  Headers that
# a room has for whoever reads or writes what it does are not of the program in it.
my $interfaces = qr{^(?:memprof/(?:memprof|memprof_hook|format)|pagealloc/pagealloc)\.h$};
my %order;
open my $makefile, '<', "$top/tools/Makefile" or die "Makefile: $!\n";
while (<$makefile>) {
	next if !/^([\w-]+) := (\S.*)/ || !$programs{$1};
	my ($program, @rooms) = ($1, split ' ', $2);
	$order{$program} = { map { $rooms[$_] => $_ } 0 .. $#rooms };
}
is(join(' ', grep { !$order{$_} } sort keys %programs), 'libmemprof-preload.so', 'the rooms of each program were found');
my (%includes, @up);
find({ no_chdir => 1, wanted => sub {
	return if !/\.[ch]$/ || !-f;
	my ($room) = $File::Find::dir =~ m{^\Q$top\E/tools/(.*)};
	open my $f, '<', $_ or die "$_: $!\n";
	while (my $line = <$f>) {
		my ($header) = $line =~ m{^#include "(\w.*/.*)"} or next;
		$includes{$room}{$header} = 1 if $header !~ $interfaces;
	}
} }, "$top/tools");
for my $program (sort keys %order) {
	my $of = $order{$program};
	for my $room (sort { $of->{$a} <=> $of->{$b} } keys %$of) {
		for my $header (sort keys %{$includes{$room} // {}}) {
			my $used = $header =~ s{/[^/]*$}{}r;
			push @up, "$program: $room -> $header" if exists $of->{$used} && $of->{$used} < $of->{$room};
		}
	}
}
is(join("\n", @up), '', 'no room includes a header of one before it');

# A reader of bytes is tested with the sanitizers, too: what it reads beyond its input, they report.
my $readers = qr{^#include "(?:\w+/read/|memprof/import/|lib/(?:trace|csv)/|lib/perf/perf_data\.h)}m;
my @sanitized = map { m{/tools-sanitize/tests/(\w+)$} ? $1 : () } `make -s -C "$top/tools" O="$top/build" checks`;
cmp_ok(scalar @sanitized, '>', 30, 'tests that run with the sanitizers were found');
my %is_sanitized = map { $_ => 1 } @sanitized;
my @plain;
for my $test (glob("$top/tools/*/tests/test_*.c"), glob("$top/tools/*/*/tests/test_*.c")) {
	my ($name) = $test =~ m{/(\w+)\.c$};
	open my $f, '<', $test or die "$test: $!\n";
	my $text = do { local $/; <$f> };
	push @plain, $name if $text =~ $readers && !$is_sanitized{$name};
}
is(join(' ', @plain), '', 'each test that includes a header of a reader runs with the sanitizers (sanitized in the Makefile)');
done_testing;
