#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Objects that other allocators than the C library's give out: each has its site, its size and
# its accesses, as with the C library's.
use strict;
use warnings;
use File::Temp 'tempdir';
use FindBin;
use JSON::PP;
use Test::More;

my $build = $ENV{MEMSCOPE_BUILD} // "$FindBin::RealBin/../../../build";
my $preload = "$build/lib/libmemprof-preload.so";
my $source = "$FindBin::RealBin/allocations.cc";
my $dir = tempdir('memprof-allocators.XXXXXX', TMPDIR => 1, CLEANUP => 1);
# Debian 12 has version 2 of mimalloc, Debian 13 version 3.
my %library = (glibc => '', jemalloc => 'libjemalloc.so.2', tcmalloc => 'libtcmalloc_minimal.so.4',
	       mimalloc => 'libmimalloc.so.[23]');

# What each line of the source that allocates is to be reported as: a name or not, the bytes.
my %expected;
{
	open my $f, '<', $source or die "$source: $!";
	while (<$f>) {
		$expected{"$1:$."} = $2 while m{// object: (\S+), (\d+) bytes$}g;
	}
}

sub path_of {
	my ($library) = @_;
	my ($path) = grep { -e } glob "{/usr/lib/x86_64-linux-gnu,/usr/lib64,/usr/lib}/$library";
	return $path;
}

# The objects of a run, by the line that allocates: [name, bytes, accesses].
sub objects {
	my ($program, $libraries, @arguments) = @_;
	local $ENV{OBJECTS_PRELOAD} = join ':', $preload, $libraries || ();
	my $data = "$dir/memprof.data";
	unlink $data;
	system("$build/tools/tests/memprof_objects", $data, $program, @arguments) == 0 or return;
	my $rows = decode_json(scalar `$build/bin/memprof report objects $data -f json`)->{rows};
	my %got;
	for (@$rows) {
		my ($name, $line) = $_->{site} =~ /^(.*) \(allocations\.cc:(\d+)\)$/;
		$got{defined $line ? "$name:$line" : $_->{site}} = [ $_->{bytes}, $_->{accesses} ];
	}
	return \%got;
}

sub check {
	my ($what, $program, $libraries, @arguments) = @_;
	subtest $what => sub {
		my $got = objects($program, $libraries, @arguments);
		ok($got, 'runs') or return;
		for (sort keys %expected) {
			my $o = delete $got->{$_};
			ok($o, "$_ is an object") or next;
			is($o->[0], $expected{$_}, "of $expected{$_} bytes");
			is($o->[1], 200, 'with all of its accesses');
		}
		is_deeply([ sort keys %$got ], [], 'and nothing else is accessed');
	};
}

cmp_ok(scalar keys %expected, '>=', 13, 'objects are expected');
for my $name (sort keys %library) {
	my $path = $name eq 'glibc' ? '' : path_of($library{$name});
	SKIP: {
		skip "$library{$name} is not installed", 4 if !defined $path;
		for my $level (qw(O0 O2)) {
			my $program = "$dir/allocations-$name-$level";
			system('g++', "-$level", '-g', '-std=c++17', '-o', $program, $source,
			       $path ? ('-Wl,--no-as-needed', $path) : ()) == 0 or die 'g++ fails';
			# Debian's mimalloc ends the program where operator new would throw.
			my @throw = $name eq 'mimalloc' ? () : 'throw';
			check("$name, linked, -$level", $program, '', @throw);
			check("$name, preloaded, -$level", "$dir/allocations-glibc-$level", $path, @throw) if $path;
		}
	}
}
done_testing();
