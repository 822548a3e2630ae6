// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * stats_sim [REPETITIONS [SEED]]: how often do the intervals of the report hold
 * what they are about?  Draws experiments from distributions whose truth is
 * known and counts.  Prints the table of docs/results/intervals.md, and as JSON if
 * named in the environment variable STATS_SIM_JSON.
 */
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pagebench/stat/stat.h"

#define B		999
#define WITHIN		10	/* measurements in an execution */
#define IF_WITHIN	30	/* where groups of them are drawn */
#define FEW_WITHIN	5	/* too few to be resampled */
#define CELLS		3	/* of the geometric mean */
#define MAX_N		30

static const size_t sizes[] = { 5, 10, 20, 30 };

#define NR_SIZES (sizeof(sizes) / sizeof(sizes[0]))

enum shape { NORMAL, LOGNORMAL, BIMODAL, NR_SHAPES };

static const char * const shapes[] = { "normal", "lognormal", "bimodal" };

static gsl_rng *rng;
static double y[MAX_N * IF_WITHIN];
static size_t start[MAX_N + 1];

/* Mean 100 or so.  Bimodal: three of ten are a fifth slower. */
static double draw(enum shape shape)
{
	switch (shape) {
	case NORMAL:
		return 100 + gsl_ran_gaussian(rng, 10);
	case LOGNORMAL:
		return 100 * exp(gsl_ran_gaussian(rng, 0.3));
	default:
		return (gsl_rng_uniform(rng) < 0.3 ? 120 : 100) + gsl_ran_gaussian(rng, 1);
	}
}

static double true_mean(enum shape shape)
{
	static const double mean[] = { 100, 0, 106 };

	return shape == LOGNORMAL ? 100 * exp(0.045) : mean[shape];
}

static double true_variance(enum shape shape)
{
	switch (shape) {
	case NORMAL:
		return 100;
	case LOGNORMAL:
		return 1e4 * exp(0.09) * (exp(0.09) - 1);
	default:
		return 400 * 0.21 + 1;
	}
}

static struct runs layout(size_t n, size_t m)
{
	size_t i;

	for (i = 0; i <= n; i++)
		start[i] = i * m;
	return (struct runs){ n, start, y };
}

static struct runs single(enum shape shape, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		y[i] = draw(shape);
	return layout(n, 1);
}

/* Executions of a shape, measurements 2 % around each. */
static struct runs nested(enum shape shape, size_t n)
{
	size_t i, j;

	for (i = 0; i < n; i++) {
		double run = draw(shape);

		for (j = 0; j < WITHIN; j++)
			y[i * WITHIN + j] = run * (1 + gsl_ran_gaussian(rng, 0.02));
	}
	return layout(n, WITHIN);
}

/* Executions alike, but their variation is of a shape. */
static double noisy(enum shape shape)
{
	double sd = 0.02 * draw(shape);
	size_t j;

	for (j = 0; j < WITHIN; j++)
		y[j] = 100 + gsl_ran_gaussian(rng, sd);
	return gsl_stats_sd(y, 1, WITHIN) / gsl_stats_mean(y, 1, WITHIN);
}

/* The intervals in question; each returns whether it holds the truth, or -1 if there is none. */
struct trial {
	enum shape shape;
	size_t n;
	double truth;
};

static int holds(const struct interval *i, double truth)
{
	return isnan(i->low) ? -1 : i->low <= truth && truth <= i->high;
}

static int anova(const struct trial *t)
{
	struct runs runs = nested(t->shape, t->n);
	struct tree tree = { 2, y, { t->n * WITHIN, t->n }, { NULL, runs.start } };
	struct anova a;

	return stat_anova(&tree, 0.95, &a) ? -1 : holds(&a.mean, true_mean(t->shape));
}

/* What one must not do: all measurements as if they were independent. */
static int pooled(const struct trial *t)
{
	struct tree tree = { 1, y, { t->n * WITHIN }, { NULL } };
	struct anova a;

	nested(t->shape, t->n);
	return stat_anova(&tree, 0.95, &a) ? -1 : holds(&a.mean, true_mean(t->shape));
}

static int boot(struct runs runs, enum resample how, stat_fn fn, double truth, int bca)
{
	struct boot b;

	if (stat_boot(&runs, how, fn, NULL, rng, B, 0.95, &b))
		return -1;
	return holds(bca ? &b.bca : &b.percentile, truth);
}

static int mean_percentile(const struct trial *t)
{
	return boot(single(t->shape, t->n), RESAMPLE_RUNS, stat_runs_mean, true_mean(t->shape), 0);
}

static double single_cv(enum shape shape)
{
	return sqrt(true_variance(shape)) / true_mean(shape);
}

