// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* pagealloc bench: measure how page placement affects the time of programs and its variation. */
#include "lib/verbs.h"
#include "pagealloc/cli.h"
#include "bench.h"

static const struct verb verbs[] = {
	{ "run", bench_run, "measure the programs of a suite with each strategy" },
	{ "model", bench_model, "add the misses of the modelled caches to what was measured" },
	{ "report", bench_report, "say what the results mean, with intervals" },
	{ "plot", bench_plot, "draw rankings, spread, and time against misses" },
	{ }
};

/**
 * cmd_bench() - run a verb of pagealloc bench
 *
 * Return: exit status.
 */
int cmd_bench(int argc, char **argv)
{
	return verbs_main("pagealloc bench", verbs, argc, argv);
}
