/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* How densely each 2 MiB block of memory was referenced per interval. */
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
 * struct thp - histogram of blocks by the share of their pages referenced
 * @collect: 0: collect nothing
 * @blocks: hash of the blocks of the current interval
 * @steps: bins of 10 %, summed over the closed intervals
 * @peak: the closed interval with the most pages
 */
struct thp {
	int collect;
	struct thp_block *blocks;
	struct thp_sum steps[THP_STEPS];
	struct thp_sum peak;
};

int thp_add(struct thp *t, uint64_t addr, uint32_t pages);
void thp_close(struct thp *t);

#endif
