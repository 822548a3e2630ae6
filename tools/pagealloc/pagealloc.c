// SPDX-License-Identifier: GPL-2.0
/* pagealloc: say where the pages of programs land in physical memory. */
#include <string.h>

#include "cli.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *about;
} verbs[] = {
	{ "run", cmd_run, "run a command with a strategy, or as in a recorded layout" },
	{ "set", cmd_set, "set hints of a running process" },
	{ "clear", cmd_clear, "remove them" },
	{ "get", cmd_get, "show them" },
	{ "map", cmd_map, "show where the pages of a process are" },
	{ "verify", cmd_verify, "count the pages that are where the hints say" },
	{ "repair", cmd_repair, "move those that are not" },
	{ "record", cmd_record, "write the layout of a process to a file" },
	{ "colors", cmd_colors, "show the color function" },
	{ "stats", cmd_stats, "show the kernel's counters" },
	{ "doctor", cmd_doctor, "say whether page colors mean anything on this machine" },
	{ "bench", cmd_bench, "measure programs with each strategy" },
};

static void usage(FILE *f)
{
	size_t i;

	fputs("usage: pagealloc VERB [options]\n\n", f);
	for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		fprintf(f, "  %-8s %s\n", verbs[i].name, verbs[i].about);
	fputs("\npagealloc VERB --help tells more; pagealloc --version the version.\n", f);
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
		puts("pagealloc (memscope) " MEMSCOPE_VERSION);
		return OK;
	}
	for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (!strcmp(argv[1], verbs[i].name))
			return verbs[i].run(argc - 1, argv + 1);
	complain(USAGE, "%s: no such verb", argv[1]);
	usage(stderr);
	return USAGE;
}
