// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * False sharing within a struct, now and in another order of its members.
 *
 * Samples give for each word of 4 bytes how often each CPU accesses and writes it, summed over
 * all objects.  If the accesses to an object come in random order, a CPU that makes A accesses
 * to a line to which other CPUs make S stores finds the line invalid with a probability of
 * S / (S + A): the last of these events before its access is a store.  The miss is true
 * sharing if a store to the word itself came since the CPU's last access to the line, with a
 * probability of W / (W + A) for W such stores; the rest is false sharing.
 */
#include <stdlib.h>

#include "layout.h"

#define WORD		4	/* locks, counts and many other members */
#define MAX_CELLS	(16U << 20)	/* CPUs times words */
#define LEAST_SHARE	0.02		/* of false sharing, for two members to be kept apart */

/* Accesses of the objects of a type by CPU and word. */
struct words {
	uint32_t nr, nr_cpus;
	double *used, *written;		/* [cpu * nr + word] */
	double *stores;			/* [word]: of all CPUs */
	double samples;
};

/**
 * layout_member_at() - find a member
 * @p: the plan
 * @offset: in the struct as it is
 *
 * Return: index of its place, or -1.
 */
int layout_member_at(const struct plan *p, uint32_t offset)
{
	uint32_t i;

	for (i = 0; i < p->nr; i++)
		if (offset >= p->place[i].before &&
		    offset < p->place[i].before + p->place[i].member->size)
			return i;
	return -1;
}

static void words_free(struct words *w)
{
	free(w->used);
	free(w->written);
	free(w->stores);
}

static void add_use(struct words *w, const struct plan *p, const struct use *u)
{
	uint32_t i;

	for (i = 0; i < u->nr_units; i++) {
		const struct unit *unit = &u->unit[i];
		const uint64_t at = u->key.line * LINE + unit->first - u->key.base;
		const uint32_t word = at % p->layout->size / WORD;
		const size_t cell = (size_t)u->key.cpu * w->nr + word;

		w->used[cell] += unit->n;
		w->written[cell] += unit->stores;
		w->stores[word] += unit->stores;
		w->samples += unit->n;
	}
}

/* Return 0, 1 if there is nothing to add up, or -1 without memory. */
static int words_make(struct words *w, const struct plan *p, const struct analysis *a, const struct dtype *d)
{
	const struct use *u;

	*w = (struct words){ .nr = p->layout->size / WORD + 1, .nr_cpus = a->m.nr_cpus };
	if (!w->nr_cpus || w->nr_cpus > MAX_CELLS / w->nr)
		return 1;
	w->used = calloc((size_t)w->nr * w->nr_cpus, sizeof(*w->used));
	w->written = calloc((size_t)w->nr * w->nr_cpus, sizeof(*w->written));
	w->stores = calloc(w->nr, sizeof(*w->stores));
	if (!w->used || !w->written || !w->stores)
		return -1;
	for (u = a->m.uses; u; u = u->hh.next)
		if (u->key.type == d->index && u->key.cpu >= 0 && (uint32_t)u->key.cpu < w->nr_cpus)
			add_use(w, p, u);
	return 0;
}

static double ratio(double stores, double accesses)
{
	return accesses > 0 ? stores / (stores + accesses) : 0;
}

/* The false sharing misses of all CPUs' accesses.  @line: of each word; @nr_lines: their number. */
static double misses(const struct words *w, const uint32_t *line, uint32_t nr_lines)
{
	double *stores = calloc(nr_lines, sizeof(*stores)), *own = calloc(nr_lines, sizeof(*own));
	double *used = calloc(nr_lines, sizeof(*used)), sum = 0;
	uint32_t cpu, i;

	for (i = 0; stores && i < w->nr; i++)
		stores[line[i]] += w->stores[i];
	for (cpu = 0; stores && own && used && cpu < w->nr_cpus; cpu++) {
		const double *n = w->used + (size_t)cpu * w->nr, *s = w->written + (size_t)cpu * w->nr;

		for (i = 0; i < nr_lines; i++)
			own[i] = used[i] = 0;
		for (i = 0; i < w->nr; i++) {
			own[line[i]] += s[i];
			used[line[i]] += n[i];
		}
		for (i = 0; i < w->nr; i++)
			sum += n[i] * (ratio(stores[line[i]] - own[line[i]], used[line[i]]) -
				       ratio(w->stores[i] - s[i], used[line[i]]));
	}
	free(stores);
	free(own);
	free(used);
	return sum;
}

