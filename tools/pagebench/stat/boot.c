// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * The bootstrap: replicates of a statistic, and intervals from them.
 *
 * Percentile and BCa as in Davison and Hinkley, "Bootstrap Methods and their
 * Application" (1997), 5.2.1 and 5.3.2, step by step as boot.ci() of R's
 * package boot does, which the tests compare.  The acceleration is from the
 * jackknife over executions (Efron and Tibshirani 1993, 14.15).
 */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stat.h"

/* Executions by chance, and if wanted values in them by chance. */
static void resample(const struct runs *runs, enum resample how, gsl_rng *rng, size_t *start,
		     double *y)
{
	size_t i, j, n = 0;

	for (i = 0; i < runs->n; i++) {
		size_t from = gsl_rng_uniform_int(rng, runs->n);
		size_t m = runs->start[from + 1] - runs->start[from];
		const double *values = runs->y + runs->start[from];

		start[i] = n;
		if (how == RESAMPLE_RUNS)
			memcpy(y + n, values, m * sizeof(*y));
		else
			for (j = 0; j < m; j++)
				y[n + j] = values[gsl_rng_uniform_int(rng, m)];
		n += m;
	}
	start[i] = n;
}

static size_t longest(const struct runs *runs)
{
	size_t i, max = 0;

	for (i = 0; i < runs->n; i++)
		if (runs->start[i + 1] - runs->start[i] > max)
			max = runs->start[i + 1] - runs->start[i];
	return max;
}

/**
 * stat_bootstrap() - replicates of a statistic
 * @runs: what was measured
 * @how: what is resampled
 * @fn: the statistic
 * @ctx: for @fn
 * @rng: chance
 * @t: room for @b replicates, in the order they are made
 * @b: how many
 *
 * Return: 0, or -1 without memory or if the statistic of a replicate is no number.
 */
int stat_bootstrap(const struct runs *runs, enum resample how, stat_fn fn, const void *ctx,
		   gsl_rng *rng, double *t, size_t b)
{
	size_t *start = malloc((runs->n + 1) * sizeof(*start));
	double *y = malloc((runs->n * longest(runs) + 1) * sizeof(*y));
	struct runs again = { runs->n, start, y };
	size_t i = 0;

	for (; start && y && i < b; i++) {
		resample(runs, how, rng, start, y);
		t[i] = fn(&again, ctx);
		if (!isfinite(t[i]))
			break;
	}
	free(start);
	free(y);
	return i == b ? 0 : -1;
}

/**
 * stat_jackknife() - a statistic without each of the executions
 * @runs: what was measured
 * @fn: the statistic
 * @ctx: for @fn
 * @t: room for as many as there are executions
 *
 * Return: 0, or -1 without memory or if one is no number.
 */
int stat_jackknife(const struct runs *runs, stat_fn fn, const void *ctx, double *t)
{
	size_t *start = malloc((runs->n + 1) * sizeof(*start));
	double *y = malloc((runs->start[runs->n] + 1) * sizeof(*y));
	struct runs rest = { runs->n - 1, start, y };
	size_t i = 0, j, n;

	for (; start && y && i < runs->n; i++) {
		for (j = 0, n = 0; j < runs->n; j++) {
			size_t m = runs->start[j + 1] - runs->start[j];

			if (j == i)
				continue;
			start[j - (j > i)] = n;
			memcpy(y + n, runs->y + runs->start[j], m * sizeof(*y));
			n += m;
		}
		start[runs->n - 1] = n;
		t[i] = fn(&rest, ctx);
		if (!isfinite(t[i]))
			break;
	}
	free(start);
	free(y);
	return i == runs->n ? 0 : -1;
}

/**
 * stat_order() - an order statistic of replicates, at a probability
 * @sorted: the replicates, ascending
 * @b: how many
 * @p: between 0 and 1
 *
 * The (b + 1) p-th; between two, interpolated on the scale of normal quantiles.
 * Where (b + 1) p is whole, that is R's quantile type 6.  Beyond the ends, the
 * ends.
 *
 * Return: it.
 */
double stat_order(const double *sorted, size_t b, double p)
{
	double at = (b + 1.0) * p, below, above;
	size_t k;

	/* 250.00000000000003 is meant to be 250. */
	if (fabs(at - round(at)) < 1e-9)
		at = round(at);
	k = at < 1 ? 0 : (size_t)at;
	if (!k)
		return sorted[0];
	if (k >= b)
		return sorted[b - 1];
	if (at == k)
		return sorted[k - 1];
	below = gsl_cdf_ugaussian_Pinv(k / (b + 1.0));
	above = gsl_cdf_ugaussian_Pinv((k + 1) / (b + 1.0));
	return sorted[k - 1] + (gsl_cdf_ugaussian_Pinv(p) - below) / (above - below) *
	       (sorted[k] - sorted[k - 1]);
}

