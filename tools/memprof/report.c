// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memprof report: print a view of a recording. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/output.h"
#include "memprof_cli.h"
#include "options.h"

static const struct verb_usage usage = {
	.command = "memprof report", .operands = "VIEW [FILE] [options]", .words = view_word,
	.about = "Print a view of a recording (default " DEFAULT_FILE ").", .min = 1, .max = 2, .only = common_only,
};

/* A summary needs no flows: accesses are added up while they are read. */
static void take_access(const struct memprof_access *a, void *arg)
{
	struct common *c = arg;

	summary_add(a, c->view.summary);
	common_doubt_add(c, a);
}

int cmd_report(int argc, char **argv)
{
	struct common common = COMMON_DEFAULT;
	struct output output = { };
	const struct view *view;
	struct memprof *m;
	struct table table = { };
	int damaged, failed;
	const struct opt options[] = { OUTPUT_OPTIONS(&output), COMMON_OPTIONS(&common), { } };

	argv += options_parse(&usage, options, argc, argv);
	view = view_find(argv[0]);
	if (!view)
		return unknown_word(&usage, "view", argv[0]);
	if (output.explain)
		return output_explain(&output, view->columns);
	if (common_check_options(&common))
		return USAGE;
	if (!strcmp(view->name, "summary")) {
		common.view.summary = summary_new();
		if (!common.view.summary)
			return complain(FAILED, "no memory left");
		common.what.each = take_access;
		common.what.count_objects = true;
		common.what.arg = &common;
	}
	m = common_open(argv[1], &common, &damaged);
	if (!m || common_check(m, &common)) {
		memprof_close(m);
		free(common.view.summary);
		return FAILED;
	}
	common_doubt(m, argv[1], &common);
	failed = view->make(m, &common.view, &table);
	table.warning = common.doubt;
	failed = output_table(&output, &table, failed);
	memprof_close(m);
	free(common.view.summary);
	return damaged || failed ? FAILED : OK;
}
