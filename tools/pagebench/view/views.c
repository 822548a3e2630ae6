// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Tables of the experiments, a row each: mean, and the three non-determinisms. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "views.h"

static void experiment_columns(struct section *s)
{
	section_column(s, CELL_TEXT, 0, "benchmark");
	section_column(s, CELL_TEXT, 0, "config");
	section_column(s, CELL_TEXT, 0, "strategy");
	section_column(s, CELL_INT, 0, "executions");
	section_column(s, CELL_INT, 0, "measurements");
}

#define EXPERIMENT_CELLS(s)						\
	TEXT_CELL((s)->x->benchmark), TEXT_CELL((s)->x->config),	\
	TEXT_CELL((s)->x->strategy), INT_CELL((s)->runs.n), INT_CELL((s)->shortest)

/* "_s", or nothing for what is counted. */
static const char *unit(const struct evaluation *ev, char *buf, size_t size)
{
	const char *u = ev->results->metrics[ev->metric].unit;

	snprintf(buf, size, strcmp(u, "1") ? "_%s" : "%s", strcmp(u, "1") ? u : "");
	return buf;
}

static double component(double square)
{
	return isnan(square) ? NAN : sqrt(fmax(square, 0));
}

static int view_mean(struct evaluation *ev, const struct view_options *o, struct section *sections,
		     int *nr, char *error, size_t size)
{
	struct section *s = &sections[(*nr)++];
	char u[32];
	size_t i;

	(void)error;
	(void)size;
	section_begin(s, "mean", "Mean of the metric", "low to high: 95 % confidence interval of the mean. "
		      "t over executions: Student's t over the executions' means (analysis of variance), "
		      "boots taken as they were; t over boots: over the boots' means, from 5 boots on; "
		      "percentile: bootstrap over executions. sd_...: where the variation comes from "
		      "(square roots of the variance components; 0 if it came out negative). "
		      "planned_measurements: how many in an execution are worth their cost "
		      "(--cost-ratio; Kalibera and Jones 2013)");
	unit(ev, u, sizeof(u));
	experiment_columns(s);
	section_column(s, CELL_INT, 0, "boots");
	section_column(s, CELL_REAL, SIGNIFICANT(6), "mean%s", u);
	section_column(s, CELL_REAL, SIGNIFICANT(6), "low%s", u);
	section_column(s, CELL_REAL, SIGNIFICANT(6), "high%s", u);
	section_column(s, CELL_REAL, 2, "half_width_pct");
	section_column(s, CELL_TEXT, 0, "method");
	section_column(s, CELL_REAL, SIGNIFICANT(4), "sd_measurement%s", u);
	section_column(s, CELL_REAL, SIGNIFICANT(4), "sd_execution%s", u);
	section_column(s, CELL_REAL, SIGNIFICANT(4), "sd_boot%s", u);
	section_column(s, CELL_INT, 0, "planned_measurements");
	section_ready(s);
	for (i = 0; i < ev->nr_samples; i++) {
		const struct sample *x = &ev->samples[i];
		const struct interval *m = &x->interval[STAT_MEAN];
		double plan = o->cost_ratio > 0 ? ceil(stat_plan(&x->anova, 0, 1, o->cost_ratio)) : NAN;
		struct cell row[] = {
			EXPERIMENT_CELLS(x), INT_CELL(x->nr_boots), known(m->estimate), known(m->low),
			known(m->high),
			m->estimate > 0 ? known((m->high - m->low) / 2 / m->estimate * 100) : NONE_CELL,
			TEXT_CELL(x->mean_method), known(component(x->anova.t2[0])),
			known(component(x->anova.t2[1])),
			x->anova.levels > 2 ? known(component(x->anova.t2[2])) : NONE_CELL,
			isfinite(plan) ? INT_CELL(plan) : NONE_CELL,
		};

		if (table_add(&s->table, row))
			return -1;
	}
	return 0;
}

static void cv_columns(struct section *s)
{
	section_column(s, CELL_REAL, SIGNIFICANT(5), "cv");
	section_column(s, CELL_REAL, SIGNIFICANT(5), "low");
	section_column(s, CELL_REAL, SIGNIFICANT(5), "high");
	section_column(s, CELL_REAL, SIGNIFICANT(5), "low_bca");
	section_column(s, CELL_REAL, SIGNIFICANT(5), "high_bca");
}

#define CV_CELLS(b)								\
	known((b)->percentile.estimate), known((b)->percentile.low),		\
	known((b)->percentile.high), known((b)->bca.low), known((b)->bca.high)

static int none(const struct evaluation *ev, char *error, size_t size)
{
	size_t i;

	for (i = 0; i < ev->nr_samples; i++)
		if (ev->samples[i].several)
			return 0;
	snprintf(error, size, "%s: no experiment has several measurements an execution",
		 ev->results->files[0]);
	return -2;
}

static int view_measurement(struct evaluation *ev, const struct view_options *o,
			    struct section *sections, int *nr, char *error, size_t size)
{
	struct section *s = &sections[*nr];
	size_t i;

	(void)o;
	if (none(ev, error, size))
		return -2;
	++*nr;
	section_begin(s, "measurement", "Non-determinism in measurement: how the measurements of an execution vary",
		      "cv: mean over executions of the standard deviation divided by the mean. "
		      "low to high: its 95 % confidence interval, percentile bootstrap over executions; "
		      "low_bca to high_bca: bias-corrected and accelerated. median_cv: the median execution's");
	experiment_columns(s);
	cv_columns(s);
	section_column(s, CELL_REAL, SIGNIFICANT(5), "median_cv");
	section_ready(s);
	for (i = 0; i < ev->nr_samples; i++) {
		const struct sample *x = &ev->samples[i];
		struct cell row[] = {
			EXPERIMENT_CELLS(x), CV_CELLS(&x->cv[STAT_MEASUREMENT]), known(x->median_cv),
		};

		if (x->several && table_add(&s->table, row))
			return -1;
	}
	return 0;
}

