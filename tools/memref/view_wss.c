// SPDX-License-Identifier: GPL-2.0
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
	};
	const double mib = 4096.0 / (1 << 20);
	size_t i;

	table_init(t, columns, sizeof(columns) / sizeof(columns[0]));
	for (i = 0; i < m->nr_intervals; i++) {
		const struct interval *v = &m->intervals[i];
		const struct cell row[] = {
			INT_CELL(v->scan.seq),
			REAL_CELL(interval_time(m, i)),
			REAL_CELL(interval_seconds(v)),
			REAL_CELL(v->pages[KERNEL] * mib),
			REAL_CELL(v->pages[USER] * mib),
			REAL_CELL(v->pages[PAGE_CACHE] * mib),
			REAL_CELL(interval_pages(v) * mib),
		};

		if (table_add(t, row))
			return -1;
	}
	return 0;
}
