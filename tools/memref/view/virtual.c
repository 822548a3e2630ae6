// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Heat map: pages referenced by time and virtual address of one process. */
#include <stdio.h>
#include <stdlib.h>

#include "view.h"
#include "memref/model/window.h"

const struct columns virtual_columns = COLUMNS(
	SPAN_COLUMNS,
	{ "virt_addr", CELL_INT, 0, "bytes", "virtual address of the cell's first byte" },
	{ "size_kib", CELL_INT, 0, "KiB", "memory that the cell covers" },
	{ "area", CELL_INT, 0, "",
	  "index of the area, from 1 on: areas are parts of the address space with no large "
	  "gap between referenced addresses" },
	{ "place_mib", CELL_REAL, 3, "MiB",
	  "position of the cell on the plot's axis, which leaves out the gaps between areas" },
	{ "pages", CELL_REAL, 2, "pages of 4 KiB",
	  "pages that the process referenced, mean of the cell's intervals" },
	{ "pages_written", CELL_REAL, 2, "pages of 4 KiB",
	  "of these, pages that it wrote", "write detection was off" },
);

int view_virtual(struct model *m, struct table *t)
{
	const struct heat *h = &m->virt;
	const double row_mib = (1ULL << h->shift) / (double)(1 << 20);
	const struct heat_area *a;
	struct heat_area *areas;
	const struct heat_cell *c;
	size_t nr_areas;
	int failed = 0, writes = model_has_writes(m);

	table_init_columns(t, &virtual_columns);
	heat_sort(&m->virt);
	areas = heat_areas(h, &nr_areas);
	if (!areas)
		return -1;
	for (c = h->cells, a = areas; c && !failed; c = c->hh.next) {
		const struct heat_span s = heat_span(m, h, c->key.column);

		/* Cells are in order of address, but for the next column. */
		if (c->key.row < a->first)
			a = areas;
		while (c->key.row > a->last)
			a++;
		const struct cell row[] = {
			REAL_CELL(s.time),
			REAL_CELL(s.seconds),
			INT_CELL(c->key.row << h->shift),
			INT_CELL(1ULL << h->shift >> 10),
			INT_CELL(a - areas + 1),
			REAL_CELL((a->place + c->key.row - a->first) * row_mib),
			REAL_CELL((double)c->pages[USER] / s.intervals),
			writes ? REAL_CELL((double)c->written / s.intervals) : NONE_CELL,
		};

		failed = table_add(t, row);
	}
	free(areas);
	return failed;
}

/* "3, 9, 12" */
static void list_pids(const struct model *m, char *text, size_t size)
{
	size_t i, n = 0;

	for (i = 0; i < m->nr_virt_pids && n < size; i++)
		n += snprintf(text + n, size - n, "%s%u", i ? ", " : "", m->virt_pids[i]);
}

/* How many of the processes the window chooses. */
static uint32_t chosen(const struct model *m)
{
	uint32_t i, n = 0;

	for (i = 0; i < m->nr_virt_pids; i++)
		n += pids_choose(&m->window.pids, m->virt_pids[i]);
	return n;
}

/* Part of struct view's @lacks, for views of the virtual memory of processes. */
int lacks_virt_pid(const struct model *m, char *error, size_t size)
{
	char pids[256], selected[128];

	list_pids(m, pids, sizeof(pids));
	if (!m->nr_virt_pids)
		snprintf(error, size, "the recording has no memref_virt events: "
			 "record with memref record --virt --pid PID");
	else if (!chosen(m))
		snprintf(error, size, "--pid %s: the recording is of the virtual memory of %s",
			 pids_text(&m->window.pids, selected, sizeof(selected)), pids);
	else
		return 0;
	return -1;
}

/* The same, for views of mappings, and of others with --mapping. */
int lacks_mapping_names(const struct model *m, char *error, size_t size)
{
	if (m->mappings.named)
		return 0;
	snprintf(error, size, "the recording has no memref_vma events, which name mappings: "
		 "record with memref record --virt, on a kernel that has them");
	return -1;
}

/* The same, for views of one process. */
int lacks_virt_events(const struct model *m, char *error, size_t size)
{
	char pids[256];

	if (lacks_virt_pid(m, error, size))
		return -1;
	if (chosen(m) <= 1)
		return 0;
	list_pids(m, pids, sizeof(pids));
	snprintf(error, size, "the recording is of the virtual memory of several processes: choose one by --pid (%s)",
		 pids);
	return -1;
}

int lacks_virt(const struct model *m, char *error, size_t size)
{
	char window[256];

	if (lacks_virt_events(m, error, size) || (m->window.mapping && lacks_mapping_names(m, error, size)))
		return -1;
	if (m->virt.cells)
		return 0;
	window_describe(&m->window, window, sizeof(window));
	snprintf(error, size, "no virtual memory was referenced %s", window);
	return -1;
}
