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

/* Of what matches nothing the table is empty, the exit status says so, and no file is replaced. */
static int print(struct memprof *m, const struct view *view, const char *path, struct common *c,
		 const struct output *output)
{
	struct table table;
	int none, failed = 0;

	common_doubt(m, path, c);
	none = common_check(m, c);
	if (none)
		table_init_columns(&table, view->columns);
	else
		failed = view->make(m, &c->view, &table);
	if (!none && !failed)
		none = common_matches(m, c, table_rows(&table));
	table.warning = c->doubt;
	return none ? output_nothing(output, &table) : output_table(output, &table, failed);
}

int cmd_report(int argc, char **argv)
{
	struct common common = COMMON_DEFAULT;
	struct output output = { };
	const struct view *view;
	struct memprof *m;
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
	failed = m ? print(m, view, argv[1], &common, &output) : FAILED;
	memprof_close(m);
	free(common.view.summary);
	return damaged || failed ? FAILED : OK;
}
