// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Means and coefficients of variation: how much the measurements of an
 * execution differ (non-determinism in measurement), and how much all do
 * (unclassified).  Hocko and Kalibera 2010, 4.2.
 */
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "stat.h"

/**
 * stat_run_means() - the mean of each execution
 * @runs: what was measured
 * @mean: room for one each
 *
 * Return: 0.
 */
int stat_run_means(const struct runs *runs, double *mean)
{
	size_t i;

	for (i = 0; i < runs->n; i++)
		mean[i] = gsl_stats_mean(runs->y + runs->start[i], 1,
					 runs->start[i + 1] - runs->start[i]);
	return 0;
}

/**
 * stat_runs_mean() - the mean of the executions' means; a stat_fn
 * @runs: what was measured
 * @unused: NULL
 *
 * Return: it.
 */
double stat_runs_mean(const struct runs *runs, const void *unused)
{
	double sum = 0;
	size_t i;

	(void)unused;
	for (i = 0; i < runs->n; i++)
		sum += gsl_stats_mean(runs->y + runs->start[i], 1,
				      runs->start[i + 1] - runs->start[i]);
	return sum / runs->n;
}

/* NAN where the mean says nothing about the scale. */
static double cv(const double *y, size_t n)
{
	double mean = gsl_stats_mean(y, 1, n);

	return n > 1 && mean > 0 ? gsl_stats_sd_m(y, 1, n, mean) / mean : NAN;
}

/**
 * stat_cv() - standard deviation of all values, divided by their mean; a stat_fn
 * @runs: what was measured
 * @unused: NULL
 *
 * Return: it, or NAN if the mean is not positive or there is one value only.
 */
double stat_cv(const struct runs *runs, const void *unused)
{
	(void)unused;
	return cv(runs->y + runs->start[0], runs->start[runs->n] - runs->start[0]);
}

/**
 * stat_run_cvs() - the coefficient of variation in each execution
 * @runs: what was measured
 * @out: room for one each
 *
 * Return: 0, or -1 if one is not known.
 */
int stat_run_cvs(const struct runs *runs, double *out)
{
	size_t i;

	for (i = 0; i < runs->n; i++) {
		out[i] = cv(runs->y + runs->start[i], runs->start[i + 1] - runs->start[i]);
		if (!isfinite(out[i]))
			return -1;
	}
	return 0;
}

/**
 * stat_boot_cv_in_runs() - mean of the executions' coefficients of variation
 * @runs: what was measured
 * @rng: chance
 * @b: replicates; executions are resampled
 * @confidence: 0.95
 * @out: the result
 *
 * Return: 0, or -1 if it is not known.
 */
int stat_boot_cv_in_runs(const struct runs *runs, gsl_rng *rng, size_t b, double confidence,
			 struct boot *out)
{
	double *cvs = malloc(runs->n * sizeof(*cvs));
	size_t *start = malloc((runs->n + 1) * sizeof(*start));
	struct runs one = { runs->n, start, cvs };
	int failed = !cvs || !start || stat_run_cvs(runs, cvs);
	size_t i;

	*out = (struct boot){ UNKNOWN_INTERVAL, UNKNOWN_INTERVAL };
	for (i = 0; !failed && i <= runs->n; i++)
		start[i] = i;
	if (!failed)
		failed = stat_boot(&one, RESAMPLE_RUNS, stat_runs_mean, NULL, rng, b, confidence, out);
	free(cvs);
	free(start);
	return failed ? -1 : 0;
}
