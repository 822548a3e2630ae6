// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Tables about pairs and orders: time and misses, warm-up, drift. */
#include <ctype.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "views.h"

/* First runs of this length are unlikely in random order: 1 of 32. */
#define SUSPECT_RUN 6
/* So many executions with one are unlikely: the warm-up was too short. */
#define SUSPECT_P 0.01

/**
 * misses_metric() - the metric that counts misses
 * @r: the results
 * @requested: its name, or NULL for the last level's: of modelled caches, else of the processor's counter
 *
 * Return: its name, or NULL if there is none.
 */
const char *misses_metric(const struct results *r, const char *requested)
{
	const char *last = NULL;
	size_t i;

	if (requested)
		return results_metric(r, requested) < 0 ? NULL : requested;
	for (i = 0; i < r->nr_metrics; i++) {
		const char *name = r->metrics[i].name;

		if (name[0] == 'L' && isdigit((unsigned char)name[1]) && !strcmp(name + 2, "_misses") &&
		    (!last || strcmp(name, last) > 0))
			last = name;
	}
	return last || results_metric(r, "LLC_misses") < 0 ? last : "LLC_misses";
}

/**
 * misses_missing() - there is no metric of misses
 * @r: the results
 * @requested: as for misses_metric()
 * @file: its name comes first; may be NULL
 * @error: set to what is missing, and what is there
 * @size: of @error
 */
void misses_missing(const struct results *r, const char *requested, const char *file, char *error, size_t size)
{
	size_t n;

	no_metric(r, requested ? requested : "L1_misses, L2_misses, ... or LLC_misses", file, error, size);
	n = strlen(error);
	snprintf(error + n, size - n, " (see pagealloc bench model)");
}

static int add_correlation(struct section *s, const char *benchmark, const char *config,
			   const char *strategy, const double *x, const double *y, size_t n)
{
	struct interval rho;
	struct cell row[7];

	stat_spearman(x, y, n, CONFIDENCE, &rho);
	memcpy(row, (struct cell[]){ TEXT_CELL(benchmark), TEXT_CELL(config), TEXT_CELL(strategy),
				     INT_CELL(n), known(rho.estimate), known(rho.low),
				     known(rho.high) }, sizeof(row));
	return table_add(&s->table, row);
}

/* Means of executions: of each strategy, and of all in a cell. */
static int cell_correlation(struct evaluation *ev, struct section *s, size_t cell, int metric,
			    double *x, double *y, char *error, size_t size)
{
	const struct experiment *e = NULL;
	size_t n = 0, i, strategies = 0;
	struct sample misses;

	for (i = 0; i < ev->nr_strategies; i++) {
		const struct sample *time;
		size_t from = n;
		int failed;

		if (ev->cells[cell * ev->nr_strategies + i] < 0)
			continue;
		time = cell_sample(ev, cell, i);
		e = time->x;
		failed = sample_init(&misses, ev->results, e, metric, error, size);
		if (!failed) {
			stat_run_means(&time->runs, x + n);
			stat_run_means(&misses.runs, y + n);
			n += time->runs.n;
			strategies++;
		}
		sample_free(&misses);
		if (failed)
			return -2;
		if (add_correlation(s, e->benchmark, e->config, e->strategy, x + from, y + from, n - from))
			return -1;
	}
	return strategies > 1 ? add_correlation(s, e->benchmark, e->config, "(all)", x, y, n) : 0;
}

