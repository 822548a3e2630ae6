/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The metrics of a measurement. */
#ifndef PAGEALLOC_BENCH_METRIC_H
#define PAGEALLOC_BENCH_METRIC_H

#include <stddef.h>

enum { MAX_METRICS = 16, METRIC_NAME_LEN = 32 };

struct metric {
	char name[METRIC_NAME_LEN];
	double value;
};

/**
 * struct measurement - one measurement
 * @phase: its number among the boot's measurements, which the oracle counts as well
 * @warmup: excluded from statistics
 * @metric: the metrics in the order they were taken; names are unique
 * @own: the first so many are the program's own, the others were measured from outside
 */
struct measurement {
	unsigned long long phase;
	int warmup;
	struct metric metric[MAX_METRICS];
	size_t nr, own;
};

int metric_add(struct measurement *m, const char *name, double value);
const struct metric *metric_find(const struct measurement *m, const char *name);
int metrics_same_own(const struct measurement *a, const struct measurement *b);
void metrics_keep_common(struct measurement *m, size_t nr);
const char *metric_unit(const char *name);
int metric_name_ok(const char *name);

#endif
