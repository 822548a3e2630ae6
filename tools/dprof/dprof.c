// SPDX-License-Identifier: GPL-2.0
/* dprof: cache misses by kernel data type. */
#include <string.h>

#include "dprof.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *about;
} verbs[] = {
	{ "record", cmd_record, "record a command, or the system, into trace.dat" },
	{ "report", cmd_report, "print a view of a recording" },
	{ "plot", cmd_plot, "draw a view of a recording" },
	{ "diff", cmd_diff, "compare two recordings" },
	{ "layout", cmd_layout, "advise an order of the fields of a struct" },
	{ "script", cmd_script, "print the events of a recording" },
};

static void usage(FILE *f)
{
	size_t i;

	fputs("usage: dprof VERB [options]\n\n", f);
	for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		fprintf(f, "  %-8s %s\n", verbs[i].name, verbs[i].about);
	fputs("\ndprof VERB --help tells more; dprof --version the version.\n", f);
}

int main(int argc, char **argv)
{
	size_t i;

	if (argc < 2) {
		usage(stderr);
		return USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		usage(stdout);
		return OK;
	}
	if (!strcmp(argv[1], "--version")) {
		puts("dprof (memscope) " MEMSCOPE_VERSION);
		return OK;
	}
	for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (!strcmp(argv[1], verbs[i].name))
			return verbs[i].run(argc - 1, argv + 1);
	complain(USAGE, "%s: no such verb", argv[1]);
	usage(stderr);
	return USAGE;
}
