// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Every interval has its estimate in it, or there is none: of all statistics, over
 * made-up experiments of several shapes and sizes with fixed seeds.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <gsl/gsl_randist.h>

#include "pagebench/stat/stat.h"

#define MAX_N		30
#define MAX_M		14
#define SEEDS		6
#define REPLICATES	199

enum shape { ALIKE, NORMAL, LOGNORMAL, BIMODAL, COUNTS, OUTLIER, NR_SHAPES };

static const char *const shapes[] = {
	"alike", "normal", "lognormal", "bimodal", "counts", "outlier",
};

static const size_t sizes_n[] = { 5, 6, 9, 10, 12, 30 }, sizes_m[] = { 1, 2, 4, 5, 6, 9, 10, 14 };

#define NR(array) (sizeof(array) / sizeof((array)[0]))

/* Intervals that were computed, and those there are none of. */
static struct tally {
	size_t all, none;
} tally[8];

static const char *const names[] = {
	"mean", "mean, percentile", "CV", "CV, BCa", "CV in measurement", "impact factor",
	"geometric mean", "rank correlation",
};

enum { MEAN, MEAN_BOOT, CV, CV_BCA, CV_MEASUREMENT, IMPACT, GEOMEAN, SPEARMAN };

/* What is looked at, for messages. */
static struct {
	enum shape shape;
	size_t n, m;
	unsigned int seed;
} now;

static double y[2][MAX_N * MAX_M];
static size_t start[MAX_N + 1];

static double run_of(gsl_rng *rng, enum shape shape, size_t i)
{
	switch (shape) {
	case NORMAL:
		return 100 + gsl_ran_gaussian(rng, 10);
	case LOGNORMAL:
		return 100 * exp(gsl_ran_gaussian(rng, 0.5));
	case BIMODAL:
		return gsl_rng_uniform(rng) < 0.3 ? 120 : 100;
	case COUNTS:
		return 10 * gsl_ran_poisson(rng, 3) + 1;
	case OUTLIER:
		return i ? 100 : 1000;
	default:
		return 100;
	}
}

/* Counts are whole, and often the same within an execution. */
static struct runs experiment(gsl_rng *rng, double *values)
{
	size_t i, j;

	for (i = 0; i < now.n; i++) {
		double run = run_of(rng, now.shape, i);

		start[i] = i * now.m;
		for (j = 0; j < now.m; j++)
			values[i * now.m + j] = now.shape == COUNTS ?
				run + gsl_ran_poisson(rng, 1) : run + gsl_ran_gaussian(rng, 2);
	}
	start[i] = i * now.m;
	return (struct runs){ now.n, start, values };
}

static void check(int what, const struct interval *i)
{
	tally[what].all++;
	if (isnan(i->low) && isnan(i->high)) {
		tally[what].none++;
		return;
	}
	if (!(i->low <= i->estimate && i->estimate <= i->high))
		fail_msg("%s of %s, %zu executions of %zu, seed %u: %.9g [%.9g, %.9g]", names[what],
			 shapes[now.shape], now.n, now.m, now.seed, i->estimate, i->low, i->high);
}

static void check_means(const struct runs *runs, gsl_rng *rng)
{
	struct tree tree = { 2, runs->y, { now.n * now.m, now.n }, { NULL, runs->start } };
	double x[MAX_N], z[MAX_N];
	struct interval i;
	struct boot boot;
	struct anova a;
	struct runs other = { now.n, start, y[1] };

	assert_int_equal(stat_anova(&tree, 0.95, &a), 0);
	check(MEAN, &a.mean);
	stat_boot(runs, RESAMPLE_RUNS, stat_runs_mean, NULL, rng, REPLICATES, 0.95, &boot);
	check(MEAN_BOOT, &boot.percentile);
	experiment(rng, y[1]);
	stat_geomean(&other, runs, 1, rng, REPLICATES, 0.95, &i);
	check(GEOMEAN, &i);
	stat_run_means(runs, x);
	stat_run_means(&other, z);
	stat_spearman(x, z, now.n, 0.95, &i);
	check(SPEARMAN, &i);
}

