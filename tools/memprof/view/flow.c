// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* A flow: each access of an object (thread, node) or of a thread (object, node). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view.h"

/* Without a choice, the object that most remote accesses are of. */
static uint32_t hottest(struct memprof *m)
{
	uint32_t best = 0;
	uint64_t most = 0;
	size_t i;

	for (i = 0; i < memprof_nr_objects(m); i++) {
		struct counts c = { 0 };
		struct memprof_access a;

		memprof_foreach_access(m, memprof_object_flow(m, i), &a)
			counts_add(&c, m, &a);
		if (c.remote + 1 > most && memprof_object(m, i)->type != MEMPROF_UNKNOWN) {
			most = c.remote + 1;
			best = i;
		}
	}
	return best;
}

int view_flow(struct memprof *m, const struct view_options *o, struct table *t)
{
	static const struct column columns[] = {
		{ "time_s", CELL_REAL, 6 }, { "thread", CELL_INT }, { "tid", CELL_INT },
		{ "object", CELL_INT }, { "site", CELL_TEXT }, { "offset", CELL_INT },
		{ "node", CELL_INT }, { "home", CELL_INT }, { "access", CELL_TEXT },
		{ "remote", CELL_INT }, { "level", CELL_TEXT }, { "latency_cycles", CELL_INT },
		{ "where", CELL_TEXT },
	};
	struct memprof_flow flow = o->thread != NO_NUMBER ? memprof_thread_flow(m, o->thread) :
		memprof_object_flow(m, o->object != NO_NUMBER ? o->object : hottest(m));
	struct memprof_access a;
	char text[1024];
	size_t rows = 0;
	int bad = 0;

	table_init(t, columns, sizeof(columns) / sizeof(*columns));
	while (!bad && memprof_next(m, &flow, &a)) {
		const char *where;
		bool named;

		if (!o->all && !memprof_in_memory(m, &a))
			continue;
		if (o->top && rows++ >= o->top)
			break;
		errno = 0;
		where = memprof_frame(m, a.chain, 0);
		named = !site_text(memprof_object_site(m, a.object), text, sizeof(text));
		bad = !named || (!where && errno == ENOMEM) ? -1 : table_add(t, (struct cell[]){
			REAL_CELL(a.time_ns / 1e9), INT_CELL(a.thread),
			INT_CELL(memprof_thread(m, a.thread)->tid), INT_CELL(a.object),
			TEXT_CELL(text), INT_CELL(a.offset),
			a.node < 0 ? NONE_CELL : INT_CELL(a.node),
			a.home < 0 ? NONE_CELL : INT_CELL(a.home),
			TEXT_CELL(a.read && a.write ? "read-write" : a.write ? "write" : "read"),
			INT_CELL(is_remote(&a)), TEXT_CELL(memprof_level_name(a.level)),
			a.latency ? INT_CELL(a.latency) : NONE_CELL,
			where ? TEXT_CELL(where) : NONE_CELL });
	}
	return bad;
}
