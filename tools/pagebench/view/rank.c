// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Tables that compare strategies over all experiments: the paper's Figures 4 to 8. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "views.h"

/* Is a statistic one of this kind of benchmarks?  Some are of several measurements only. */
static int applies(const struct evaluation *ev, enum statistic statistic, int several)
{
	size_t c;

	if (!(ev->done & 1 << statistic) ||
	    (!several && (statistic == STAT_MEASUREMENT || statistic == STAT_EXECUTION)))
		return 0;
	for (c = 0; c < ev->nr_cells; c++)
		if (cell_sample(ev, c, 0)->several == several)
			return 1;
	return 0;
}

/* The intervals of a cell; 0 if one is not known, or it is of the other kind. */
static int cell_intervals(const struct evaluation *ev, size_t cell, enum statistic statistic,
			  int several, struct interval *x, size_t *left_out)
{
	size_t s;

	if (cell_sample(ev, cell, 0)->several != several)
		return 0;
	for (s = 0; s < ev->nr_strategies; s++) {
		x[s] = cell_sample(ev, cell, s)->interval[statistic];
		if (isnan(x[s].low)) {
			++*left_out;
			return 0;
		}
	}
	return 1;
}

/**
 * rank_shares() - how often each strategy has each rank
 * @ev: evaluated
 * @statistic: which
 * @several: of benchmarks with several measurements an execution, or with one
 * @min_pct: as for stat_beats()
 * @share: percent, for each strategy for each rank
 * @left_out: cells with a strategy whose statistic is not known
 *
 * Return: number of cells that were ranked, or -1 without memory.
 */
double rank_shares(const struct evaluation *ev, enum statistic statistic, int several, double min_pct,
		   double *share, size_t *left_out)
{
	size_t n = ev->nr_strategies, c, s, cells = 0;
	struct interval *x = malloc(n * sizeof(*x));
	unsigned int *rank = malloc(n * sizeof(*rank));

	*left_out = 0;
	memset(share, 0, n * n * sizeof(*share));
	for (c = 0; x && rank && c < ev->nr_cells; c++) {
		if (!cell_intervals(ev, c, statistic, several, x, left_out))
			continue;
		cells++;
		stat_rank(x, n, min_pct, rank);
		for (s = 0; s < n; s++)
			share[s * n + rank[s] - 1]++;
	}
	for (s = 0; s < n * n; s++)
		share[s] *= cells ? 100.0 / cells : 0;
	c = x && rank;
	free(x);
	free(rank);
	return c ? (double)cells : -1;
}

static void compare_columns(struct section *s)
{
	section_column(s, CELL_TEXT, 0, "statistic");
	section_column(s, CELL_TEXT, 0, "measurements");
	section_column(s, CELL_TEXT, 0, "strategy");
}

#define COMPARE_CELLS(ev, what, several, s)				\
	TEXT_CELL(statistic_names[what]), TEXT_CELL(kind(several)),	\
	TEXT_CELL((ev)->strategies[s])

static int add_ranks(struct evaluation *ev, struct section *s, enum statistic what, int several,
		     double min_pct)
{
	size_t n = ev->nr_strategies, i, r, left_out;
	double *share = malloc(n * n * sizeof(*share));
	double cells = share ? rank_shares(ev, what, several, min_pct, share, &left_out) : -1;

	for (i = 0; cells >= 0 && i < n; i++) {
		struct cell row[MAX_COLUMNS] = {
			COMPARE_CELLS(ev, what, several, i), INT_CELL(cells), INT_CELL(left_out),
		};

		for (r = 0; r < n; r++)
			row[5 + r] = cells > 0 ? REAL_CELL(share[i * n + r]) : NONE_CELL;
		if (table_add(&s->table, row))
			cells = -1;
	}
	free(share);
	return cells < 0 ? -1 : 0;
}