static void check_variation(const struct runs *runs, gsl_rng *rng)
{
	static const struct impact_how how = { 200, REPLICATES, 26, 0, 0.95 };
	struct impact impact;
	struct boot boot;

	stat_boot(runs, now.m > 1 ? RESAMPLE_TWO_STAGE : RESAMPLE_RUNS, stat_cv, NULL, rng, REPLICATES,
		  0.95, &boot);
	check(CV, &boot.percentile);
	check(CV_BCA, &boot.bca);
	if (now.m == 1)
		return;
	stat_boot_cv_in_runs(runs, rng, REPLICATES, 0.95, &boot);
	check(CV_MEASUREMENT, &boot.percentile);
	if (!stat_impact_group(runs))
		return;
	assert_int_equal(stat_impact(runs, &how, rng, &impact), 0);
	if (isnan(impact.factor.estimate))
		return;
	/* Too few to be resampled: there is an estimate, and no interval. */
	if (now.n < MIN_RESAMPLED && now.m < MIN_RESAMPLED) {
		assert_true(isnan(impact.factor.low) && isnan(impact.factor.high));
		assert_int_equal(impact.resampled, -1);
		return;
	}
	check(IMPACT, &impact.factor);
	if (!isnan(impact.factor.low))
		assert_int_equal(impact.resampled, now.m < MIN_RESAMPLED ? RESAMPLE_RUNS : RESAMPLE_TWO_STAGE);
}

static void estimate_in_interval(void **state)
{
	size_t n, m, i;
	int shape;

	(void)state;
	for (shape = 0; shape < NR_SHAPES; shape++) {
		for (n = 0; n < NR(sizes_n); n++) {
			for (m = 0; m < NR(sizes_m); m++) {
				for (now.seed = 1; now.seed <= SEEDS; now.seed++) {
					gsl_rng *rng = stat_rng(shapes[shape], now.seed << 16 | n << 8 | m);
					struct runs runs;

					now.shape = shape;
					now.n = sizes_n[n];
					now.m = sizes_m[m];
					runs = experiment(rng, y[0]);
					check_means(&runs, rng);
					check_variation(&runs, rng);
					gsl_rng_free(rng);
				}
			}
		}
	}
	/* And to say nothing is not the way to be right. */
	for (i = 0; i < NR(tally); i++) {
		print_message("# %s: %zu intervals, %zu of them none\n", names[i], tally[i].all, tally[i].none);
		if (tally[i].none > tally[i].all / 10)
			fail_msg("%s: %zu of %zu intervals are none", names[i], tally[i].none, tally[i].all);
	}
}

/* The factor of an execution that is like the others, of five measurements: near 1, and in its interval. */
static void five_measurements(void **state)
{
	static const struct impact_how how = { 2000, 199, 100, 0, 0.95 };
	double low = 0, high = 0;
	unsigned int seed, nr = 0;

	(void)state;
	now.shape = ALIKE;
	now.n = 30;
	now.m = 5;
	for (seed = 1; seed <= 20; seed++) {
		gsl_rng *rng = stat_rng("five", seed);
		struct runs runs = experiment(rng, y[0]);
		struct impact i;

		assert_int_equal(stat_impact(&runs, &how, rng, &i), 0);
		gsl_rng_free(rng);
		if (isnan(i.factor.low))
			continue;
		nr++;
		low += i.factor.low;
		high += i.factor.high;
	}
	assert_true(nr >= 18);
	/* The null of groups of five is 1.18. */
	if (!(low / nr > 0.85 && low / nr < 1.18 && high / nr > 1.18 && high / nr < 1.6))
		fail_msg("intervals are from %g to %g, in the mean of %u", low / nr, high / nr, nr);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(estimate_in_interval), cmocka_unit_test(five_measurements),
	};

	return cmocka_run_group_tests_name("stat_intervals", tests, NULL, NULL);
}
