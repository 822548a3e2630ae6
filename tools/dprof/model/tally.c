// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Sums of samples. */
#include "model.h"

/**
 * tally_misses() - samples that missed
 * @t: the samples
 * @beyond: a level; the data were not in it, nor in one before
 *
 * Return: how many.
 */
uint64_t tally_misses(const struct tally *t, enum level beyond)
{
	uint64_t n = 0;
	int l;

	for (l = beyond + 1; l < NR_LEVELS; l++)
		n += t->level[l];
	return n;
}

/**
 * tally_known() - samples that say where the data were
 * @t: the samples
 *
 * Return: how many.
 */
uint64_t tally_known(const struct tally *t)
{
	return t->n - t->level[LEVEL_UNKNOWN];
}

/**
 * tally_latency() - mean latency
 * @t: the samples
 *
 * Return: cycles, of the samples that have a latency; negative if none has.
 */
double tally_latency(const struct tally *t)
{
	return t->with_latency ? (double)t->latency / t->with_latency : -1;
}

/**
 * tally_add() - add sums up
 * @to: to these
 * @t: those
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
	for (l = 0; l < NR_LEVELS; l++)
		to->level[l] += t->level[l];
}
