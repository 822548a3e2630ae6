/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The groups of a recording interval by interval, one interval in memory. */
#ifndef MEMREF_GATHER_H
#define MEMREF_GATHER_H

#include <stddef.h>

#include "events.h"

/**
 * struct gather - collects an interval's groups
 * @interval: is given each complete interval; anything but 0 ends it all
 * @ctx: for @interval
 * @scan: of the interval
 * @groups: that were referenced in it, by address
 * @nr_groups: how many
 * @begin_ns: of the first interval
 * @intervals: complete ones so far
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
	size_t room;
	uint32_t seq, last_seq;
	int has_scan;
};

int gather_add(struct gather *g, const struct row *row);
int gather_end(struct gather *g);
void gather_free(struct gather *g);

#endif
