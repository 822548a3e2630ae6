// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Searches for memory limits of which the smallest that is enough is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "memref/model/search.h"

#define PAGE 4096ULL

/* Search; limits are whole pages between those that are known, each another one.  Return: how many were tried. */
static int search(struct search *s, uint64_t least)
{
	uint64_t limit;
	int tries = 0;

	while ((limit = search_next(s))) {
		assert_int_equal(limit % PAGE, 0);
		assert_true(limit > s->too_small);
		assert_true(!s->enough || limit < s->enough);
		search_note(s, limit, limit >= least ? SEARCH_ENOUGH : SEARCH_TOO_SMALL);
		assert_true(++tries < 40);
	}
	return tries;
}

static struct search begin(uint64_t peak, uint64_t high, uint64_t estimate, uint64_t low)
{
	return (struct search){ .peak = peak, .precision = 0.1, .guesses = { high, estimate, low } };
}

static void precision(void **unused)
{
	const uint64_t peak = 10000 * PAGE;
	uint64_t least;

	(void)unused;
	for (least = 1; least < 3 * peak; least += 37 * PAGE + 11) {
		struct search s = begin(peak, 6000 * PAGE, 5000 * PAGE + 1, 3000 * PAGE);

		search(&s, least);
		assert_true(s.enough >= least);
		assert_true(s.too_small < least);
		/* A 1024th of the peak, in whole pages, or nine tenths of what the best saves. */
		if (s.enough - s.too_small > 10 * PAGE)
			assert_true(peak - s.enough >= 0.9 * (peak - least));
	}
}

static void guesses(void **unused)
{
	struct search s = begin(1000 * PAGE, 600 * PAGE, 500 * PAGE, 300 * PAGE);

	(void)unused;
	assert_int_equal(search_next(&s), 600 * PAGE);
	search_note(&s, 600 * PAGE, SEARCH_ENOUGH);
	assert_int_equal(search_next(&s), 500 * PAGE);
	search_note(&s, 500 * PAGE, SEARCH_TOO_SMALL);
	/* The last guess is smaller than one that was not enough. */
	assert_int_equal(search_next(&s), 550 * PAGE);
	/* Guesses that are right save tries. */
	s = begin(1000 * PAGE, 600 * PAGE, 600 * PAGE, 570 * PAGE);
	assert_int_equal(search(&s, 590 * PAGE), 2);
}

static void chance(void **unused)
{
	const uint64_t peak = 1000 * PAGE;
	struct search s = begin(peak, 800 * PAGE, 600 * PAGE, 500 * PAGE);
	uint64_t limit;

	(void)unused;
	/* All limits from 500 on are enough, and then 500 is not. */
	search(&s, 500 * PAGE);
	assert_int_equal(s.enough, 500 * PAGE);
	assert_int_equal(s.nr_larger, 2);
	search_note(&s, s.enough, SEARCH_ENOUGH);
	assert_int_equal(s.nr_larger, 2);
	search_note(&s, s.enough, SEARCH_TOO_SMALL);
	assert_int_equal(s.too_small, 500 * PAGE);
	assert_int_equal(s.enough, 600 * PAGE);
	limit = search_next(&s);
	assert_in_range(limit, 501 * PAGE, 599 * PAGE);
	/* Nor is the one before it, nor the first. */
	search_note(&s, limit, SEARCH_TOO_SMALL);
	search_note(&s, s.enough, SEARCH_TOO_SMALL);
	assert_int_equal(s.enough, 800 * PAGE);
	assert_in_range(search_next(&s), 601 * PAGE, 799 * PAGE);
	search_note(&s, s.enough, SEARCH_TOO_SMALL);
	assert_int_equal(s.enough, 0);
	assert_int_equal(search_next(&s), peak);
	/* As often as it happens, an end is found, with larger limits. */
	s = begin(peak, 800 * PAGE, 600 * PAGE, 500 * PAGE);
	do {
		limit = s.too_small;
		search(&s, 0);
		search_note(&s, s.enough, SEARCH_TOO_SMALL);
		assert_true(s.too_small > limit);
	} while (s.too_small < 4 * peak);
}