int view_correlation(struct evaluation *ev, const struct view_options *o, struct section *sections,
		     int *nr, char *error, size_t size)
{
	const char *name = misses_metric(ev->results, o->misses);
	struct section *s = &sections[*nr];
	size_t total = 0, c;
	double *x, *y;
	int failed = 0;

	if (!name) {
		misses_missing(ev->results, o->misses, ev->results->files[0], error, size);
		return -2;
	}
	++*nr;
	for (c = 0; c < ev->nr_samples; c++)
		total += ev->samples[c].runs.n;
	x = malloc((total + 1) * sizeof(*x));
	y = malloc((total + 1) * sizeof(*y));
	section_begin(s, "correlation", "Rank correlation of the metric and cache misses",
		      "rho: Spearman's, of the executions' means. low to high: its 95 % confidence interval "
		      "(Bonett and Wright 2000). (all): executions of all strategies together");
	section_column(s, CELL_TEXT, 0, "benchmark");
	section_column(s, CELL_TEXT, 0, "config");
	section_column(s, CELL_TEXT, 0, "strategy");
	section_column(s, CELL_INT, 0, "executions");
	section_column(s, CELL_REAL, 3, "rho_%.40s", name);
	section_column(s, CELL_REAL, 3, "low");
	section_column(s, CELL_REAL, 3, "high");
	section_ready(s);
	failed = !x || !y ? -1 : 0;
	for (c = 0; c < ev->nr_cells && !failed; c++)
		failed = cell_correlation(ev, s, c, results_metric(ev->results, name), x, y, error, size);
	free(x);
	free(y);
	return failed;
}

/* Mean autocorrelation, and how many executions begin with a long run. */
static int add_order(struct evaluation *ev, struct section *s, const struct sample *x)
{
	size_t *ones = malloc((x->runs.n + 1) * sizeof(*ones)), i, n = 0, suspects = 0;
	double *lags = malloc(x->runs.n * sizeof(*lags)), expected = 0, p;
	gsl_rng *rng = evaluation_rng(ev, x, "lag1");
	struct boot boot = { UNKNOWN_INTERVAL, UNKNOWN_INTERVAL };
	int failed = !ones || !lags || !rng;

	for (i = 0; !failed && i < x->runs.n; i++) {
		const double *y = x->y + x->start[i];
		size_t m = x->start[i + 1] - x->start[i];
		double lag = stat_lag1(y, m);

		suspects += stat_first_run(y, m) >= SUSPECT_RUN;
		if (isnan(lag))
			continue;
		ones[n] = n;
		expected -= 1.0 / m;
		lags[n++] = lag;
	}
	if (!failed) {
		ones[n] = n;
		if (n >= MIN_EXECUTIONS)
			stat_boot(&(struct runs){ n, ones, lags }, RESAMPLE_RUNS, stat_runs_mean, NULL, rng,
				  ev->effort.replicates, CONFIDENCE, &boot);
		p = stat_binomial_p(suspects, x->runs.n, stat_first_run_p(SUSPECT_RUN));
		struct cell row[] = {
			TEXT_CELL(x->x->benchmark), TEXT_CELL(x->x->config), TEXT_CELL(x->x->strategy),
			INT_CELL(x->runs.n), INT_CELL(x->shortest), known(boot.percentile.estimate),
			known(boot.percentile.low), known(boot.percentile.high),
			n ? known(expected / n) : NONE_CELL,
			x->shortest < 2 * SUSPECT_RUN ? NONE_CELL : INT_CELL(suspects),
			x->shortest < 2 * SUSPECT_RUN ? NONE_CELL : known(p),
			TEXT_CELL(x->shortest < 2 * SUSPECT_RUN ? "too few" : p < SUSPECT_P ? "too short" : "fine"),
		};

		failed = table_add(&s->table, row);
	}
	if (rng)
		gsl_rng_free(rng);
	free(ones);
	free(lags);
	return failed ? -1 : 0;
}

