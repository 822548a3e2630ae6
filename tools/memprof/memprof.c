// SPDX-License-Identifier: GPL-2.0
/* memprof: which thread touches which object on which node, and what to do about it. */
#include <string.h>

#include "memprof_cli.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *about;
} verbs[] = {
	{ "record", cmd_record, "record a command, a process, or the system" },
	{ "report", cmd_report, "print a view of a recording" },
	{ "diagnose", cmd_diagnose, "say what is wrong with which object, and what to do" },
	{ "script", cmd_script, "run a C program over the flows of a recording" },
	{ "plot", cmd_plot, "draw a view of a recording" },
	{ "html", cmd_html, "make a page of the diagnosis and all views" },
};

static void usage(FILE *f)
{
	size_t i;

	fputs("usage: memprof VERB [options]\n\n", f);
	for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		fprintf(f, "  %-8s %s\n", verbs[i].name, verbs[i].about);
	fputs("\nmemprof VERB --help tells more; memprof --version the version.\n", f);
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
		puts("memprof (memscope) " MEMSCOPE_VERSION);
		return OK;
	}
	for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (!strcmp(argv[1], verbs[i].name))
			return verbs[i].run(argc - 1, argv + 1);
	complain(USAGE, "%s: no such verb", argv[1]);
	usage(stderr);
	return USAGE;
}
