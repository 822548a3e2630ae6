// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The views, and how they count. */
#include <stdio.h>
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
