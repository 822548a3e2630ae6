// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/* A flow: each access of an object (thread, node) or of a thread (object, node). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memprof/diagnose/patterns.h"
#include "view.h"

/* Where nothing is diagnosed, the object that most remote accesses are of. */
static uint32_t hottest(struct memprof *m)
{
	uint32_t best = 0;
	uint64_t most = 0;
	size_t i;

	for (i = 0; i < memprof_nr_objects(m); i++) {
		struct counts c = { 0 };
		struct memprof_access a;

		memprof_foreach_access(m, memprof_object_flow(m, i), &a)
			counts_add(&c, &a);
		if (c.remote + 1 > most && memprof_object(m, i)->type != MEMPROF_UNKNOWN) {
			most = c.remote + 1;
			best = i;
		}
	}
	return best;
}

/**
 * flow_choose() - of a flow that is not chosen, that of the object that is diagnosed first
 * @m: the recording
 * @o: gets the object, if neither it nor a thread is chosen
 *
 * Return: 0, or -1 without memory.
 */
int flow_choose(struct memprof *m, struct view_options *o)
{
	struct findings found;
	int bad;
	size_t i;

	if (o->object != NO_NUMBER || o->thread != NO_NUMBER)
		return 0;
	bad = patterns_find(m, &found);
	for (i = 0; !bad && i < found.nr && o->object == NO_NUMBER; i++)
		if (found.all[i].fix != FIX_NONE)
			o->object = found.all[i].object;
	patterns_free(&found);
	if (!bad && o->object == NO_NUMBER)
		o->object = hottest(m);
	return bad;
}

const struct columns flow_columns = COLUMNS(
	{ "time_s", CELL_REAL, 6, "s", "time of the access, since the recording began" },
	{ "thread", CELL_INT, 0, "", "number of the thread (see the view threads)" },
	{ "tid", CELL_INT, 0, "", "thread, as the kernel numbers it" },
	{ "object", CELL_INT, 0, "", "number of the object (see the view objects)" },
	{ "site", CELL_TEXT, 0, "", "where the object is allocated" },
	{ "offset", CELL_INT, 0, "bytes", "offset of the access in the object" },
	{ "node", CELL_INT, 0, "", "node of the CPU that accessed", "not known" },
	{ "home", CELL_INT, 0, "", "node of the memory", "not known" },
	{ "access", CELL_TEXT, 0, "", "read, write, or read-write" },
	{ "remote", CELL_INT, 0, "",
	  "1: the access is from another node than home; 0: it is not, or a node is not known" },
	{ "level", CELL_TEXT, 0, "", "where the data were found" },
	{ "latency_cycles", CELL_INT, 0, "cycles",
	  "latency of the access", "the source did not report it" },
	{ "where", CELL_TEXT, 0, "", "function that accessed", "not known" },
);

int view_flow(struct memprof *m, const struct view_options *o, struct table *t)
{
	struct view_options chosen = *o;
	struct memprof_flow flow;
	struct memprof_access a;
	char text[1024];
	size_t rows = 0;
	int bad = 0;

	table_init_columns(t, &flow_columns);
	if (flow_choose(m, &chosen))
		return -1;
	flow = o->thread != NO_NUMBER ? memprof_thread_flow(m, o->thread) : memprof_object_flow(m, chosen.object);
	while (!bad && memprof_next(m, &flow, &a)) {
		const char *where;
		bool named;

		if (!o->all && !memprof_in_memory(m, &a))
			continue;
		if (o->top && rows++ >= o->top)
			break;
		errno = 0;
		where = memprof_frame(m, a.chain, 0);
		named = !memprof_site_text(memprof_object_site(m, a.object), text, sizeof(text));
		bad = !named || (!where && errno == ENOMEM) ? -1 : table_add(t, (struct cell[]){
			REAL_CELL(a.time_ns / 1e9), INT_CELL(a.thread),
			INT_CELL(memprof_thread(m, a.thread)->tid), INT_CELL(a.object),
			TEXT_CELL(text), INT_CELL(a.offset),
			a.node < 0 ? NONE_CELL : INT_CELL(a.node),
			a.home < 0 ? NONE_CELL : INT_CELL(a.home),
			TEXT_CELL(a.read && a.write ? "read-write" : a.write ? "write" : "read"),
			INT_CELL(memprof_is_remote(&a)), TEXT_CELL(memprof_level_name(a.level)),
			a.latency ? INT_CELL(a.latency) : NONE_CELL,
			where ? TEXT_CELL(where) : NONE_CELL });
	}
	return bad;
}