/* Var(X (1 + e)) with e of 2 %. */
static double nested_cv(enum shape shape)
{
	double mean = true_mean(shape), square = true_variance(shape) + mean * mean;

	return sqrt(square * 1.0004 - mean * mean) / mean;
}

static int cv_percentile(const struct trial *t)
{
	return boot(single(t->shape, t->n), RESAMPLE_RUNS, stat_cv, single_cv(t->shape), 0);
}

static int cv_bca(const struct trial *t)
{
	return boot(single(t->shape, t->n), RESAMPLE_RUNS, stat_cv, single_cv(t->shape), 1);
}

static int cv2_percentile(const struct trial *t)
{
	return boot(nested(t->shape, t->n), RESAMPLE_TWO_STAGE, stat_cv, nested_cv(t->shape), 0);
}

static int cv2_bca(const struct trial *t)
{
	return boot(nested(t->shape, t->n), RESAMPLE_TWO_STAGE, stat_cv, nested_cv(t->shape), 1);
}

static double true_cv_in_runs(enum shape shape, size_t n)
{
	double sum = 0;
	size_t i;

	(void)n;
	for (i = 0; i < 200000; i++)
		sum += noisy(shape);
	return sum / i;
}

static int cv_in_runs(const struct trial *t, int bca)
{
	struct runs runs = layout(t->n, WITHIN);
	struct boot b;
	double sd;
	size_t i, j;

	for (i = 0; i < t->n; i++) {
		sd = 0.02 * draw(t->shape);
		for (j = 0; j < WITHIN; j++)
			y[i * WITHIN + j] = 100 + gsl_ran_gaussian(rng, sd);
	}
	if (stat_boot_cv_in_runs(&runs, rng, B, 0.95, &b))
		return -1;
	return holds(bca ? &b.bca : &b.percentile, t->truth);
}

static int cv_in_runs_percentile(const struct trial *t)
{
	return cv_in_runs(t, 0);
}

static int cv_in_runs_bca(const struct trial *t)
{
	return cv_in_runs(t, 1);
}

/* Executions of a shape, or all alike; measurements with half of a normal one's deviation. */
static double impact_truth(enum shape shape, size_t n, size_t within_runs, int effect)
{
	double between[MAX_GROUP], within[MAX_GROUP], sum = 0;
	size_t k = n < within_runs ? n : within_runs, i, g;

	for (g = 0; g < 200000; g++) {
		for (i = 0; i < k; i++) {
			between[i] = (effect ? draw(shape) : 0) + gsl_ran_gaussian(rng, 5);
			within[i] = gsl_ran_gaussian(rng, 5);
		}
		sum += gsl_stats_sd(between, 1, k) / gsl_stats_sd(within, 1, k);
	}
	return sum / g;
}

static int impact_holds(const struct trial *t, size_t within_runs, int effect)
{
	static const struct impact_how how = { 500, 199, 60, 0, 0.95 };
	struct runs runs = layout(t->n, within_runs);
	struct impact impact;
	size_t i, j;

	for (i = 0; i < t->n; i++) {
		double run = effect ? draw(t->shape) : 100;

		for (j = 0; j < within_runs; j++)
			y[i * within_runs + j] = run + gsl_ran_gaussian(rng, 5);
	}
	return stat_impact(&runs, &how, rng, &impact) ? -1 : holds(&impact.factor, t->truth);
}

static double true_impact(enum shape shape, size_t n)
{
	return impact_truth(shape, n, IF_WITHIN, 1);
}

static int impact(const struct trial *t)
{
	return impact_holds(t, IF_WITHIN, 1);
}

static double true_impact_short(enum shape shape, size_t n)
{
	return impact_truth(shape, n, WITHIN, 1);
}

static int impact_short(const struct trial *t)
{
	return impact_holds(t, WITHIN, 1);
}

static double true_impact_none(enum shape shape, size_t n)
{
	return impact_truth(shape, n, WITHIN, 0);
}

static int impact_none(const struct trial *t)
{
	return impact_holds(t, WITHIN, 0);
}

static double true_impact_few(enum shape shape, size_t n)
{
	return impact_truth(shape, n, FEW_WITHIN, 1);
}

static int impact_few(const struct trial *t)
{
	return impact_holds(t, FEW_WITHIN, 1);
}

static double true_impact_few_none(enum shape shape, size_t n)
{
	return impact_truth(shape, n, FEW_WITHIN, 0);
}

static int impact_few_none(const struct trial *t)
{
	return impact_holds(t, FEW_WITHIN, 0);
}

