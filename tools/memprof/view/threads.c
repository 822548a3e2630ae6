// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Threads: where they run, what they access. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view.h"

int view_threads(struct memprof *m, const struct view_options *o, struct table *t)
{
	static const struct column columns[] = {
		{ "thread", CELL_INT }, { "pid", CELL_INT }, { "tid", CELL_INT },
		{ "name", CELL_TEXT }, { "program", CELL_TEXT }, { "born_s", CELL_REAL, 3 },
		{ "died_s", CELL_REAL, 3 }, { "accesses", CELL_INT }, { "memory", CELL_INT },
		{ "remote_pct", CELL_REAL, 2 }, { "writes_pct", CELL_REAL, 1 },
		{ "latency_cycles", CELL_REAL, 0 }, { "node", CELL_INT },
		{ "on_node_pct", CELL_REAL, 1 }, { "node_changes", CELL_INT },
	};
	struct memprof_access a;
	size_t i, rows = 0;
	int bad = 0;

	table_init(t, columns, sizeof(columns) / sizeof(*columns));
	for (i = 0; i < memprof_nr_threads(m) && !bad; i++) {
		const struct memprof_thread *th = memprof_thread(m, i);
		uint64_t on[256] = { 0 }, changes = 0;
		struct counts c = { 0 };
		int node = 0, last = -1, k;

		if (!th->accesses || (o->top && rows++ >= o->top))
			continue;
		memprof_foreach_access(m, memprof_thread_flow(m, i), &a) {
			counts_add(&c, m, &a);
			if (a.node < 0)
				continue;
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
			REAL_CELL(100.0 * c.writes / c.all), counts_latency(&c), INT_CELL(node),
			REAL_CELL(100.0 * on[node] / c.all), INT_CELL(changes) });
	}
	return bad;
}
