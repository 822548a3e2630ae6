// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * The mean of measurements in executions (in boots ...), with an interval that
 * knows that the measurements of an execution resemble each other.
 *
 * Kalibera and Jones, "Rigorous Benchmarking in Reasonable Time" (ISMM 2013),
 * with the components' formula as libkalibera corrects it: T_i^2 = S_i^2 -
 * S_(i-1)^2 / r_(i-1).  The interval with two levels is that of Kalibera and
 * Tuma (2006), which the paper on page allocation uses.
 *
 * Groups of different sizes: means of means, never of the pooled values; S^2 of
 * a level is pooled by degrees of freedom, r is the harmonic mean.
 */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stat.h"

/* Means of the groups of a level to @up, and what their insides differ.  @up may be @below. */
static void climb(const double *below, const size_t *start, size_t n, double *up, double *s2,
		  double *r)
{
	double squares = 0, inverse = 0, df = 0, mean;
	size_t i, j;

	for (i = 0; i < n; i++) {
		size_t count = start[i + 1] - start[i];

		mean = gsl_stats_mean(below + start[i], 1, count);
		for (j = start[i]; j < start[i + 1]; j++)
			squares += (below[j] - mean) * (below[j] - mean);
		up[i] = mean;
		df += count - 1.0;
		inverse += 1.0 / count;
	}
	*s2 = df > 0 ? squares / df : NAN;
	*r = n / inverse;
}

/**
 * stat_anova() - mean, interval and components of variance
 * @tree: no group may be empty
 * @confidence: 0.95
 * @a: the result; of a level whose groups have one thing each, variances are NAN
 *
 * Return: 0, or -1 without memory or with less than two things on the highest level.
 */
int stat_anova(const struct tree *tree, double confidence, struct anova *a)
{
	int top = tree->levels - 1, i;
	size_t n = tree->n[top];
	double *means, mean, half;

	if (n < 2)
		return -1;
	means = malloc(tree->n[0] * sizeof(*means));
	if (!means)
		return -1;
	memset(a, 0, sizeof(*a));
	a->levels = tree->levels;
	memcpy(means, tree->y, tree->n[0] * sizeof(*means));
	for (i = 0; i < top; i++)
		climb(means, tree->start[i + 1], tree->n[i + 1], means, &a->s2[i], &a->r[i]);
	mean = gsl_stats_mean(means, 1, n);
	a->s2[top] = gsl_stats_variance_m(means, 1, n, mean);
	a->r[top] = n;
	for (i = 0; i <= top; i++)
		a->t2[i] = a->s2[i] - (i ? a->s2[i - 1] / a->r[i - 1] : 0);
	half = gsl_cdf_tdist_Pinv((1 + confidence) / 2, n - 1) * sqrt(a->s2[top] / n);
	a->mean = (struct interval){ mean, mean - half, mean + half };
	free(means);
	return 0;
}

/**
 * stat_plan() - how many things of a level are worth their cost
 * @a: of a first experiment
 * @level: 0 for measurements in an execution; below the highest
 * @cost: of one thing of that level
 * @cost_above: of one more of the level above, besides the things in it
 *
 * Return: sqrt(cost_above / cost * T^2 / T^2 above), to be rounded up; NAN where
 * a component is not positive, as nothing can be said then.
 */
double stat_plan(const struct anova *a, int level, double cost, double cost_above)
{
	if (level < 0 || level + 1 >= a->levels || !(a->t2[level] > 0) || !(a->t2[level + 1] > 0))
		return NAN;
	return sqrt(cost_above / cost * a->t2[level] / a->t2[level + 1]);
}
