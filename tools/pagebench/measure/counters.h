/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Hardware performance counters of a program, if the processor has any. */
#ifndef PAGEALLOC_BENCH_COUNTERS_H
#define PAGEALLOC_BENCH_COUNTERS_H

#include <stdint.h>
#include <sys/types.h>

#include "metric.h"

enum { NR_COUNTERS = 4 };

/**
 * struct counters - counters of a process and its children, user mode
 * @fd: perf event of each counter, or -1
 */
struct counters {
	int fd[NR_COUNTERS];
};

struct counts {
	uint64_t value[NR_COUNTERS][3];	/* value, time enabled, time running */
};

void counters_open(struct counters *c, pid_t pid, int enable_on_exec);
void counters_read(const struct counters *c, struct counts *counts);
int counters_add(const struct counters *c, const struct counts *before,
		 const struct counts *after, struct measurement *m);
void counters_close(struct counters *c);
const char *counters_missing(char *buf, size_t size);

#endif
