/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Evaluates results: statistics per experiment, and for comparing strategies. */
#ifndef PAGEALLOC_BENCH_EVALUATE_H
#define PAGEALLOC_BENCH_EVALUATE_H

#include "pagebench/results/results.h"
#include "pagebench/stat/stat.h"

/* Minimal number of executions for an interval. */
#define MIN_EXECUTIONS 5
/* With fewer, intervals of variation cover less than their confidence level. */
#define GOOD_EXECUTIONS 30
/* From this number of boots on, the mean's interval is computed from boots. */
#define MIN_BOOTS 5

#define CONFIDENCE 0.95

enum statistic { STAT_MEAN, STAT_MEASUREMENT, STAT_UNCLASSIFIED, STAT_EXECUTION, NR_STATISTICS };

extern const char * const statistic_names[NR_STATISTICS];

/**
 * struct effort - effort of the random methods
 * @seed: the user's seed
 * @replicates: bootstrap replicates
 * @groups: pairs of groups for an impact factor
 */
struct effort {
	uint64_t seed;
	size_t replicates, groups;
};

#define DEFAULT_EFFORT	((struct effort){ 1, 9999, 2000 })

/**
 * struct sample - a metric of an experiment, without the warm-up
 * @x: the experiment
 * @runs: executions by boot, then by number; @y and @start are its memory
 * @boot_start: index of each boot's first execution
 * @nr_boots: number of boots
 * @shortest: smallest number of measurements of an execution
 * @several: executions have several measurements
 * @interval: intervals that ranks derive from; unknown until evaluated
 * @anova: with boots as highest level if there are several
 * @mean_method: how the mean's interval was made
 * @cv: in measurement, and unclassified
 * @median_cv: in measurement
 * @impact: non-determinism in execution
 */
struct sample {
	const struct experiment *x;
	struct runs runs;
	double *y;
	size_t *start, *boot_start;
	size_t nr_boots, shortest;
	int several;
	struct interval interval[NR_STATISTICS];
	struct anova anova;
	const char *mean_method;
	struct boot cv[NR_STATISTICS];
	double median_cv;
	struct impact impact;
};

/**
 * struct evaluation - a metric of all experiments
 * @strategies: default first, the others by name; or in the user's order
 * @cells: for each benchmark and configuration, the index of each strategy's sample;
 *	-1: none
 * @done: bit mask of the evaluated statistics
 */
struct evaluation {
	const struct results *results;
	size_t metric;
	struct effort effort;
	struct sample *samples;
	size_t nr_samples;
	char **strategies;
	size_t nr_strategies;
	long *cells;
	size_t nr_cells;
	unsigned int done;
};

void no_metric(const struct results *r, const char *metric, const char *file, char *error, size_t size);
int evaluation_init(struct evaluation *ev, const struct results *r, const char *metric,
		    const char *strategies, const struct effort *effort, char *error, size_t size);
int evaluation_cells(const struct evaluation *ev, char *error, size_t size);
int evaluate(struct evaluation *ev, unsigned int statistics, char *error, size_t size);
gsl_rng *evaluation_rng(const struct evaluation *ev, const struct sample *s, const char *statistic);
void evaluation_free(struct evaluation *ev);
int sample_init(struct sample *s, const struct results *r, const struct experiment *x, size_t metric,
		char *error, size_t size);
void sample_free(struct sample *s);

/* The sample of a cell and strategy. */
static inline struct sample *cell_sample(const struct evaluation *ev, size_t cell, size_t strategy)
{
	return &ev->samples[ev->cells[cell * ev->nr_strategies + strategy]];
}

#endif
