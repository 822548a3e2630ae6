// SPDX-License-Identifier: GPL-2.0
/* dprof report: print a view of a recording. */
#include <getopt.h>
#include <string.h>

#include "lib/output.h"
#include "dprof.h"
#include "dprof/view/view.h"

static void usage(FILE *f)
{
	const struct view *v;

	fputs("usage: dprof report VIEW [FILE] [options]\n"
	      "Print a view of a recording (default trace.dat).\n\n", f);
	for (v = views; v->name; v++)
		fprintf(f, "  %-10s %s\n", v->name, v->about);
	fputs("\n", f);
	fputs(output_usage, f);
	fputs(analysis_usage, f);
	fputs("      --help\n", f);
}

static int print(struct analysis *a, const struct view *view, const char *path,
		 const struct output *output)
{
	const char *lacks = view->lacks ? view->lacks(a) : NULL;
	struct table table;
	int failed;

	if (lacks)
		return complain(FAILED, "%s: %s", path, lacks);
	failed = view->make(a, &table);
	return output_table(output, &table, failed);
}

int cmd_report(int argc, char **argv)
{
	static const struct option options[] = {
		OUTPUT_OPTIONS, ANALYSIS_OPTIONS,
		{ "help", 0, NULL, 'h' }, { }
	};
	struct output output = { };
	const char *path;
	const struct view *view;
	struct analysis a;
	int c, ret;

	analysis_init(&a);
	while ((c = getopt_long(argc, argv, OUTPUT_LETTERS "h", options, NULL)) != -1) {
		switch (c) {
		case 'F':
		case 'o':
			if (output_option(&output, c, optarg))
				return USAGE;
			break;
		case OPTION_LEVEL ... OPTION_VMLINUX:
			if (analysis_option(&a, c, optarg))
				return USAGE;
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
		return complain(USAGE, "%s: no such view (see dprof report --help)", argv[optind]);
	path = optind + 1 < argc ? argv[optind + 1] : "trace.dat";
	ret = analysis_load(&a, path, view->need);
	/* What could be read of a damaged file is worth showing. */
	if (a.m.events && print(&a, view, path, &output))
		ret = FAILED;
	analysis_free(&a);
	return ret;
}
