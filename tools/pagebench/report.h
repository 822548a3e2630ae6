/* SPDX-License-Identifier: GPL-2.0 */
/* What report and plot have in common: options, reading, evaluating. */
#ifndef PAGEALLOC_BENCH_REPORT_H
#define PAGEALLOC_BENCH_REPORT_H

#include <getopt.h>

#include "pagebench/view/views.h"

struct request {
	const char *metric, *strategies;
	struct effort effort;
	struct view_options view;
};

#define DEFAULT_REQUEST { .metric = "wall_time", .effort = DEFAULT_EFFORT }

enum {
	REQUEST_METRIC = 512, REQUEST_STRATEGIES, REQUEST_SEED, REQUEST_REPLICATES,
	REQUEST_GROUPS, REQUEST_MISSES, REQUEST_MIN_DIFF, REQUEST_COST_RATIO
};

#define REQUEST_OPTIONS								\
	{ "metric", 1, NULL, REQUEST_METRIC }, { "strategies", 1, NULL, REQUEST_STRATEGIES },	\
	{ "seed", 1, NULL, REQUEST_SEED }, { "replicates", 1, NULL, REQUEST_REPLICATES },	\
	{ "groups", 1, NULL, REQUEST_GROUPS }, { "misses", 1, NULL, REQUEST_MISSES },		\
	{ "min-diff", 1, NULL, REQUEST_MIN_DIFF }
extern const char request_usage[];

int request_option(struct request *q, int c, const char *arg);
int request_read(const struct request *q, char **paths, int nr, struct results *r,
		 struct evaluation *ev);
int request_clash(const char *output, const struct results *r);

#endif
