// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The bootstrap: against all resamples there are, and what must not matter. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

#include "pagebench/stat/stat.h"

#define B 9999

#define assert_near(a, b, eps)	assert_double_near(a, b, eps, #a, __LINE__)

static void assert_double_near(double a, double b, double eps, const char *what, int line)
{
	if (!(fabs(a - b) <= eps))
		fail_msg("line %d: %s is %.10g, not %.10g", line, what, a, b);
}

static const double skewed[] = { 1.5, 2.25, 2.5, 4, 7.75, 20 };

static const size_t ones[] = { 0, 1, 2, 3, 4, 5, 6 }, twos[] = { 0, 2, 4, 6 };

/* The statistic of all n^n resamples, sorted. */
static double *enumerate(const double *y, size_t n, stat_fn fn, size_t *count)
{
	size_t total = 1, i, j, code;
	double *t, pick[6];
	struct runs runs = { n, ones, pick };

	for (i = 0; i < n; i++)
		total *= n;
	t = malloc(total * sizeof(*t));
	for (i = 0; i < total; i++) {
		for (j = 0, code = i; j < n; j++, code /= n)
			pick[j] = y[code % n];
		t[i] = fn(&runs, NULL);
	}
	gsl_sort(t, 1, total);
	*count = total;
	return t;
}

/* Three executions, then two measurements in each: 27 times 64. */
static double *enumerate_two_stage(const double *y, stat_fn fn, size_t *count)
{
	double *t = malloc(27 * 64 * sizeof(*t)), pick[6];
	struct runs runs = { 3, twos, pick };
	size_t e, m, i, run;

	for (e = 0; e < 27; e++) {
		for (m = 0; m < 64; m++) {
			for (i = 0, run = e; i < 3; i++, run /= 3) {
				pick[2 * i] = y[2 * (run % 3) + (m >> (2 * i) & 1)];
				pick[2 * i + 1] = y[2 * (run % 3) + (m >> (2 * i + 1) & 1)];
			}
			t[e * 64 + m] = fn(&runs, NULL);
		}
	}
	gsl_sort(t, 1, 27 * 64);
	*count = 27 * 64;
	return t;
}

/*
 * The end of an interval is a quantile of the true distribution, up to the error
 * of B replicates: five standard errors, on a step function, rounding aside.
 */
static void assert_quantile(const double *all, size_t n, double x, double p)
{
	double error = 5 * sqrt(p * (1 - p) / B), slack = 1e-9 * fabs(x);
	size_t below = 0, to = 0;

	while (below < n && all[below] < x - slack)
		below++;
	while (to < n && all[to] <= x + slack)
		to++;
	if ((double)below / n > p + error || (double)to / n < p - error)
		fail_msg("%g is the quantile %g to %g, not %g", x, (double)below / n, (double)to / n, p);
}

static void check_interval(const double *all, size_t n, const struct runs *runs, enum resample how,
			   stat_fn fn)
{
	gsl_rng *rng = stat_rng("enumeration", n);
	struct boot boot;

	assert_int_equal(stat_boot(runs, how, fn, NULL, rng, B, 0.95, &boot), 0);
	assert_quantile(all, n, boot.percentile.low, 0.025);
	assert_quantile(all, n, boot.percentile.high, 0.975);
	gsl_rng_free(rng);
}

static void full_enumeration(void **state)
{
	static const stat_fn fns[] = { stat_runs_mean, stat_cv };
	size_t n, f, count;
	double *all;

	(void)state;
	for (f = 0; f < 2; f++) {
		for (n = 4; n <= 6; n++) {
			struct runs runs = { n, ones, skewed };

			all = enumerate(skewed, n, fns[f], &count);
			check_interval(all, count, &runs, RESAMPLE_RUNS, fns[f]);
			/* One measurement each: nothing within to resample. */
			check_interval(all, count, &runs, RESAMPLE_TWO_STAGE, fns[f]);
			free(all);
		}
	}
}

/* A resample of constants has no coefficient of variation, but one of 0. */
static void two_stage_enumeration(void **state)
{
	static const stat_fn fns[] = { stat_runs_mean, stat_cv };
	const struct runs runs = { 3, twos, skewed };
	size_t f, count;

	(void)state;
	for (f = 0; f < 2; f++) {
		double *all = enumerate_two_stage(skewed, fns[f], &count);

		check_interval(all, count, &runs, RESAMPLE_TWO_STAGE, fns[f]);
		free(all);
	}
}

static void order_statistics(void **state)
{
	double sorted[B];
	struct interval i;
	size_t k;

	(void)state;
	for (k = 0; k < B; k++)
		sorted[k] = k + 1;
	assert_int_equal(stat_percentile(5000, sorted, B, 0.95, &i), 0);
	assert_true(i.low == 250 && i.high == 9750 && i.estimate == 5000);
	assert_true(stat_order(sorted, B, 0) == 1 && stat_order(sorted, B, 1) == B);
	assert_true(stat_order(sorted, B, 0.5) == 5000);
	assert_true(stat_order(sorted, B, 0.50001) > 5000 && stat_order(sorted, B, 0.50001) < 5001);
	/* Of 9 replicates nothing is 95 %. */
	assert_int_equal(stat_percentile(5, sorted, 9, 0.95, &i), -1);
}

