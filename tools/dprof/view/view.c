// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The list of views, and the checks for data that a view needs. */
#include <stdlib.h>
#include <string.h>

#include "lib/complain.h"
#include "view.h"

static const char *lacks_samples(const struct analysis *a)
{
	return a->m.samples ? NULL : "no samples (dprof_sample) in the recording";
}

static const char *lacks_paths(const struct analysis *a)
{
	size_t i;

	for (i = 0; i < a->t.nr; i++)
		if (analysis_selects(a, a->m.by_index[a->t.trace[i].type]))
			return NULL;
	if (!model_has_types(&a->m))
		return "perf records no histories of objects (dprof record --history does)";
	return a->only ? "no histories of this type in the recording (dprof record --history)" :
			 "no histories in the recording (dprof record --history)";
}

static const char *lacks_accesses(const struct analysis *a)
{
	if (a->t.nr)
		return NULL;
	return a->m.samples ? analysis_lacks_hits(a) : "neither samples nor histories in the recording";
}

static const char *lacks_objects(const struct analysis *a)
{
	uint32_t i;

	for (i = 0; i < a->m.nr_types; i++)
		if (a->m.by_index[i]->seen_alloc)
			return NULL;
	return a->m.samples ? lacks_accesses(a) :
	       a->t.nr ? NULL : "no samples, histories or allocations in the recording";
}

/* What of the samples is known at all. */
static bool knows_cpus(const struct analysis *a)
{
	const struct spot *s;

	for (s = a->m.spots; s && s->key.cpu < 0; s = s->hh.next)
		;
	return s;
}

static bool knows_nodes(const struct analysis *a)
{
	const struct spot *s;

	for (s = a->m.spots; s && s->key.node < 0; s = s->hh.next)
		;
	return s;
}

static bool knows_levels(const struct analysis *a)
{
	return a->m.samples > a->m.by_level[LEVEL_UNKNOWN].n;
}

static bool knows_latency(const struct analysis *a)
{
	int l;

	for (l = 0; l < NR_LEVELS && !a->m.by_level[l].with_latency; l++)
		;
	return l < NR_LEVELS;
}

static const char *lacks_levels(const struct analysis *a)
{
	return lacks_samples(a) ? lacks_samples(a) : knows_levels(a) ? NULL :
	       "no sample says where its data were found (perf mem record, or dprof record of ibs or pebs)";
}

static const char *lacks_latency(const struct analysis *a)
{
	return lacks_samples(a) ? lacks_samples(a) : knows_latency(a) ? NULL :
	       "no sample has a latency (perf mem record, or dprof record of ibs or pebs)";
}

static const char *lacks_cpus(const struct analysis *a)
{
	return lacks_samples(a) ? lacks_samples(a) : knows_cpus(a) ? NULL :
	       "no sample has its CPU (perf record --sample-cpu)";
}

static const char *lacks_nodes(const struct analysis *a)
{
	return lacks_samples(a) ? lacks_samples(a) : knows_nodes(a) ? NULL :
	       "no sample has the NUMA node of its memory (perf mem record --phys-data)";
}

/* Lines of types do not need it: each CPU has its own in the model. */
static const char *lacks_sharing(const struct analysis *a)
{
	return model_has_types(&a->m) ? lacks_samples(a) : lacks_cpus(a);
}

static const char *lacks_chains(const struct analysis *a)
{
	return a->m.chains ? NULL : "no call chains in the recording (dprof record --call-graph)";
}

static const char *lacks_structs(const struct analysis *a)
{
	return lacks_samples(a) ? lacks_samples(a) : a->l.dwarf ? NULL :
	       "structs in memory follow from the variables of code: --vmlinux with DWARF is needed";
}

#define SHOWS_SAMPLES	(SHOWS_TYPES | SHOWS_LEVELS | SHOWS_LATENCY)

