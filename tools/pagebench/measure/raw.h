/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* raw.csv, the measured results: append-only. */
#ifndef PAGEALLOC_BENCH_RAW_H
#define PAGEALLOC_BENCH_RAW_H

#include <stdio.h>

#include "metric.h"
#include "plan.h"

#define RAW_MAGIC "# memscope-bench 1"
#define RAW_HEADER "suite,benchmark,config,strategy,boot,block,execution,measurement," \
		   "warmup,phase,metric,unit,value"

/* The columns of RAW_HEADER. */
enum {
	RAW_SUITE, RAW_BENCHMARK, RAW_CONFIG, RAW_STRATEGY, RAW_BOOT, RAW_BLOCK, RAW_EXECUTION,
	RAW_MEASUREMENT, RAW_WARMUP, RAW_PHASE, RAW_METRIC, RAW_UNIT, RAW_VALUE, RAW_COLUMNS
};

/**
 * struct raw - a directory of results
 * @end: size of raw.csv, which is locked against other runs
 * @phases: number of the boot's phases so far
 */
struct raw {
	char *path;
	int dir, fd;
	off_t end;
	const struct suite *suite;
	uint64_t boot;
	unsigned long long phases;
};

int raw_open(struct raw *raw, const char *dir, const struct suite *suite, uint64_t boot,
	     struct plan *plan);
int raw_add(struct raw *raw, const struct plan_entry *e, const struct measurement *m, size_t nr);
void raw_close(struct raw *raw);

size_t raw_split(char *line, char *column[RAW_COLUMNS]);

#endif
