// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Memory referenced by each process. */
#include <stdio.h>

#include "view.h"

static int by_pages(const struct task *a, const struct task *b)
{
	if (a->pages != b->pages)
		return a->pages > b->pages ? -1 : 1;
	return a->key.pid < b->key.pid ? -1 : a->key.pid > b->key.pid;
}

/* A process may set any bytes as its name. */
static void printable(const char *comm, char name[16])
{
	int i;

	for (i = 0; i < 15 && comm[i]; i++)
		name[i] = comm[i] >= ' ' && comm[i] <= '~' ? comm[i] : '?';
	name[i] = '\0';
}

/* @all: sum of the pages of all processes; @writes: write detection was on */
static int add_task(const struct model *m, const struct task *k, uint64_t all, int writes,
		    struct table *t)
{
	const double n = m->nr_intervals;
	char name[16];

	printable(k->key.comm, name);
	const struct cell row[] = {
		INT_CELL(k->key.pid),
		TEXT_CELL(name),
		INT_CELL(k->intervals),
		REAL_CELL(k->pages / n),
		REAL_CELL(k->pages / n * PAGES_TO_MIB),
		REAL_CELL(k->max_pages * PAGES_TO_MIB),
		writes ? REAL_CELL(k->written / n * PAGES_TO_MIB) : NONE_CELL,
		REAL_CELL(k->rss_max * PAGES_TO_MIB),
		REAL_CELL(all ? 100.0 * k->pages / all : 0),
	};

	return table_add(t, row);
}

const struct columns tasks_columns = COLUMNS(
	{ "pid", CELL_INT, 0, "", "process" },
	{ "comm", CELL_TEXT, 0, "",
	  "name of the process; other characters than printable ASCII are shown as ?" },
	{ "intervals", CELL_INT, 0, "intervals",
	  "intervals in which the process referenced memory" },
	{ "mean_pages", CELL_REAL, 1, "pages of 4 KiB",
	  "pages that it referenced, mean of all intervals of the recording" },
	{ "mean_mib", CELL_REAL, 3, "MiB", "the same in MiB" },
	{ "max_mib", CELL_REAL, 3, "MiB", "the most that it referenced in one interval" },
	{ "mean_written_mib", CELL_REAL, 3, "MiB",
	  "memory that it wrote, mean of all intervals", "write detection was off" },
	{ "rss_max_mib", CELL_REAL, 3, "MiB", "its largest resident memory" },
	{ "share_pct", CELL_REAL, 2, "%",
	  "its referenced pages, of those of all processes; shared pages count for each of them" },
);

int view_tasks(struct model *m, struct table *t)
{
	const int writes = model_has_writes(m);
	const struct task *k;
	uint64_t all = 0;

	table_init_columns(t, &tasks_columns);
	HASH_SORT(m->tasks, by_pages);
	for (k = m->tasks; k; k = k->hh.next)
		all += k->pages;
	for (k = m->tasks; k; k = k->hh.next)
		if (pids_choose(&m->window.pids, k->key.pid) && add_task(m, k, all, writes, t))
			return -1;
	return 0;
}

int lacks_tasks(const struct model *m, char *error, size_t size)
{
	const struct task *k;
	char pids[128];

	if (!m->tasks) {
		snprintf(error, size, "the recording has no memref_task events: "
			 "record with memref record --tasks");
		return -1;
	}
	for (k = m->tasks; k; k = k->hh.next)
		if (pids_choose(&m->window.pids, k->key.pid))
			return 0;
	snprintf(error, size, "--pid %s: the recording has no events of %s",
		 pids_text(&m->window.pids, pids, sizeof(pids)), m->window.pids.nr > 1 ? "these processes" : "this process");
	return -1;
}
