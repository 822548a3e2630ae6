// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Groups and pages referenced per interval (the paper's Figures 3 to 6). */
#include "view.h"

int view_temporal(struct model *m, struct table *t)
{
	static const struct column columns[] = {
		{ "seq", CELL_INT, 0 },
		{ "time_s", CELL_REAL, 3 },
		{ "interval_s", CELL_REAL, 3 },
		{ "groups", CELL_INT, 0 },
		{ "groups_kernel", CELL_INT, 0 },
		{ "groups_user", CELL_INT, 0 },
		{ "groups_page_cache", CELL_INT, 0 },
		{ "groups_written", CELL_INT, 0 },
		{ "pages_kernel", CELL_INT, 0 },
		{ "pages_user", CELL_INT, 0 },
		{ "pages_page_cache", CELL_INT, 0 },
		{ "scan_ms", CELL_REAL, 3 },
		{ "flags", CELL_INT, 0 },
	};
	size_t i;

	table_init(t, columns, sizeof(columns) / sizeof(columns[0]));
	for (i = 0; i < m->nr_intervals; i++) {
		const struct interval *v = &m->intervals[i];
		const struct cell row[] = {
			INT_CELL(v->scan.seq),
			REAL_CELL(interval_time(m, i)),
			REAL_CELL(interval_seconds(v)),
			INT_CELL(v->groups),
			INT_CELL(v->class_groups[KERNEL]),
			INT_CELL(v->class_groups[USER]),
			INT_CELL(v->class_groups[PAGE_CACHE]),
			INT_CELL(v->written_groups),
			INT_CELL(v->pages[KERNEL]),
			INT_CELL(v->pages[USER]),
			INT_CELL(v->pages[PAGE_CACHE]),
			REAL_CELL((v->scan.end_ns - v->scan.scan_ns) * 1e-6),
			INT_CELL(v->scan.flags),
		};

		if (table_add(t, row))
			return -1;
	}
	return 0;
}
