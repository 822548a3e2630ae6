/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * The statistics of docs/explain/statistics.md.  Functions work on arrays, not files; the caller
 * provides the random number generator.  Unknown values are NAN.
 */
#ifndef PAGEALLOC_BENCH_STAT_H
#define PAGEALLOC_BENCH_STAT_H

#include <gsl/gsl_rng.h>
#include <stddef.h>
#include <stdint.h>

/* An estimate and its confidence interval. */
struct interval {
	double estimate, low, high;
};

#define UNKNOWN_INTERVAL	((struct interval){ NAN, NAN, NAN })

/**
 * struct runs - executions of a program and their measurements
 * @n: number of executions
 * @start: n + 1 indexes: execution i has the values from start[i] to before start[i + 1]
 * @y: the values
 */
struct runs {
	size_t n;
	const size_t *start;
	const double *y;
};

/* stat_seed.c */
uint64_t stat_seed(const char *name, uint64_t user);
gsl_rng *stat_rng(const char *name, uint64_t user);

/* stat_mean.c */

#define MAX_LEVELS 4

/**
 * struct tree - values in nested groups
 * @levels: number of levels; 1: values only
 * @y: the values, which are level 0
 * @n: number of elements per level: n[0] values, n[1] groups of them, ...
 * @start: n[i] + 1 indexes: group j of level i has the elements of level i - 1 from
 *	start[i][j] to before start[i][j + 1]
 */
struct tree {
	int levels;
	const double *y;
	size_t n[MAX_LEVELS];
	const size_t *start[MAX_LEVELS];
};

/**
 * struct anova - components of the variance; level 0 is the lowest
 * @levels: number of levels
 * @r: elements of level i per group of level i + 1 (harmonic mean); the total for the highest
 * @s2: variance of the means of level i in their group (S^2 of Kalibera and Jones)
 * @t2: the part of it that comes from level i (T^2); may be negative by chance
 * @mean: mean and its interval, from the means of the highest level
 */
struct anova {
	int levels;
	double r[MAX_LEVELS], s2[MAX_LEVELS], t2[MAX_LEVELS];
	struct interval mean;
};

int stat_anova(const struct tree *tree, double confidence, struct anova *a);
double stat_plan(const struct anova *a, int level, double cost, double cost_above);

/* stat_boot.c */

/* What is resampled: executions with all their values, or also the values in them. */
enum resample { RESAMPLE_RUNS, RESAMPLE_TWO_STAGE };

typedef double (*stat_fn)(const struct runs *runs, const void *ctx);

int stat_bootstrap(const struct runs *runs, enum resample how, stat_fn fn, const void *ctx,
		   gsl_rng *rng, double *t, size_t b);
int stat_jackknife(const struct runs *runs, stat_fn fn, const void *ctx, double *t);
int stat_percentile(double t0, const double *sorted, size_t b, double confidence,
		    struct interval *i);
int stat_bca(double t0, const double *sorted, size_t b, const double *jackknife, size_t n,
	     double confidence, struct interval *i);
double stat_order(const double *sorted, size_t b, double p);

/* stat_cv.c */
double stat_runs_mean(const struct runs *runs, const void *unused);
double stat_cv(const struct runs *runs, const void *unused);
int stat_run_means(const struct runs *runs, double *mean);
int stat_run_cvs(const struct runs *runs, double *cv);

/**
 * struct boot - a bootstrap interval by two methods
 * @percentile: percentile method, as in the paper
 * @bca: bias-corrected and accelerated
 */
struct boot {
	struct interval percentile, bca;
};

int stat_boot(const struct runs *runs, enum resample how, stat_fn fn, const void *ctx,
	      gsl_rng *rng, size_t b, double confidence, struct boot *out);
int stat_boot_cv_in_runs(const struct runs *runs, gsl_rng *rng, size_t b, double confidence,
			 struct boot *out);

/* stat_impact.c */

#define MIN_GROUP 4
#define MAX_GROUP 30
/* With fewer values, resampling with replacement repeats values too often within groups. */
#define MIN_RESAMPLED 10

/**
 * struct impact_how - effort of an impact factor
 * @groups: pairs of groups for the estimate
 * @outer: bootstrap replicates for the interval; 0: no interval
 * @outer_groups: pairs of groups per replicate and per permutation
 * @permutations: permutations for the null; 0: no null
 */
struct impact_how {
	size_t groups, outer, outer_groups, permutations;
	double confidence;
};

/**
 * struct impact - impact factor of non-determinism in execution
 * @factor: mean ratio of standard deviations, with its interval; unknown if too many
 *	groups within executions are constant
 * @resampled: resampling method of the interval; -1: no interval
 * @group: number of measurements in a group, k
 * @constant: share of the groups within executions that are constant
 * @null: the factor if measurements are independent of their execution: mean over
 *	permutations
 * @p: share of permutations with a factor as large (one added to both)
 * @closed_null: the null of independent normal values
 * @anova: sqrt(1 + T2^2 / T1^2)
 */
struct impact {
	struct interval factor;
	int resampled;		/* enum resample */
	size_t group;
	double constant, null, p, closed_null, anova;
};

size_t stat_impact_group(const struct runs *runs);
double stat_impact_null(size_t group);
double stat_impact_factor(const struct runs *runs, size_t group, size_t groups, gsl_rng *rng,
			  double *constant);
int stat_impact(const struct runs *runs, const struct impact_how *how, gsl_rng *rng,
		struct impact *out);

/* stat_rank.c */
int stat_beats(const struct interval *a, const struct interval *b, double min_pct);
void stat_rank(const struct interval *x, size_t n, double min_pct, unsigned int *rank);

/* stat_summary.c */
int stat_geomean(const struct runs *a, const struct runs *b, size_t n, gsl_rng *rng, size_t replicates,
		 double confidence, struct interval *i);
double stat_dkw(size_t n, double confidence);

/* stat_series.c */
int stat_spearman(const double *x, const double *y, size_t n, double confidence,
		  struct interval *rho);
double stat_lag1(const double *y, size_t n);
size_t stat_first_run(const double *y, size_t n);
double stat_first_run_p(size_t length);
double stat_binomial_p(size_t hits, size_t n, double p);

#endif
