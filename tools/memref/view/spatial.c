// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* How often each group of physical memory was referenced (Figures 15 to 22). */
#include "view.h"

static int by_address(const struct group *a, const struct group *b)
{
	return a->phys_addr < b->phys_addr ? -1 : a->phys_addr > b->phys_addr;
}

const struct columns spatial_columns = COLUMNS(
	{ "phys_addr", CELL_INT, 0, "bytes", "physical address of the group's first byte" },
	{ "lmb", CELL_INT, 0, "",
	  "index of the group in physical memory: phys_addr divided by the group size (the "
	  "paper's logical memory block)" },
	{ "intervals", CELL_INT, 0, "intervals", "intervals in which the group was referenced" },
	{ "intervals_kernel", CELL_INT, 0, "intervals",
	  "intervals in which the kernel referenced it" },
	{ "intervals_user", CELL_INT, 0, "intervals",
	  "intervals in which processes referenced it" },
	{ "intervals_page_cache", CELL_INT, 0, "intervals",
	  "intervals in which read() or write() accessed its pages of files" },
	{ "intervals_written", CELL_INT, 0, "intervals",
	  "intervals in which it was written; 0 without write detection" },
	{ "mean_pages_kernel", CELL_REAL, 1, "pages of 4 KiB",
	  "pages of the group that the kernel referenced, mean of all intervals" },
	{ "mean_pages_user", CELL_REAL, 1, "pages of 4 KiB",
	  "pages of the group that processes referenced, mean of all intervals" },
	{ "mean_pages_page_cache", CELL_REAL, 1, "pages of 4 KiB",
	  "pages of files in the group that read() and write() accessed, mean of all intervals" },
);

int view_spatial(struct model *m, struct table *t)
{
	uint64_t group_size = (uint64_t)m->intervals[0].scan.group_kb << 10;
	double n = m->nr_intervals;
	struct group *g;

	table_init_columns(t, &spatial_columns);
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
