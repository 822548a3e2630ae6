// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Referenced memory per NUMA node (section 6.3 of the paper). */
#include <stdio.h>

#include "view.h"

static int add_interval(const struct model *m, size_t i, struct table *t)
{
	const struct interval *v = &m->intervals[i];
	const uint64_t all = interval_pages(v);
	uint32_t n;

	for (n = 0; n < v->nr_nodes; n++) {
		const uint64_t *pages = v->nodes[n].pages;
		const uint64_t sum = pages[KERNEL] + pages[USER] + pages[PAGE_CACHE];
		const struct cell row[] = {
			INT_CELL(v->scan.seq),
			REAL_CELL(interval_time(m, i)),
			REAL_CELL(interval_seconds(v)),
			INT_CELL(n),
			INT_CELL(pages[KERNEL]),
			INT_CELL(pages[USER]),
			INT_CELL(pages[PAGE_CACHE]),
			REAL_CELL(all ? 100.0 * sum / all : 0),
		};

		if (m->has_node[n] && table_add(t, row))
			return -1;
	}
	return 0;
}

const struct columns numa_columns = COLUMNS(
	INTERVAL_COLUMNS,
	{ "node", CELL_INT, 0, "", "NUMA node of the memory" },
	{ "pages_kernel", CELL_INT, 0, "pages of 4 KiB",
	  "pages of the node that the kernel referenced" },
	{ "pages_user", CELL_INT, 0, "pages of 4 KiB",
	  "pages of the node that processes referenced" },
	{ "pages_page_cache", CELL_INT, 0, "pages of 4 KiB",
	  "pages of files on the node that read() and write() accessed" },
	{ "share_pct", CELL_REAL, 2, "%",
	  "these pages, of the pages referenced on all nodes in the interval" },
);

int view_numa(struct model *m, struct table *t)
{
	size_t i;

	table_init_columns(t, &numa_columns);
	for (i = 0; i < m->nr_intervals; i++)
		if (add_interval(m, i, t))
			return -1;
	return 0;
}

int lacks_nodes(const struct model *m, char *error, size_t size)
{
	if (m->nr_nodes)
		return 0;
	snprintf(error, size, "the recording has no memref_node events: its kernel does not "
		 "report the node of memory");
	return -1;
}
