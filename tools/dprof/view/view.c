// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The list of views, and what several of them say alike. */
#include <stdlib.h>
#include <string.h>

#include "view.h"

static const char *lacks_samples(const struct analysis *a)
{
	return a->m.samples ? NULL : "no samples (dprof_sample) in it";
}

static const char *lacks_paths(const struct analysis *a)
{
	size_t i;

	for (i = 0; i < a->t.nr; i++)
		if (!a->only || a->t.trace[i].type == a->only->index)
			return NULL;
	return a->only ? "no histories of this type in it (dprof record --history)" :
			 "no histories in it (dprof record --history)";
}

static const char *lacks_accesses(const struct analysis *a)
{
	return a->m.samples || a->t.nr ? NULL : "neither samples nor histories in it";
}

static const char *lacks_objects(const struct analysis *a)
{
	uint32_t i;

	for (i = 0; i < a->m.nr_types; i++)
		if (a->m.by_index[i]->seen_alloc)
			return NULL;
	return lacks_accesses(a) ? "neither samples, histories nor allocations in it" : NULL;
}

const struct view views[] = {
	{ "profile", "types by misses: size, levels, latency, do they change CPU",
	  view_profile, lacks_samples, NEED_TRACES, NULL },
	{ "classify", "why they miss: sharing, conflict, capacity, and whose writes",
	  view_classify, lacks_accesses, NEED_VERDICTS, NULL },
	{ "workingset", "what fills the cache, by simulation, and on which path",
	  view_workingset, lacks_objects, NEED_SIM, NULL },
	{ "assoc-sets", "associativity sets and the types in them",
	  view_sets, lacks_accesses, NEED_SIM, "assoc-sets" },
	{ "dataflow", "from allocation to free: functions, and changes of CPU",
	  view_dataflow, lacks_paths, NEED_TRACES, "dot" },
	{ "paths", "path traces: accesses in their order, with hits and latency",
	  view_paths, lacks_paths, NEED_TRACES, NULL },
	{ "sharing", "lines that several CPUs use and one writes",
	  view_sharing, lacks_samples, NEED_VERDICTS, NULL },
	{ }
};

/** view_word() - the views, as struct verb_usage has words */
const char *view_word(int n, const char **about)
{
	if (about)
		*about = views[n].about;
	return views[n].name;
}

/**
 * view_find() - a view by its name
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
