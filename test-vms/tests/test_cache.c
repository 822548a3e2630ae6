// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The cache model against sequences worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "../oracle/cache.h"

static struct cache_model *make(const char *spec, unsigned int nr_cpus)
{
	char error[CACHE_ERROR_LEN] = "";
	struct cache_model *m = cache_model_new(spec, nr_cpus, 1, error);

	if (!m)
		fail_msg("%s: %s", spec, error);
	return m;
}

static void read_line(struct cache_model *m, unsigned int cpu, uint64_t line)
{
	cache_model_access(m, cpu, CACHE_DATA, line * 64, 1);
}

/* Reads lines of 64 bytes, a letter each, and writes h or m for what each met in the first cache. */
static void walk(struct cache_model *m, const char *lines, char *result)
{
	for (; *lines; lines++) {
		uint64_t before = cache_model_count(m, 0, 0).misses;

		read_line(m, 0, *lines - 'a');
		*result++ = cache_model_count(m, 0, 0).misses == before ? 'h' : 'm';
	}
	*result = '\0';
}

static void assert_walk(const char *spec, const char *lines, const char *expected)
{
	struct cache_model *m = make(spec, 1);
	char result[256];

	walk(m, lines, result);
	if (strcmp(result, expected))
		fail_msg("%s: %s: got %s, not %s", spec, lines, result, expected);
	assert_int_equal(cache_model_count(m, 0, 0).accesses, strlen(lines));
	cache_model_free(m);
}

static void assert_count(struct cache_model *m, unsigned int cache, unsigned int cpu,
			 uint64_t accesses, uint64_t misses)
{
	struct cache_count n = cache_model_count(m, cache, cpu);

	if (n.accesses != accesses || n.misses != misses)
		fail_msg("cache %u, CPU %u: %llu of %llu missed, not %llu of %llu", cache, cpu,
			 (unsigned long long)n.misses, (unsigned long long)n.accesses,
			 (unsigned long long)misses, (unsigned long long)accesses);
}

/* One set of four ways; where the policies part is worked out beside each. */
static void policies_differ(void **state)
{
	/*
	 * After abcd: LRU's order of leaving is abcd.  a is used: bcda.  e takes
	 * b's place, a still hits, b misses and takes c's.
	 */
	assert_walk("L1:256:4:64:lru", "abcdaeabc", "mmmmhmhmm");
	/* The use of a changes nothing: e takes a's place, a takes b's, b c's, c d's. */
	assert_walk("L1:256:4:64:fifo", "abcdaeabc", "mmmmhmmmm");
	/*
	 * Ways 0 to 3 hold abcd, the root and both nodes point left.  a makes the
	 * root point right, the left node right.  e: right half, c's way, left as
	 * the right node still points there.  Then a hits; root right, right node
	 * right: b hits in the left half.  c: right half, d's way.
	 */
	assert_walk("L1:256:4:64:plru", "abcdaeabc", "mmmmhmhhm");
}

static void fifo_hits_do_not_count(void **state)
{
	assert_walk("L1:128:2:64:fifo", "abaacab", "mmhhmmm");
	assert_walk("L1:128:2:64:lru", "abaacab", "mmhhmhm");
}

/* Cyclic reads of one line more than the ways: LRU and FIFO always miss. */
static void cyclic(void **state)
{
	assert_walk("L1:256:4:64:lru", "abcdeabcdeabcde", "mmmmmmmmmmmmmmm");
	assert_walk("L1:256:4:64:fifo", "abcdeabcdeabcde", "mmmmmmmmmmmmmmm");
	/*
	 * PLRU: e takes a's way, root right, left node right.  a takes c's (root
	 * left, right node right), b hits (way 1: root right, left node left),
	 * c takes d's (root left, right node left), d takes e's in way 0 (root
	 * right, left node right), e takes a's in way 2 (root left, right node
	 * right), a takes b's in way 1, b takes c's in way 3, c d's in way 0,
	 * d e's in way 2, e a's in way 1.
	 */
	assert_walk("L1:256:4:64:plru", "abcdeabcdeabcde", "mmmmmmhmmmmmmmm");
	/* One line less: all fit. */
	assert_walk("L1:256:4:64:plru", "abcdabcdabcd", "mmmmhhhhhhhh");
}