const struct view views[] = {
	{ "profile", "types by misses: size, levels, latency, use by several CPUs",
	  &profile_columns, view_profile, lacks_samples, NEED_TRACES, SHOWS_SAMPLES | SHOWS_ALLOCATIONS, NULL },
	{ "classify", "causes of misses: sharing, conflict, capacity, and the writer",
	  &classify_columns, view_classify, lacks_accesses, NEED_VERDICTS,
	  SHOWS_TYPES | SHOWS_HISTORIES | SHOWS_LEVELS | SHOWS_CPUS, NULL },
	{ "workingset", "contents of the simulated cache, by type and path",
	  &workingset_columns, view_workingset, lacks_objects, NEED_SIM, SHOWS_TYPES | SHOWS_ALLOCATIONS | SHOWS_HISTORIES, NULL },
	{ "assoc-sets", "associativity sets and the types in them",
	  &sets_columns, view_sets, lacks_accesses, NEED_SIM, SHOWS_TYPES, "assoc-sets" },
	{ "dataflow", "functions from allocation to free, and changes of CPU",
	  &dataflow_columns, view_dataflow, lacks_paths, NEED_TRACES, 0, "dot" },
	{ "paths", "path traces: accesses in order, with level and latency",
	  &paths_columns, view_paths, lacks_paths, NEED_TRACES, 0, NULL },
	{ "sharing", "lines that several CPUs use and at least one writes",
	  &sharing_columns, view_sharing, lacks_sharing, NEED_VERDICTS, SHOWS_SAMPLES, "dprof-sharing" },
	{ "lines", "cache lines by samples: loads, stores, CPUs, places in them, HITM",
	  &lines_columns, view_lines, lacks_samples, NEED_MODEL, SHOWS_SAMPLES | SHOWS_CPUS, NULL },
	{ "c2c", "lines with HITM as perf c2c has them, with objects and fields",
	  &c2c_columns, view_c2c, lacks_levels, NEED_MODEL, SHOWS_SAMPLES | SHOWS_CPUS, NULL },
	{ "latency", "latencies of each field, as a histogram",
	  &latency_columns, view_latency, lacks_latency, NEED_MODEL, SHOWS_TYPES | SHOWS_LATENCY, NULL },
	{ "code", "functions and their files by misses, and the type they use most",
	  &code_columns, view_code, lacks_samples, NEED_MODEL, SHOWS_SAMPLES, NULL },
	{ "structs", "structs that code accesses in objects that have none: packets, pages, stacks",
	  &structs_columns, view_structs, lacks_structs, NEED_MODEL, SHOWS_LEVELS | SHOWS_LATENCY, NULL },
	{ "callers", "call chains of accesses, allocations and frees, by type and function",
	  &callers_columns, view_callers, lacks_chains, NEED_MODEL, 0, NULL },
	{ "levels", "where accesses found their data, and how long that took",
	  &levels_columns, view_levels, lacks_levels, NEED_MODEL, SHOWS_LATENCY, NULL },
	{ "cpus", "CPUs by samples: misses, memory of other nodes, latency",
	  &cpus_columns, view_cpus, lacks_cpus, NEED_MODEL, SHOWS_LEVELS | SHOWS_LATENCY | SHOWS_NODES, NULL },
	{ "nodes", "NUMA nodes of CPUs and of the memory they use",
	  &nodes_columns, view_nodes, lacks_nodes, NEED_MODEL, SHOWS_LEVELS | SHOWS_LATENCY, NULL },
	{ }
};

/**
 * view_note() - say what a recording of perf lacks for a view, once, on standard error
 * @a: the analysis, loaded
 * @shows: of the view
 * @path: of the recording
 */
void view_note(const struct analysis *a, unsigned int shows, const char *path)
{
	static const struct { unsigned int what; const char *name; } names[] = {
		{ SHOWS_TYPES, "types of objects (variables, mappings and regions stand for them)" },
		{ SHOWS_ALLOCATIONS, "events of allocations" }, { SHOWS_HISTORIES, "histories of objects" },
		{ SHOWS_LEVELS, "data sources (perf mem record)" },
		{ SHOWS_LATENCY, "latencies (perf record --weight)" },
		{ SHOWS_CPUS, "CPUs (perf record --sample-cpu)" },
		{ SHOWS_NODES, "NUMA nodes of the memory (perf mem record --phys-data)" },
	};
	const unsigned int has = (knows_levels(a) ? SHOWS_LEVELS : 0) | (knows_latency(a) ? SHOWS_LATENCY : 0) |
				 (knows_cpus(a) ? SHOWS_CPUS : 0) | (knows_nodes(a) ? SHOWS_NODES : 0);
	char text[512] = "";
	size_t i, n = 0;

	if (model_has_types(&a->m))
		return;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (shows & ~has & names[i].what)
			n += snprintf(text + n, sizeof(text) - n, "%s %s", n ? ", no" : " no", names[i].name);
	if (n)
		complain(OK, "%s: perf recorded%s", path, text);
}

/** view_word() - list the views, for the words callback of struct verb_usage */
const char *view_word(int n, const char **about)
{
	if (about)
		*about = views[n].about;
	return views[n].name;
}

/**
 * view_find() - find a view by its name
 * @name: of the view
 *
 * Return: the view, or NULL.
 */
const struct view *view_find(const char *name)
{
	const struct view *v;

	for (v = views; v->name; v++)
		if (!strcmp(v->name, name))
			return v;
	return NULL;
}