/*
 * An interval without its estimate is not one of that statistic: its replicates are
 * biased by more than they vary, which neither method corrects.
 */
static int take_interval(double t0, double low, double high, struct interval *i)
{
	/* Sums in another order differ by rounding. */
	double slack = 1e-12 * fabs(t0);

	if (!(low - slack <= t0 && t0 <= high + slack))
		return -1;
	*i = (struct interval){ t0, fmin(low, t0), fmax(high, t0) };
	return 0;
}

/**
 * stat_percentile() - the percentile interval
 * @t0: the statistic of what was measured
 * @sorted: its replicates, ascending
 * @b: how many; 9999 or 999, so that the order statistics of 95 % exist
 * @confidence: 0.95
 * @i: the result
 *
 * Return: 0, or -1 with too few replicates, or if @t0 is outside of the interval.
 */
int stat_percentile(double t0, const double *sorted, size_t b, double confidence,
		    struct interval *i)
{
	double tail = (1 - confidence) / 2;

	if ((b + 1) * tail < 1 - 1e-9)
		return -1;
	return take_interval(t0, stat_order(sorted, b, tail), stat_order(sorted, b, 1 - tail), i);
}

static double acceleration(const double *jackknife, size_t n)
{
	double mean = 0, square = 0, cube = 0, d;
	size_t i;

	for (i = 0; i < n; i++)
		mean += jackknife[i] / n;
	for (i = 0; i < n; i++) {
		d = mean - jackknife[i];
		square += d * d;
		cube += d * d * d;
	}
	return square > 0 ? cube / (6 * pow(square, 1.5)) : 0;
}

/**
 * stat_bca() - the bias-corrected and accelerated interval
 * @t0: the statistic of what was measured
 * @sorted: its replicates, ascending
 * @b: how many
 * @jackknife: the statistic without each execution
 * @n: how many of these
 * @confidence: 0.95
 * @i: the result
 *
 * Return: 0, or -1 if there is none: all replicates are on one side of @t0, or it is
 * outside of the interval.
 */
int stat_bca(double t0, const double *sorted, size_t b, const double *jackknife, size_t n,
	     double confidence, struct interval *i)
{
	double tail = (1 - confidence) / 2, a = acceleration(jackknife, n), w, end[2];
	size_t less = 0;
	int e;

	if (sorted[0] == sorted[b - 1] && sorted[0] == t0) {
		*i = (struct interval){ t0, t0, t0 };
		return 0;
	}
	while (less < b && sorted[less] < t0)
		less++;
	if (!less || less == b)
		return -1;
	w = gsl_cdf_ugaussian_Pinv((double)less / b);
	for (e = 0; e < 2; e++) {
		double z = w + gsl_cdf_ugaussian_Pinv(e ? 1 - tail : tail);

		/* Past this pole the transformation turns around. */
		if (1 - a * z <= 0)
			return -1;
		end[e] = stat_order(sorted, b, gsl_cdf_ugaussian_P(w + z / (1 - a * z)));
	}
	return take_interval(t0, end[0], end[1], i);
}

/**
 * stat_boot() - both intervals of a statistic
 * @runs: what was measured
 * @how: what is resampled
 * @fn: the statistic
 * @ctx: for @fn
 * @rng: chance
 * @b: replicates
 * @confidence: 0.95
 * @out: the result; what cannot be known is NAN
 *
 * Return: 0, or -1 if there is not even an estimate.
 */
int stat_boot(const struct runs *runs, enum resample how, stat_fn fn, const void *ctx,
	      gsl_rng *rng, size_t b, double confidence, struct boot *out)
{
	double *t = malloc((b + runs->n) * sizeof(*t));
	double t0 = fn(runs, ctx);

	*out = (struct boot){ { t0, NAN, NAN }, { t0, NAN, NAN } };
	if (t && isfinite(t0) && !stat_bootstrap(runs, how, fn, ctx, rng, t, b)) {
		gsl_sort(t, 1, b);
		stat_percentile(t0, t, b, confidence, &out->percentile);
		if (!stat_jackknife(runs, fn, ctx, t + b))
			stat_bca(t0, t, b, t + b, runs->n, confidence, &out->bca);
	}
	free(t);
	return isfinite(t0) ? 0 : -1;
}
