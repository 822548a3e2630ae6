// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Heat map: pages referenced by time and physical address. */
#include "view.h"

/**
 * heat_span() - the intervals of a column of a heat map
 * @m: the model
 * @h: the heat map
 * @column: the column
 *
 * Return: the column's end, its length since the end of the previous column, and
 * the number of its intervals.
 */
struct heat_span heat_span(const struct model *m, const struct heat *h, uint64_t column)
{
	size_t first = column * h->per_column, last = first + h->per_column - 1;
	const struct interval *i = &m->intervals[first];
	struct heat_span s;
	double begin;

	if (last >= m->nr_intervals)
		last = m->nr_intervals - 1;
	s.time = interval_time(m, last);
	begin = interval_time(m, first) - interval_seconds(i);
	/* Include the harvest before, unless an interval is missing there. */
	if (first && i->scan.seq == i[-1].scan.seq + 1)
		begin = interval_time(m, first - 1);
	s.seconds = s.time - begin;
	s.intervals = last - first + 1;
	return s;
}

const struct columns heatmap_columns = COLUMNS(
	SPAN_COLUMNS,
	{ "phys_addr", CELL_INT, 0, "bytes", "physical address of the cell's first byte" },
	{ "size_kib", CELL_INT, 0, "KiB", "memory that the cell covers" },
	{ "pages_kernel", CELL_REAL, 2, "pages of 4 KiB",
	  "pages that the kernel referenced, mean of the cell's intervals" },
	{ "pages_user", CELL_REAL, 2, "pages of 4 KiB",
	  "pages that processes referenced, mean of the cell's intervals" },
	{ "pages_page_cache", CELL_REAL, 2, "pages of 4 KiB",
	  "pages of files that read() and write() accessed, mean of the cell's intervals" },
);

int view_heatmap(struct model *m, struct table *t)
{
	const struct heat *h = &m->heat;
	const struct heat_cell *c;

	table_init_columns(t, &heatmap_columns);
	heat_sort(&m->heat);
	for (c = h->cells; c; c = c->hh.next) {
		const struct heat_span s = heat_span(m, h, c->key.column);
		const struct cell row[] = {
			REAL_CELL(s.time),
			REAL_CELL(s.seconds),
			INT_CELL(c->key.row << h->shift),
			INT_CELL(1ULL << h->shift >> 10),
			REAL_CELL((double)c->pages[KERNEL] / s.intervals),
			REAL_CELL((double)c->pages[USER] / s.intervals),
			REAL_CELL((double)c->pages[PAGE_CACHE] / s.intervals),
		};

		if (table_add(t, row))
			return -1;
	}
	return 0;
}
