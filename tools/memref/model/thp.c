// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* How much of each 2 MiB of memory was referenced in an interval. */
#include <stdlib.h>

#include "thp.h"

/**
 * thp_add() - pages were referenced in the interval
 * @t: where they count
 * @addr: of a group in the block
 * @pages: how many of the group
 *
 * Return: 0, or -1 without memory.
 */
int thp_add(struct thp *t, uint64_t addr, uint32_t pages)
{
	const uint64_t number = addr / THP_SIZE;
	struct thp_block *b;

	if (!t->wanted || !pages)
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
 * thp_close() - the interval is complete
 * @t: its blocks become part of the sums
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
