// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Comparison of two recordings, side by side. */
#include <math.h>
#include <stdlib.h>

#include "compare.h"
#include "view.h"

static struct cell ratio(double a, double b)
{
	return a > 0 ? REAL_CELL(b / a) : NONE_CELL;
}

static int is_number(const struct cell *c)
{
	return c->type == CELL_INT || c->type == CELL_REAL;
}

static double number(const struct cell *c)
{
	return c->type == CELL_INT ? (double)c->integer : c->real;
}

/* @a, @b: rows of the two summaries: item, value, unit */
static int compare_rows(const struct cell *a, const struct cell *b, struct table *t)
{
	const int numbers = is_number(&a[1]) && is_number(&b[1]);
	const struct cell row[] = {
		a[0], a[1], b[1],
		numbers ? REAL_CELL(number(&b[1]) - number(&a[1])) : NONE_CELL,
		numbers ? ratio(number(&a[1]), number(&b[1])) : NONE_CELL,
		a[2],
	};

	return table_add(t, row);
}

const struct columns compare_summaries_columns = COLUMNS(
	{ "item", CELL_TEXT, 0, "", "figure of memref report summary" },
	{ "a", CELL_REAL, 3, "",
	  "its value in the first recording", "that recording does not have it" },
	{ "b", CELL_REAL, 3, "",
	  "its value in the second recording", "that recording does not have it" },
	{ "difference", CELL_REAL, 3, "", "b - a", "a value is not a number" },
	{ "ratio", CELL_REAL, 3, "", "b / a", "a is 0, or not a number" },
	{ "unit", CELL_TEXT, 0, "", "unit of the values" },
);

/**
 * compare_summaries() - compare the summaries of two recordings
 * @m: their models
 * @names: their file names
 * @t: free it with table_free()
 *
 * Return: 0, or -1 without memory.
 */
int compare_summaries(struct model m[2], const char * const names[2], struct table *t)
{
	const struct cell files[] = {
		TEXT_CELL("recording"), TEXT_CELL(names[0]), TEXT_CELL(names[1]),
		NONE_CELL, NONE_CELL, TEXT_CELL(""),
	};
	struct table a, b;
	size_t i;
	int failed;

	table_init_columns(t, &compare_summaries_columns);
	failed = view_summary(&m[0], &a);
	failed |= view_summary(&m[1], &b);
	failed = failed || table_add(t, files);
	/* Both summaries have the same items in the same order. */
	for (i = 0; !failed && i < a.nr_cells; i += a.nr_columns)
		failed = compare_rows(&a.cells[i], &b.cells[i], t);
	table_free(&a);
	table_free(&b);
	return failed ? -1 : 0;
}

/* A group in both recordings: pct of the intervals, mean pages per interval. */
struct mover {
	uint64_t phys_addr;
	double intervals_pct[2], pages[2];
};

static void fill(struct mover *v, const struct model *m, const struct group *g, int which)
{
	const double n = m->nr_intervals;
	int c;

	for (c = 0; g && c < NR_CLASSES; c++)
		v->pages[which] += g->pages[c] / n;
	v->intervals_pct[which] = g ? 100 * g->intervals / n : 0;
}

static struct group *find_group(const struct model *m, uint64_t phys_addr)
{
	struct group *g;

	HASH_FIND(hh, m->groups, &phys_addr, sizeof(phys_addr), g);
	return g;
}

/* Return the number of groups. */
static size_t find_movers(const struct model m[2], struct mover *movers)
{
	const struct group *g;
	size_t n = 0;
	int i;

	for (i = 0; i < 2; i++) {
		for (g = m[i].groups; g; g = g->hh.next) {
			struct mover *v = &movers[n];

			/* Groups of both recordings were added with the first. */
			if (i && find_group(&m[0], g->phys_addr))
				continue;
			*v = (struct mover){ .phys_addr = g->phys_addr };
			fill(v, &m[0], find_group(&m[0], g->phys_addr), 0);
			fill(v, &m[1], find_group(&m[1], g->phys_addr), 1);
			n++;
		}
	}
	return n;
}

static int by_change(const void *a, const void *b)
{
	const struct mover *x = a, *y = b;
	const double dx = fabs(x->pages[1] - x->pages[0]), dy = fabs(y->pages[1] - y->pages[0]);

	if (dx != dy)
		return dx > dy ? -1 : 1;
	return x->phys_addr < y->phys_addr ? -1 : x->phys_addr > y->phys_addr;
}

const struct columns compare_groups_columns = COLUMNS(
	{ "phys_addr", CELL_INT, 0, "bytes", "physical address of the group's first byte" },
	{ "intervals_a_pct", CELL_REAL, 1, "%",
	  "intervals of the first recording in which the group was referenced" },
	{ "intervals_b_pct", CELL_REAL, 1, "%",
	  "intervals of the second recording in which it was referenced" },
	{ "mean_pages_a", CELL_REAL, 1, "pages of 4 KiB",
	  "its referenced pages of all classes, mean of the intervals of the first recording" },
	{ "mean_pages_b", CELL_REAL, 1, "pages of 4 KiB", "the same of the second recording" },
	{ "difference_pages", CELL_REAL, 1, "pages of 4 KiB", "mean_pages_b - mean_pages_a" },
	{ "ratio", CELL_REAL, 3, "", "mean_pages_b / mean_pages_a", "mean_pages_a is 0" },
);

/**
 * compare_groups() - the groups that changed most between two recordings
 * @m: their models, with the same group size
 * @most: maximal number of groups
 * @t: free it with table_free()
 *
 * Return: 0, or -1 without memory.
 */
int compare_groups(struct model m[2], size_t most, struct table *t)
{
	struct mover *movers, *v;
	size_t n, i;
	int failed = 0;

	table_init_columns(t, &compare_groups_columns);
	n = HASH_COUNT(m[0].groups) + HASH_COUNT(m[1].groups);
	movers = malloc((n + 1) * sizeof(*movers));
	if (!movers)
		return -1;
	n = find_movers(m, movers);
	qsort(movers, n, sizeof(*movers), by_change);
	for (i = 0; i < n && i < most && !failed; i++) {
		v = &movers[i];
		const struct cell row[] = {
			INT_CELL(v->phys_addr),
			REAL_CELL(v->intervals_pct[0]),
			REAL_CELL(v->intervals_pct[1]),
			REAL_CELL(v->pages[0]),
			REAL_CELL(v->pages[1]),
			REAL_CELL(v->pages[1] - v->pages[0]),
			ratio(v->pages[0], v->pages[1]),
		};

		failed = table_add(t, row);
	}
	free(movers);
	return failed;
}