/* Misses of the accesses to either of two members if they were alone in a line. */
static double conflict(const struct words *w, const struct plan *p, uint32_t a, uint32_t b)
{
	const uint32_t member[2] = { a, b };
	double sum = 0;
	uint32_t cpu, i, k;

	for (cpu = 0; cpu < w->nr_cpus; cpu++) {
		double n[2] = { }, others[2] = { };

		for (k = 0; k < 2; k++) {
			const struct place *c = &p->place[member[k]];

			for (i = c->before / WORD; i <= (c->before + c->member->size - 1) / WORD && i < w->nr; i++) {
				n[k] += w->used[(size_t)cpu * w->nr + i];
				others[k] += w->stores[i] - w->written[(size_t)cpu * w->nr + i];
			}
		}
		for (k = 0; k < 2; k++)
			sum += n[k] * (ratio(others[0] + others[1], n[0] + n[1]) - ratio(others[k], n[0] + n[1]));
	}
	return sum;
}

/**
 * false_sharing_keep_apart() - have members in different lines that samples show as sharing
 * @p: the plan; nothing is done if the type has no false sharing miss
 * @a: the analysis, with verdicts
 * @d: the type
 *
 * Return: 0, or -1 without memory.
 */
int false_sharing_keep_apart(struct plan *p, const struct analysis *a, const struct dtype *d)
{
	double found = 0, all = 0, *pair;
	struct words w = { };
	uint32_t i, k;
	int failed;
	size_t v;

	for (v = 0; v < a->v.nr; v++)
		if (a->v.verdict[v].type == d->index)
			found += a->v.verdict[v].ours[MISS_FALSE];
	failed = found < 1 ? 1 : words_make(&w, p, a, d);
	pair = failed ? NULL : calloc((size_t)p->nr * p->nr + 1, sizeof(*pair));
	for (i = 0; pair && i < p->nr; i++)
		for (k = 0; k < i; k++)
			if (p->place[i].weight > 0 && p->place[k].weight > 0)
				all += pair[i * p->nr + k] = conflict(&w, p, i, k);
	for (i = 0; pair && i < p->nr; i++)
		for (k = 0; k < i; k++)
			if (pair[i * p->nr + k] > 0 && pair[i * p->nr + k] >= LEAST_SHARE * all)
				p->apart[i][k] = p->apart[k][i] = 1;
	free(pair);
	words_free(&w);
	return failed < 0 || (!failed && !pair) ? -1 : 0;
}

/**
 * false_sharing_predict() - predict the false sharing of an order
 * @p: the plan, with its order
 * @a: the analysis, with verdicts
 * @d: the type
 * @before, @after: set to the misses by false sharing, as a share of all accesses
 *
 * Return: true, or false if the type has no such misses now, or they cannot be predicted.
 */
bool false_sharing_predict(const struct plan *p, const struct analysis *a, const struct dtype *d, double *before,
			   double *after)
{
	struct words w;
	const bool failed = words_make(&w, p, a, d);
	uint32_t *now = failed ? NULL : calloc(w.nr, sizeof(*now)), *then = failed ? NULL : calloc(w.nr, sizeof(*then));
	const uint32_t nr_lines = (p->size > p->layout->size ? p->size : p->layout->size) / LINE + 2;
	uint32_t i;

	*before = 0;
	for (i = 0; now && then && i < w.nr; i++) {
		const int at = layout_member_at(p, i * WORD);

		now[i] = then[i] = i * WORD / LINE;
		if (at >= 0)
			then[i] = (p->place[at].after + i * WORD - p->place[at].before) / LINE;
	}
	if (now && then && w.samples > 0) {
		*before = misses(&w, now, nr_lines) / w.samples;
		*after = misses(&w, then, nr_lines) / w.samples;
	}
	free(now);
	free(then);
	words_free(&w);
	return *before > 0;
}