/* Lines a whole way apart share a set, the others do not. */
static void conflicts(void **state)
{
	struct cache_model *m = make("L1:512:2:64", 1);	/* 4 sets */

	for (int round = 0; round < 10; round++) {
		for (int i = 0; i < 3; i++)
			read_line(m, 0, 4 * i);		/* set 0: 0, 4, 8 */
	}
	assert_count(m, 0, 0, 30, 30);
	for (int round = 0; round < 10; round++) {
		read_line(m, 0, 1);			/* sets 1, 1, 2, 3 */
		read_line(m, 0, 5);
		read_line(m, 0, 2);
		read_line(m, 0, 3);
	}
	assert_count(m, 0, 0, 70, 34);
	cache_model_free(m);
}

/* 4 sets; bit 0 of the set is address bit 6 ^ 8, bit 1 is bit 7 ^ 9. */
static void xor_index(void **state)
{
	struct cache_model *m = make("L1:512:2:64:xor=0x140/0x280", 1);

	/* Lines 0, 4, 8, 12: sets 0, 1, 2, 3.  With plain bits all were in set 0. */
	for (int round = 0; round < 10; round++) {
		for (int i = 0; i < 4; i++)
			read_line(m, 0, 4 * i);
	}
	assert_count(m, 0, 0, 40, 4);
	cache_model_free(m);

	m = make("L1:512:2:64:xor=0x140/0x280", 1);
	/* Lines 0, 5, 10, 15: bits cancel, all in set 0. */
	for (int round = 0; round < 10; round++) {
		for (int i = 0; i < 3; i++)
			read_line(m, 0, 5 * i);
	}
	assert_count(m, 0, 0, 30, 30);
	cache_model_free(m);

	/* One bit a mask is the plain index; high bits count too. */
	m = make("L1:512:2:64:xor=0x40/0x8000000000080", 1);
	for (int i = 0; i < 3; i++)
		cache_model_access(m, 0, CACHE_DATA, i * 256, 1);
	cache_model_access(m, 0, CACHE_DATA, 0, 1);
	assert_count(m, 0, 0, 4, 4);
	cache_model_access(m, 0, CACHE_DATA, 0x8000000000000ull, 1);	/* set 2: 0 stays */
	cache_model_access(m, 0, CACHE_DATA, 0, 1);
	assert_count(m, 0, 0, 6, 5);
	cache_model_free(m);
}

/* L1 of one set of two ways, L2 of one set of four. */
static void two_levels(void **state)
{
	struct cache_model *m = make("L1:128:2:64,L2:256:4:64", 1);

	for (int round = 0; round < 10; round++) {
		for (int i = 0; i < 3; i++)
			read_line(m, 0, i);
	}
	/* Cyclic over three: L1 always misses, L2 only the first time. */
	assert_count(m, 0, 0, 30, 30);
	assert_count(m, 1, 0, 30, 3);
	read_line(m, 0, 2);
	/* A hit in L1 does not reach L2. */
	assert_count(m, 0, 0, 31, 30);
	assert_count(m, 1, 0, 30, 3);
	assert_int_equal(cache_model_shape(m, 0)->level, 1);
	assert_int_equal(cache_model_shape(m, 1)->level, 2);
	cache_model_free(m);
}