static int add_pairs(struct evaluation *ev, struct section *s, enum statistic what, int several,
		     double min_pct)
{
	size_t n = ev->nr_strategies, a, b, c;
	struct interval x[2];

	for (a = 0; a < n; a++) {
		for (b = a + 1; b < n; b++) {
			double cells = 0, better = 0, worse = 0;

			for (c = 0; c < ev->nr_cells; c++) {
				x[0] = cell_sample(ev, c, a)->interval[what];
				x[1] = cell_sample(ev, c, b)->interval[what];
				if (cell_sample(ev, c, a)->several != several || isnan(x[0].low) ||
				    isnan(x[1].low))
					continue;
				cells++;
				better += stat_beats(&x[1], &x[0], min_pct);
				worse += stat_beats(&x[0], &x[1], min_pct);
			}
			struct cell row[] = {
				COMPARE_CELLS(ev, what, several, b), TEXT_CELL(ev->strategies[a]),
				INT_CELL(cells), known(100 * better / cells),
				known(100 * (cells - better - worse) / cells), known(100 * worse / cells),
			};

			if (table_add(&s->table, row))
				return -1;
		}
	}
	return 0;
}

/* For each statistic and kind of benchmark that there is. */
static int for_each(struct evaluation *ev, struct section *s, double min_pct,
		    int (*add)(struct evaluation *, struct section *, enum statistic, int, double))
{
	int what, several;

	for (several = 1; several >= 0; several--)
		for (what = 0; what < NR_STATISTICS; what++)
			if (applies(ev, what, several) && add(ev, s, what, several, min_pct))
				return -1;
	return 0;
}

/**
 * rank_too_many() - refuse more strategies than a table of ranks has columns for
 * @ev: after evaluation_cells()
 * @error: gets the message
 * @size: its size
 *
 * Return: 0, or -2 with @error set.
 */
int rank_too_many(const struct evaluation *ev, char *error, size_t size)
{
	if (ev->nr_strategies <= MAX_COLUMNS - 5)
		return 0;
	snprintf(error, size, "%s: %zu strategies, at most %d can be ranked (see --strategies)",
		 ev->results->files[0], ev->nr_strategies, MAX_COLUMNS - 5);
	return -2;
}

int view_ranking(struct evaluation *ev, const struct view_options *o, struct section *sections,
		 int *nr, char *error, size_t size)
{
	struct section *s = &sections[*nr];
	size_t r;
	int failed;

	if (rank_too_many(ev, error, size))
		return -2;
	*nr += 2;
	section_begin(s, "ranking", "Ranks of the strategies over benchmarks and configurations",
		      "rank_..._pct: in what percentage of benchmarks and configurations the strategy has "
		      "the rank: 1 and as many as are better. Less is better. Better is whose 95 % confidence interval lies "
		      "below without overlap, by more than --min-diff percent; so several may be first. "
		      "measurements: benchmarks with several an execution, and with a single one. "
		      "left_out: where the statistic of a strategy is not known");
	compare_columns(s);
	section_column(s, CELL_INT, 0, "cells");
	section_column(s, CELL_INT, 0, "left_out");
	for (r = 0; r < ev->nr_strategies; r++)
		section_column(s, CELL_REAL, 1, "rank_%zu_pct", r + 1);
	section_ready(s);
	failed = for_each(ev, s, o->min_diff, add_ranks);
	s++;
	section_begin(s, "pairs", "Strategies in pairs",
		      "in what percentage of benchmarks and configurations the strategy is better than, like, or worse "
		      "than the other, as in the ranking");
	compare_columns(s);
	section_column(s, CELL_TEXT, 0, "than");
	section_column(s, CELL_INT, 0, "cells");
	section_column(s, CELL_REAL, 1, "better_pct");
	section_column(s, CELL_REAL, 1, "alike_pct");
	section_column(s, CELL_REAL, 1, "worse_pct");
	section_ready(s);
	return failed ? -1 : for_each(ev, s, o->min_diff, add_pairs);
}

/* The paper's and some between, for means; the paper's for impact factors. */
static const double small_diffs[] = { 0, 1, 3, 7, 9, 10 }, large_diffs[] = { 0, 50, 100, 500, 800 };

#define NR_SMALL (sizeof(small_diffs) / sizeof(small_diffs[0]))
#define NR_LARGE (sizeof(large_diffs) / sizeof(large_diffs[0]))

