// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * bench_boot: made-up samples, bootstrap replicates and our intervals of them, for R to
 * look at.  A line a vector: its name, then its numbers with all their digits.
 */
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "pagebench/stat/stat.h"

#define N 30
#define M 10

static void line(const char *name, const double *x, size_t n)
{
	size_t i;

	printf("%s", name);
	for (i = 0; i < n; i++)
		printf(" %.17g", x[i]);
	putchar('\n');
}

static void intervals(const char *name, const struct runs *runs, enum resample how, stat_fn fn,
		      size_t b, double confidence)
{
	double *t = malloc(b * sizeof(*t)), jackknife[N], t0 = fn(runs, NULL);
	gsl_rng *rng = stat_rng(name, b);
	struct interval i;

	printf("case %s\n", name);
	line("confidence", &confidence, 1);
	line("t0", &t0, 1);
	if (stat_bootstrap(runs, how, fn, NULL, rng, t, b) || stat_jackknife(runs, fn, NULL, jackknife))
		exit(1);
	line("t", t, b);
	line("jackknife", jackknife, runs->n);
	gsl_sort(t, 1, b);
	if (stat_percentile(t0, t, b, confidence, &i))
		exit(1);
	line("percentile", &i.low, 2);
	if (stat_bca(t0, t, b, jackknife, runs->n, confidence, &i))
		exit(1);
	line("bca", &i.low, 2);
	gsl_rng_free(rng);
	free(t);
}

static void others(const double *x, const double *y)
{
	size_t start[N + 1] = { }, i;
	struct tree tree = { 1, x, { N }, { NULL } };
	struct interval rho;
	struct anova a;
	double cv;

	for (i = 0; i <= N; i++)
		start[i] = i;
	stat_anova(&tree, 0.95, &a);
	stat_spearman(x, y, N, 0.95, &rho);
	cv = stat_cv(&(struct runs){ N, start, x }, NULL);
	puts("case others");
	line("x", x, N);
	line("y", y, N);
	line("t_test", &a.mean.low, 2);
	line("spearman", &rho.estimate, 1);
	line("cv", &cv, 1);
}

int main(void)
{
	static const struct { const char *name; stat_fn fn; enum resample how; size_t m; } cases[] = {
		{ "mean", stat_runs_mean, RESAMPLE_RUNS, 1 },
		{ "cv", stat_cv, RESAMPLE_RUNS, 1 },
		{ "two-stage-mean", stat_runs_mean, RESAMPLE_TWO_STAGE, M },
		{ "two-stage-cv", stat_cv, RESAMPLE_TWO_STAGE, M },
	};
	/* The second and third have no order statistics at their probabilities. */
	static const struct { size_t b; double confidence; } sizes[] = {
		{ 9999, 0.95 }, { 1000, 0.95 }, { 777, 0.9 }, { 999, 0.99 },
	};
	gsl_rng *rng = stat_rng("bench_boot", 1);
	double x[N * M], y[N];
	size_t start[N + 1], c, s, i;
	char name[64];

	for (i = 0; i < N * M; i++)
		x[i] = exp(gsl_ran_gaussian(rng, 0.4)) * (1 + 0.1 * (i / M % 7));
	for (i = 0; i < N; i++)
		y[i] = x[i] + gsl_ran_gaussian(rng, 0.5);
	for (c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		struct runs runs = { N, start, x };

		for (i = 0; i <= N; i++)
			start[i] = i * cases[c].m;
		for (s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
			snprintf(name, sizeof(name), "%s-%zu-%g", cases[c].name, sizes[s].b,
				 sizes[s].confidence);
			intervals(name, &runs, cases[c].how, cases[c].fn, sizes[s].b, sizes[s].confidence);
		}
	}
	others(x, y);
	gsl_rng_free(rng);
	return ferror(stdout) || fflush(stdout);
}