/* a is used in L1 all the time, so L2 thinks it old and throws it out. */
static void inclusive(void **state)
{
	static const char lines[] = "abacada";
	struct cache_model *m = make("L1:128:2:64,L2:192:3:64", 1);
	char result[16];

	walk(m, lines, result);
	assert_string_equal(result, "mmhmhmh");
	assert_false(cache_model_holds(m, 1, 0, 0));
	assert_true(cache_model_holds(m, 0, 0, 0));
	cache_model_free(m);
	m = make("L1:128:2:64,L2:192:3:64:inclusive", 1);
	walk(m, lines, result);
	assert_string_equal(result, "mmhmhmm");
	cache_model_free(m);
}

/* Lines of 128 bytes behind lines of 64: both halves leave. */
static void inclusive_halves(void **state)
{
	struct cache_model *m = make("L1:256:4:64,L2:128:1:128:inclusive", 1);

	read_line(m, 0, 0);
	read_line(m, 0, 1);
	assert_count(m, 1, 0, 2, 1);
	read_line(m, 0, 2);
	assert_false(cache_model_holds(m, 0, 0, 0));
	assert_false(cache_model_holds(m, 0, 0, 64));
	assert_true(cache_model_holds(m, 0, 0, 128));
	cache_model_free(m);
}

/* What an inclusive shared cache evicts leaves every CPU's private ones. */
static void inclusive_shared(void **state)
{
	struct cache_model *m = make("L1:64:1:64:private,L2:64:1:64:inclusive", 2);

	read_line(m, 0, 0);
	read_line(m, 1, 1);
	assert_false(cache_model_holds(m, 0, 0, 0));
	assert_true(cache_model_holds(m, 0, 1, 64));
	cache_model_free(m);
}

/* Of lines in L1, all are in an inclusive L2; without the word, some are not. */
static void inclusion_holds(void **state)
{
	static const char *const specs[] = {
		"L1:1K:4:64:private,L2:2K:2:64:inclusive:fifo",
		"L1:1K:4:64:private:plru,L2:2K:2:64:inclusive:random",
		"L1:1K:4:64:private,L2:2K:2:64",
	};

	for (size_t i = 0; i < 3; i++) {
		struct cache_model *m = make(specs[i], 2);
		uint32_t x = 1;
		int outside = 0;

		for (int n = 0; n < 20000; n++) {
			x = x * 1664525 + 1013904223;
			read_line(m, x >> 31, x >> 16 & 63);
			for (uint64_t a = 0; a < 64 * 64; a += 64) {
				for (int cpu = 0; cpu < 2; cpu++)
					outside += cache_model_holds(m, 0, cpu, a) &&
						   !cache_model_holds(m, 1, cpu, a);
			}
		}
		if (i < 2)
			assert_int_equal(outside, 0);
		else
			assert_true(outside > 0);
		cache_model_free(m);
	}
}

static void private_and_shared(void **state)
{
	struct cache_model *m = make("L1:128:2:64:private,L2:256:4:64:shared", 2);

	/* CPU 1 finds in L2 what CPU 0 brought there, not in its own L1. */
	read_line(m, 0, 0);
	read_line(m, 0, 0);
	read_line(m, 1, 0);
	assert_count(m, 0, 0, 2, 1);
	assert_count(m, 0, 1, 1, 1);
	assert_count(m, 1, 0, 1, 1);
	assert_count(m, 1, 1, 1, 0);
	/* CPU 1 fills L2: CPU 0's line is gone there, but still in its L1. */
	for (int i = 4; i < 8; i++)
		read_line(m, 1, i);
	read_line(m, 0, 0);
	assert_count(m, 0, 0, 3, 1);
	assert_false(cache_model_holds(m, 1, 0, 0));
	cache_model_free(m);

	m = make("L1:128:2:64:shared", 2);
	read_line(m, 0, 0);
	read_line(m, 1, 0);
	assert_count(m, 0, 1, 1, 0);
	cache_model_free(m);
}