static int add_firsts(struct evaluation *ev, struct section *s, enum statistic what, int several,
		      const double *diffs, size_t nr_diffs)
{
	size_t n = ev->nr_strategies, i, d, left_out;
	double *share = malloc(n * n * sizeof(*share)), cells = -1;
	struct cell (*rows)[MAX_COLUMNS] = calloc(n, sizeof(*rows));
	int failed = !share || !rows;

	for (d = 0; !failed && d < nr_diffs; d++) {
		cells = rank_shares(ev, what, several, diffs[d], share, &left_out);
		failed = cells < 0;
		for (i = 0; i < n && !failed; i++)
			rows[i][4 + d] = cells > 0 ? REAL_CELL(share[i * n]) : NONE_CELL;
	}
	for (i = 0; i < n && !failed; i++) {
		const struct cell head[] = { COMPARE_CELLS(ev, what, several, i), INT_CELL(cells) };

		memcpy(rows[i], head, sizeof(head));
		failed = table_add(&s->table, rows[i]);
	}
	free(share);
	free(rows);
	return failed ? -1 : 0;
}

static int mindiff_section(struct evaluation *ev, struct section *s, const double *diffs, size_t nr,
			   unsigned int statistics)
{
	int what, several;
	size_t d;

	compare_columns(s);
	section_column(s, CELL_INT, 0, "cells");
	for (d = 0; d < nr; d++)
		section_column(s, CELL_REAL, 1, "first_pct_at_%g", diffs[d]);
	section_ready(s);
	for (several = 1; several >= 0; several--)
		for (what = 0; what < NR_STATISTICS; what++)
			if (statistics & 1 << what && applies(ev, what, several) &&
			    add_firsts(ev, s, what, several, diffs, nr))
				return -1;
	return 0;
}

int view_mindiff(struct evaluation *ev, const struct view_options *o, struct section *sections,
		 int *nr, char *error, size_t size)
{
	static const char meaning[] = "first_pct_at_P: in what percentage of benchmarks and configurations no other "
		"strategy is better, where better is whose 95 % confidence interval lies below without overlap, "
		"and by more than P percent of the smaller estimate";
	struct section *s = &sections[*nr];
	int failed;

	(void)o;
	if (rank_too_many(ev, error, size))
		return -2;
	++*nr;
	section_begin(s, "mindiff", "How often first, with a minimum difference", meaning);
	failed = mindiff_section(ev, s, small_diffs, NR_SMALL,
				 1 << STAT_MEAN | 1 << STAT_MEASUREMENT | 1 << STAT_UNCLASSIFIED);
	if (failed || !applies(ev, STAT_EXECUTION, 1))
		return failed;
	s = &sections[(*nr)++];
	section_begin(s, "mindiff_execution", "How often first, with a minimum difference of impact factors",
		      meaning);
	return mindiff_section(ev, s, large_diffs, NR_LARGE, 1 << STAT_EXECUTION);
}

/* Change of the mean over all cells of a kind. */
static int add_geomean(struct evaluation *ev, struct section *s, int several, size_t strategy)
{
	struct runs *a = malloc(ev->nr_cells * sizeof(*a)), *b = malloc(ev->nr_cells * sizeof(*b));
	size_t replicates = ev->effort.replicates < 999 ? ev->effort.replicates : 999, n = 0, c;
	char name[128];
	gsl_rng *rng;
	struct interval i;
	int failed;

	for (c = 0; a && b && c < ev->nr_cells; c++) {
		if (cell_sample(ev, c, 0)->several != several)
			continue;
		a[n] = cell_sample(ev, c, strategy)->runs;
		b[n++] = cell_sample(ev, c, 0)->runs;
	}
	snprintf(name, sizeof(name), "geomean %.60s %s", ev->strategies[strategy], kind(several));
	rng = evaluation_rng(ev, NULL, name);
	failed = !a || !b || !rng;
	if (!failed && n) {
		stat_geomean(a, b, n, rng, replicates, CONFIDENCE, &i);
		struct cell row[] = {
			TEXT_CELL(kind(several)), TEXT_CELL(ev->strategies[strategy]),
			TEXT_CELL(ev->strategies[0]), INT_CELL(n), known(100 * (i.estimate - 1)),
			known(100 * (i.low - 1)), known(100 * (i.high - 1)),
		};

		failed = table_add(&s->table, row);
	}
	if (rng)
		gsl_rng_free(rng);
	free(a);
	free(b);
	return failed ? -1 : 0;
}