static int view_unclassified(struct evaluation *ev, const struct view_options *o,
			     struct section *sections, int *nr, char *error, size_t size)
{
	struct section *s = &sections[(*nr)++];
	size_t i;

	(void)o;
	(void)error;
	(void)size;
	section_begin(s, "unclassified", "Unclassified non-determinism: how all measurements vary",
		      "cv: standard deviation of all measurements divided by their mean. "
		      "low to high: its 95 % confidence interval, percentile bootstrap over executions, and "
		      "measurements in them (two stages) if there are several; low_bca to high_bca: "
		      "bias-corrected and accelerated. With fewer than 30 executions both cover less than "
		      "95 % (docs/explain/statistics.md)");
	experiment_columns(s);
	cv_columns(s);
	section_column(s, CELL_TEXT, 0, "resampled");
	section_ready(s);
	for (i = 0; i < ev->nr_samples; i++) {
		const struct sample *x = &ev->samples[i];
		struct cell row[] = {
			EXPERIMENT_CELLS(x), CV_CELLS(&x->cv[STAT_UNCLASSIFIED]),
			TEXT_CELL(x->several ? "two stages" : "executions"),
		};

		if (table_add(&s->table, row))
			return -1;
	}
	return 0;
}

static int view_execution(struct evaluation *ev, const struct view_options *o,
			  struct section *sections, int *nr, char *error, size_t size)
{
	struct section *s = &sections[*nr];
	size_t i;

	(void)o;
	if (none(ev, error, size))
		return -2;
	++*nr;
	section_begin(s, "execution", "Non-determinism in execution: impact factor",
		      "impact_factor: mean ratio of the standard deviation of measurements of different "
		      "executions to that of one execution, in groups of so many. low to high: its 95 % "
		      "confidence interval, percentile bootstrap. resampled: executions and measurements in them (two stages), "
		      "or with fewer than 10 measurements executions alone; no interval with fewer than 10 of "
		      "both, or if the factor would be outside of it. "
		      "null: the factor if executions do not matter (measurements permuted among them); "
		      "ratio: factor / null, with the factor's interval; p: share of permutations with a factor as large. "
		      "null_normal: the null of independent normal values. anova_factor: "
		      "sqrt(1 + variance between / within), without interval. constant_pct: groups within executions "
		      "that are constant and left out; above 1 % the clock is too coarse for a factor");
	experiment_columns(s);
	section_column(s, CELL_INT, 0, "group");
	section_column(s, CELL_REAL, SIGNIFICANT(5), "impact_factor");
	section_column(s, CELL_REAL, SIGNIFICANT(5), "low");
	section_column(s, CELL_REAL, SIGNIFICANT(5), "high");
	section_column(s, CELL_TEXT, 0, "resampled");
	section_column(s, CELL_REAL, 4, "null");
	section_column(s, CELL_REAL, SIGNIFICANT(5), "ratio");
	section_column(s, CELL_REAL, SIGNIFICANT(5), "ratio_low");
	section_column(s, CELL_REAL, SIGNIFICANT(5), "ratio_high");
	section_column(s, CELL_REAL, 3, "p");
	section_column(s, CELL_REAL, 4, "null_normal");
	section_column(s, CELL_REAL, SIGNIFICANT(5), "anova_factor");
	section_column(s, CELL_REAL, 2, "constant_pct");
	section_ready(s);
	for (i = 0; i < ev->nr_samples; i++) {
		const struct sample *x = &ev->samples[i];
		const struct impact *f = &x->impact;
		struct cell row[] = {
			EXPERIMENT_CELLS(x), INT_CELL(f->group), known(f->factor.estimate),
			known(f->factor.low), known(f->factor.high),
			f->resampled < 0 ? NONE_CELL :
			TEXT_CELL(f->resampled == RESAMPLE_RUNS ? "executions" : "two stages"), known(f->null),
			known(f->factor.estimate / f->null), known(f->factor.low / f->null),
			known(f->factor.high / f->null), known(f->p), known(f->closed_null),
			known(f->anova), known(100 * f->constant),
		};

		if (x->several && table_add(&s->table, row))
			return -1;
	}
	return 0;
}

#define ALL_STATISTICS	((1 << NR_STATISTICS) - 1)

const struct bench_view bench_views[] = {
	{ "mean", "means, and where their variation comes from", 1 << STAT_MEAN, 0, view_mean },
	{ "measurement", "variation within executions", 1 << STAT_MEASUREMENT, 0, view_measurement },
	{ "unclassified", "variation of all measurements", 1 << STAT_UNCLASSIFIED, 0, view_unclassified },
	{ "execution", "variation between executions: impact factor", 1 << STAT_EXECUTION, 0, view_execution },
	{ "ranking", "strategies by rank, and in pairs", ALL_STATISTICS, 1, view_ranking },
	{ "mindiff", "how often first, if differences must be large", ALL_STATISTICS, 1, view_mindiff },
	{ "summary", "mean change over all, best and worst cases", ALL_STATISTICS, 1, view_summary },
	{ "correlation", "rank correlation of the metric and cache misses", 0, 0, view_correlation },
	{ "checks", "order, warm-up and drift: can the others be trusted?", 0, 0, view_checks },
	{ NULL },
};

/**
 * bench_view_find() - a view by its name
 * @name: of a view
 *
 * Return: the view, or NULL.
 */
const struct bench_view *bench_view_find(const char *name)
{
	const struct bench_view *v;

	for (v = bench_views; v->name; v++)
		if (!strcmp(v->name, name))
			return v;
	return NULL;
}
