// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Order and ranks: correlation of time and misses, and whether values depend on when. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stat.h"

/**
 * stat_spearman() - rank correlation
 * @x: values
 * @y: values
 * @n: how many pairs
 * @confidence: 0.95
 * @rho: the result.  The interval is that of Bonett and Wright (2000), Fisher's
 *	transformation with variance (1 + rho^2 / 2) / (n - 3); NAN if rho is 1 or -1
 *
 * Return: 0, or -1 if it is not known: fewer than 4 pairs, or a constant.
 */
int stat_spearman(const double *x, const double *y, size_t n, double confidence,
		  struct interval *rho)
{
	double *work = malloc(2 * n * sizeof(*work) + 1), r = NAN, half;

	*rho = UNKNOWN_INTERVAL;
	if (work && n > 3 && gsl_stats_sd(x, 1, n) > 0 && gsl_stats_sd(y, 1, n) > 0)
		r = gsl_stats_spearman(x, 1, y, 1, n, work);
	free(work);
	if (!isfinite(r))
		return -1;
	rho->estimate = r;
	if (fabs(r) > 1 - 1e-12)
		return 0;
	half = gsl_cdf_ugaussian_Pinv((1 + confidence) / 2) * sqrt((1 + r * r / 2) / (n - 3.0));
	rho->low = tanh(atanh(r) - half);
	rho->high = tanh(atanh(r) + half);
	return 0;
}

/**
 * stat_lag1() - autocorrelation of successive measurements
 * @y: values in their order
 * @n: how many
 *
 * Return: the autocorrelation of lag 1, or NAN if they are constant.  Of
 * independent values its mean is -1 / n.
 */
double stat_lag1(const double *y, size_t n)
{
	return n > 1 && gsl_stats_sd(y, 1, n) > 0 ? gsl_stats_lag1_autocorrelation(y, 1, n) : NAN;
}

/**
 * stat_first_run() - how long the first values stay on one side of the median
 * @y: values in their order
 * @n: how many
 *
 * Return: how many do; a value that is the median ends it.
 */
size_t stat_first_run(const double *y, size_t n)
{
	double *sorted = malloc((n + 1) * sizeof(*sorted)), median;
	size_t i = 0;

	if (!sorted || !n) {
		free(sorted);
		return 0;
	}
	memcpy(sorted, y, n * sizeof(*y));
	gsl_sort(sorted, 1, n);
	median = gsl_stats_median_from_sorted_data(sorted, 1, n);
	free(sorted);
	while (i < n && y[i] != median && (y[i] > median) == (y[0] > median))
		i++;
	return i;
}

/**
 * stat_first_run_p() - how likely so long a first run is
 * @length: from stat_first_run()
 *
 * Return: 2^(1 - length), at least the probability of such a run of values in
 * random order (each value on the side of the first makes the next less likely).
 */
double stat_first_run_p(size_t length)
{
	return length ? ldexp(1, 1 - (int)length) : 1;
}

/**
 * stat_binomial_p() - how likely so many hits are
 * @hits: or more
 * @n: trials
 * @p: of a hit
 *
 * Return: it.
 */
double stat_binomial_p(size_t hits, size_t n, double p)
{
	return hits ? gsl_cdf_binomial_Q(hits - 1, p, n) : 1;
}