/* The largest significant changes of a statistic against the first strategy. */
static int add_cases(struct evaluation *ev, struct section *s, enum statistic what, int several,
		     double min_pct)
{
	size_t strategy, c, e;

	for (strategy = 1; strategy < ev->nr_strategies; strategy++) {
		double change[2] = { NAN, NAN };
		size_t count[2] = { }, at[2] = { }, cells = 0;
		char name[2][256] = { };

		for (c = 0; c < ev->nr_cells; c++) {
			const struct sample *x = cell_sample(ev, c, strategy), *base = cell_sample(ev, c, 0);
			const struct interval *i = &x->interval[what], *b = &base->interval[what];
			double relative = 100 * (i->estimate - b->estimate) / b->estimate;

			if (x->several != several || isnan(i->low) || isnan(b->low))
				continue;
			cells++;
			e = stat_beats(b, i, min_pct);
			if (!e && !stat_beats(i, b, min_pct))
				continue;
			if (!count[e]++ || (e ? relative > change[e] : relative < change[e])) {
				change[e] = relative;
				at[e] = c;
			}
		}
		for (e = 0; e < 2; e++) {
			const struct experiment *x = cell_sample(ev, at[e], strategy)->x;

			snprintf(name[e], sizeof(name[e]), "%.120s%s%.120s", x->benchmark,
				 *x->config ? " " : "", x->config);
		}
		struct cell row[] = {
			COMPARE_CELLS(ev, what, several, strategy), TEXT_CELL(ev->strategies[0]),
			INT_CELL(cells), INT_CELL(count[0]), known(change[0]),
			count[0] ? TEXT_CELL(name[0]) : NONE_CELL, INT_CELL(count[1]), known(change[1]),
			count[1] ? TEXT_CELL(name[1]) : NONE_CELL,
		};

		if (table_add(&s->table, row))
			return -1;
	}
	return 0;
}

int view_summary(struct evaluation *ev, const struct view_options *o, struct section *sections,
		 int *nr, char *error, size_t size)
{
	struct section *s = &sections[*nr];
	size_t strategy;
	int several;

	(void)error;
	(void)size;
	*nr += 2;
	section_begin(s, "summary", "Change of the mean over all benchmarks and configurations",
		      "mean_change_pct: geometric mean of the ratios of means, less 1; each benchmark and "
		      "configuration weighs the same. low to high: its 95 % confidence interval, percentile "
		      "bootstrap over executions and measurements of all experiments; the choice of benchmarks "
		      "is taken as it is");
	section_column(s, CELL_TEXT, 0, "measurements");
	section_column(s, CELL_TEXT, 0, "strategy");
	section_column(s, CELL_TEXT, 0, "against");
	section_column(s, CELL_INT, 0, "cells");
	section_column(s, CELL_REAL, 2, "mean_change_pct");
	section_column(s, CELL_REAL, 2, "low_pct");
	section_column(s, CELL_REAL, 2, "high_pct");
	section_ready(s);
	section_begin(&s[1], "cases", "Best and worst cases",
		      "of the benchmarks and configurations where the 95 % confidence intervals of both strategies do "
		      "not overlap: how many are better and worse than the other strategy, and the largest relative "
		      "changes. The change has no interval of its own");
	compare_columns(&s[1]);
	section_column(&s[1], CELL_TEXT, 0, "against");
	section_column(&s[1], CELL_INT, 0, "cells");
	section_column(&s[1], CELL_INT, 0, "better");
	section_column(&s[1], CELL_REAL, 1, "best_change_pct");
	section_column(&s[1], CELL_TEXT, 0, "best_case");
	section_column(&s[1], CELL_INT, 0, "worse");
	section_column(&s[1], CELL_REAL, 1, "worst_change_pct");
	section_column(&s[1], CELL_TEXT, 0, "worst_case");
	section_ready(&s[1]);
	for (several = 1; several >= 0; several--)
		for (strategy = 1; strategy < ev->nr_strategies; strategy++)
			if (add_geomean(ev, s, several, strategy))
				return -1;
	return for_each(ev, &s[1], o->min_diff, add_cases);
}
