// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/* Threads: where they run, what they access. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view.h"

const struct columns threads_columns = COLUMNS(
	{ "thread", CELL_INT, 0, "", "number of the thread, for --thread" },
	{ "pid", CELL_INT, 0, "", "process" },
	{ "tid", CELL_INT, 0, "", "thread, as the kernel numbers it" },
	{ "name", CELL_TEXT, 0, "", "its name" },
	{ "program", CELL_TEXT, 0, "", "program that it executes" },
	{ "born_s", CELL_REAL, 3, "s", "when it began, since the recording began" },
	{ "died_s", CELL_REAL, 3, "s", "when it ended", "it ran at the end of the recording" },
	{ "accesses", CELL_INT, 0, "samples", "its sampled accesses, caches included" },
	{ "memory", CELL_INT, 0, "samples",
	  "of these, accesses of main memory, as far as is known" },
	{ "remote_pct", CELL_REAL, 2, "%",
	  "of accesses of main memory whose nodes are known, those of another node's memory",
	  "there is none" },
	{ "writes_pct", CELL_REAL, 1, "%", "of its accesses, writes" },
	{ "latency_cycles", CELL_REAL, 0, "cycles",
	  "mean latency of accesses of main memory", "no access has one" },
	{ "node", CELL_INT, 0, "", "node that it ran on most", "no access has a known one" },
	{ "on_node_pct", CELL_REAL, 1, "%", "of its accesses from known nodes, those from that node",
	  "there is none" },
	{ "node_changes", CELL_INT, 0, "",
	  "times that it ran on another node than at the sample before" },
);

int view_threads(struct memprof *m, const struct view_options *o, struct table *t)
{
	struct memprof_access a;
	size_t i, rows = 0;
	int bad = 0;

	table_init_columns(t, &threads_columns);
	for (i = 0; i < memprof_nr_threads(m) && !bad; i++) {
		const struct memprof_thread *th = memprof_thread(m, i);
		uint64_t on[256] = { 0 }, changes = 0, known = 0;
		struct counts c = { 0 };
		int node = 0, last = -1, k;

		if (!th->accesses || (o->top && rows++ >= o->top))
			continue;
		memprof_foreach_access(m, memprof_thread_flow(m, i), &a) {
			counts_add(&c, &a);
			if (a.node < 0)
				continue;
			known++;
			on[a.node & 255]++;
			changes += last >= 0 && last != a.node;
			last = a.node;
		}
		for (k = 0; k < 256; k++)
			if (on[k] > on[node])
				node = k;
		bad = table_add(t, (struct cell[]){
			INT_CELL(i), INT_CELL(th->pid), INT_CELL(th->tid), TEXT_CELL(th->name),
			TEXT_CELL(th->program), REAL_CELL(th->born_ns / 1e9),
			th->died_ns == UINT64_MAX ? NONE_CELL : REAL_CELL(th->died_ns / 1e9),
			INT_CELL(c.all), INT_CELL(c.memory), counts_remote_pct(&c),
			REAL_CELL(100.0 * c.writes / c.all), counts_latency(&c),
			known ? INT_CELL(node) : NONE_CELL,
			known ? REAL_CELL(100.0 * on[node] / known) : NONE_CELL, INT_CELL(changes) });
	}
	return bad;
}