/* The canary of a boot: rank correlation with time, and its first third against its last. */
static int add_drift(struct section *s, const struct execution * const *runs, size_t n, size_t metric)
{
	double *at = malloc(n * sizeof(*at)), *y = malloc(n * sizeof(*y)), first, last;
	size_t i, used = 0, third;
	struct interval rho = UNKNOWN_INTERVAL;
	int failed = !at || !y, sorted;

	for (i = 0; !failed && i < n; i++) {
		const struct series *values = execution_series(runs[i], metric);

		if (!values)
			continue;
		at[used] = used;
		y[used++] = gsl_stats_mean(values->value, 1, values->nr);
	}
	if (!failed && used) {
		stat_spearman(at, y, used, CONFIDENCE, &rho);
		/* No interval, but so are by chance 2 of the n! orders: of 5 values, less than 1 of 20. */
		sorted = fabs(rho.estimate) > 1 - 1e-12;
		third = (used + 2) / 3;
		gsl_sort(y, 1, third);
		gsl_sort(y + used - third, 1, third);
		first = gsl_stats_median_from_sorted_data(y, 1, third);
		last = gsl_stats_median_from_sorted_data(y + used - third, 1, third);
		struct cell row[] = {
			INT_CELL(runs[0]->boot), INT_CELL(used), known(rho.estimate), known(rho.low),
			known(rho.high), used < MIN_EXECUTIONS ? NONE_CELL : known(100 * (last / first - 1)),
			TEXT_CELL(used < MIN_EXECUTIONS || (isnan(rho.low) && !sorted) ? "not known" :
				  sorted || rho.low > 0 || rho.high < 0 ? "drifts" : "fine"),
		};

		failed = table_add(&s->table, row);
	}
	free(at);
	free(y);
	return failed ? -1 : 0;
}

int view_checks(struct evaluation *ev, const struct view_options *o, struct section *sections,
		int *nr, char *error, size_t size)
{
	const struct experiment *canary = &ev->results->canary;
	struct section *s = &sections[(*nr)++];
	size_t i, from;
	int metric;

	(void)o;
	(void)error;
	(void)size;
	section_begin(s, "order", "Order of the measurements in executions",
		      "lag1: mean over executions of the autocorrelation of lag 1; low to high: its 95 % confidence "
		      "interval, percentile bootstrap over executions; lag1_random: its mean in random order. "
		      "long_first_runs: executions whose first 6 measurements are on one side of the median, p: the "
		      "probability of so many or more in random order. warmup: too short if p is below 0.01");
	section_column(s, CELL_TEXT, 0, "benchmark");
	section_column(s, CELL_TEXT, 0, "config");
	section_column(s, CELL_TEXT, 0, "strategy");
	section_column(s, CELL_INT, 0, "executions");
	section_column(s, CELL_INT, 0, "measurements");
	section_column(s, CELL_REAL, 3, "lag1");
	section_column(s, CELL_REAL, 3, "low");
	section_column(s, CELL_REAL, 3, "high");
	section_column(s, CELL_REAL, 3, "lag1_random");
	section_column(s, CELL_INT, 0, "long_first_runs");
	section_column(s, CELL_REAL, SIGNIFICANT(3), "p");
	section_column(s, CELL_TEXT, 0, "warmup");
	section_ready(s);
	for (i = 0; i < ev->nr_samples; i++)
		if (ev->samples[i].several && add_order(ev, s, &ev->samples[i]))
			return -1;
	/* The only metric of a canary. */
	metric = results_metric(ev->results, "wall_time");
	if (!canary->nr || metric < 0)
		return 0;
	s = &sections[(*nr)++];
	section_begin(s, "drift", "Drift of the machine: the canary of each boot",
		      "rho: Spearman's correlation of the canary with its place in the order; low to high: its 95 % "
		      "confidence interval (Bonett and Wright 2000), which 1 and -1 do not have. drifts: the interval does "
		      "not hold 0, or rho is 1 or -1, which 1 of 20 steady boots shows by chance. change_pct: median of the last third against the first");
	section_column(s, CELL_INT, 0, "boot");
	section_column(s, CELL_INT, 0, "runs");
	section_column(s, CELL_REAL, 3, "rho");
	section_column(s, CELL_REAL, 3, "low");
	section_column(s, CELL_REAL, 3, "high");
	section_column(s, CELL_REAL, 2, "change_pct");
	section_column(s, CELL_TEXT, 0, "machine");
	section_ready(s);
	for (i = from = 0; i < canary->nr; i++) {
		if (i + 1 < canary->nr && canary->executions[i + 1]->boot == canary->executions[i]->boot)
			continue;
		if (add_drift(s, (const struct execution * const *)canary->executions + from, i + 1 - from,
			      metric))
			return -1;
		from = i + 1;
	}
	return 0;
}
