// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memref report: print a view of a recording. */
#include <string.h>

#include "lib/output.h"
#include "memref.h"
#include "memref/view/view.h"
#include "memref/model/window.h"

static const char *words(int n, const char **about)
{
	if (about)
		*about = views[n].about;
	return views[n].name;
}

static const struct verb_usage usage = {
	.command = "memref report", .operands = "VIEW [FILE] [options]", .words = words,
	.about = "Print a view of a recording (" DEFAULT_INPUT ").", .min = 1, .max = 2,
};

int cmd_report(int argc, char **argv)
{
	struct output output = { };
	struct window window = { };
	int by = -1;	/* in the order of enum age_by */
	const struct opt options[] = {
		OUTPUT_OPTIONS(&output), WINDOW_OPTIONS(&window), WINDOW_PID_OPTION(&window),
		AGES_BY_OPTION(&by, "sum idle ages by this (default class)"), { }
	};
	const struct view *view;
	const char *path;
	struct model model;
	struct table table;
	char error[512];
	int damaged, failed;

	if (argc > 1 && !strcmp(argv[1], "html")) {
		complain(OK, "report html: goes away with the next release, use memref html");
		return cmd_html(argc - 1, argv + 1);
	}
	argv += options_parse(&usage, options, argc, argv);
	view = view_find(argv[0]);
	if (!view && !strcmp(argv[0], "html"))
		return options_wrong(&usage, "html: no such view: use memref html FILE -o PAGE");
	if (!view)
		return unknown_word(&usage, "view", argv[0]);
	if (output.explain)
		return output_explain(&output, view->columns);
	if (window_check(&window))
		return USAGE;
	if (view_by(view, &window, by, AGES_CLASS, error, sizeof(error)) ||
	    view_window(view, &window, error, sizeof(error)))
		return wrong_usage("%s", error);

	path = recording_path(argv[1]);
	if (!path)
		return FAILED;
	damaged = load_recording(path, &window, view->needs, &model);
	if (!model.nr_intervals) {
		model_free(&model);
		return FAILED;
	}
	warn_lost_ages(&model, view);
	/* Show the intervals that could be read of a damaged file, too. */
	failed = view_make(view, &model, &table, error, sizeof(error));
	if (failed) {
		complain(FAILED, "%s", error);
		table_free(&table);
	} else {
		failed = output_table(&output, &table, 0);
	}
	model_free(&model);
	return damaged || failed ? FAILED : OK;
}
