// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Groups and pages referenced per interval (the paper's Figures 3 to 6). */
#include "view.h"

const struct columns temporal_columns = COLUMNS(
	INTERVAL_COLUMNS,
	{ "groups", CELL_INT, 0, "groups",
	  "groups of physical memory with at least one referenced page" },
	{ "groups_kernel", CELL_INT, 0, "groups", "of these, groups that the kernel referenced" },
	{ "groups_user", CELL_INT, 0, "groups", "of these, groups that processes referenced" },
	{ "groups_page_cache", CELL_INT, 0, "groups",
	  "of these, groups with pages of files that read() and write() accessed" },
	{ "groups_written", CELL_INT, 0, "groups",
	  "of these, groups that were written; 0 without write detection" },
	{ "pages_kernel", CELL_INT, 0, "pages of 4 KiB",
	  "pages that the kernel referenced through its own page tables" },
	{ "pages_user", CELL_INT, 0, "pages of 4 KiB",
	  "pages referenced through page tables of processes" },
	{ "pages_page_cache", CELL_INT, 0, "pages of 4 KiB",
	  "pages of files that read() and write() accessed" },
	{ "scan_ms", CELL_REAL, 3, "ms", "duration of the harvest that ended the interval" },
	{ "flags", CELL_INT, 0, "",
	  "sum of the flags of memref_scan: 1 reclaim, 2 skipped, 4 late, 8 exited, 16 on "
	  "demand, 32 selected, 64 stretched, 128 DAMON, 256 cleared, 512 migrated, 1024 "
	  "hotplug, 2048 fault_around, 4096 mapping_ages_part; see memref(5)" },
);

int view_temporal(struct model *m, struct table *t)
{
	size_t i;

	table_init_columns(t, &temporal_columns);
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
			REAL_CELL(v->scan.harvest_ns * 1e-6),
			INT_CELL(v->scan.flags),
		};

		if (table_add(t, row))
			return -1;
	}
	return 0;
}
