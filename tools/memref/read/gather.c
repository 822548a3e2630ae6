// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The groups of a recording interval by interval, one interval in memory. */
#include <stdlib.h>

#include "gather.h"

static int by_address(const void *a, const void *b)
{
	const struct group_row *x = a, *y = b;

	return x->phys_addr < y->phys_addr ? -1 : x->phys_addr > y->phys_addr;
}

/**
 * gather_end() - there are no more rows
 * @g: what is gathered
 *
 * Return: 0, or what the taker of intervals returned.
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

/* Rows of another interval come: the one before is complete, or was never. */
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
	if (g->nr_groups == g->room) {
		size_t room = g->room ? g->room * 2 : 1024;

		grown = realloc(g->groups, room * sizeof(*grown));
		if (!grown)
			return -1;
		g->groups = grown;
		g->room = room;
	}
	g->groups[g->nr_groups++] = *row;
	return 0;
}

/**
 * gather_add() - take a row
 * @g: what is gathered
 * @row: the row; only groups and memref_scan matter
 *
 * The clocks of two CPUs may differ by so much that a group comes after the
 * memref_scan of its interval: it ends with the first row of the next.
 *
 * Return: 0, -1 without memory, or what the taker of intervals returned.
 */
int gather_add(struct gather *g, const struct row *row)
{
	uint32_t seq = row_seq(row);
	int ret = 0;

	if (row->type != ROW_GROUP && row->type != ROW_SCAN)
		return 0;
	/* So late that its interval was given away. */
	if (row->type == ROW_GROUP && seq == g->last_seq && seq != g->seq)
		return 0;
	/* A sampler that is started again counts from 1. */
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
 * gather_free() - free what is held
 * @g: what is gathered
 */
void gather_free(struct gather *g)
{
	free(g->groups);
}
