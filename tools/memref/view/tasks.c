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

int view_tasks(struct model *m, struct table *t)
{
	static const struct column columns[] = {
		{ "pid", CELL_INT, 0 },
		{ "comm", CELL_TEXT, 0 },
		{ "intervals", CELL_INT, 0 },
		{ "mean_pages", CELL_REAL, 1 },
		{ "mean_mib", CELL_REAL, 3 },
		{ "max_mib", CELL_REAL, 3 },
		{ "mean_written_mib", CELL_REAL, 3 },
		{ "rss_max_mib", CELL_REAL, 3 },
		{ "share_pct", CELL_REAL, 2 },
	};
	const int writes = model_has_writes(m);
	const struct task *k;
	uint64_t all = 0;

	table_init(t, columns, sizeof(columns) / sizeof(columns[0]));
	HASH_SORT(m->tasks, by_pages);
	for (k = m->tasks; k; k = k->hh.next)
		all += k->pages;
	for (k = m->tasks; k; k = k->hh.next)
		if ((!m->window.pid || k->key.pid == m->window.pid) &&
		    add_task(m, k, all, writes, t))
			return -1;
	return 0;
}

int lacks_tasks(const struct model *m, char *error, size_t size)
{
	const struct task *k;

	if (!m->tasks) {
		snprintf(error, size, "the recording has no memref_task events: "
			 "record with memref record --tasks");
		return -1;
	}
	for (k = m->tasks; k; k = k->hh.next)
		if (!m->window.pid || k->key.pid == m->window.pid)
			return 0;
	snprintf(error, size, "--pid %u: the recording has no events of this process",
		 m->window.pid);
	return -1;
}
