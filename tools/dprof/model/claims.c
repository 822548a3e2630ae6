// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Claims: read-modify-writes that invalidate other CPUs' copies of a line.
 *
 * If other CPUs have read a lock or a counter, the line is shared in the CPU's own cache, and
 * its next read-modify-write waits until the other copies are invalidated.  IBS reports this
 * as a miss with data from the L3, as it does for a line that another CPU holds unmodified.
 * The sample does not differ from one of a line that the CPU's own L2 has evicted.  Count it
 * as an invalidation if other CPUs have samples of the line.  A line with a single sample
 * gives no information: use the share of the other lines for the same word of the type, or
 * if there are none, for the type.
 */
#include <stdlib.h>
#include <string.h>

#include "model.h"

/* Claims of a word of a type, or of all of the type. */
struct word {
	struct { uint32_t type, offset; } key;
	uint64_t judged, claimed;	/* claims on lines with more samples; with other CPUs' */
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

static int judge(struct word **words, struct use *u, bool others)
{
	uint32_t i, offset;
	int k;

	u->claimed = others ? u->claims : 0;
	for (i = 0; i < u->nr_units; i++) {
		offset = u->key.line * LINE + u->unit[i].first - u->key.base;
		for (k = 0; k < 2 && u->unit[i].claims; k++) {
			struct word *w = get_word(words, u->key.type, k ? ALL_WORDS : offset, true);

			if (!w)
				return -1;
			w->judged += u->unit[i].claims;
			w->claimed += others ? u->unit[i].claims : 0;
		}
	}
	return 0;
}

static int judge_line(const struct model *m, struct word **words, struct use **use, size_t nr)
{
	uint64_t samples = 0;
	bool others;
	size_t i, k;

	for (i = 0; i < nr; i++)
		samples += use[i]->n;
	for (i = 0; i < nr && samples > 1; i++) {
		if (!use[i]->claims)
			continue;
		others = false;
		for (k = 0; k < nr && !others; k++)
			others = use[k]->key.cpu != use[i]->key.cpu && uses_at_once(m, use[i], use[k]);
		if (judge(words, use[i], others))
			return -1;
	}
	return 0;
}

static double share(struct word **words, uint32_t type, uint32_t offset)
{
	const struct word *w = get_word(words, type, offset, false);

	if (!w)
		w = get_word(words, type, ALL_WORDS, false);
	return w ? (double)w->claimed / w->judged : 0;
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
