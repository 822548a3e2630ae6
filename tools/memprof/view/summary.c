// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/* The recording in a few lines: shares, nodes, latencies, losses, what is unknown. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "enough.h"
#include "view.h"

static int add(struct table *t, const char *name, struct cell value, const char *unit)
{
	return table_add(t, (struct cell[]){ TEXT_CELL(name), value, TEXT_CELL(unit) });
}

/* @name: a format for the level's name, or the node's number */
static __attribute__((format(printf, 2, 5)))
int add_of(struct table *t, const char *name, struct cell value, const char *unit, ...)
{
	char text[64];
	va_list args;

	va_start(args, unit);
	vsnprintf(text, sizeof(text), name, args);
	va_end(args);
	return add(t, text, value, unit);
}

/* More nodes than accesses have numbers for. */
#define NODES	256

/* What accesses add up to, one after the other. */
struct summary {
	struct counts all, from[NODES], to[NODES];
	uint64_t levels[MEMPROF_LEVELS];
};

/** summary_new() - of no access yet; NULL without memory.  For free(). */
struct summary *summary_new(void)
{
	return calloc(1, sizeof(struct summary));
}

/** summary_add() - add an access: for options.each, with the summary as @arg */
void summary_add(const struct memprof_access *a, void *arg)
{
	struct summary *s = arg;

	counts_add(&s->all, a);
	s->levels[a->level]++;
	if (a->node >= 0 && a->node < NODES)
		counts_add(&s->from[a->node], a);
	if (a->home >= 0 && a->home < NODES)
		counts_add(&s->to[a->home], a);
}

const struct columns summary_columns = COLUMNS(
	{ "what", CELL_TEXT, 0, "",
	  "figure of the recording: duration, counts of samples, where data were found, nodes, "
	  "losses, and reasons why an access is no object's" },
	{ "value", CELL_REAL, 2, "", "its value", "not known" },
	{ "unit", CELL_TEXT, 0, "", "unit of the value; empty: a number" },
);

/* A summary as a table.  Return: 0, or -1 without memory. */
static int summary_table(struct memprof *m, const struct summary *s, struct table *t)
{
	const struct memprof_totals *n = memprof_totals(m);
	const struct counts *all = &s->all;
	int bad, i;
	size_t k;

	table_init_columns(t, &summary_columns);
	bad = add(t, "duration", REAL_CELL(n->duration_ns / 1e9), "s");
	bad |= add(t, "samples of memory accesses", INT_CELL(n->samples), "");
	bad |= add(t, "events of objects", INT_CELL(n->events), "");
	bad |= add(t, "accesses", INT_CELL(all->all), "");
	bad |= add(t, "of main memory, as far as is known", INT_CELL(all->memory), "");
	bad |= add(t, "remote, of these", counts_remote_pct(all), "%");
	bad |= add(t, "needed of these by diagnose, for a site with 2 %", INT_CELL(enough_needed()), "");
	bad |= add(t, "node of the memory not known, of these", INT_CELL(all->no_node), "");
	bad |= add(t, "reads", all->all ? REAL_CELL(100.0 * all->reads / all->all) : NONE_CELL, "%");
	bad |= add(t, "writes", all->all ? REAL_CELL(100.0 * all->writes / all->all) : NONE_CELL, "%");
	bad |= add(t, "latency of memory", counts_latency(all), "cycles");
	for (i = 0; i < MEMPROF_LEVELS; i++)
		if (s->levels[i])
			bad |= add_of(t, "found in: %s", REAL_CELL(100.0 * s->levels[i] / all->all), "%",
				      i == MEMPROF_LEVEL_UNKNOWN ? "not known" : memprof_level_name(i));
	for (i = 0; i < memprof_nr_nodes(m) && i < NODES; i++) {
		bad |= add_of(t, "node %d: memory accesses from its CPUs", INT_CELL(s->from[i].memory), "", i);
		bad |= add_of(t, "node %d: of these, remote", counts_remote_pct(&s->from[i]), "%", i);
		bad |= add_of(t, "node %d: accesses of its memory", INT_CELL(s->to[i].memory), "", i);
		bad |= add_of(t, "node %d: latency of its memory", counts_latency(&s->to[i]), "cycles", i);
	}
	bad |= add(t, "objects accessed", INT_CELL(n->objects), "");
	bad |= add(t, "threads", INT_CELL(memprof_nr_threads(m)), "");
	bad |= add(t, "allocations", INT_CELL(n->allocations), "");
	bad |= add(t, "frees", INT_CELL(n->frees), "");
	for (i = 0; i < MEMPROF_REASONS; i++)
		if (n->unknown[i])
			bad |= add(t, memprof_reason(i), INT_CELL(n->unknown[i]), "accesses");
	for (k = 0; k < memprof_nr_objects(m); k++) {
		const struct memprof_object *object = memprof_object(m, k);

		if (object->type == MEMPROF_UNKNOWN && strstr(object->symbol, "did not load"))
			bad |= add(t, object->symbol, INT_CELL(object->accesses), "accesses");
	}
	bad |= add(t, "the profiler's own accesses, left out", INT_CELL(n->own), "");
	bad |= add(t, "instructions sampled that access no memory", INT_CELL(n->discarded), "");
	bad |= add(t, "accesses that the source could not report", INT_CELL(n->dropped), "");
	bad |= add(t, "files not found, of which names are missing", INT_CELL(memprof_missing_files(m, NULL)), "");
	bad |= add(t, "samples lost", INT_CELL(n->lost_samples), "");
	bad |= add(t, "times throttled", INT_CELL(n->throttled), "");
	bad |= add(t, "events of objects lost", INT_CELL(n->lost_events), "");
	bad |= add(t, "records of tasks lost", INT_CELL(n->lost_tasks), "");
	return bad ? -1 : 0;
}

int view_summary(struct memprof *m, const struct view_options *o, struct table *t)
{
	struct summary *s = o->summary ? o->summary : summary_new();
	struct memprof_access a;
	size_t i;
	int ret;

	for (i = 0; s && !o->summary && i < memprof_nr_accesses(m); i++) {
		memprof_access(m, i, &a);
		summary_add(&a, s);
	}
	ret = s ? summary_table(m, s, t) : -1;
	if (!o->summary)
		free(s);
	return ret;
}
