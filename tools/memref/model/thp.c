// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* How densely each 2 MiB block of memory was referenced per interval. */
#include <stdlib.h>

#include "thp.h"

/**
 * thp_add() - count referenced pages of the current interval
 * @t: the histogram
 * @addr: address of a group in the block
 * @pages: number of referenced pages of the group
 *
 * Return: 0, or -1 without memory.
 */
int thp_add(struct thp *t, uint64_t addr, uint32_t pages)
{
	const uint64_t number = addr / THP_SIZE;
	struct thp_block *b;

	if (!t->collect || !pages)
		return 0;
	HASH_FIND(hh, t->blocks, &number, sizeof(number), b);
	if (!b) {
		b = calloc(1, sizeof(*b));
		if (!b)
			return -1;
		b->number = number;
		HASH_ADD(hh, t->blocks, number, sizeof(number), b);
	}
	b->pages += pages;
	if (b->pages > THP_PAGES)
		b->pages = THP_PAGES;
	return 0;
}

/**
 * thp_close() - complete the current interval
 * @t: the histogram; adds the blocks to its bins
 */
void thp_close(struct thp *t)
{
	struct thp_sum sum = { 0, 0 };
	struct thp_block *b, *next;
	int step;

	HASH_ITER(hh, t->blocks, b, next) {
		step = (b->pages * THP_STEPS - 1) / THP_PAGES;
		t->steps[step].blocks++;
		t->steps[step].pages += b->pages;
		sum.blocks++;
		sum.pages += b->pages;
		HASH_DEL(t->blocks, b);
		free(b);
	}
	if (sum.pages > t->peak.pages)
		t->peak = sum;
}
