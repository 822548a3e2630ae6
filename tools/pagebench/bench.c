// SPDX-License-Identifier: GPL-2.0
/* pagealloc bench: how much of a program's time, and of its spread, is placement. */
#include <string.h>

#include "pagealloc/cli.h"
#include "bench.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *about;
} verbs[] = {
	{ "run", bench_run, "measure the programs of a suite with each strategy" },
	{ "model", bench_model, "add the misses of the modelled caches to what was measured" },
	{ "report", bench_report, "say what the results mean, with intervals" },
	{ "plot", bench_plot, "draw rankings, spread, and time against misses" },
};

static void usage(FILE *f)
{
	size_t i;

	fputs("usage: pagealloc bench VERB [options]\n\n", f);
	for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		fprintf(f, "  %-8s %s\n", verbs[i].name, verbs[i].about);
	fputs("\npagealloc bench VERB --help tells more.\n", f);
}

/**
 * cmd_bench() - the verbs below bench
 *
 * Return: exit status.
 */
int cmd_bench(int argc, char **argv)
{
	size_t i;

	if (argc < 2) {
		usage(stderr);
		return USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		usage(stdout);
		return OK;
	}
	for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (!strcmp(argv[1], verbs[i].name))
			return verbs[i].run(argc - 1, argv + 1);
	complain(USAGE, "bench %s: no such verb", argv[1]);
	usage(stderr);
	return USAGE;
}
