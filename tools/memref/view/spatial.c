// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* How often each group of physical memory was referenced (Figures 15 to 22). */
#include "view.h"

static int by_address(const struct group *a, const struct group *b)
{
	return a->phys_addr < b->phys_addr ? -1 : a->phys_addr > b->phys_addr;
}

int view_spatial(struct model *m, struct table *t)
{
	static const struct column columns[] = {
		{ "phys_addr", CELL_INT, 0 },
		{ "lmb", CELL_INT, 0 },
		{ "intervals", CELL_INT, 0 },
		{ "intervals_kernel", CELL_INT, 0 },
		{ "intervals_user", CELL_INT, 0 },
		{ "intervals_page_cache", CELL_INT, 0 },
		{ "intervals_written", CELL_INT, 0 },
		{ "mean_pages_kernel", CELL_REAL, 1 },
		{ "mean_pages_user", CELL_REAL, 1 },
		{ "mean_pages_page_cache", CELL_REAL, 1 },
	};
	uint64_t group_size = (uint64_t)m->intervals[0].scan.group_kb << 10;
	double n = m->nr_intervals;
	struct group *g;

	table_init(t, columns, sizeof(columns) / sizeof(columns[0]));
	HASH_SORT(m->groups, by_address);
	for (g = m->groups; g; g = g->hh.next) {
		const struct cell row[] = {
			INT_CELL(g->phys_addr),
			INT_CELL(group_size ? g->phys_addr / group_size : 0),
			INT_CELL(g->intervals),
			INT_CELL(g->class_intervals[KERNEL]),
			INT_CELL(g->class_intervals[USER]),
			INT_CELL(g->class_intervals[PAGE_CACHE]),
			INT_CELL(g->written_intervals),
			REAL_CELL(g->pages[KERNEL] / n),
			REAL_CELL(g->pages[USER] / n),
			REAL_CELL(g->pages[PAGE_CACHE] / n),
		};

		if (table_add(t, row))
			return -1;
	}
	return 0;
}
