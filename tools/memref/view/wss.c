// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Working set size: memory referenced in each interval (Figures 7 to 12). */
#include "view.h"

const struct columns wss_columns = COLUMNS(
	INTERVAL_COLUMNS,
	{ "wss_kernel_mib", CELL_REAL, 3, "MiB",
	  "memory that the kernel referenced in the interval through its own page tables" },
	{ "wss_user_mib", CELL_REAL, 3, "MiB",
	  "memory referenced in the interval through page tables of processes, mapped files "
	  "and shared memory included" },
	{ "wss_page_cache_mib", CELL_REAL, 3, "MiB",
	  "pages of files that read() and write() accessed in the interval" },
	{ "wss_total_mib", CELL_REAL, 3, "MiB",
	  "sum of the three classes; a page of two classes counts in both" },
	{ "rss_mib", CELL_REAL, 3, "MiB",
	  "resident memory of the sampled processes at the end of the interval",
	  "the kernel did not record it" },
);

int view_wss(struct model *m, struct table *t)
{
	const int rss = model_has_rss(m);
	size_t i;

	table_init_columns(t, &wss_columns);
	for (i = 0; i < m->nr_intervals; i++) {
		const struct interval *v = &m->intervals[i];
		const struct cell row[] = {
			INT_CELL(v->scan.seq),
			REAL_CELL(interval_time(m, i)),
			REAL_CELL(interval_seconds(v)),
			REAL_CELL(v->pages[KERNEL] * PAGES_TO_MIB),
			REAL_CELL(v->pages[USER] * PAGES_TO_MIB),
			REAL_CELL(v->pages[PAGE_CACHE] * PAGES_TO_MIB),
			REAL_CELL(interval_pages(v) * PAGES_TO_MIB),
			rss ? REAL_CELL(v->scan.rss * PAGES_TO_MIB) : NONE_CELL,
		};

		if (table_add(t, row))
			return -1;
	}
	return 0;
}
