// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * The impact factor of non-determinism in execution: how many times more
 * measurements of different executions differ than those of one execution.
 * Hocko and Kalibera 2010, 4.2; Kalibera, Bulej, Tuma 2005.
 *
 * The mean ratio of two standard deviations is above 1 even if executions do not
 * matter, the more so the smaller the groups are.  So it comes with what it
 * would be then: by permutation, for the values at hand, and in closed form for
 * normal ones.
 */
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sf_gamma.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stat.h"

/* With more constant groups than that the clock is too coarse for ratios. */
#define MAX_CONSTANT 0.01

/* Room for groups. */
struct groups {
	size_t *all, *chosen;
	double values[MAX_GROUP];
};

static size_t shortest(const struct runs *runs)
{
	size_t i, min = SIZE_MAX;

	for (i = 0; i < runs->n; i++)
		if (runs->start[i + 1] - runs->start[i] < min)
			min = runs->start[i + 1] - runs->start[i];
	return min;
}

/**
 * stat_impact_group() - how large groups can be
 * @runs: what was measured
 *
 * Return: executions, or measurements in the shortest, but at most MAX_GROUP;
 * or 0 if that is less than MIN_GROUP, where the ratio has no variance.
 */
size_t stat_impact_group(const struct runs *runs)
{
	size_t k = shortest(runs);

	if (k > runs->n)
		k = runs->n;
	if (k > MAX_GROUP)
		k = MAX_GROUP;
	return k < MIN_GROUP ? 0 : k;
}

/**
 * stat_impact_null() - the impact factor of independent normal values
 * @group: values in a group
 *
 * Mean ratio of two independent chi distributed values with group - 1 degrees
 * of freedom each: E[chi] E[1 / chi].
 *
 * Return: it.
 */
double stat_impact_null(size_t group)
{
	double nu = group - 1.0;

	return exp(gsl_sf_lngamma((nu + 1) / 2) + gsl_sf_lngamma((nu - 1) / 2) -
		   2 * gsl_sf_lngamma(nu / 2));
}


static double ratio(const struct runs *runs, size_t k, struct groups *g, gsl_rng *rng)
{
	double between, within;
	size_t i, from, m;

	gsl_ran_choose(rng, g->chosen, k, g->all, runs->n, sizeof(*g->all));
	for (i = 0; i < k; i++) {
		from = g->chosen[i];
		m = runs->start[from + 1] - runs->start[from];
		g->values[i] = runs->y[runs->start[from] + gsl_rng_uniform_int(rng, m)];
	}
	between = gsl_stats_sd(g->values, 1, k);
	from = gsl_rng_uniform_int(rng, runs->n);
	m = runs->start[from + 1] - runs->start[from];
	gsl_ran_choose(rng, g->values, k, (void *)(runs->y + runs->start[from]), m,
		       sizeof(*runs->y));
	within = gsl_stats_sd(g->values, 1, k);
	return within > 0 ? between / within : NAN;
}

static double factor(const struct runs *runs, size_t k, size_t count, struct groups *g, gsl_rng *rng,
		     double *constant)
{
	size_t i, used = 0;
	double sum = 0;

	for (i = 0; i < count; i++) {
		double r = ratio(runs, k, g, rng);

		if (isnan(r))
			continue;
		sum += r;
		used++;
	}
	if (constant)
		*constant = 1 - (double)used / count;
	return used ? sum / used : NAN;
}

static int groups_init(struct groups *g, size_t n)
{
	size_t i;

	g->all = malloc(n * sizeof(*g->all));
	g->chosen = malloc(n * sizeof(*g->chosen));
	for (i = 0; g->all && i < n; i++)
		g->all[i] = i;
	return g->all && g->chosen ? 0 : -1;
}

static void groups_free(struct groups *g)
{
	free(g->all);
	free(g->chosen);
}

/**
 * stat_impact_factor() - the factor alone
 * @runs: what was measured
 * @group: from stat_impact_group()
 * @groups: pairs of groups
 * @rng: chance
 * @constant: where to put the share of groups within executions that are
 *	constant and left out, or NULL
 *
 * Return: the factor, or NAN without memory or if all are constant.
 */
double stat_impact_factor(const struct runs *runs, size_t group, size_t groups, gsl_rng *rng,
			  double *constant)
{
	double f = NAN;
	struct groups g;

	if (!groups_init(&g, runs->n))
		f = factor(runs, group, groups, &g, rng, constant);
	groups_free(&g);
	return f;
}

