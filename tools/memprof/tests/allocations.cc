// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
// Allocates objects in the ways of C and C++, and prints where each is: see memprof_objects.c.
// The comments say what reports are to call each and its bytes.
//   throw         an allocation fails first
//   touch ROUNDS  the program accesses all objects itself, as often as each other
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <unistd.h>
#include <vector>

struct wide { char bytes[20000]; };
struct alignas(128) lined { char bytes[12800]; };

static void *from_malloc, *from_calloc, *from_realloc, *from_memalign;
static char *from_new_array;
static wide *from_new, *from_nothrow;
static lined *from_aligned, *from_aligned_array;
static std::vector<int> numbers;
static std::map<int, wide> table;
static std::shared_ptr<wide> shared;
static std::string text;

static struct { volatile char *p; size_t bytes; } objects[32];
static size_t nr_objects;

static void is_at(const void *p, size_t bytes)
{
	objects[nr_objects].p = (volatile char *)p;
	objects[nr_objects++].bytes = bytes;
	printf("%lx %zu\n", (unsigned long)(uintptr_t)p, bytes);
}

static void in_c()
{
	from_malloc = malloc(20001); // object: from_malloc, 20001 bytes
	from_calloc = calloc(2, 10001); // object: from_calloc, 20002 bytes
	from_realloc = realloc(malloc(10), 20003); // object: from_realloc, 20003 bytes
	from_memalign = aligned_alloc(64, 20096); // object: from_memalign, 20096 bytes
	is_at(from_malloc, 20001);
	is_at(from_calloc, 20002);
	is_at(from_realloc, 20003);
	is_at(from_memalign, 20096);
}

static void by_new()
{
	from_new_array = new char[20010]; // object: from_new_array, 20010 bytes
	from_new = new wide; // object: from_new, 20000 bytes
	from_nothrow = new (std::nothrow) wide; // object: from_nothrow, 20000 bytes
	from_aligned = new lined; // object: from_aligned, 12800 bytes
	from_aligned_array =
		new (std::nothrow)
		lined[2]; // object: from_aligned_array, 25600 bytes
	is_at(from_new_array, 20010);
	is_at(from_new, sizeof(wide));
	is_at(from_nothrow, sizeof(wide));
	is_at(from_aligned, sizeof(lined));
	is_at(from_aligned_array, 2 * sizeof(lined));
}

static void by_containers()
{
	numbers.resize(5000); // object: by_containers, 20000 bytes
	memset(&table[1], 1, sizeof(wide)); // object: by_containers, 20040 bytes
	shared = std::make_shared<wide>(); // object: shared, 20016 bytes
	text = std::string(20020, 'x'); // object: text, 20021 bytes
	is_at(numbers.data(), 20000);
	is_at(&table[1], sizeof(wide));
	is_at(shared.get(), sizeof(wide));
	is_at(text.data(), 20020);
}

// A request that fails: the exception goes through the operator of the preloaded library.
static bool too_much()
{
	volatile size_t bytes = SIZE_MAX / 4;

	try {
		from_new_array = new char[bytes];
	} catch (const std::bad_alloc &) {
		return true;
	}
	return false;
}

// 200 lines of each a round.
static void touch(unsigned long rounds)
{
	for (; rounds; rounds--)
		for (size_t o = 0; o < nr_objects; o++) {
			volatile char *p = objects[o].p;
			const size_t lines = objects[o].bytes / 64;

			for (size_t i = 0, line = 0; i < 200; i++) {
				(void)p[line * 64];
				line = line + 1 < lines ? line + 1 : 0;
			}
		}
}

int main(int argc, char **argv)
{
	const bool touches = argc > 2 && !strcmp(argv[1], "touch");
	char rest[16];

	if (argc == 2 && !too_much())
		return 1;
	in_c();
	by_new();
	by_containers();
	puts("end");
	fflush(stdout);
	if (touches)
		touch(strtoul(argv[2], nullptr, 10));
	while (!touches && read(0, rest, sizeof(rest)) > 0)
		;
	free(from_malloc);
	free(from_calloc);
	free(from_realloc);
	free(from_memalign);
	delete[] from_new_array;
	delete from_new;
	delete from_nothrow;
	delete from_aligned;
	delete[] from_aligned_array;
	return 0;
}
