#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# An object is named after what calls the functions that allocate for others.
use strict;
use warnings;
use File::Temp 'tempdir';
use FindBin;
use JSON::PP;
use Test::More;

my $build = $ENV{MEMSCOPE_BUILD} // "$FindBin::RealBin/../../../build";
my $dir = tempdir('memprof-wrappers.XXXXXX', TMPDIR => 1, CLEANUP => 1);

sub write_file {
	my ($name, $text) = @_;
	open my $f, '>', "$dir/$name" or die "$name: $!";
	print $f $text;
	close $f;
}

write_file('pool.c', <<'END');
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static __attribute__((noinline)) void *pool_get(size_t n) { return malloc(n) + (n > 1 << 30); }
static inline void *xmalloc(size_t n) { return malloc(n); }

int main(void)
{
	char *table, *list, rest[8];

	table = pool_get(20000);
	list =
		xmalloc(30000);
	printf("%lx 20000\n%lx 30000\nend\n", (long)table, (long)list);
	fflush(stdout);
	return read(0, rest, sizeof(rest)) < 0;
}
END
# A class with an operator of its own, and a container with an allocator.
write_file('classes.cc', <<'END');
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
#include <vector>

#define own __attribute__((noinline))

struct matrix {
	char cells[20000];
	static own void *operator new(size_t n) { void *volatile p = malloc(n); return p; }
};

template <typename T> struct counted {
	typedef T value_type;
	own T *allocate(size_t n) { T *volatile p = (T *)malloc(n * sizeof(T)); return p; }
	void deallocate(T *p, size_t) { free(p); }
};

int main()
{
	matrix *first = new matrix;
	std::vector<char, counted<char>> second;
	char rest[8];

	second.reserve(30000);
	printf("%lx 20000\n%lx 30000\nend\n", (long)first, (long)second.data());
	fflush(stdout);
	return read(0, rest, sizeof(rest)) < 0;
}
END
write_file('names', "# of the pool\n\n  pool_get \n");

# The sites of a recording.
sub sites {
	my $rows = decode_json(scalar `$build/bin/memprof report objects $dir/memprof.data -f json @_`)->{rows};
	return [ sort map { $_->{site} } @$rows ];
}

system('gcc', '-O1', '-g', '-o', "$dir/pool", "$dir/pool.c") == 0 or die 'gcc fails';
$ENV{OBJECTS_PRELOAD} = "$build/lib/libmemprof-preload.so";
is(system("$build/tools/tests/memprof_objects", "$dir/memprof.data", "$dir/pool"), 0, 'a recording');
is_deeply(sites(), [ 'list (pool.c:14)', 'pool_get (pool.c:5)' ],
	  'xmalloc() is known, a program\'s own function is not');
my $both = [ 'list (pool.c:14)', 'table (pool.c:12)' ];
is_deeply(sites('--wrapper', 'pool_get'), $both, '--wrapper NAME');
is_deeply(sites('--wrapper', 'nothing', '--wrapper', "'pool_*'"), $both, '--wrapper PATTERN, after another');
is_deeply(sites('--wrapper', "\@$dir/names"), $both, '--wrapper @FILE');
like(`$build/bin/memprof report objects $dir/memprof.data --wrapper \@$dir/none 2>&1`,
     qr/none: No such file/, 'a file that is not there is named');

system('g++', '-O1', '-g', '-o', "$dir/classes", "$dir/classes.cc") == 0 or die 'g++ fails';
is(system("$build/tools/tests/memprof_objects", "$dir/memprof.data", "$dir/classes"), 0, 'a recording of C++');
is_deeply(sites(), [ 'main (classes.cc:25)', 'matrix *first (classes.cc:21)' ],
	  'operators of a class and the allocator of a container are not what objects are named after');
done_testing();