/* A limit that was too small by chance: it is tried once more at the end, and then smaller ones are. */
static void doubt(void **unused)
{
	struct search s = begin(1000 * PAGE, 800 * PAGE, 600 * PAGE, 500 * PAGE);
	uint64_t limit;

	(void)unused;
	search_note(&s, search_next(&s), SEARCH_ENOUGH);
	assert_int_equal(search_doubt(&s), 0);
	search_note(&s, search_next(&s), SEARCH_TOO_SMALL);
	assert_int_equal(search_doubt(&s), 0);
	search_note(&s, 700 * PAGE, SEARCH_NEARLY);
	assert_int_equal(search_doubt(&s), 700 * PAGE);
	search_note(&s, 750 * PAGE, SEARCH_ENOUGH);
	assert_int_equal(search_doubt(&s), 700 * PAGE);
	search_note(&s, 700 * PAGE, SEARCH_ENOUGH);
	assert_int_equal(s.enough, 700 * PAGE);
	assert_int_equal(s.too_small, 600 * PAGE);
	assert_int_equal(search_doubt(&s), 0);
	/* What was enough the second time, and not the third, is too small; so is all below. */
	limit = search_next(&s);
	assert_in_range(limit, 601 * PAGE, 699 * PAGE);
	search_note(&s, limit, SEARCH_NEARLY);
	search_note(&s, 700 * PAGE, SEARCH_NEARLY);
	assert_int_equal(s.enough, 750 * PAGE);
	assert_int_equal(s.too_small, 700 * PAGE);
	assert_int_equal(search_doubt(&s), 0);
	/* Too small twice: no third time. */
	search_note(&s, 725 * PAGE, SEARCH_NEARLY);
	search_note(&s, 725 * PAGE, SEARCH_NEARLY);
	assert_int_equal(search_doubt(&s), 0);
	assert_int_equal(s.too_small, 725 * PAGE);
	assert_int_equal(s.enough, 750 * PAGE);
	/* The one before it is known still. */
	search_note(&s, 725 * PAGE, SEARCH_ENOUGH);
	assert_int_equal(s.too_small, 700 * PAGE);
	/* Smaller ones are in doubt, too, each once. */
	s = begin(1000 * PAGE, 0, 0, 0);
	search_note(&s, 500 * PAGE, SEARCH_NEARLY);
	search_note(&s, 600 * PAGE, SEARCH_NEARLY);
	search_note(&s, 700 * PAGE, SEARCH_ENOUGH);
	assert_int_equal(search_doubt(&s), 600 * PAGE);
	search_note(&s, 600 * PAGE, SEARCH_ENOUGH);
	assert_int_equal(s.too_small, 500 * PAGE);
	assert_int_equal(search_doubt(&s), 500 * PAGE);
	search_note(&s, 500 * PAGE, SEARCH_TOO_SMALL);
	assert_int_equal(search_doubt(&s), 0);
	/* Without a smaller one. */
	s = begin(1000 * PAGE, 0, 0, 0);
	search_note(&s, search_next(&s), SEARCH_NEARLY);
	assert_int_equal(search_doubt(&s), 1000 * PAGE);
	search_note(&s, 1000 * PAGE, SEARCH_ENOUGH);
	assert_int_equal(s.too_small, 0);
	assert_int_equal(s.enough, 1000 * PAGE);
}

/* No try is spent on a guess that is less than a 1024th of the peak, 4 pages, from a limit that was tried. */
static void guesses_beside_others(void **unused)
{
	struct search s = begin(4000 * PAGE, 600 * PAGE, 597 * PAGE, 300 * PAGE);

	(void)unused;
	assert_int_equal(search_next(&s), 600 * PAGE);
	search_note(&s, 600 * PAGE, SEARCH_ENOUGH);
	assert_int_equal(search_next(&s), 300 * PAGE);
	s = begin(4000 * PAGE, 600 * PAGE, 603 * PAGE, 604 * PAGE);
	assert_int_equal(search_next(&s), 600 * PAGE);
	search_note(&s, 600 * PAGE, SEARCH_TOO_SMALL);
	assert_int_equal(search_next(&s), 604 * PAGE);
}

/* The search ends as soon as a tenth of what could be saved, of 500 pages, is all that may be missed. */
static void ends_in_time(void **unused)
{
	struct search s = begin(1000 * PAGE, 0, 0, 0);

	(void)unused;
	s.too_small = 500 * PAGE;
	s.enough = 551 * PAGE;
	assert_int_not_equal(search_next(&s), 0);
	s.enough = 550 * PAGE;
	assert_int_equal(search_next(&s), 0);
}

static void no_end(void **unused)
{
	struct search s = begin(1000 * PAGE, 0, 0, 0);

	(void)unused;
	assert_in_range(search(&s, UINT64_MAX), 1, 6);
	assert_int_equal(s.enough, 0);
	assert_true(s.too_small >= 8000 * PAGE);
	s = begin(1ULL << 62, 1ULL << 62, 0, 0);
	assert_in_range(search(&s, UINT64_MAX), 1, 3);
	/* A group without memory. */
	s = begin(0, 0, 0, 0);
	assert_int_equal(search(&s, PAGE), 0);
	/* Nothing can be saved. */
	s = begin(1000 * PAGE, 1000 * PAGE, 1000 * PAGE, 1000 * PAGE);
	search(&s, 1000 * PAGE);
	assert_int_equal(s.enough, 1000 * PAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(precision),
		cmocka_unit_test(guesses),
		cmocka_unit_test(chance),
		cmocka_unit_test(doubt),
		cmocka_unit_test(guesses_beside_others),
		cmocka_unit_test(ends_in_time),
		cmocka_unit_test(no_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
