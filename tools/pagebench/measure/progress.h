/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* How far a run is, and how long it will take. */
#ifndef PAGEALLOC_BENCH_PROGRESS_H
#define PAGEALLOC_BENCH_PROGRESS_H

#include <stdint.h>

#include "plan.h"

/**
 * struct progress - what was done, in this run
 * @begin_ns: of the run
 * @said_ns: when something was said last
 * @done: executions
 */
struct progress {
	const struct plan *plan;
	uint64_t begin_ns, said_ns;
	uint64_t done, todo;
	int terminal;
};

void progress_begin(struct progress *p, const struct plan *plan);
void progress_next(struct progress *p, const struct plan_entry *e);
void progress_done(struct progress *p);
void progress_end(struct progress *p);

#endif