static int geomean(const struct trial *t)
{
	static double values[2 * CELLS][MAX_N * WITHIN];
	struct runs runs[2 * CELLS];
	struct interval i;
	size_t c;

	for (c = 0; c < 2 * CELLS; c++) {
		runs[c] = nested(t->shape, t->n);
		memcpy(values[c], y, t->n * WITHIN * sizeof(*y));
		runs[c].y = values[c];
	}
	if (stat_geomean(runs, runs + CELLS, CELLS, rng, 199, 0.95, &i))
		return -1;
	return holds(&i, 1);
}

/* Time that follows misses of a shape, with as much else. */
static void follow(enum shape shape, size_t n, double *x, double *time)
{
	double sd = sqrt(true_variance(shape));
	size_t i;

	for (i = 0; i < n; i++) {
		x[i] = draw(shape);
		time[i] = x[i] + gsl_ran_gaussian(rng, sd);
	}
}

static double true_spearman(enum shape shape, size_t n)
{
	size_t many = 1000000;
	double *x = malloc(many * sizeof(*x)), *time = malloc(many * sizeof(*time)), rho = NAN;
	double *work = malloc(2 * many * sizeof(*work));

	(void)n;
	if (x && time && work) {
		follow(shape, many, x, time);
		rho = gsl_stats_spearman(x, 1, time, 1, many, work);
	}
	free(x);
	free(time);
	free(work);
	return rho;
}

static int spearman(const struct trial *t)
{
	double x[MAX_N], time[MAX_N];
	struct interval rho;

	follow(t->shape, t->n, x, time);
	return stat_spearman(x, time, t->n, 0.95, &rho) ? -1 : holds(&rho, t->truth);
}

/* Of values in random order, whatever they are, the mean is -1 / m. */
static int lag1(const struct trial *t)
{
	double lag[MAX_N];
	size_t i;

	for (i = 0; i < t->n; i++) {
		single(t->shape, WITHIN);
		lag[i] = stat_lag1(y, WITHIN);
	}
	memcpy(y, lag, t->n * sizeof(*y));
	return boot(layout(t->n, 1), RESAMPLE_RUNS, stat_runs_mean, -1.0 / WITHIN, 0);
}

/* The band holds all of the true function, here that of uniform ranks. */
static int dkw(const struct trial *t)
{
	double u[MAX_N], half = stat_dkw(t->n, 0.95);
	size_t i;

	for (i = 0; i < t->n; i++)
		u[i] = gsl_rng_uniform(rng);
	gsl_sort(u, 1, t->n);
	for (i = 0; i < t->n; i++)
		if (fabs((i + 1.0) / t->n - u[i]) > half || fabs((double)i / t->n - u[i]) > half)
			return 0;
	return 1;
}

/* Strategies that are alike: how often is one ranked behind another? */
static int alike(const struct trial *t, size_t strategies)
{
	struct interval x[3];
	unsigned int rank[3];
	size_t s;

	for (s = 0; s < strategies; s++) {
		struct runs runs = nested(t->shape, t->n);
		struct tree tree = { 2, y, { t->n * WITHIN, t->n }, { NULL, runs.start } };
		struct anova a;

		if (stat_anova(&tree, 0.95, &a))
			return -1;
		x[s] = a.mean;
	}
	stat_rank(x, strategies, 0, rank);
	for (s = 0; s < strategies; s++)
		if (rank[s] > 1)
			return 0;
	return 1;
}

static int alike2(const struct trial *t)
{
	return alike(t, 2);
}

static int alike3(const struct trial *t)
{
	return alike(t, 3);
}

