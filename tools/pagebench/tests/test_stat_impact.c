// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The impact factor: closed forms, its null, and what must not matter. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_statistics_double.h>

#include "pagebench/stat/impact.c"

#define assert_near(a, b, eps)	assert_double_near(a, b, eps, #a, __LINE__)

static void assert_double_near(double a, double b, double eps, const char *what, int line)
{
	if (!(fabs(a - b) <= eps))
		fail_msg("line %d: %s is %.10g, not %.10g", line, what, a, b);
}

#define MAX_N 200
#define MAX_M 200
static double y[MAX_N * MAX_M];
static size_t start[MAX_N + 1];

/* Normal values, executions apart by @between times what is within. */
static struct runs normal(size_t n, size_t m, double between, uint64_t seed)
{
	gsl_rng *rng = stat_rng("normal", seed);
	size_t i, j;

	for (i = 0; i < n; i++) {
		double run = gsl_ran_gaussian(rng, between);

		start[i] = i * m;
		for (j = 0; j < m; j++)
			y[i * m + j] = 100 + run + gsl_ran_gaussian(rng, 1);
	}
	start[n] = n * m;
	gsl_rng_free(rng);
	return (struct runs){ n, start, y };
}

/* Gamma functions by hand, three digits and more. */
static const struct { size_t k; double null; } closed[] = {
	{ 3, 1.571 }, { 5, 1.178 }, { 10, 1.064 }, { 20, 1.028 }, { 30, 1.018 }, { 50, 1.0105 },
};

static void closed_form(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < 6; i++)
		assert_near(stat_impact_null(closed[i].k), closed[i].null, 5e-4);
	assert_near(stat_impact_null(3), M_PI / 2, 1e-12);
	assert_near(stat_impact_null(5), 3 * M_PI / 8, 1e-12);
}

/* Fresh normal values for each pair of groups come to the closed form. */
static void simulation(void **state)
{
	gsl_rng *rng = stat_rng("simulation", 1);
	size_t i, g;

	(void)state;
	for (i = 1; i < 5; i++) {
		size_t k = closed[i].k, pairs = 4000000 / k;
		double sum = 0, values[MAX_GROUP];

		for (g = 0; g < pairs; g++) {
			double mean, square[2];
			int side;

			for (side = 0; side < 2; side++) {
				size_t j;

				for (j = 0, mean = 0; j < k; j++)
					mean += (values[j] = gsl_ran_gaussian(rng, 1)) / k;
				for (j = 0, square[side] = 0; j < k; j++)
					square[side] += (values[j] - mean) * (values[j] - mean);
			}
			sum += sqrt(square[0] / square[1]);
		}
		assert_near(sum / pairs, stat_impact_null(k), 0.003);
	}
	gsl_rng_free(rng);
}

/* The estimator on many executions: the null, whatever the group. */
static void estimator_null(void **state)
{
	static const size_t groups[] = { 5, 10, 20, 30 };
	struct runs runs = normal(MAX_N, MAX_M, 0, 3);
	gsl_rng *rng = stat_rng("estimator", 1);
	double constant;
	size_t i;

	(void)state;
	for (i = 0; i < 4; i++) {
		double f = stat_impact_factor(&runs, groups[i], 100000, rng, &constant);

		assert_near(f / stat_impact_null(groups[i]), 1, 0.01);
		assert_true(constant == 0);
	}
	gsl_rng_free(rng);
}

static const struct impact_how how = { 2000, 199, 100, 99, 0.95 };

static struct impact impact(const struct runs *runs, const char *name)
{
	gsl_rng *rng = stat_rng(name, 1);
	struct impact i;

	assert_int_equal(stat_impact(runs, &how, rng, &i), 0);
	gsl_rng_free(rng);
	return i;
}

/* Executions three standard deviations apart: sqrt(10) and the null's bias. */
static void effect(void **state)
{
	struct runs runs = normal(MAX_N, 30, 3, 4);
	struct impact i = impact(&runs, "effect");

	(void)state;
	assert_int_equal(i.group, 30);
	assert_near(i.anova, sqrt(10), 0.3);
	assert_near(i.factor.estimate, sqrt(10) * i.closed_null, 0.35);
	assert_true(i.factor.low < i.factor.estimate && i.factor.estimate < i.factor.high);
	assert_true(i.factor.low > 2);
	assert_near(i.null, i.closed_null, 0.01);
	assert_near(i.p, 0.01, 1e-12);

	runs = normal(30, 30, 0, 5);
	i = impact(&runs, "none");
	assert_near(i.anova, 1, 0.05);
	assert_near(i.factor.estimate / i.null, 1, 0.05);
	assert_true(i.p > 0.02);
}

/* Values of two modes: permutation knows the null that the closed form does not. */
static void bimodal_null(void **state)
{
	gsl_rng *rng = stat_rng("bimodal", 1);
	double pick[20], truth = 0;
	struct impact i;
	size_t k;

	(void)state;
	for (k = 0; k < 400; k++)
		y[k] = (gsl_rng_uniform(rng) < 0.3 ? 120 : 100) + gsl_ran_gaussian(rng, 1);
	for (k = 0; k <= 40; k++)
		start[k] = k * 10;
	i = impact(&(struct runs){ 40, start, y }, "bimodal");
	/* Any ten values against any other ten. */
	for (k = 0; k < 100000; k++) {
		gsl_ran_choose(rng, pick, 20, y, 400, sizeof(*y));
		gsl_ran_shuffle(rng, pick, 20, sizeof(*pick));
		truth += gsl_stats_sd(pick, 1, 10) / gsl_stats_sd(pick + 10, 1, 10) / 100000;
	}
	gsl_rng_free(rng);
	assert_true(truth > 1.1 && i.closed_null < 1.07);
	assert_near(i.null, truth, 0.05);
	assert_near(i.factor.estimate / i.null, 1, 0.15);
	assert_true(i.p > 0.05);
}

