/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* What a measurement gives. */
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
 * @phase: its number among those of the boot, which the oracle counts too
 * @warmup: it is not to count
 * @metric: in the order they were taken, names once
 */
struct measurement {
	unsigned long long phase;
	int warmup;
	struct metric metric[MAX_METRICS];
	size_t nr;
};

int metric_add(struct measurement *m, const char *name, double value);
const struct metric *metric_find(const struct measurement *m, const char *name);
const char *metric_unit(const char *name);
int metric_name_ok(const char *name);

#endif
