// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * From results to statistics.  What is too small or has holes is refused as a
 * whole: a table with some of the experiments would be read as one of all.
 */
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evaluate.h"

const char * const statistic_names[NR_STATISTICS] = {
	"mean", "measurement", "unclassified", "execution",
};

static int by_boot(const void *a, const void *b)
{
	const struct execution *x = *(struct execution **)a, *y = *(struct execution **)b;

	if (x->boot != y->boot)
		return x->boot < y->boot ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* "raw.csv:12: fft n=64 default: " */
static int refuse(const struct experiment *x, const struct execution *e, char *error, size_t size)
{
	return snprintf(error, size, "%s:%ld: %s %s%s%s: ", e->file, e->last_line, x->benchmark,
			x->config, *x->config ? " " : "", x->strategy);
}

static int sample_fill(struct sample *s, const struct results *r, struct execution **order,
		       size_t metric, char *error, size_t size)
{
	size_t i, j, n = 0, longest = 0;

	s->shortest = SIZE_MAX;
	for (i = 0; i < s->x->nr; i++) {
		const struct series *values = execution_series(order[i], metric);

		if (!values) {
			int at = refuse(s->x, order[i], error, size);

			snprintf(error + at, size - at, "no %s in execution %u", r->metrics[metric].name,
				 order[i]->number);
			return -1;
		}
		if (!i || order[i]->boot != order[i - 1]->boot)
			s->boot_start[s->nr_boots++] = i;
		s->start[i] = n;
		for (j = 0; j < values->nr; j++)
			if (!order[i]->warmup[j])
				s->y[n++] = values->value[j];
		if (n - s->start[i] < s->shortest)
			s->shortest = n - s->start[i];
		if (n - s->start[i] > longest)
			longest = n - s->start[i];
	}
	s->start[i] = n;
	s->boot_start[s->nr_boots] = i;
	s->several = longest > 1;
	s->runs = (struct runs){ i, s->start, s->y };
	if (s->shortest && (s->shortest > 1 || longest == 1))
		return 0;
	i = refuse(s->x, order[0], error, size);
	snprintf(error + i, size - i, s->shortest ?
		 "an execution has one measurement after the warm-up, another has %zu" :
		 "an execution has no measurement after the warm-up", longest);
	return -1;
}

/**
 * sample_init() - the values of a metric in an experiment
 * @s: free it with sample_free(), also after a failure
 * @r: the results
 * @x: one of its experiments
 * @metric: number of the metric
 * @error: what is missing
 * @size: room there
 *
 * Return: 0, or -1 with a message in @error.
 */
int sample_init(struct sample *s, const struct results *r, const struct experiment *x, size_t metric,
		char *error, size_t size)
{
	struct execution **order;
	size_t i, n = 0;
	int failed;

	memset(s, 0, sizeof(*s));
	s->x = x;
	s->median_cv = NAN;
	for (i = 0; i < NR_STATISTICS; i++)
		s->interval[i] = UNKNOWN_INTERVAL;
	for (i = 0; i < x->nr; i++)
		n += x->executions[i]->nr;
	s->y = malloc((n + 1) * sizeof(*s->y));
	s->start = malloc((x->nr + 1) * sizeof(*s->start));
	s->boot_start = malloc((x->nr + 1) * sizeof(*s->boot_start));
	order = malloc((x->nr + 1) * sizeof(*order));
	if (!s->y || !s->start || !s->boot_start || !order) {
		free(order);
		snprintf(error, size, "no memory left");
		return -1;
	}
	memcpy(order, x->executions, x->nr * sizeof(*order));
	qsort(order, x->nr, sizeof(*order), by_boot);
	failed = sample_fill(s, r, order, metric, error, size);
	free(order);
	return failed;
}

/**
 * sample_free() - free a sample
 * @s: from sample_init()
 */
void sample_free(struct sample *s)
{
	free(s->y);
	free(s->start);
	free(s->boot_start);
}

static int strategy_find(const struct evaluation *ev, const char *name)
{
	size_t i;

	for (i = 0; i < ev->nr_strategies; i++)
		if (!strcmp(ev->strategies[i], name))
			return i;
	return -1;
}

static int strategy_add(struct evaluation *ev, const char *name, size_t length)
{
	char **more = realloc(ev->strategies, (ev->nr_strategies + 1) * sizeof(*more));

	if (!more)
		return -1;
	ev->strategies = more;
	more[ev->nr_strategies] = strndup(name, length);
	return more[ev->nr_strategies] && ++ev->nr_strategies ? 0 : -1;
}

static int by_strategy(const void *a, const void *b)
{
	const char *x = *(char **)a, *y = *(char **)b;

	if (!strcmp(x, "default") || !strcmp(y, "default"))
		return !strcmp(y, "default") - !strcmp(x, "default");
	return strcmp(x, y);
}

/* Those the user names, or all. */
static int choose_strategies(struct evaluation *ev, const char *list, char *error, size_t size)
{
	const struct results *r = ev->results;
	size_t i, j, n;

	for (; list; list = list[n] ? list + n + 1 : NULL) {
		n = strcspn(list, ",");
		if (strategy_add(ev, list, n))
			goto no_memory;
		for (i = 0; i < r->nr_experiments; i++)
			if (!strcmp(r->experiments[i].strategy, ev->strategies[ev->nr_strategies - 1]))
				break;
		for (j = 0; j + 1 < ev->nr_strategies; j++)
			if (!strcmp(ev->strategies[j], ev->strategies[ev->nr_strategies - 1]))
				i = r->nr_experiments;
		if (i < r->nr_experiments)
			continue;
		snprintf(error, size, "%s: strategy %s: not in it, or named twice", r->files[0],
			 ev->strategies[ev->nr_strategies - 1]);
		return -1;
	}
	if (ev->nr_strategies)
		return 0;
	for (i = 0; i < r->nr_experiments; i++) {
		const char *name = r->experiments[i].strategy;

		if (strategy_find(ev, name) < 0 && strategy_add(ev, name, strlen(name)))
			goto no_memory;
	}
	qsort(ev->strategies, ev->nr_strategies, sizeof(*ev->strategies), by_strategy);
	return 0;
no_memory:
	snprintf(error, size, "no memory left");
	return -1;
}

/* All that are too small, as far as there is room. */
static int too_small(const struct evaluation *ev, char *error, size_t size)
{
	const struct results *r = ev->results;
	size_t i, n = 0, nr = 0, shown = 0;
	char *list;

	for (i = 0; i < r->nr_experiments; i++) {
		const struct experiment *x = &r->experiments[i];

		if (strategy_find(ev, x->strategy) < 0 || x->nr >= MIN_EXECUTIONS)
			continue;
		if (nr++ && n > size / 2)
			continue;
		n += snprintf(error + n, size - n, "%s%s %s%s%s: %zu", shown++ ? "; " : "", x->benchmark,
			      x->config, *x->config ? " " : "", x->strategy, x->nr);
		n = n < size ? n : size - 1;
	}
	if (!nr)
		return 0;
	list = strndup(error, n);
	snprintf(error, size, "%s: too few executions that ended, at least %d are needed: %s%s",
		 r->files[0], MIN_EXECUTIONS, list ? list : "", shown < nr ? "; ..." : "");
	free(list);
	return -1;
}

static int make_cells(struct evaluation *ev)
{
	size_t i, j;

	ev->cells = malloc((ev->nr_samples * ev->nr_strategies + 1) * sizeof(*ev->cells));
	if (!ev->cells)
		return -1;
	/* Samples are in order: those of a cell are side by side. */
	for (i = 0; i < ev->nr_samples; i++) {
		const struct experiment *x = ev->samples[i].x, *y = i ? ev->samples[i - 1].x : NULL;

		if (!y || strcmp(x->benchmark, y->benchmark) || strcmp(x->config, y->config)) {
			for (j = 0; j < ev->nr_strategies; j++)
				ev->cells[ev->nr_cells * ev->nr_strategies + j] = -1;
			ev->nr_cells++;
		}
		ev->cells[(ev->nr_cells - 1) * ev->nr_strategies + strategy_find(ev, x->strategy)] = i;
	}
	return 0;
}

/**
 * no_metric() - say that there is no such metric, and which are there
 * @r: the results
 * @metric: its name
 * @file: its name comes first; may be NULL
 * @error: set to that
 * @size: of @error
 */
void no_metric(const struct results *r, const char *metric, const char *file, char *error, size_t size)
{
	size_t i, n = snprintf(error, size, "%s%sno metric %s, but", file ? file : "", file ? ": " : "", metric);

	for (i = 0; i < r->nr_metrics && n < size; i++)
		n += snprintf(error + n, size - n, "%s %s", i ? "," : "", r->metrics[i].name);
}

/**
 * evaluation_init() - what is to be evaluated
 * @ev: free it with evaluation_free(), also after a failure
 * @r: the results, must outlive it
 * @metric: its name
 * @strategies: with commas between them, the one that others are compared with first; or
 *	NULL for all
 * @effort: how much chance
 * @error: what is missing
 * @size: room there
 *
 * Return: 0, or -1 with a message in @error.
 */
int evaluation_init(struct evaluation *ev, const struct results *r, const char *metric,
		    const char *strategies, const struct effort *effort, char *error, size_t size)
{
	int number = results_metric(r, metric);
	size_t i;

	memset(ev, 0, sizeof(*ev));
	ev->results = r;
	ev->effort = *effort;
	if (number < 0) {
		no_metric(r, metric, r->files[0], error, size);
		return -1;
	}
	ev->metric = number;
	if (choose_strategies(ev, strategies, error, size) || too_small(ev, error, size))
		return -1;
	ev->samples = calloc(r->nr_experiments + 1, sizeof(*ev->samples));
	for (i = 0; ev->samples && i < r->nr_experiments; i++) {
		if (strategy_find(ev, r->experiments[i].strategy) < 0)
			continue;
		if (sample_init(&ev->samples[ev->nr_samples++], r, &r->experiments[i], number, error, size))
			return -1;
	}
	if (ev->samples && !make_cells(ev))
		return 0;
	snprintf(error, size, "no memory left");
	return -1;
}

/**
 * evaluation_cells() - can strategies be compared?
 * @ev: the evaluation
 * @error: what is missing
 * @size: room there
 *
 * Return: 0, or -1 with a message in @error if a strategy is missing somewhere, or
 * there is one only, or measurements are of one kind here and of another there.
 */
int evaluation_cells(const struct evaluation *ev, char *error, size_t size)
{
	const char *file = ev->results->files[0];
	size_t c, s;

	if (ev->nr_strategies < 2) {
		snprintf(error, size, "%s: one strategy (%s): nothing to compare", file,
			 ev->strategies[0]);
		return -1;
	}
	for (c = 0; c < ev->nr_cells; c++) {
		const struct experiment *x = NULL;

		for (s = 0; s < ev->nr_strategies; s++)
			if (ev->cells[c * ev->nr_strategies + s] >= 0)
				x = cell_sample(ev, c, s)->x;
		for (s = 0; s < ev->nr_strategies; s++) {
			if (ev->cells[c * ev->nr_strategies + s] < 0) {
				snprintf(error, size, "%s: %s %s has no strategy %s, others have (see --strategies)",
					 file, x->benchmark, x->config, ev->strategies[s]);
				return -1;
			}
			if (cell_sample(ev, c, s)->several == cell_sample(ev, c, 0)->several)
				continue;
			snprintf(error, size, "%s: %s %s: one measurement an execution with %s, several with another strategy",
				 file, x->benchmark, x->config,
				 ev->strategies[cell_sample(ev, c, s)->several ? 0 : s]);
			return -1;
		}
	}
	return 0;
}

/**
 * evaluation_rng() - chance for a statistic, of a seed of its own
 * @ev: the evaluation
 * @s: the experiment it is about, or NULL
 * @statistic: its name
 *
 * Return: free it with gsl_rng_free(); or NULL without memory.
 */
gsl_rng *evaluation_rng(const struct evaluation *ev, const struct sample *s, const char *statistic)
{
	const char *suite = results_setting(ev->results, "suite");
	gsl_rng *rng = NULL;
	char *name;

	if (asprintf(&name, "%s|%s|%s|%s|%s %s", suite, s ? s->x->benchmark : "", s ? s->x->config : "",
		     s ? s->x->strategy : "", ev->results->metrics[ev->metric].name, statistic) < 0)
		return NULL;
	rng = stat_rng(name, ev->effort.seed);
	free(name);
	return rng;
}

/* Single measurements: the bootstrap; several: analysis of variance. */
static int evaluate_mean(struct evaluation *ev, struct sample *s, gsl_rng *rng)
{
	struct tree tree = { 2, s->y, { s->start[s->runs.n], s->runs.n, s->nr_boots },
			     { NULL, s->start, s->boot_start } };
	struct boot boot;

	/* With one execution each, the variances of boots and executions cannot be separated. */
	if (s->nr_boots > 1 && s->nr_boots < s->runs.n)
		tree.levels = 3;
	if (stat_anova(&tree, CONFIDENCE, &s->anova))
		return -1;
	s->interval[STAT_MEAN] = s->anova.mean;
	s->mean_method = "t over boots";
	if (tree.levels == 3 && s->nr_boots >= MIN_BOOTS)
		return 0;
	if (s->several) {
		struct anova executions;

		tree.levels = 2;
		s->mean_method = "t over executions";
		if (stat_anova(&tree, CONFIDENCE, &executions))
			return -1;
		s->interval[STAT_MEAN] = executions.mean;
		return 0;
	}
	s->mean_method = "percentile";
	if (stat_boot(&s->runs, RESAMPLE_RUNS, stat_runs_mean, NULL, rng, ev->effort.replicates,
		      CONFIDENCE, &boot))
		return -1;
	s->interval[STAT_MEAN] = boot.percentile;
	return 0;
}

static void evaluate_measurement(struct evaluation *ev, struct sample *s, gsl_rng *rng)
{
	double *cvs = malloc(s->runs.n * sizeof(*cvs));

	if (!stat_boot_cv_in_runs(&s->runs, rng, ev->effort.replicates, CONFIDENCE,
				  &s->cv[STAT_MEASUREMENT]) &&
	    cvs && !stat_run_cvs(&s->runs, cvs)) {
		gsl_sort(cvs, 1, s->runs.n);
		s->median_cv = gsl_stats_median_from_sorted_data(cvs, 1, s->runs.n);
	}
	free(cvs);
	s->interval[STAT_MEASUREMENT] = s->cv[STAT_MEASUREMENT].percentile;
}

static int evaluate_execution(struct evaluation *ev, struct sample *s, gsl_rng *rng)
{
	size_t outer = ev->effort.replicates < 999 ? ev->effort.replicates : 999;
	struct impact_how how = { ev->effort.groups, outer, ev->effort.groups / 8 + 1, 199, CONFIDENCE };

	if (stat_impact(&s->runs, &how, rng, &s->impact))
		return -1;
	s->interval[STAT_EXECUTION] = s->impact.factor;
	return 0;
}

static int evaluate_sample(struct evaluation *ev, struct sample *s, enum statistic what)
{
	gsl_rng *rng = evaluation_rng(ev, s, statistic_names[what]);
	int failed = 0;

	if (!rng)
		return -1;
	switch (what) {
	case STAT_MEAN:
		failed = evaluate_mean(ev, s, rng);
		break;
	case STAT_MEASUREMENT:
		if (s->several)
			evaluate_measurement(ev, s, rng);
		break;
	case STAT_UNCLASSIFIED:
		stat_boot(&s->runs, s->several ? RESAMPLE_TWO_STAGE : RESAMPLE_RUNS, stat_cv, NULL, rng,
			  ev->effort.replicates, CONFIDENCE, &s->cv[what]);
		s->interval[what] = s->cv[what].percentile;
		break;
	default:
		if (s->several)
			failed = evaluate_execution(ev, s, rng);
	}
	gsl_rng_free(rng);
	return failed;
}

/**
 * evaluate() - compute statistics
 * @ev: the evaluation
 * @statistics: bits, 1 << enum statistic; what is done already is not done again
 * @error: what is missing
 * @size: room there
 *
 * What cannot be known of an experiment stays unknown; too small groups for an
 * impact factor are refused.
 *
 * Return: 0, or -1 with a message in @error.
 */
int evaluate(struct evaluation *ev, unsigned int statistics, char *error, size_t size)
{
	size_t i;
	int s, at;

	for (i = 0; i < ev->nr_samples && statistics & 1 << STAT_EXECUTION; i++) {
		const struct sample *sample = &ev->samples[i];

		if (!sample->several || stat_impact_group(&sample->runs))
			continue;
		at = refuse(sample->x, sample->x->executions[0], error, size);
		snprintf(error + at, size - at,
			 "an execution has %zu measurements after the warm-up, an impact factor needs %d",
			 sample->shortest, MIN_GROUP);
		return -1;
	}
	for (s = 0; s < NR_STATISTICS; s++) {
		if (!(statistics & ~ev->done & 1 << s))
			continue;
		for (i = 0; i < ev->nr_samples; i++) {
			if (!evaluate_sample(ev, &ev->samples[i], s))
				continue;
			snprintf(error, size, "no memory left");
			return -1;
		}
		ev->done |= 1 << s;
	}
	return 0;
}

/**
 * evaluation_free() - free an evaluation
 * @ev: from evaluation_init()
 */
void evaluation_free(struct evaluation *ev)
{
	size_t i;

	for (i = 0; i < ev->nr_samples; i++)
		sample_free(&ev->samples[i]);
	for (i = 0; i < ev->nr_strategies; i++)
		free(ev->strategies[i]);
	free(ev->samples);
	free(ev->strategies);
	free(ev->cells);
}
