/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Progress of a run, and an estimate of the time left. */
#ifndef PAGEALLOC_BENCH_PROGRESS_H
#define PAGEALLOC_BENCH_PROGRESS_H

#include <stdint.h>

#include "plan.h"

/**
 * struct progress - progress of this run
 * @begin_ns: begin of the run
 * @printed_ns: time of the last message
 * @done: number of completed executions
 */
struct progress {
	const struct plan *plan;
	uint64_t begin_ns, printed_ns;
	uint64_t done, todo;
	int terminal;
};

void progress_begin(struct progress *p, const struct plan *plan);
void progress_next(struct progress *p, const struct plan_entry *e);
void progress_done(struct progress *p);
void progress_end(struct progress *p);

#endif
