// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * How long lines are out of use between their visits.
 *
 * If visits come at random times, the gaps between them have the density v exp(-v g).  Most
 * objects are used in bursts, though: when they are allocated, again while a system call runs, and
 * then not for a long time.  Their rates are taken to vary, as gamma distributions do, about the
 * rate v with the shape a (a mixed Poisson process: D. Cox, V. Isham, "Point Processes", 1980).
 * Visits are mostly of times with a high rate, so before a visit the gap is longer than g with the
 * probability
 *
 *	(1 + v g / a)^-(a + 1)
 *
 * (K. Lomax, "Business failures", Journal of the American Statistical Association 49, 1954).  The
 * mean is 1/v with each shape; the smaller the shape, the more gaps are short and the longer are
 * the others.  Samples do not see gaps, but they see how many visits missed: the shape is that
 * with which as many would, if the probability is known that a line out of use for g is lost.
 *
 * Only fewer misses than at random times are taken for bursts, and only if chance does not
 * explain them.  More misses may be of bursts, too, of lines that are used often, but a type has
 * more causes of these, as its neighbors in a set.  What lines are in use within a time
 * (footprint.c) is reckoned without bursts, which the shape makes up for in part.
 */
#include <math.h>

#include "gaps.h"

/* Shapes that are tried.  With the last one, visits come at random times, nearly. */
#define FIRST_SHAPE	1e-4
#define LAST_SHAPE	100.0
#define STEPS		14
/* More standard deviations than these are not chance. */
#define CHANCE		2

/**
 * gaps_density() - density of the gaps in front of visits
 * @rate: of the visits
 * @shape: how even they are; INFINITY: at random times
 * @time: length of the gap
 *
 * Return: the density, in gaps per unit of time.
 */
double gaps_density(double rate, double shape, double time)
{
	if (isinf(shape))
		return rate * exp(-rate * time);
	return (shape + 1) / shape * rate * pow(1 + rate * time / shape, -(shape + 2));
}

/**
 * gaps_longer() - how many of the gaps in front of visits are longer
 * @rate: of the visits
 * @shape: how even they are; INFINITY: at random times
 * @time: the length
 *
 * Return: the share of the gaps, 0 to 1.
 */
double gaps_longer(double rate, double shape, double time)
{
	if (isinf(shape))
		return exp(-rate * time);
	return pow(1 + rate * time / shape, -(shape + 1));
}

/**
 * gaps_add() - add visits of a line
 * @g: the visits
 * @rate: how often it is visited, or written by another CPU; more than 0, finite
 * @visits: how often it was visited with no such write before
 * @misses: how many of these missed
 */
void gaps_add(struct gaps *g, double rate, double visits, double misses)
{
	g->visits[footprints_class(rate)] += visits;
	g->misses += misses;
}

/**
 * gaps_expected() - how many visits should miss
 * @g: the visits
 * @f: the footprints, which has the times
 * @lost: by time, the probability that a line out of use for it is lost
 * @shape: how even the visits are; INFINITY: at random times
 *
 * Return: the number.
 */
double gaps_expected(const struct gaps *g, const struct footprints *f, const double *lost, double shape)
{
	double misses = 0;
	int k, at;

	for (k = 0; k < NR_RATES; k++) {
		double rate, share = 0;

		if (!g->visits[k])
			continue;
		rate = footprints_class_rate(k);
		for (at = 0; at < TIMES; at++)
			share += f->weight[at] * gaps_density(rate, shape, f->time[at]) * lost[at];
		misses += g->visits[k] * (share + gaps_longer(rate, shape, LAST_TIME));
	}
	return misses;
}

/**
 * gaps_agree() - whether as many visits missed as should, but for chance
 * @g: the visits
 * @expected: how many should miss
 *
 * Return: that.
 */
bool gaps_agree(const struct gaps *g, double expected)
{
	return fabs(expected - g->misses) <= CHANCE * sqrt(fmax(g->misses, expected));
}

/**
 * gaps_shape() - the shape with which as many visits should miss as did
 * @g: the visits
 * @f: the footprints, which has the times
 * @lost: by time, the probability that a line out of use for it is lost
 *
 * Return: the shape; INFINITY if at random times no more should miss, but for chance.
 */
double gaps_shape(const struct gaps *g, const struct footprints *f, const double *lost)
{
	const double random = gaps_expected(g, f, lost, INFINITY);
	double low = log(FIRST_SHAPE), high = log(LAST_SHAPE);
	int step;

	if (random <= g->misses || gaps_agree(g, random))
		return INFINITY;
	for (step = 0; step < STEPS; step++) {
		const double mid = (low + high) / 2;

		if (gaps_expected(g, f, lost, exp(mid)) > g->misses)
			high = mid;
		else
			low = mid;
	}
	return exp(low);
}