static void data_and_fetch(void **state)
{
	struct cache_model *m = make("L1d:64:1:64:private:data,L1i:64:1:64:private:fetch,L2:256:4:64", 1);

	cache_model_access(m, 0, CACHE_DATA, 0, 8);
	cache_model_access(m, 0, CACHE_FETCH, 0, 1);
	cache_model_access(m, 0, CACHE_FETCH, 64, 1);
	cache_model_access(m, 0, CACHE_DATA, 0, 8);
	assert_count(m, 0, 0, 2, 1);
	assert_count(m, 1, 0, 2, 2);
	assert_count(m, 2, 0, 3, 2);
	assert_int_equal(cache_model_shape(m, 1)->level, 1);
	assert_int_equal(cache_model_shape(m, 2)->level, 2);
	cache_model_free(m);
	m = make("L1d:64:1:64:data", 1);
	cache_model_access(m, 0, CACHE_FETCH, 0, 1);
	assert_count(m, 0, 0, 0, 0);
	assert_int_equal(cache_model_line(m, CACHE_DATA), 64);
	assert_int_equal(cache_model_line(m, CACHE_FETCH), 0);
	cache_model_free(m);
}

static void across_lines(void **state)
{
	struct cache_model *m = make("L1:512:2:64", 1);

	cache_model_access(m, 0, CACHE_DATA, 60, 4);
	assert_count(m, 0, 0, 1, 1);
	cache_model_access(m, 0, CACHE_DATA, 60, 8);
	assert_count(m, 0, 0, 3, 2);
	cache_model_access(m, 0, CACHE_DATA, 127, 66);	/* three lines */
	assert_count(m, 0, 0, 6, 4);
	cache_model_free(m);
}

static void empty(void **state)
{
	struct cache_model *m = make("L1:256:4:64:plru", 1);
	char first[16], again[16];

	walk(m, "abcdaeabc", first);
	cache_model_empty(m);
	assert_count(m, 0, 0, 9, 6);
	walk(m, "abcdaeabc", again);
	assert_string_equal(first, again);
	cache_model_free(m);
}

static uint64_t random_misses(uint64_t seed)
{
	char error[CACHE_ERROR_LEN];
	struct cache_model *m = cache_model_new("L1:512:8:64:random", 1, seed, error);
	uint64_t misses;

	for (int round = 0; round < 1000; round++) {
		for (int i = 0; i < 9; i++)
			read_line(m, 0, i);
	}
	misses = cache_model_count(m, 0, 0).misses;
	cache_model_free(m);
	return misses;
}

/*
 * Cyclic over 9 lines in 8 ways with random replacement.  One line is always out;
 * a miss throws out one of the 8 that are in, each as likely.  The line read next
 * in the cycle misses if it is the one: from a miss on, the line thrown out is read
 * after 1 to 8 steps, each as likely, so a miss comes every 4.5 reads: 2000 of 9000.
 * The standard deviation of a distance is sqrt(63/12) = 2.3, of their number in 9000
 * reads sqrt(9000) * 2.3 / 4.5^1.5 = 23; 5 of them are 115.
 */
static void random_is_seeded(void **state)
{
	assert_int_equal(random_misses(7), random_misses(7));
	assert_int_not_equal(random_misses(7), random_misses(8));
	for (int seed = 0; seed < 20; seed++)
		assert_in_range(random_misses(seed), 2000 - 115, 2000 + 115);
}

static void text(void **state)
{
	static const char *const good[] = {
		"L1d:32768:8:64:private:lru:data",
		"L2:262144:4:64:shared:fifo",
		"L3:4194304:16:128:shared:random:inclusive",
		"c:512:2:64:shared:lru:xor=0x140/0x280",
		"one:64:1:64:private:plru:fetch",
	};
	struct cache_shape shape;
	char error[CACHE_ERROR_LEN], out[256];

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_true(cache_shape_parse(&shape, good[i], error));
		cache_shape_print(&shape, out, sizeof(out));
		assert_string_equal(out, good[i]);
	}
	assert_true(cache_shape_parse(&shape, "L2:1M:16:64", error));
	assert_int_equal(shape.sets, 1024);
	assert_true(shape.shared);
}

