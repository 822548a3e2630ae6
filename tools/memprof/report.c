// SPDX-License-Identifier: GPL-2.0
/* memprof report: print a view of a recording. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "lib/output.h"
#include "memprof_cli.h"
#include "options.h"

static void usage(FILE *f)
{
	const struct view *v;

	fputs("usage: memprof report VIEW [FILE] [options]\n"
	      "Print a view of a recording (default " DEFAULT_FILE ").\n\n", f);
	for (v = views; v->name; v++)
		fprintf(f, "  %-10s %s\n", v->name, v->about);
	fputs("\n", f);
	fputs(output_usage, f);
	fputs(options_usage, f);
	fputs("      --help\n", f);
}

int cmd_report(int argc, char **argv)
{
	static const struct option options[] = {
		OUTPUT_OPTIONS, COMMON_OPTIONS,
		{ "help", 0, NULL, 'h' }, { }
	};
	struct common common = COMMON_DEFAULT;
	struct output output = { };
	const struct view *view;
	struct memprof *m;
	struct table table;
	int c, damaged, failed;

	while ((c = getopt_long(argc, argv, OUTPUT_LETTERS "h", options, NULL)) != -1) {
		switch (c) {
		case 'F':
		case 'o':
			if (output_option(&output, c, optarg))
				return USAGE;
			break;
		case 'h': usage(stdout); return OK;
		case OPT_FROM ... OPT_MEMORY:
			if (common_option(&common, c, optarg))
				return USAGE;
			break;
		default: usage(stderr); return USAGE;
		}
	}
	if (optind == argc || argc - optind > 2) {
		usage(stderr);
		return USAGE;
	}
	view = view_find(argv[optind]);
	if (!view)
		return complain(USAGE, "%s: no such view (see memprof report --help)", argv[optind]);
	m = common_open(argv[optind + 1], &common, &damaged);
	if (!m || common_check(m, &common)) {
		memprof_close(m);
		return FAILED;
	}
	failed = view->make(m, &common.view, &table);
	failed = output_table(&output, &table, failed);
	memprof_close(m);
	return damaged || failed ? FAILED : OK;
}