static const struct {
	const char *name, *key;
	int (*trial)(const struct trial *t);
	double (*truth)(enum shape shape, size_t n);
	int shapes;
} intervals[] = {
	{ "mean, Student t over executions (analysis of variance)", "mean_t", anova, NULL, NR_SHAPES },
	{ "(wrong: Student t over all measurements)", "mean_pooled", pooled, NULL, NR_SHAPES },
	{ "mean of single measurements, percentile", "mean_percentile", mean_percentile, NULL, NR_SHAPES },
	{ "CV in measurement, percentile", "cv_measurement_percentile", cv_in_runs_percentile, true_cv_in_runs, NR_SHAPES },
	{ "CV in measurement, BCa", "cv_measurement_bca", cv_in_runs_bca, true_cv_in_runs, NR_SHAPES },
	{ "unclassified CV of single measurements, percentile", "cv_single_percentile", cv_percentile, NULL, NR_SHAPES },
	{ "unclassified CV of single measurements, BCa", "cv_single_bca", cv_bca, NULL, NR_SHAPES },
	{ "unclassified CV, two stages, percentile", "cv_percentile", cv2_percentile, NULL, NR_SHAPES },
	{ "unclassified CV, two stages, BCa", "cv_bca", cv2_bca, NULL, NR_SHAPES },
	{ "impact factor, percentile, 30 measurements an execution", "impact", impact, true_impact, NR_SHAPES },
	{ "the same, 10 measurements", "impact_short", impact_short, true_impact_short, NR_SHAPES },
	{ "the same, executions that do not differ", "impact_none", impact_none, true_impact_none, 1 },
	{ "impact factor, 5 measurements: executions are resampled", "impact_few", impact_few, true_impact_few, NR_SHAPES },
	{ "the same, executions that do not differ", "impact_few_none", impact_few_none, true_impact_few_none, 1 },
	{ "geometric mean of ratios, percentile", "geomean", geomean, NULL, NR_SHAPES },
	{ "rank correlation, Bonett and Wright", "spearman", spearman, true_spearman, NR_SHAPES },
	{ "autocorrelation of lag 1, percentile", "lag1", lag1, NULL, NR_SHAPES },
	{ "band of the distribution function", "dkw", dkw, NULL, 1 },
	{ "two strategies that are alike: both first", "alike2", alike2, NULL, NR_SHAPES },
	{ "three strategies that are alike: all first", "alike3", alike3, NULL, NR_SHAPES },
};

#define NR_INTERVALS (sizeof(intervals) / sizeof(intervals[0]))

/* Share of the intervals there are; @none: share of trials without one. */
static double coverage(size_t what, enum shape shape, size_t n, size_t reps, double *none)
{
	struct trial t = { .shape = shape, .n = n };
	size_t i, hits = 0, unknown = 0;

	if (intervals[what].truth)
		t.truth = intervals[what].truth(shape, n);
	for (i = 0; i < reps; i++) {
		int got = intervals[what].trial(&t);

		hits += got == 1;
		unknown += got < 0;
	}
	*none = (double)unknown / reps;
	return unknown == reps ? NAN : (double)hits / (reps - unknown);
}

static void row(size_t what, enum shape shape, size_t reps, uint64_t seed, FILE *json)
{
	double got, none;
	char name[128];
	size_t s;

	printf("| %s | %s |", intervals[what].name, intervals[what].shapes == 1 ? "any" : shapes[shape]);
	for (s = 0; s < NR_SIZES; s++) {
		/* By name, so that one can be looked at alone. */
		snprintf(name, sizeof(name), "%s|%s|%zu", intervals[what].key, shapes[shape], sizes[s]);
		gsl_rng_set(rng, stat_seed(name, seed) & 0xffffffff);
		got = coverage(what, shape, sizes[s], reps, &none);
		if (isnan(got))
			printf(" - |");
		else
			printf(none > 0.01 ? " %.3f (none: %.2f) |" : " %.3f |", got, none);
		fflush(stdout);
		snprintf(name, sizeof(name), "%s_%s_%zu", intervals[what].key,
			 intervals[what].shapes == 1 ? "any" : shapes[shape], sizes[s]);
		if (json && !isnan(got))
			fprintf(json, ",\n \"%s\": %.4f,\n \"%s_none\": %.4f", name, got, name, none);
	}
	putchar('\n');
}

int main(int argc, char **argv)
{
	size_t reps = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000, i;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	const char *path = getenv("STATS_SIM_JSON"), *only = getenv("STATS_SIM_ONLY");
	FILE *json = path ? fopen(path, "w") : NULL;
	int shape;

	rng = gsl_rng_alloc(gsl_rng_mt19937);
	if (!reps || !rng || (path && !json)) {
		fprintf(stderr, "usage: stats_sim [REPETITIONS [SEED]]\n");
		return 2;
	}
	if (json)
		fprintf(json, "{\n \"_how\": \"stats_sim %zu %llu\"", reps, (unsigned long long)seed);
	printf("| interval | executions are |");
	for (i = 0; i < NR_SIZES; i++)
		printf(" n = %zu |", sizes[i]);
	puts("\n|---|---|---|---|---|---|");
	for (i = 0; i < NR_INTERVALS; i++)
		for (shape = 0; shape < intervals[i].shapes; shape++)
			if (!only || !strcmp(only, intervals[i].key))
				row(i, shape, reps, seed, json);
	printf("\n%zu experiments each, seed %llu, %d bootstrap replicates (199 for impact factor and "
	       "geometric mean), %d measurements an execution where nothing else is said.\n",
	       reps, (unsigned long long)seed, B, WITHIN);
	gsl_rng_free(rng);
	if (json && (fputs("\n}\n", json) < 0 || fclose(json))) {
		fprintf(stderr, "stats_sim: %s: not written\n", path);
		return 1;
	}
	return 0;
}
