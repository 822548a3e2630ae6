// SPDX-License-Identifier: GPL-2.0
/* memref report: print a view of a recording. */
#include <getopt.h>
#include <string.h>

#include "memref.h"
#include "view.h"
#include "window.h"

static void usage(FILE *f)
{
	const struct view *v;

	fputs("usage: memref report VIEW [FILE] [options]\n"
	      "Print a view of a recording (default trace.dat).\n\n", f);
	for (v = views; v->name; v++)
		fprintf(f, "  %-10s %s\n", v->name, v->about);
	fputs("  html       all of these and their plots in a page (see memref html --help)\n"
	      "\n  -F, --format text|csv|json  (default text)\n"
	      "  -o, --output FILE           (default standard output)\n", f);
	fputs(window_usage, f);
	fputs(window_pid_usage, f);
	fputs("      --help\n", f);
}

int cmd_report(int argc, char **argv)
{
	static const struct option options[] = {
		{ "format", 1, NULL, 'F' }, { "output", 1, NULL, 'o' },
		WINDOW_OPTIONS, { "help", 0, NULL, 'h' }, { }
	};
	enum table_format format = TABLE_TEXT;
	struct window window = { };
	const char *output = NULL;
	const struct view *view;
	struct outfile out;
	struct model model;
	struct table table;
	char error[512];
	int c, damaged, failed;

	if (argc > 1 && !strcmp(argv[1], "html"))
		return cmd_html(argc - 1, argv + 1);
	while ((c = getopt_long(argc, argv, "F:o:h", options, NULL)) != -1) {
		switch (c) {
		case 'F':
			if (table_format_parse(optarg, &format))
				return complain(USAGE, "--format %s: not text, csv or json", optarg);
			break;
		case 'o':
			output = optarg;
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
	} else if (outfile_open(&out, output)) {
		failed = 1;
	} else {
		failed = table_print(&table, format, out.f);
		failed |= outfile_close(&out, failed);
	}
	table_free(&table);
	model_free(&model);
	return damaged || failed ? FAILED : OK;
}
