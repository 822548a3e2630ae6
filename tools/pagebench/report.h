/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Shared by report and plot: options, reading and evaluating results. */
#ifndef PAGEALLOC_BENCH_REPORT_H
#define PAGEALLOC_BENCH_REPORT_H

#include "lib/options.h"
#include "pagebench/view/views.h"

struct request {
	const char *metric, *strategies;
	struct effort effort;
	struct view_options view;
};

#define DEFAULT_REQUEST { .metric = "wall_time", .effort = DEFAULT_EFFORT }

/* Rows for a verb's option table.  A 95 % interval needs at least 39 replicates. */
#define REQUEST_OPTIONS(q) \
	OPT_TEXT(0, "metric", "NAME", &(q)->metric, "metric to evaluate: wall_time (default), cpu_time, L2_misses, ..."), \
	OPT_TEXT(0, "strategies", "LIST", &(q)->strategies, \
		 "only these strategies, separated by commas; the others are compared with the first one " \
		 "(default: all, with the strategy default first)"), \
	OPT_NUMBER(0, "seed", "N", &(q)->effort.seed, 0, OPT_NUMBER_MAX, \
		   "seed of the random numbers (default 1)"), \
	OPT_NUMBER(0, "replicates", "N", &(q)->effort.replicates, 39, 1000000, \
		   "number of replicates of the bootstrap (default 9999)"), \
	OPT_NUMBER(0, "group-pairs", "N", &(q)->effort.groups, 10, 1000000, \
		   "number of pairs of groups for an impact factor (default 2000)"), \
	OPT_RENAMED(0, "groups", "group-pairs"), \
	OPT_TEXT(0, "misses", "NAME", &(q)->view.misses, \
		 "metric of cache misses for correlations (default: that of the last cache level)"), \
	OPT_REAL(0, "min-diff", "PCT", &(q)->view.min_diff, 0, OPT_NUMBER_MAX, \
		 "smaller differences do not count in ranks (default 0)")

int request_read(const struct request *q, char **paths, int nr, struct results *r,
		 struct evaluation *ev);
int request_clash(const char *output, const struct results *r);

#endif
