// SPDX-License-Identifier: GPL-2.0
/* memref report: print a view of a recording. */
#include <getopt.h>
#include <string.h>

#include "lib/output.h"
#include "memref.h"
#include "memref/view/view.h"
#include "memref/model/window.h"

static void usage(FILE *f)
{
	const struct view *v;

	fputs("usage: memref report VIEW [FILE] [options]\n"
	      "Print a view of a recording (default trace.dat).\n\n", f);
	for (v = views; v->name; v++)
		fprintf(f, "  %-10s %s\n", v->name, v->about);
	fputs("  html       all of these and their plots in a page (see memref html --help)\n\n", f);
	fputs(output_usage, f);
	fputs(window_usage, f);
	fputs(window_pid_usage, f);
	fputs("      --help\n", f);
}

int cmd_report(int argc, char **argv)
{
	static const struct option options[] = {
		OUTPUT_OPTIONS, WINDOW_OPTIONS, { "help", 0, NULL, 'h' }, { }
	};
	struct output output = { };
	struct window window = { };
	const struct view *view;
	struct model model;
	struct table table;
	char error[512];
	int c, damaged, failed;

	if (argc > 1 && !strcmp(argv[1], "html"))
		return cmd_html(argc - 1, argv + 1);
	while ((c = getopt_long(argc, argv, OUTPUT_LETTERS "h", options, NULL)) != -1) {
		switch (c) {
		case 'F':
		case 'o':
			if (output_option(&output, c, optarg))
				return USAGE;
			break;
		case WINDOW_FROM ... WINDOW_PID:
			if (window_option(&window, c, optarg, error, sizeof(error)))
				return complain(USAGE, "%s", error);
			break;
		case 'h':
			usage(stdout);
			return OK;
		default:
			usage(stderr);
			return USAGE;
		}
	}
	if (optind == argc || argc - optind > 2) {
		usage(stderr);
		return USAGE;
	}
	view = view_find(argv[optind]);
	if (!view)
		return complain(USAGE, "%s: no such view (see memref report --help)", argv[optind]);
	if (view_window(view, &window, error, sizeof(error)))
		return complain(USAGE, "%s", error);

	damaged = load_recording(argv[optind + 1], &window, view->needs, &model);
	if (!model.nr_intervals) {
		model_free(&model);
		return FAILED;
	}
	/* What could be read of a damaged file is worth showing. */
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
