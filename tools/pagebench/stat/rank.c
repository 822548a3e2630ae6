// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Ranks of strategies by intervals that do not overlap (Hocko and Kalibera 2010,
 * 4.3).  Less is better: time, misses, variation.
 */
#include "stat.h"

/**
 * stat_beats() - is it better, and not only by chance?
 * @a: this
 * @b: than that
 * @min_pct: and by more than this, in percent of @a, the smaller one: 800 is nine times
 *
 * Return: 1 if so; 0 if not, or if one is not known.
 */
int stat_beats(const struct interval *a, const struct interval *b, double min_pct)
{
	return a->high < b->low && 100 * (b->estimate - a->estimate) > min_pct * a->estimate;
}

/**
 * stat_rank() - rank each of some strategies
 * @x: their intervals
 * @n: how many
 * @min_pct: as for stat_beats()
 * @rank: 1 and as many as beat it: several may be first, or second
 */
void stat_rank(const struct interval *x, size_t n, double min_pct, unsigned int *rank)
{
	size_t i, j;

	for (i = 0; i < n; i++) {
		rank[i] = 1;
		for (j = 0; j < n; j++)
			rank[i] += j != i && stat_beats(&x[j], &x[i], min_pct);
	}
}
