// SPDX-License-Identifier: GPL-2.0
/* dprof report: print a view of a recording. */
#include <getopt.h>
#include <string.h>

#include "dprof.h"
#include "view.h"

static void usage(FILE *f)
{
	const struct view *v;

	fputs("usage: dprof report VIEW [FILE] [options]\n"
	      "Print a view of a recording (default trace.dat).\n\n", f);
	for (v = views; v->name; v++)
		fprintf(f, "  %-10s %s\n", v->name, v->about);
	fputs("\n  -F, --format text|csv|json  (default text)\n"
	      "  -o, --output FILE           (default standard output)\n", f);
	fputs(analysis_usage, f);
	fputs("      --help\n", f);
}

static int print(struct analysis *a, const struct view *view, const char *path,
		 enum table_format format, const char *output)
{
	const char *lacks = view->lacks ? view->lacks(a) : NULL;
	struct outfile out;
	struct table table;
	int failed;

	if (lacks)
		return complain(FAILED, "%s: %s", path, lacks);
	failed = view->make(a, &table);
	if (failed) {
		complain(FAILED, "no memory left");
	} else {
		failed = outfile_open(&out, output);
		if (!failed)
			failed = outfile_close(&out, table_print(&table, format, out.f));
	}
	table_free(&table);
	return failed ? FAILED : OK;
}

int cmd_report(int argc, char **argv)
{
	static const struct option options[] = {
		{ "format", 1, NULL, 'F' }, { "output", 1, NULL, 'o' }, ANALYSIS_OPTIONS,
		{ "help", 0, NULL, 'h' }, { }
	};
	enum table_format format = TABLE_TEXT;
	const char *output = NULL, *path;
	const struct view *view;
	struct analysis a;
	int c, ret;

	analysis_init(&a);
	while ((c = getopt_long(argc, argv, "F:o:h", options, NULL)) != -1) {
		switch (c) {
		case 'F':
			if (table_format_parse(optarg, &format))
				return complain(USAGE, "--format %s: not text, csv or json", optarg);
			break;
		case 'o':
			output = optarg;
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
	if (a.m.events && print(&a, view, path, format, output))
		ret = FAILED;
	analysis_free(&a);
	return ret;
}
