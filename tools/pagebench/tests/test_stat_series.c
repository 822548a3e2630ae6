// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Correlation, order in time, and summaries over experiments. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <gsl/gsl_randist.h>

#include "pagebench/stat/stat.h"

#define assert_near(a, b, eps)	assert_double_near(a, b, eps, #a, __LINE__)

static void assert_double_near(double a, double b, double eps, const char *what, int line)
{
	if (!(fabs(a - b) <= eps))
		fail_msg("line %d: %s is %.10g, not %.10g", line, what, a, b);
}

static void spearman(void **state)
{
	static const double x[] = { 1, 2, 2, 4, 5, 6 }, y[] = { 2, 1, 3, 3, 6, 5 }, same[6] = { };
	double up[6], half;
	struct interval rho;
	size_t i;

	(void)state;
	/* R: cor(x, y, method = "spearman") */
	assert_int_equal(stat_spearman(x, y, 6, 0.95, &rho), 0);
	assert_near(rho.estimate, 0.8088235, 5e-8);
	half = 1.959963984540054 * sqrt((1 + rho.estimate * rho.estimate / 2) / 3);
	assert_near(atanh(rho.high) - atanh(rho.estimate), half, 1e-9);
	assert_near(atanh(rho.estimate) - atanh(rho.low), half, 1e-9);
	/* What rises with it is as good as it. */
	for (i = 0; i < 6; i++)
		up[i] = exp(x[i]);
	half = rho.low;
	assert_int_equal(stat_spearman(up, y, 6, 0.95, &rho), 0);
	assert_true(rho.low == half);
	/* Perfect: 1, and no interval; a constant: nothing. */
	assert_int_equal(stat_spearman(x, up, 6, 0.95, &rho), 0);
	assert_near(rho.estimate, 1, 1e-12);
	assert_true(isnan(rho.low));
	assert_int_equal(stat_spearman(x, same, 6, 0.95, &rho), -1);
	assert_true(isnan(rho.estimate));
	assert_int_equal(stat_spearman(x, y, 3, 0.95, &rho), -1);
}

static void lag1(void **state)
{
	static const double saw[] = { 1, -1, 1, -1, 1, -1, 1, -1 }, same[] = { 2, 2, 2 };
	static double walk[10000];
	gsl_rng *rng = stat_rng("lag", 1);
	size_t i;

	(void)state;
	assert_near(stat_lag1(saw, 8), -7. / 8, 1e-12);
	assert_true(isnan(stat_lag1(same, 3)));
	for (i = 1; i < 10000; i++)
		walk[i] = 0.5 * walk[i - 1] + gsl_ran_gaussian(rng, 1);
	assert_near(stat_lag1(walk, 10000), 0.5, 0.04);
	gsl_rng_free(rng);
}

static void first_run(void **state)
{
	static const double warm[] = { 9, 8, 7, 6, 1, 2, 1, 2, 1, 2 }, cold[] = { 1, 9, 2, 8 };
	static const double same[] = { 5, 5, 5 };
	size_t i, j, hits = 0, n = 20;
	gsl_rng *rng = stat_rng("first", 1);
	double y[20];

	(void)state;
	assert_int_equal(stat_first_run(warm, 10), 4);
	assert_int_equal(stat_first_run(cold, 4), 1);
	assert_int_equal(stat_first_run(same, 3), 0);
	assert_near(stat_first_run_p(6), 1. / 32, 1e-15);
	assert_near(stat_first_run_p(1), 1, 1e-15);
	/* Random orders come below their probability. */
	for (i = 0; i < 20000; i++) {
		for (j = 0; j < n; j++)
			y[j] = gsl_rng_uniform(rng);
		hits += stat_first_run(y, n) >= 6;
	}
	assert_in_range(hits, 1, 20000 / 32);
	gsl_rng_free(rng);
	/* R: pbinom(4, 30, 1/32, lower.tail = FALSE) */
	assert_near(stat_binomial_p(5, 30, 1. / 32), 0.0022099, 5e-7);
	assert_near(stat_binomial_p(0, 30, 1. / 32), 1, 1e-15);
}

static void dkw(void **state)
{
	(void)state;
	assert_near(stat_dkw(100, 0.95), sqrt(log(40) / 200), 1e-12);
}

/* Two programs, one twice as fast and one half: no change in the mean. */
static void geomean(void **state)
{
	static const size_t start[] = { 0, 2, 4 }, ones[] = { 0, 1, 2, 3, 4 };
	static const double slow[] = { 2, 2, 2, 2 }, fast[] = { 1, 1, 1, 1 }, zero[4] = { };
	const struct runs s = { 2, start, slow }, f = { 2, start, fast }, z = { 2, start, zero };
	gsl_rng *rng = stat_rng("geomean", 1);
	struct interval i;

	(void)state;
	assert_int_equal(stat_geomean((struct runs[]){ s, f }, (struct runs[]){ f, s }, 2, rng, 999, 0.95, &i), 0);
	assert_near(i.estimate, 1, 1e-12);
	assert_near(i.low, 1, 1e-12);
	assert_int_equal(stat_geomean((struct runs[]){ s, s }, (struct runs[]){ f, s }, 2, rng, 999, 0.95, &i), 0);
	assert_near(i.estimate, sqrt(2), 1e-12);
	assert_near(i.high, sqrt(2), 1e-12);
	/* The number of measurements is no factor. */
	assert_int_equal(stat_geomean(&(struct runs){ 4, ones, slow }, &f, 1, rng, 999, 0.95, &i), 0);
	assert_near(i.estimate, 2, 1e-12);
	assert_near(i.low, 2, 1e-12);
	assert_int_equal(stat_geomean(&s, &z, 1, rng, 999, 0.95, &i), -1);
	assert_true(isnan(i.estimate));
	gsl_rng_free(rng);
}

/* Executions with variation: the interval is that of the ratio, and its inverse of the inverse. */
static void geomean_interval(void **state)
{
	double a[50], b[50], half;
	size_t start[11], j;
	const struct runs x = { 10, start, a }, y = { 10, start, b };
	gsl_rng *rng = stat_rng("geomean", 2);
	struct interval i, inverse;

	(void)state;
	for (j = 0; j < 50; j++) {
		a[j] = 110 + 2 * sin(j / 5 * 7) + gsl_ran_gaussian(rng, 1);
		b[j] = 100 + 2 * cos(j / 5 * 7) + gsl_ran_gaussian(rng, 1);
		start[j / 5] = j / 5 * 5;
	}
	start[10] = 50;
	assert_int_equal(stat_geomean(&x, &y, 1, rng, 9999, 0.95, &i), 0);
	assert_int_equal(stat_geomean(&y, &x, 1, rng, 9999, 0.95, &inverse), 0);
	half = (i.high - i.low) / 2;
	assert_true(i.low < i.estimate && i.estimate < i.high && half > 0.005 && half < 0.03);
	assert_near(1 / inverse.estimate, i.estimate, 1e-12);
	assert_near(1 / inverse.high, i.low, half / 10);
	gsl_rng_free(rng);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spearman), cmocka_unit_test(lag1), cmocka_unit_test(first_run),
		cmocka_unit_test(dkw), cmocka_unit_test(geomean), cmocka_unit_test(geomean_interval),
	};

	return cmocka_run_group_tests_name("stat_series", tests, NULL, NULL);
}