/* sqrt(1 + T2^2 / T1^2): the same question to the analysis of variance. */
static double impact_anova(const struct runs *runs)
{
	struct tree tree = { .levels = 2, .y = runs->y, .n = { runs->start[runs->n], runs->n },
			     .start = { NULL, runs->start } };
	struct anova a;

	if (stat_anova(&tree, 0.95, &a) || !(a.t2[0] > 0))
		return NAN;
	return sqrt(1 + fmax(a.t2[1], 0) / a.t2[0]);
}

/*
 * What a replicate draws anew, or -1.  Of few measurements in an execution a
 * resample has repeated values, so that a group of them varies too little: the
 * ratios are far too large.  Then measurements stay as they are, and executions
 * alone are resampled (the first strategy of Davison and Hinkley 1997, 3.8), as long
 * as these are not few, too.
 */
static int choose_resample(const struct runs *runs)
{
	if (shortest(runs) >= MIN_RESAMPLED)
		return RESAMPLE_TWO_STAGE;
	return runs->n >= MIN_RESAMPLED ? RESAMPLE_RUNS : -1;
}

struct outer {
	int resampled;
	size_t group, groups;
	struct groups *g;
	gsl_rng *rng;
};

/*
 * Drawn with replacement, n executions have (n - 1) / n of the variance, and
 * m measurements (m - 1) / m; without this the interval would lie too low where n is
 * less than m.
 */
static double replicate(const struct runs *runs, const void *ctx)
{
	const struct outer *o = ctx;
	double n = runs->n, m = shortest(runs), within = o->resampled == RESAMPLE_RUNS ? 1 : (m - 1) / m;

	return factor(runs, o->group, o->groups, o->g, o->rng, NULL) * sqrt(n / (n - 1) * within);
}

static int null(const struct runs *runs, const struct impact_how *how, struct groups *g,
		gsl_rng *rng, struct impact *out)
{
	size_t n = runs->start[runs->n], i, as_large = 0;
	double *y = malloc(n * sizeof(*y)), sum = 0, f;
	struct runs mixed = { runs->n, runs->start, y };

	if (!y)
		return -1;
	memcpy(y, runs->y, n * sizeof(*y));
	for (i = 0; i < how->permutations; i++) {
		gsl_ran_shuffle(rng, y, n, sizeof(*y));
		f = factor(&mixed, out->group, how->outer_groups, g, rng, NULL);
		sum += f;
		as_large += f >= out->factor.estimate;
	}
	out->null = sum / how->permutations;
	out->p = (as_large + 1.0) / (how->permutations + 1.0);
	free(y);
	return 0;
}

/**
 * stat_impact() - the impact factor, its interval and its null
 * @runs: what was measured
 * @how: how hard to try
 * @rng: chance
 * @out: the result
 *
 * The interval is the percentile bootstrap's: executions are resampled, then
 * measurements in them unless they are few, and each time the factor is computed
 * anew.  (Resampling the ratios would give an interval that shrinks with
 * @how->groups.)  Executions and measurements that are both fewer than MIN_RESAMPLED
 * have none, nor has a factor that would be outside of its own.
 *
 * Return: 0, or -1 without memory or with groups below MIN_GROUP.
 */
int stat_impact(const struct runs *runs, const struct impact_how *how, gsl_rng *rng,
		struct impact *out)
{
	struct outer o = { .groups = how->outer_groups, .rng = rng };
	double *t = malloc((how->outer + 1) * sizeof(*t));
	struct groups g;
	int failed = groups_init(&g, runs->n) || !t;

	*out = (struct impact){ .factor = UNKNOWN_INTERVAL, .resampled = -1, .null = NAN, .p = NAN };
	out->group = stat_impact_group(runs);
	if (failed || !out->group) {
		failed = -1;
		goto out;
	}
	out->closed_null = stat_impact_null(out->group);
	out->anova = impact_anova(runs);
	out->factor.estimate = factor(runs, out->group, how->groups, &g, rng, &out->constant);
	if (out->constant > MAX_CONSTANT || isnan(out->factor.estimate)) {
		out->factor = UNKNOWN_INTERVAL;
		goto out;
	}
	o.group = out->group;
	o.g = &g;
	o.resampled = choose_resample(runs);
	if (how->outer && o.resampled >= 0 &&
	    !stat_bootstrap(runs, o.resampled, replicate, &o, rng, t, how->outer)) {
		gsl_sort(t, 1, how->outer);
		if (!stat_percentile(out->factor.estimate, t, how->outer, how->confidence, &out->factor))
			out->resampled = o.resampled;
	}
	if (how->permutations)
		failed = null(runs, how, &g, rng, out);
out:
	groups_free(&g);
	free(t);
	return failed;
}
