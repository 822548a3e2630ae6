/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* How much of each 2 MiB of memory was referenced in an interval. */
#ifndef MEMREF_THP_H
#define MEMREF_THP_H

#include <stdint.h>

#include "lib/hash.h"

#define THP_SIZE	(2ULL << 20)
#define THP_PAGES	512
#define THP_STEPS	10

struct thp_block {
	uint64_t number;		/* address / THP_SIZE */
	uint32_t pages;
	UT_hash_handle hh;
};

struct thp_sum {
	uint64_t blocks, pages;
};

/**
 * struct thp - blocks by how much of them was referenced
 * @wanted: 0: nothing is collected
 * @blocks: a hash of those of the interval that is not closed
 * @steps: of 10 % each, the sums over the closed intervals
 * @peak: the interval with most pages
 */
struct thp {
	int wanted;
	struct thp_block *blocks;
	struct thp_sum steps[THP_STEPS];
	struct thp_sum peak;
};

int thp_add(struct thp *t, uint64_t addr, uint32_t pages);
void thp_close(struct thp *t);

#endif
