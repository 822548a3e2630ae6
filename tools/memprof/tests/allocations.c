// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
// Allocates objects in the ways of C, and prints where each is: see memprof_objects.c.
// The comments say what reports are to call each and its bytes, as in allocations.cc.
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct table {
	void *rows, *columns;
};

static struct table table;
static void *from_malloc, *from_calloc, *from_realloc, *from_array, *from_memalign, *from_posix, *from_wrapper;
static char *text;

static void is_at(const void *p, size_t bytes)
{
	printf("%lx %zu\n", (unsigned long)(uintptr_t)p, bytes);
}

static __attribute__((noinline)) void *xmalloc(size_t bytes)
{
	void *p = malloc(bytes);

	if (!p)
		abort();
	return p;
}

static void plain(void)
{
	from_malloc = malloc(20001); // object: from_malloc, 20001 bytes
	from_calloc = calloc(2, 10001); // object: from_calloc, 20002 bytes
	from_realloc = realloc(malloc(10), 20003); // object: from_realloc, 20003 bytes
	from_array = reallocarray(NULL, 20, 1000); // object: from_array, 20000 bytes
	is_at(from_malloc, 20001);
	is_at(from_calloc, 20002);
	is_at(from_realloc, 20003);
	is_at(from_array, 20000);
}

static void aligned(void)
{
	from_memalign = aligned_alloc(64, 20096); // object: from_memalign, 20096 bytes
	if (posix_memalign(&from_posix, 256, 20224)) // object: aligned, 20224 bytes
		abort();
	is_at(from_memalign, 20096);
	is_at(from_posix, 20224);
}

static void in_structures(const char *long_text)
{
	table.rows = malloc(30000); // object: table.rows, 30000 bytes
	table.columns =
		calloc(1, // object: table.columns, 40000 bytes
		       40000);
	from_wrapper = xmalloc(50000); // object: from_wrapper, 50000 bytes
	text = strdup(long_text); // object: text, 20021 bytes
	is_at(table.rows, 30000);
	is_at(table.columns, 40000);
	is_at(from_wrapper, 50000);
	is_at(text, 20021);
}

int main(void)
{
	static char long_text[20021];
	char rest[16];

	memset(long_text, 'x', sizeof(long_text) - 1);
	plain();
	aligned();
	in_structures(long_text);
	puts("end");
	fflush(stdout);
	while (read(0, rest, sizeof(rest)) > 0)
		;
	free(from_malloc);
	free(from_calloc);
	free(from_realloc);
	free(from_array);
	free(from_memalign);
	free(from_posix);
	free(from_wrapper);
	free(table.rows);
	free(table.columns);
	free(text);
	return 0;
}
