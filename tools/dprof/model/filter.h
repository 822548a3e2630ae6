/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Which samples of a recording count: those of some tasks and CPUs. */
#ifndef DPROF_FILTER_H
#define DPROF_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/record/pids.h"

/**
 * struct filter - the samples that count; empty: all
 * @tasks: tasks; none: all
 * @without: samples of the other tasks count, instead of those of @tasks
 * @cpu: bitmap of CPUs, if @has_cpus
 */
struct filter {
	struct pids tasks;
	bool without, has_cpus;
	uint64_t cpu[1024 / 64];
};

int filter_add_cpus(struct filter *f, const char *list);
void filter_print(const struct filter *f, FILE *out);
bool filter_keeps(const struct filter *f, int32_t pid, int32_t cpu);

#endif
