// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Many experiments in a number: mean ratios, and the band of a distribution. */
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>

#include "stat.h"

static double resampled_mean(const struct runs *runs, gsl_rng *rng)
{
	double sum = 0, inner;
	size_t i, j;

	for (i = 0; i < runs->n; i++) {
		size_t from = gsl_rng_uniform_int(rng, runs->n);
		size_t m = runs->start[from + 1] - runs->start[from];

		inner = 0;
		for (j = 0; j < m; j++)
			inner += runs->y[runs->start[from] + gsl_rng_uniform_int(rng, m)];
		sum += inner / m;
	}
	return sum / runs->n;
}

/**
 * stat_geomean() - geometric mean of ratios of means
 * @a: experiments: the numerators
 * @b: the denominators
 * @n: how many pairs; all weigh the same
 * @rng: chance
 * @replicates: of the bootstrap; 0: no interval
 * @confidence: 0.95
 * @i: the result
 *
 * The interval is the percentile bootstrap's; executions and measurements are
 * resampled in each experiment, the experiments are as they are (as libkalibera's
 * bootstrap_geomean does, after Kalibera and Jones).
 *
 * Return: 0, or -1 without memory or if a mean is not positive.
 */
int stat_geomean(const struct runs *a, const struct runs *b, size_t n, gsl_rng *rng,
		 size_t replicates, double confidence, struct interval *i)
{
	double *t = malloc((replicates + 1) * sizeof(*t)), sum = 0, x, y;
	size_t r, e;

	*i = UNKNOWN_INTERVAL;
	if (!t || !n)
		goto failed;
	for (e = 0; e < n; e++) {
		x = stat_runs_mean(&a[e], NULL);
		y = stat_runs_mean(&b[e], NULL);
		if (!(x > 0) || !(y > 0))
			goto failed;
		sum += log(x / y);
	}
	i->estimate = exp(sum / n);
	for (r = 0; r < replicates; r++) {
		sum = 0;
		for (e = 0; e < n; e++) {
			x = resampled_mean(&a[e], rng);
			sum += log(x / resampled_mean(&b[e], rng));
		}
		t[r] = exp(sum / n);
		if (!isfinite(t[r]))
			break;
	}
	if (replicates && r == replicates) {
		gsl_sort(t, 1, replicates);
		stat_percentile(i->estimate, t, replicates, confidence, i);
	}
	free(t);
	return 0;
failed:
	free(t);
	return -1;
}

/**
 * stat_dkw() - half the height of the band around an empirical distribution function
 * @n: values
 * @confidence: 0.95: of the whole true function being in the band
 *
 * Dvoretzky, Kiefer, Wolfowitz, with Massart's constant (1990).
 *
 * Return: it.
 */
double stat_dkw(size_t n, double confidence)
{
	return sqrt(log(2 / (1 - confidence)) / (2.0 * n));
}
