// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* dprof report: print a view of a recording. */
#include <string.h>

#include "lib/output.h"
#include "dprof.h"
#include "dprof/view/view.h"

static const struct verb_usage usage = {
	.command = "dprof report", .operands = "VIEW [FILE] [options]", .words = view_word,
	.about = "Print a view of a recording (default trace.dat).", .min = 1, .max = 2,
};

static int print(struct analysis *a, const struct view *view, const char *path,
		 const struct output *output)
{
	const char *lacks = view->lacks ? view->lacks(a) : NULL;
	struct table table;
	int failed;

	if (lacks)
		return complain(FAILED, "%s: %s", path, lacks);
	view_note(a, view->shows, path);
	failed = view->make(a, &table);
	table.warning = a->doubt;
	return output_table(output, &table, failed);
}

int cmd_report(int argc, char **argv)
{
	struct output output = { };
	const char *path;
	const struct view *view;
	struct analysis a;
	const struct opt options[] = { OUTPUT_OPTIONS(&output), ANALYSIS_OPTIONS(&a), { } };
	int ret;

	analysis_init(&a);
	argv += options_parse(&usage, options, argc, argv);
	view = view_find(argv[0]);
	if (!view)
		return unknown_word(&usage, "view", argv[0]);
	if (output.explain)
		return output_explain(&output, view->columns);
	path = argv[1] ? argv[1] : "trace.dat";
	ret = analysis_load(&a, path, view->need);
	/* Print the events before the damage of a damaged file, too. */
	if (a.m.events && print(&a, view, path, &output))
		ret = FAILED;
	analysis_free(&a);
	return ret;
}