/* BCa with a symmetric jackknife and half of the replicates below is the percentile's. */
static void bca(void **state)
{
	static const double symmetric[] = { -1, 1, -2, 2 }, lopsided[] = { 0, 0, 0, -8 };
	double sorted[B], same[B];
	struct interval p, b;
	size_t k;

	(void)state;
	for (k = 0; k < B; k++) {
		sorted[k] = (double)k - B / 2;
		same[k] = 3;
	}
	assert_int_equal(stat_percentile(0.5, sorted, B, 0.95, &p), 0);
	assert_int_equal(stat_bca(0.5, sorted, B, symmetric, 4, 0.95, &b), 0);
	assert_near(b.low, p.low, 0.6);
	assert_near(b.high, p.high, 0.6);
	assert_int_equal(stat_bca(0.5, sorted, B, lopsided, 4, 0.95, &b), 0);
	assert_true(b.low > p.low && b.high > p.high);
	/*
	 * A quarter of the replicates lies below: w = -0.6745.  Without acceleration the ends
	 * are at the probabilities of 2 w -+ 1.96, 0.000470 and 0.7294.
	 */
	assert_int_equal(stat_bca(sorted[B / 4], sorted, B, symmetric, 4, 0.95, &b), 0);
	assert_near(b.low, sorted[0] + 0.000470 * (B + 1) - 1, 1);
	assert_near(b.high, sorted[0] + 0.7294 * (B + 1) - 1, 3);
	/* All replicates on one side: there is no correction for that. */
	assert_int_equal(stat_bca(1e9, sorted, B, symmetric, 4, 0.95, &b), -1);
	assert_int_equal(stat_bca(3, same, B, symmetric, 4, 0.95, &b), 0);
	assert_true(b.low == 3 && b.high == 3);
}

static void with_seed(const double *y, size_t n, stat_fn fn, const char *name, struct boot *out)
{
	gsl_rng *rng = stat_rng(name, 7);
	struct runs runs = { n, ones, y };

	assert_int_equal(stat_boot(&runs, RESAMPLE_RUNS, fn, NULL, rng, B, 0.95, out), 0);
	gsl_rng_free(rng);
}

static void metamorphic(void **state)
{
	double scaled[6], shifted[6], c = 100;
	struct boot a, b;
	size_t i;

	(void)state;
	for (i = 0; i < 6; i++) {
		scaled[i] = skewed[i] * 4096;
		shifted[i] = skewed[i] + c;
	}
	/* The same name, the same numbers; another name, others. */
	with_seed(skewed, 6, stat_cv, "a", &a);
	with_seed(skewed, 6, stat_cv, "a", &b);
	assert_memory_equal(&a, &b, sizeof(a));
	with_seed(skewed, 6, stat_cv, "b", &b);
	assert_true(a.percentile.estimate == b.percentile.estimate);
	assert_memory_not_equal(&a, &b, sizeof(a));
	/* A variation has no unit. */
	with_seed(scaled, 6, stat_cv, "a", &b);
	assert_memory_equal(&a, &b, sizeof(a));
	with_seed(shifted, 6, stat_cv, "a", &b);
	assert_near(b.bca.estimate, a.bca.estimate * 6.333333333333333 / (6.333333333333333 + c), 1e-12);
	/* A mean has. */
	with_seed(skewed, 6, stat_runs_mean, "a", &a);
	with_seed(scaled, 6, stat_runs_mean, "a", &b);
	assert_true(b.percentile.low == a.percentile.low * 4096 && b.bca.high == a.bca.high * 4096);
	with_seed(shifted, 6, stat_runs_mean, "a", &b);
	assert_near(b.percentile.high, a.percentile.high + c, 1e-9);
	assert_near(b.bca.low, a.bca.low + c, 1e-9);
}

/* Coefficients of variation in executions: by hand, and where there are none. */
static void cv_in_runs(void **state)
{
	static const double y[] = { 9, 11, 18, 22, 90, 110 }, zero[] = { 1, 2, 0, 0, 1, 2 };
	struct runs runs = { 3, twos, y };
	gsl_rng *rng = stat_rng("cv", 1);
	struct boot boot;

	(void)state;
	assert_int_equal(stat_boot_cv_in_runs(&runs, rng, B, 0.95, &boot), 0);
	assert_near(boot.percentile.estimate, sqrt(2) / 10, 1e-12);
	assert_near(boot.percentile.low, sqrt(2) / 10, 1e-12);
	runs.y = zero;
	assert_int_equal(stat_boot_cv_in_runs(&runs, rng, B, 0.95, &boot), -1);
	assert_true(isnan(boot.percentile.estimate));
	runs = (struct runs){ 6, ones, y };
	assert_int_equal(stat_boot_cv_in_runs(&runs, rng, B, 0.95, &boot), -1);
	gsl_rng_free(rng);
}

/* Published numbers of SplitMix64 and FNV-1a stand behind the seeds. */
static void seeds(void **state)
{
	(void)state;
	/* FNV-1a of "" and a user seed that cancels it: the first number of SplitMix64(0). */
	assert_true(stat_seed("", 0xcbf29ce484222325) == 0xe220a8397b1dcdaf);
	/* FNV-1a of "a" is af63dc4c8601ec8c. */
	assert_true(stat_seed("a", 0xaf63dc4c8601ec8c) == 0xe220a8397b1dcdaf);
	assert_true(stat_seed("a|b", 1) != stat_seed("a|b", 2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(full_enumeration), cmocka_unit_test(two_stage_enumeration),
		cmocka_unit_test(order_statistics), cmocka_unit_test(bca), cmocka_unit_test(metamorphic),
		cmocka_unit_test(cv_in_runs), cmocka_unit_test(seeds),
	};

	return cmocka_run_group_tests_name("stat_boot", tests, NULL, NULL);
}
