/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The order of a boot's executions. */
#ifndef PAGEALLOC_BENCH_PLAN_H
#define PAGEALLOC_BENCH_PLAN_H

#include "suite.h"

/**
 * struct plan_entry - an execution
 * @program: NULL for a canary, which begins each block
 * @block: number of the random block within the boot
 * @execution: number of the execution over all boots
 * @done: raw.csv has its results
 */
struct plan_entry {
	const struct suite_program *program;
	const struct suite_config *config;
	const struct suite_strategy *strategy;
	uint64_t block, execution;
	int done;
};

struct plan {
	struct plan_entry *entry;
	size_t nr;
};

int plan_make(const struct suite *suite, uint64_t boot, struct plan *plan);
void plan_free(struct plan *plan);

#endif
