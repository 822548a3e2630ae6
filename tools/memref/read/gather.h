/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Iterates over intervals with their groups; one interval is in memory at a time. */
#ifndef MEMREF_GATHER_H
#define MEMREF_GATHER_H

#include <stdbool.h>
#include <stddef.h>

#include "memref/model/events.h"

/**
 * struct gather - collects the groups of an interval
 * @interval: called for each complete interval; a return value other than 0 ends reading
 * @ctx: passed to @interval
 * @scan: the memref_scan of the interval
 * @groups: the groups referenced in the interval, by address
 * @nr_groups: number of @groups
 * @begin_ns: begin of the first interval
 * @intervals: number of complete intervals so far
 */
struct gather {
	int (*interval)(void *ctx, const struct gather *g);
	void *ctx;
	struct scan_row scan;
	struct group_row *groups;
	size_t nr_groups;
	uint64_t begin_ns;
	uint64_t intervals;

	/* Private to gather.c. */
	size_t capacity;
	uint32_t seq, last_seq;
	int has_scan;
};

int gather_add(struct gather *g, const struct row *row);
bool gather_complete(const struct gather *g);
int gather_end(struct gather *g);
void gather_free(struct gather *g);

#endif
