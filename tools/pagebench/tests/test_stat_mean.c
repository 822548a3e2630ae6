// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Means with intervals that know executions: the published cases, and what must not matter. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>

#include "pagebench/stat/stat.h"

#define assert_near(a, b, eps)	assert_double_near(a, b, eps, #a, __LINE__)

static void assert_double_near(double a, double b, double eps, const char *what, int line)
{
	if (!(fabs(a - b) <= eps))
		fail_msg("line %d: %s is %.10g, not %.10g", line, what, a, b);
}

static const size_t by_2[] = { 0, 2, 4, 6, 8, 10, 12 }, by_4[] = { 0, 4, 8, 12 };
static const size_t by_3[] = { 0, 3, 6, 9, 12 };

/* libkalibera's tests (test_data.py): three levels and, of the same numbers, two. */
static void three_levels(void **state)
{
	static const double y[] = { 9, 5, 8, 3, 10, 6, 7, 11, 1, 12, 2, 4 };
	const struct tree tree = { 3, y, { 12, 6, 3 }, { NULL, by_2, by_2 } };
	const struct tree flat = { 2, y, { 12, 3 }, { NULL, by_4 } };
	struct anova a;

	(void)state;
	assert_int_equal(stat_anova(&tree, 0.95, &a), 0);
	assert_near(a.mean.estimate, 6.5, 1e-12);
	assert_near(a.s2[0], 16.5, 0.05);
	assert_near(a.s2[1], 2.6, 0.05);
	assert_near(a.s2[2], 3.6, 0.05);
	assert_near(a.t2[0], 16.5, 0.05);
	assert_near(a.t2[1], -5.7, 0.05);
	assert_near(a.t2[2], 2.3, 0.05);
	/* Nothing is planned from a component that is negative. */
	assert_true(isnan(stat_plan(&a, 0, 1, 1)));
	assert_true(isnan(stat_plan(&a, 1, 1, 1)));

	assert_int_equal(stat_anova(&flat, 0.95, &a), 0);
	assert_near(a.mean.estimate, 6.5, 1e-12);
	assert_near(a.s2[0], 12.7, 0.05);
	assert_near(a.s2[1], 3.6, 0.05);
	assert_near(a.t2[1], 0.4, 0.05);
}

/* The example with costs: 3 s a measurement, 20 s an execution, 100 s a build. */
static void planning(void **state)
{
	static const double y[] = { 3, 4, 3, 1.2, 3.1, 3, .2, 1, 1.5, 1, 2, 3 };
	const struct tree tree = { 3, y, { 12, 4, 2 }, { NULL, by_3, (size_t[]){ 0, 2, 4 } } };
	struct anova a;

	(void)state;
	assert_int_equal(stat_anova(&tree, 0.95, &a), 0);
	assert_near(a.t2[0], .72667, 5e-6);
	assert_near(a.t2[1], .2628, 5e-5);
	assert_near(a.t2[2], .7747, 5e-5);
	assert_near(stat_plan(&a, 0, 3, 20), 4.2937, 5e-5);
	assert_near(stat_plan(&a, 1, 20, 100), 1.3023, 5e-5);
	assert_true(isnan(stat_plan(&a, 2, 1, 1)));
}

/* One level is Student's interval of a sample. */
static void student(void **state)
{
	static const double y[] = { 1, 2, 3, 4, 10 };
	const struct tree tree = { 1, y, { 5 }, { NULL } };
	struct anova a;

	(void)state;
	assert_int_equal(stat_anova(&tree, 0.95, &a), 0);
	/* R: t.test(c(1,2,3,4,10))$conf.int */
	assert_near(a.mean.low, -0.3899452, 5e-7);
	assert_near(a.mean.high, 8.3899452, 5e-7);
	assert_int_equal(stat_anova(&(struct tree){ 1, y, { 1 }, { NULL } }, 0.95, &a), -1);
}

/* Executions of different lengths count alike, however long. */
static void ragged(void **state)
{
	static const double y[] = { 1, 1, 1, 1, 1, 1, 3, 5, 5 };
	const struct tree tree = { 2, y, { 9, 3 }, { NULL, (size_t[]){ 0, 6, 7, 9 } } };
	struct anova a;

	(void)state;
	assert_int_equal(stat_anova(&tree, 0.95, &a), 0);
	assert_near(a.mean.estimate, 3, 1e-12);
	assert_near(a.s2[1], 4, 1e-12);
	assert_near(a.s2[0], 0, 1e-12);
	assert_near(a.r[0], 3 / (1. / 6 + 1 + 1. / 2), 1e-12);
}

static void random_runs(double *y, size_t n, size_t m, uint64_t seed)
{
	gsl_rng *rng = stat_rng("test", seed);
	size_t i, j;

	for (i = 0; i < n; i++) {
		double run = gsl_ran_gaussian(rng, 2);

		for (j = 0; j < m; j++)
			y[i * m + j] = 64 + run + gsl_ran_gaussian(rng, 1);
	}
	gsl_rng_free(rng);
}

/* Other units, another zero, another order of executions: the same statement. */
static void metamorphic(void **state)
{
	double y[30], scaled[30], shifted[30], turned[30];
	size_t start[] = { 0, 5, 10, 15, 20, 25, 30 }, i;
	struct tree tree = { 2, y, { 30, 6 }, { NULL, start } };
	struct anova a, b;

	(void)state;
	random_runs(y, 6, 5, 1);
	for (i = 0; i < 30; i++) {
		scaled[i] = y[i] * 1024;
		shifted[i] = y[i] + 100;
		turned[i] = y[(i + 10) % 30];
	}
	assert_int_equal(stat_anova(&tree, 0.95, &a), 0);
	tree.y = scaled;
	assert_int_equal(stat_anova(&tree, 0.95, &b), 0);
	assert_true(b.mean.low == a.mean.low * 1024 && b.mean.high == a.mean.high * 1024);
	assert_true(b.t2[0] == a.t2[0] * 1048576 && b.t2[1] == a.t2[1] * 1048576);
	tree.y = shifted;
	assert_int_equal(stat_anova(&tree, 0.95, &b), 0);
	assert_near(b.mean.low, a.mean.low + 100, 1e-10);
	assert_near(b.t2[1], a.t2[1], 1e-10);
	tree.y = turned;
	assert_int_equal(stat_anova(&tree, 0.95, &b), 0);
	assert_near(b.mean.high, a.mean.high, 1e-12);
	/* A higher confidence is a wider interval. */
	assert_int_equal(stat_anova(&tree, 0.99, &b), 0);
	assert_true(b.mean.low < a.mean.low && b.mean.high > a.mean.high);
}

/* 95 % of 2000 experiments; 99.9 % of such tests find 92.9 to 96.4 %. */
static void coverage(void **state)
{
	size_t start[] = { 0, 5, 10, 15, 20, 25, 30, 35, 40 }, hits = 0, i;
	double y[40];
	struct tree tree = { 2, y, { 40, 8 }, { NULL, start } };
	struct anova a;

	(void)state;
	for (i = 0; i < 2000; i++) {
		random_runs(y, 8, 5, i);
		assert_int_equal(stat_anova(&tree, 0.95, &a), 0);
		hits += a.mean.low <= 64 && 64 <= a.mean.high;
	}
	assert_in_range(hits, 1858, 1934);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(three_levels), cmocka_unit_test(planning), cmocka_unit_test(student),
		cmocka_unit_test(ragged), cmocka_unit_test(metamorphic), cmocka_unit_test(coverage),
	};

	return cmocka_run_group_tests_name("stat_mean", tests, NULL, NULL);
}