static void bad_text(void **state)
{
	static const struct {
		const char *spec, *error;
	} bad[] = {
		{ "", ": not NAME:SIZE:WAYS:LINE" },
		{ "L1:32K:8", "L1:32K:8: not NAME:SIZE:WAYS:LINE" },
		{ "L1:32K:8:64,", ": not NAME:SIZE:WAYS:LINE" },
		{ "1L:32K:8:64", "1L: not a cache's name" },
		{ "instructions:32K:8:64", "instructions: not a cache's name" },
		{ "end:32K:8:64", "end: not a cache's name" },
		{ "L1-d:32K:8:64", "L1-d: not a cache's name" },
		{ "L1.d:32K:8:64", "L1.d: not a cache's name" },
		{ "L1:x:8:64", "L1: x: not a size" },
		{ "L1:32K:0:64", "L1: 0: not a number of ways" },
		{ "L1:32K:65:64", "L1: 65: not a number of ways" },
		{ "L1:32K:8:48", "L1: 48: not a line size" },
		{ "L1:48K:8:64", "L1: 48K bytes in 8 ways of 64 bytes: not a power of two of sets" },
		{ "L1:100:1:64", "L1: 100 bytes" },
		{ "L1:16T:8:64", "L1: 16T: more than" },
		{ "L1:32K:8:64:mru", "L1: mru: unknown word" },
		{ "L1:32K:8:64:", "L1: : unknown word" },
		{ "L1:48K:12:64:plru", "L1: plru: 12 ways are not a power of two" },
		{ "L1:512:2:64:xor=0x140", "L1: xor: 1 masks, but 4 sets need 2" },
		{ "L1:512:2:64:xor=0x40/0x80/0x100", "L1: xor: more than 2 masks" },
		{ "L1:512:2:64:xor=0x40/z", "L1: xor: z: not a mask" },
		{ "L1:512:2:64:xor=0x40/0x10000000000000", "not a mask" },
		{ "L1:512:2:64:xor=0x40/0x41", "L1: xor: 0x41: has bits within a line" },
		{ "L1:1K:2:64:xor=0x40/0x80/0xc0", "L1: xor: a mask is the xor of others" },
		{ "L1:32K:8:64,L1:1M:8:64", "L1: two caches of this name" },
		{ "L1:32K:8:64:shared,L2:1M:8:64:private", "L2: private, but L1 before it is shared" },
		{ "L1:32K:8:64,L2:1M:8:32", "L2: lines smaller than those of L1" },
		{ "L1:32K:8:64:inclusive", "L1: inclusive, but no cache is before it" },
	};
	char error[CACHE_ERROR_LEN];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (cache_model_new(bad[i].spec, 1, 0, error))
			fail_msg("%s: was taken", bad[i].spec);
		if (!strstr(error, bad[i].error))
			fail_msg("%s: error is \"%s\", not \"%s\"", bad[i].spec, error, bad[i].error);
	}
	assert_null(cache_model_new("L1:32K:8:64", 0, 0, error));
	assert_null(cache_model_new("L1:32K:8:64", CACHE_MAX_CPUS + 1, 0, error));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(policies_differ),
		cmocka_unit_test(fifo_hits_do_not_count),
		cmocka_unit_test(cyclic),
		cmocka_unit_test(conflicts),
		cmocka_unit_test(xor_index),
		cmocka_unit_test(two_levels),
		cmocka_unit_test(inclusive),
		cmocka_unit_test(inclusive_halves),
		cmocka_unit_test(inclusive_shared),
		cmocka_unit_test(inclusion_holds),
		cmocka_unit_test(private_and_shared),
		cmocka_unit_test(data_and_fetch),
		cmocka_unit_test(across_lines),
		cmocka_unit_test(empty),
		cmocka_unit_test(random_is_seeded),
		cmocka_unit_test(text),
		cmocka_unit_test(bad_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