static void scale_and_shift(void **state)
{
	struct runs runs = normal(12, 8, 2, 6);
	struct impact a = impact(&runs, "a"), b;
	size_t k;

	(void)state;
	b = impact(&runs, "a");
	assert_memory_equal(&a, &b, sizeof(a));
	for (k = 0; k < 96; k++)
		y[k] *= 1.0 / 1024;
	b = impact(&runs, "a");
	assert_memory_equal(&a, &b, sizeof(a));
	for (k = 0; k < 96; k++)
		y[k] += 1;
	b = impact(&runs, "a");
	assert_near(b.factor.estimate, a.factor.estimate, 1e-9);
	assert_near(b.factor.low, a.factor.low, 1e-9);
	assert_near(b.null, a.null, 1e-9);
}

/* Which execution is called first is no matter, up to chance. */
static void relabel(void **state)
{
	static double turned[30 * 30];
	struct runs runs = normal(30, 30, 1, 7), other = { 30, start, turned };
	gsl_rng *rng = stat_rng("relabel", 1);
	struct impact a = impact(&runs, "a"), b;
	size_t i;

	(void)state;
	for (i = 0; i < 900; i++)
		turned[i] = y[(i + 300) % 900];
	b = impact(&other, "a");
	assert_near(a.anova, b.anova, 1e-12);
	assert_near(stat_impact_factor(&runs, 30, 100000, rng, NULL),
		    stat_impact_factor(&other, 30, 100000, rng, NULL), 0.01);
	gsl_rng_free(rng);
}

/* More groups make the estimate finer, not the interval smaller. */
static void interval_is_honest(void **state)
{
	struct runs runs = normal(20, 20, 1, 8);
	struct impact_how few = { 1000, 399, 100, 0, 0.95 }, many = { 20000, 399, 400, 0, 0.95 };
	gsl_rng *rng = stat_rng("honest", 1);
	struct impact a, b;

	(void)state;
	assert_int_equal(stat_impact(&runs, &few, rng, &a), 0);
	assert_int_equal(stat_impact(&runs, &many, rng, &b), 0);
	assert_near((b.factor.high - b.factor.low) / (a.factor.high - a.factor.low), 1, 0.2);
	assert_true(isnan(a.null));
	gsl_rng_free(rng);
}

/* Too small groups and clocks too coarse: no number. */
static void refused(void **state)
{
	struct runs runs = normal(10, 3, 1, 9);
	gsl_rng *rng = stat_rng("refused", 1);
	struct impact i;
	size_t k;

	(void)state;
	assert_int_equal(stat_impact_group(&runs), 0);
	assert_int_equal(stat_impact(&runs, &how, rng, &i), -1);
	assert_true(isnan(i.factor.estimate));
	runs = normal(10, 5, 1, 9);
	assert_int_equal(stat_impact_group(&runs), 5);
	/* One execution of ten sees the same tick always. */
	for (k = 0; k < 5; k++)
		y[k] = 100;
	assert_int_equal(stat_impact(&runs, &how, rng, &i), 0);
	assert_near(i.constant, 0.1, 0.03);
	assert_true(isnan(i.factor.estimate) && isnan(i.factor.low) && isnan(i.null));
	assert_true(i.anova > 1);
	for (k = 0; k < 50; k++)
		y[k] = 100;
	assert_int_equal(stat_impact(&runs, &how, rng, &i), 0);
	assert_true(isnan(i.anova) && i.constant == 1);
	gsl_rng_free(rng);
}

/*
 * What is drawn with replacement varies less, by (n - 1) / n of the variance: a replicate of 5
 * executions of 40 measurements is sqrt(5/4 * 39/40) of its factor, or sqrt(5/4) if executions
 * alone are drawn.
 */
static void replicates_vary_as_much(void **state)
{
	const struct runs runs = normal(5, 40, 2, 1);
	struct outer o = { .group = 5, .groups = 100 };
	double plain, replicated;
	struct groups g;
	int i;

	(void)state;
	assert_int_equal(groups_init(&g, runs.n), 0);
	for (i = 0; i < 2; i++) {
		o.resampled = i ? RESAMPLE_RUNS : RESAMPLE_TWO_STAGE;
		o.g = &g;
		o.rng = stat_rng("replicate", 7);
		replicated = replicate(&runs, &o);
		gsl_rng_free(o.rng);
		o.rng = stat_rng("replicate", 7);
		plain = factor(&runs, o.group, o.groups, &g, o.rng, NULL);
		gsl_rng_free(o.rng);
		assert_double_near(replicated / plain, i ? 1.118033988749895 : 1.103970108290981, 1e-12,
				   "a replicate", __LINE__);
	}
	groups_free(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(closed_form), cmocka_unit_test(simulation),
		cmocka_unit_test(estimator_null), cmocka_unit_test(effect),
		cmocka_unit_test(bimodal_null), cmocka_unit_test(scale_and_shift),
		cmocka_unit_test(relabel), cmocka_unit_test(interval_is_honest),
		cmocka_unit_test(refused), cmocka_unit_test(replicates_vary_as_much),
	};

	return cmocka_run_group_tests_name("stat_impact", tests, NULL, NULL);
}
