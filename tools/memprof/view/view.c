// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/* The views. */
#include <string.h>

#include "view.h"

const struct view views[] = {
	{ "summary", "remote share, nodes, latency, what is unknown", &summary_columns, view_summary, false },
	{ "objects", "by allocation site: size, count, share of remote accesses", &objects_columns, view_objects, true },
	{ "threads", "by thread: accesses, remote share, latency", &threads_columns, view_threads, false },
	{ "flow", "accesses of one object or thread over time", &flow_columns, view_flow, true },
	{ "nodes", "from which node to which memory", &nodes_columns, view_nodes, true },
	{ "lines", "cache lines that several threads access: sharing, HITM, latency", &lines_columns, view_lines, false },
	{ }
};

const struct view diagnosis_views[] = {
	{ "findings", "the diagnosis: patterns, fixes and what these would change", &findings_columns,
	  view_findings, false },
	{ "levels", "where loads find their data: as it is, and with each fix", &levels_columns,
	  view_levels, false },
	{ "latency", "sites by their share of the sampled latency", &latencies_columns, view_latency, false },
	{ }
};

/** view_word() - the views, as struct verb_usage has words */
const char *view_word(int n, const char **about)
{
	if (about)
		*about = views[n].about;
	return views[n].name;
}

/** view_find() - a view by its name, or NULL */
const struct view *view_find(const char *name)
{
	const struct view *v;

	for (v = views; v->name; v++)
		if (!strcmp(v->name, name))
			return v;
	return NULL;
}
