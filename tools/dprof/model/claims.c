// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Claims: read-modify-writes that invalidate other CPUs' copies of a line.
 *
 * If other CPUs have read a lock or a counter, the line is shared in the CPU's own cache, and
 * its next read-modify-write waits until the other copies are invalidated.  IBS reports this
 * as a miss with data from the L3, as it does for a line that another CPU holds unmodified.
 * The sample does not differ from one of a line that the CPU's own L2 has evicted.  Count it
 * as an invalidation if other CPUs have samples of the line.
 *
 * If others use a line, few samples may not show it.  Let r be the share of such lines' samples
 * that is of other CPUs: beside a claim, none of n samples is of them with the probability
 * (1 - r)^n.  The part q of a word's claims that is on such lines, and r, are estimated to be
 * those with which the samples are most likely (by expectation maximization: A. Dempster, N. Laird, D. Rubin, "Maximum likelihood
 * from incomplete data", Journal of the Royal Statistical Society B 39, 1977).  A word has them of
 * all objects of the type; a word without claims on lines with two samples has those of the type.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

/* Lines with so many samples or more count as having so many. */
#define MAX_SAMPLES	64
#define ROUNDS		50

/*
 * Claims of a word of a type, or of all of the type.
 * @others: on lines that other CPUs have samples of
 * @alone: on other lines, by the number of their samples
 * @samples, @of_others: of the first lines, for each claim: samples beside it, and those of
 *	other CPUs
 */
struct word {
	struct { uint32_t type, offset; } key;
	double others, alone[MAX_SAMPLES + 1], samples, of_others;
	UT_hash_handle hh;
};

#define ALL_WORDS	UINT32_MAX

static struct word *get_word(struct word **words, uint32_t type, uint32_t offset, bool make)
{
	struct word key, *w;

	memset(&key.key, 0, sizeof(key.key));
	key.key.type = type;
	key.key.offset = offset;
	HASH_FIND(hh, *words, &key.key, sizeof(key.key), w);
	if (w || !make)
		return w;
	w = calloc(1, sizeof(*w));
	if (!w)
		return NULL;
	w->key = key.key;
	HASH_ADD(hh, *words, key, sizeof(w->key), w);
	return w;
}

/* @n: samples of the line, @of_others: of these, other CPUs' */
static int judge(struct word **words, struct use *u, uint64_t n, uint64_t of_others)
{
	uint32_t i, offset;
	int k;

	u->claimed = of_others ? u->claims : 0;
	for (i = 0; i < u->nr_units; i++) {
		const double claims = u->unit[i].claims;

		offset = u->key.line * LINE + u->unit[i].first - u->key.base;
		for (k = 0; k < 2 && claims; k++) {
			struct word *w = get_word(words, u->key.type, k ? ALL_WORDS : offset, true);

			if (!w)
				return -1;
			if (!of_others) {
				w->alone[n < MAX_SAMPLES ? n : MAX_SAMPLES] += claims;
				continue;
			}
			w->others += claims;
			w->samples += claims * (n - 1);
			w->of_others += claims * of_others;
		}
	}
	return 0;
}

static int judge_line(const struct model *m, struct word **words, struct use **use, size_t nr)
{
	uint64_t samples = 0, of_others;
	size_t i, k;

	for (i = 0; i < nr; i++)
		samples += use[i]->n;
	for (i = 0; i < nr && samples > 1; i++) {
		if (!use[i]->claims)
			continue;
		of_others = 0;
		for (k = 0; k < nr; k++)
			if (use[k]->key.cpu != use[i]->key.cpu && uses_at_once(m, use[i], use[k]))
				of_others += use[k]->n;
		if (judge(words, use[i], samples, of_others))
			return -1;
	}
	return 0;
}

/* Of a word's claims, the part on lines that other CPUs use.  One of the samples is the claim. */
static double part_used(const struct word *w)
{
	double all = w->others, used, samples, q, r;
	int round, n;

	if (!w->others)
		return 0;
	for (n = 0; n <= MAX_SAMPLES; n++)
		all += w->alone[n];
	q = w->others / all;
	r = w->of_others / w->samples;
	for (round = 0; round < ROUNDS; round++) {
		used = w->others;
		samples = w->samples;
		for (n = 2; n <= MAX_SAMPLES; n++) {
			const double none = q * pow(1 - r, n - 1);
			const double more = none > 0 ? w->alone[n] * none / (none + 1 - q) : 0;

			used += more;
			samples += more * (n - 1);
		}
		q = used / all;
		r = w->of_others / samples;
	}
	return q;
}

static double share(struct word **words, uint32_t type, uint32_t offset)
{
	const struct word *w = get_word(words, type, offset, false);

	if (!w)
		w = get_word(words, type, ALL_WORDS, false);
	return w ? part_used(w) : 0;
}

/**
 * claims_find() - find the read-modify-writes that invalidated other CPUs' copies
 * @m: the model, after model_end(); sets the claimed member of its uses and sites
 *
 * Return: 0, or -1 without memory.
 */
int claims_find(struct model *m)
{
	struct word *words = NULL, *w, *next;
	struct site *s;
	size_t nr, from, to;
	struct use **use = uses_by_line(m, &nr);
	int ret = use ? 0 : -1;

	for (from = 0; from < nr && !ret; from = to) {
		for (to = from; to < nr && uses_same_line(use[to], use[from]); to++)
			;
		ret = judge_line(m, &words, use + from, to - from);
	}
	free(use);
	for (s = m->sites; s && !ret; s = s->hh.next)
		if (s->sum.claims)
			s->claimed = s->sum.claims * share(&words, s->key.type, s->key.offset);
	HASH_ITER(hh, words, w, next) {
		HASH_DEL(words, w);
		free(w);
	}
	return ret;
}
