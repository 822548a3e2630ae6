// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* dprof's caches: what is in them, and why accesses miss. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "dprof/sim/coherence.h"

static const struct actor reader = { 1, 1, 1 }, writer = { 2, 2, 2 }, other = { 3, 3, 3 };

/* Two sets of two ways. */
static const struct geometry small = { 256, 2, 64 };

static void parse(void **state)
{
	struct geometry g;

	(void)state;
	assert_int_equal(geometry_parse("32K:8", &g), 0);
	assert_int_equal(g.size, 32768);
	assert_int_equal(geometry_sets(&g), 64);
	assert_int_equal(geometry_parse("8M:16", &g), 0);
	assert_int_equal(geometry_sets(&g), 8192);
	assert_int_equal(geometry_parse("32K", &g), -1);
	assert_int_equal(geometry_parse("32K:0", &g), -1);
	assert_int_equal(geometry_parse("48K:8", &g), -1);	/* 96 sets */
	assert_int_equal(geometry_parse("32K:8x", &g), -1);
	assert_int_equal(geometry_parse("32K:+8", &g), -1);
	assert_int_equal(geometry_parse("32K: 8", &g), -1);
	assert_int_equal(geometry_parse("32K:8:1", &g), -1);
	assert_int_equal(geometry_parse("64:2", &g), -1);	/* no set */
	assert_int_equal(geometry_parse("48K:12", &g), 0);
}

static void least_recently_used(void **state)
{
	const struct cache_line owner = { };
	struct cache c;

	(void)state;
	assert_int_equal(cache_init(&c, &small), 0);
	/* Lines 0, 2 and 4 are of set 0. */
	assert_false(cache_access(&c, 0, &owner));
	assert_false(cache_access(&c, 2, &owner));
	assert_false(cache_access(&c, 1, &owner));
	assert_true(cache_access(&c, 0, &owner));
	assert_false(cache_access(&c, 4, &owner));	/* 2 goes */
	assert_true(cache_has(&c, 0));
	assert_false(cache_has(&c, 2));
	assert_true(cache_has(&c, 1));
	cache_remove(&c, 0);
	assert_false(cache_has(&c, 0));
	assert_false(cache_access(&c, 6, &owner));	/* where 0 was */
	assert_true(cache_has(&c, 4));
	cache_free(&c);
}

static void fully_associative(void **state)
{
	struct full_cache c = { .capacity = 3 };

	(void)state;
	assert_int_equal(full_access(&c, 10), 0);
	assert_int_equal(full_access(&c, 20), 0);
	assert_int_equal(full_access(&c, 30), 0);
	assert_int_equal(full_access(&c, 10), 1);
	assert_int_equal(full_access(&c, 40), 0);	/* 20 goes */
	assert_int_equal(full_access(&c, 30), 1);
	assert_int_equal(full_access(&c, 20), 0);	/* 10 goes */
	assert_int_equal(full_access(&c, 10), 0);
	full_remove(&c, 20);
	assert_int_equal(full_access(&c, 20), 0);
	full_free(&c);
}

static int load(struct coherence *c, int cpu, uint64_t line, uint64_t bytes)
{
	return coherence_access(c, cpu, line, bytes, false, 0, &reader);
}

static int store(struct coherence *c, int cpu, uint64_t line, uint64_t bytes)
{
	return coherence_access(c, cpu, line, bytes, true, 0, &writer);
}

static void sharing(void **state)
{
	struct coherence c;

	(void)state;
	assert_int_equal(coherence_init(&c, &small, 2), 0);
	assert_int_equal(load(&c, 0, 7, 0xff), MISS_COLD);
	assert_int_equal(load(&c, 0, 7, 0xff), HIT);
	/* A line read by no other CPU and never written is cold, too. */
	assert_int_equal(load(&c, 1, 7, 0xff), MISS_COLD);
	assert_int_equal(load(&c, 0, 7, 0xff), HIT);
	assert_int_equal(store(&c, 1, 7, 0xff), HIT);
	assert_int_equal(load(&c, 0, 7, 0x01), MISS_TRUE);
	assert_int_equal(c.culprit.type, writer.type);
	/* Other bytes of the line. */
	assert_int_equal(store(&c, 1, 7, 0xff00), HIT);
	assert_int_equal(load(&c, 0, 7, 0xff), MISS_FALSE);
	/* Both, by two writers: the one of the bytes is to blame. */
	assert_int_equal(store(&c, 1, 7, 0xff), HIT);
	assert_int_equal(coherence_access(&c, 1, 7, 0xff00, true, 0, &other), HIT);
	assert_int_equal(load(&c, 0, 7, 0xff), MISS_TRUE);
	assert_int_equal(c.culprit.type, writer.type);
	assert_int_equal(coherence_access(&c, 1, 7, 0xff00, true, 0, &other), HIT);
	assert_int_equal(load(&c, 0, 7, 0xff), MISS_FALSE);
	assert_int_equal(c.culprit.type, other.type);
	/* Who gets what another CPU wrote first, shares it. */
	assert_int_equal(store(&c, 0, 9, 0xff), MISS_COLD);
	assert_int_equal(load(&c, 1, 9, 0xff), MISS_TRUE);
	coherence_free(&c);
}

static void replacement(void **state)
{
	struct coherence c;
	int line;

	(void)state;
	assert_int_equal(coherence_init(&c, &small, 1), 0);
	/* Three lines of a set of two; four would fit the cache. */
	assert_int_equal(load(&c, 0, 0, 1), MISS_COLD);
	assert_int_equal(load(&c, 0, 2, 1), MISS_COLD);
	assert_int_equal(load(&c, 0, 4, 1), MISS_COLD);
	assert_int_equal(load(&c, 0, 0, 1), MISS_CONFLICT);
	/* Five lines in turn fit no cache of four. */
	for (line = 100; line < 105; line++)
		assert_int_equal(load(&c, 0, line, 1), MISS_COLD);
	assert_int_equal(load(&c, 0, 100, 1), MISS_CAPACITY);
	coherence_free(&c);
}

/* A line that was replaced before it was written missed for that reason. */
static void replaced_before(void **state)
{
	struct coherence c;

	(void)state;
	assert_int_equal(coherence_init(&c, &small, 2), 0);
	assert_int_equal(load(&c, 0, 0, 1), MISS_COLD);
	assert_int_equal(load(&c, 0, 2, 1), MISS_COLD);
	assert_int_equal(load(&c, 0, 4, 1), MISS_COLD);
	assert_int_equal(store(&c, 1, 0, 1), MISS_COLD);
	assert_int_not_equal(load(&c, 0, 0, 1), MISS_TRUE);
	coherence_remove(&c, 2);
	assert_int_equal(load(&c, 0, 2, 1), MISS_COLD);
	coherence_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parse), cmocka_unit_test(least_recently_used),
		cmocka_unit_test(fully_associative), cmocka_unit_test(sharing),
		cmocka_unit_test(replacement), cmocka_unit_test(replaced_before),
	};

	return cmocka_run_group_tests_name("dprof_cache", tests, NULL, NULL);
}
