// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Which measurements at the begin of an execution are not to count. */
#include "warmup.h"

/**
 * warmup_mser() - the warm-up of a series
 * @value: the series
 * @nr: its length
 *
 * The marginal standard error rule: what is cut off is what makes the standard
 * error of the mean of the rest smallest, sum (x_i - mean)^2 / (n - d)^2; at
 * most half of the series, as the rule is not sound beyond (K. P. White, An
 * effective truncation heuristic for bias reduction in simulation output,
 * Simulation 69(6), 1997).
 *
 * Return: how many values to cut off.
 */
size_t warmup_mser(const double *value, size_t nr)
{
	double mean = 0, squares = 0, delta, error, least = 0;
	size_t i, n, best = 0;

	/* From the end, by Welford's recurrence: each step is one value more. */
	for (i = nr; i-- > 0;) {
		n = nr - i;
		delta = value[i] - mean;
		mean += delta / n;
		squares += delta * (value[i] - mean);
		if (i > nr / 2)
			continue;
		error = squares / ((double)n * n);
		if (i == nr / 2 || error <= least) {
			least = error;
			best = i;
		}
	}
	return best;
}
