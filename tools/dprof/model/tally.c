// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Sums of samples. */
#include "model.h"

/**
 * tally_misses() - number of samples that missed a level
 * @t: the samples
 * @level: the level; data found in a level behind it missed
 *
 * Return: the number.
 */
uint64_t tally_misses(const struct tally *t, enum level level)
{
	uint64_t n = 0;
	int l;

	for (l = level + 1; l < NR_LEVELS; l++)
		n += t->level[l];
	return n;
}

/**
 * tally_judged_misses() - number of misses whose cause can be told
 * @t: the samples
 * @level: the level
 *
 * Where a store finds its line is reported if that is the CPU's own L2, and otherwise not: these
 * alone would be too many of the CPU's own misses.
 *
 * Return: the number, without them.
 */
uint64_t tally_judged_misses(const struct tally *t, enum level level)
{
	return tally_misses(t, level) - (level == LEVEL_L1 ? t->l2_stores : 0);
}

/**
 * tally_known() - number of samples with a level
 * @t: the samples
 *
 * Return: the number.
 */
uint64_t tally_known(const struct tally *t)
{
	return t->n - t->level[LEVEL_UNKNOWN];
}

/**
 * tally_latency() - mean latency
 * @t: the samples
 *
 * Return: cycles, over the samples that have a latency; negative if none has.
 */
double tally_latency(const struct tally *t)
{
	return t->with_latency ? (double)t->latency / t->with_latency : -1;
}

/**
 * tally_add() - add sums
 * @to: the sums to add to
 * @t: the sums to add
 */
void tally_add(struct tally *to, const struct tally *t)
{
	int l;

	to->n += t->n;
	to->loads += t->loads;
	to->stores += t->stores;
	to->modified += t->modified;
	to->claims += t->claims;
	to->latency += t->latency;
	to->with_latency += t->with_latency;
	to->l2_stores += t->l2_stores;
	for (l = 0; l < NR_LEVELS; l++)
		to->level[l] += t->level[l];
}
