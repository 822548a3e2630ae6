# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Programs that allocate, in C and C++, with the C library's allocator and others, linked and
# preloaded: each a case, with what reports are to say of its objects.
package Allocators;

use strict;
use warnings;
use Exporter 'import';
use JSON::PP;

our @EXPORT = qw(allocator_cases allocator_objects expected_objects);

# Debian 12 has version 2 of mimalloc, Debian 13 version 3.
my %library = (jemalloc => 'libjemalloc.so.2', tcmalloc => 'libtcmalloc_minimal.so.4',
	       mimalloc => 'libmimalloc.so.[23]');
my %compiler = (c => ['gcc', '-std=gnu11'], 'c++' => ['g++', '-std=c++17']);
my %source = (c => 'allocations.c', 'c++' => 'allocations.cc');

sub path_of {
	my ($library) = @_;
	my ($path) = grep { -e } glob "{/usr/lib/x86_64-linux-gnu,/usr/lib64,/usr/lib}/$library";
	return $path;
}

# What each line of a source that allocates is to be reported as: "name:line" to bytes.
sub expected_objects {
	my ($sources, $language) = @_;
	my $source = "$sources/$source{$language}";
	my %expected;
	open my $f, '<', $source or die "$source: $!";
	while (<$f>) {
		$expected{"$1:$."} = $2 while m{// object: (\S+), (\d+) bytes$}g;
	}
	return \%expected;
}

# All cases, their programs compiled in a directory.  Of an allocator that is not installed,
# the case has a reason to skip it.
sub allocator_cases {
	my ($sources, $dir) = @_;
	my @cases;
	for my $language (sort keys %source) {
		my %shared = (language => $language, expected => expected_objects($sources, $language));
		for my $name ('glibc', sort keys %library) {
			my $path = $name eq 'glibc' ? '' : path_of($library{$name});
			for my $level (qw(O0 O2)) {
				my $program = "$dir/allocations-$language-$name-$level";
				my %case = (%shared, allocator => $name, level => $level,
					    # Debian's mimalloc ends the program where operator new would throw.
					    arguments => $language eq 'c' || $name eq 'mimalloc' ? [] : ['throw']);
				if (!defined $path) {
					push @cases, map { { %case, how => $_, skip => "$library{$name} is not installed" } }
						qw(linked preloaded);
					next;
				}
				system(@{$compiler{$language}}, "-$level", '-g', '-o', $program, "$sources/$source{$language}",
				       $path ? ('-Wl,--no-as-needed', $path) : ()) == 0 or die "$compiler{$language}[0] fails";
				push @cases, { %case, how => 'linked', program => $program, preload => '' };
				push @cases, { %case, how => 'preloaded', preload => $path,
					       program => "$dir/allocations-$language-glibc-$level" } if $path;
			}
		}
	}
	return @cases;
}

# The objects of a case: "name:line" to [bytes, accesses]; what has no line of the source by
# its name alone.  Nothing if the program, or its recording, fails.
sub allocator_objects {
	my ($build, $dir, $case) = @_;
	my $data = "$dir/allocators.data";
	my $file = $source{$case->{language}};
	local $ENV{OBJECTS_PRELOAD} = join ':', "$build/lib/libmemprof-preload.so", $case->{preload} || ();
	unlink $data;
	system("$build/tools/tests/memprof_objects", $data, $case->{program}, @{$case->{arguments}}) == 0 or return;
	my %got;
	for (@{decode_json(scalar `$build/bin/memprof report objects $data -f json`)->{rows}}) {
		my ($name, $line) = $_->{site} =~ /^(.*) \(\Q$file\E:(\d+)\)$/;
		$got{defined $line ? "$name:$line" : $_->{site}} = [ $_->{bytes}, $_->{accesses} ];
	}
	return \%got;
}

1;
