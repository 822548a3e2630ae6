// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Ranks: which strategy is faster, and what must not change the result. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "pagebench/stat/stat.h"

#define I(e, half) { e, (e) - (half), (e) + (half) }

static void ranks(void **state)
{
	static const struct {
		struct interval x[3];
		double min_pct;
		unsigned int rank[3];
	} cases[] = {
		{ { I(1, .1), I(2, .1), I(3, .1) }, 0, { 1, 2, 3 } },
		{ { I(3, .1), I(1, .1), I(2, .1) }, 0, { 3, 1, 2 } },
		/* All alike; two first; two second. */
		{ { I(1, 5), I(2, 5), I(3, 5) }, 0, { 1, 1, 1 } },
		{ { I(1, .6), I(2, .6), I(9, .6) }, 0, { 1, 1, 3 } },
		{ { I(1, .1), I(8, .6), I(9, .6) }, 0, { 1, 2, 2 } },
		/* A like B, B like C, A better than C. */
		{ { I(1, .6), I(2, .6), I(3, .6) }, 0, { 1, 1, 2 } },
		/* Intervals that touch overlap. */
		{ { I(1, .5), I(2, .5), I(8, .5) }, 0, { 1, 1, 3 } },
		/* 2 is 100 % above 1, 9 is 800 %. */
		{ { I(1, .1), I(2, .1), I(9, .1) }, 99, { 1, 2, 3 } },
		{ { I(1, .1), I(2, .1), I(9, .1) }, 100, { 1, 1, 3 } },
		{ { I(1, .1), I(2, .1), I(9, .1) }, 799, { 1, 1, 2 } },
		{ { I(1, .1), I(2, .1), I(9, .1) }, 800, { 1, 1, 1 } },
		/* What is not known is not ranked behind. */
		{ { I(1, .1), I(NAN, NAN), I(9, .1) }, 0, { 1, 1, 2 } },
	};
	unsigned int rank[3];
	size_t c;

	(void)state;
	for (c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		stat_rank(cases[c].x, 3, cases[c].min_pct, rank);
		if (rank[0] != cases[c].rank[0] || rank[1] != cases[c].rank[1] || rank[2] != cases[c].rank[2])
			fail_msg("case %zu: %u %u %u", c, rank[0], rank[1], rank[2]);
	}
}

static struct interval random_interval(gsl_rng *rng)
{
	double e = 1 + 10 * gsl_rng_uniform(rng), half = e * gsl_rng_uniform(rng) * 0.3;

	return (struct interval){ e, e - half, e + half };
}

/* Other names, other units: the same ranks; a higher minimum never takes a first rank away. */
static void properties(void **state)
{
	static const size_t orders[6][3] = {
		{ 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 },
	};
	gsl_rng *rng = stat_rng("properties", 1);
	struct interval x[3], other[3];
	unsigned int rank[3], again[3];
	double p;
	int i, j, o;

	(void)state;
	for (i = 0; i < 2000; i++) {
		for (j = 0; j < 3; j++)
			x[j] = random_interval(rng);
		stat_rank(x, 3, 0, rank);
		assert_true(rank[0] == 1 || rank[1] == 1 || rank[2] == 1);
		for (o = 0; o < 6; o++) {
			for (j = 0; j < 3; j++)
				other[j] = x[orders[o][j]];
			stat_rank(other, 3, 0, again);
			for (j = 0; j < 3; j++)
				assert_int_equal(again[j], rank[orders[o][j]]);
		}
		for (j = 0; j < 3; j++)
			other[j] = (struct interval){ x[j].estimate * 0.125, x[j].low * 0.125, x[j].high * 0.125 };
		stat_rank(other, 3, 0, again);
		assert_memory_equal(rank, again, sizeof(rank));
		for (p = 1; p < 2000; p *= 1.5) {
			stat_rank(x, 3, p, again);
			for (j = 0; j < 3; j++) {
				assert_true(again[j] <= rank[j]);
				rank[j] = again[j];
			}
		}
		assert_true(rank[0] == 1 && rank[1] == 1 && rank[2] == 1);
	}
	gsl_rng_free(rng);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(ranks), cmocka_unit_test(properties) };

	return cmocka_run_group_tests_name("stat_rank", tests, NULL, NULL);
}
