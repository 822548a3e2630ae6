// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Working set size: memory referenced in each interval (Figures 7 to 12). */
#include "view.h"

int view_wss(struct model *m, struct table *t)
{
	static const struct column columns[] = {
		{ "seq", CELL_INT, 0 },
		{ "time_s", CELL_REAL, 3 },
		{ "interval_s", CELL_REAL, 3 },
		{ "wss_kernel_mib", CELL_REAL, 3 },
		{ "wss_user_mib", CELL_REAL, 3 },
		{ "wss_page_cache_mib", CELL_REAL, 3 },
		{ "wss_total_mib", CELL_REAL, 3 },
		{ "rss_mib", CELL_REAL, 3 },
	};
	const int rss = model_has_rss(m);
	size_t i;

	table_init(t, columns, sizeof(columns) / sizeof(columns[0]));
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
