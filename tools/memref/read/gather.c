// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Iterates over intervals with their groups; one interval is in memory at a time. */
#include <stdlib.h>

#include "lib/array.h"
#include "gather.h"

static int by_address(const void *a, const void *b)
{
	const struct group_row *x = a, *y = b;

	return x->phys_addr < y->phys_addr ? -1 : x->phys_addr > y->phys_addr;
}

/**
 * gather_complete() - whether the current interval has its memref_scan and all of its groups
 * @g: the collector
 *
 * Return: true if it has.
 */
bool gather_complete(const struct gather *g)
{
	return g->has_scan && g->nr_groups >= g->scan.groups;
}

/**
 * gather_end() - complete the current interval
 * @g: the collector
 *
 * Return: 0, or what @g->interval returned.
 */
int gather_end(struct gather *g)
{
	int ret = 0;

	if (g->has_scan) {
		g->intervals++;
		if (g->nr_groups)
			qsort(g->groups, g->nr_groups, sizeof(*g->groups), by_address);
		ret = g->interval(g->ctx, g);
		g->last_seq = g->seq;
	}
	g->has_scan = 0;
	g->nr_groups = 0;
	return ret;
}

/* The first row of interval @seq: complete the previous one, or drop it without its scan. */
static int begin(struct gather *g, uint32_t seq)
{
	int ret = gather_end(g);

	g->seq = seq;
	return ret;
}

static int add_group(struct gather *g, const struct group_row *row)
{
	struct group_row *grown;

	if (!row->pages[KERNEL] && !row->pages[USER] && !row->pages[PAGE_CACHE])
		return 0;
	grown = array_grow(g->groups, g->nr_groups, &g->capacity, sizeof(*grown));
	if (!grown)
		return -1;
	g->groups = grown;
	g->groups[g->nr_groups++] = *row;
	return 0;
}

/**
 * gather_add() - add a row
 * @g: the collector
 * @row: the row; types other than groups and memref_scan are ignored
 *
 * Clocks differ between CPUs, so groups may follow the memref_scan of their
 * interval.  An interval therefore ends with the first row of the next one.
 *
 * Return: 0, -1 if out of memory, or what @g->interval returned.
 */
int gather_add(struct gather *g, const struct row *row)
{
	uint32_t seq = row_seq(row);
	int ret = 0;

	if (row->type != ROW_GROUP && row->type != ROW_SCAN)
		return 0;
	/* Too late: its interval is complete already. */
	if (row->type == ROW_GROUP && seq == g->last_seq && seq != g->seq)
		return 0;
	/* A restarted sampler may repeat @seq: a second scan, or too many groups. */
	if (seq != g->seq ||
	    (g->has_scan && (row->type == ROW_SCAN || g->nr_groups >= g->scan.groups)))
		ret = begin(g, seq);
	if (ret)
		return ret;
	if (row->type == ROW_GROUP)
		return add_group(g, &row->group);
	if (!g->begin_ns)
		g->begin_ns = row->scan.begin_ns;
	g->scan = row->scan;
	g->has_scan = 1;
	return 0;
}

/**
 * gather_free() - free a collector's memory
 * @g: the collector
 */
void gather_free(struct gather *g)
{
	free(g->groups);
}
