// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Of misses, which are of lines that no cache of the size would still have had.
 *
 * A miss is a capacity miss if a fully associative cache of the size had lost the line, too
 * (Hill): if since its last use as many other lines were used as the cache has.  Samples are
 * too rare to see two uses of a line in a row, but they show how often it is used on average,
 * and so do they for all other lines (footprint.c).  Of these two follows how likely it is.
 *
 * A line whose last use was g ago has left its set of a set-associative cache if as many others
 * of the set were used since as it has ways.  How many were has a mean and a variance, those of
 * all lines times the set's share of them; s(g) is the probability.  With the line's rate of
 * visits v, g has the density v exp(-v g), and with the time x after which a line is lost, the
 * share of capacity misses in those that the CPU itself caused is
 *
 *	integral over g > x of s(g) v exp(-v g)  /  integral of s(g) v exp(-v g)
 *
 * A miss that another CPU caused by a write is a capacity miss, too, if the line was lost
 * before that.  The write is taken to be at any time since the last use: then this is the mean
 * of 1 - x/g, where g > x.
 *
 * Where few lines of a type have a second sample, how many it has is not known, and nothing is
 * said; nor of caches that the lines of the recording do not fill.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "residence.h"

/* Samples for each line that are enough to know how many lines there are. */
#define ENOUGH_SAMPLES	1.5

/* Of the distribution of Poisson, the probability of at least so many. */
static double poisson(int number, double mean)
{
	double term = exp(-mean), below = 0;
	int i;

	for (i = 0; i < number; i++) {
		below += term;
		term *= mean / (i + 1);
	}
	return fmax(1 - below, 0);
}

/*
 * The probability of at least so many lines, of a mean and a variance: that of Poisson,
 * translated (A. Barbour, V. Cekanavicius, "Total variation asymptotics for sums of independent
 * integer random variables", Annals of Probability 30, 2002).
 */
static double at_least(double number, double mean, double variance)
{
	const double left = number - (mean - variance);
	const int whole = floor(left);

	if (left <= 0)
		return 1;
	return poisson(whole, variance) * (1 - (left - whole)) +
	       poisson(whole + 1, variance) * (left - whole);
}

struct finder {
	struct residence *r;
	struct footprints footprints;
	enum level level;
	uint32_t ways;
};

/* The two shares of a line's misses that are capacity misses. */
static void judge_line(const struct finder *f, const struct around *a, double rate, uint32_t set,
		       double *own, double *other)
{
	const struct footprints *p = &f->footprints;
	/* A part of the sets has this part of the lines, and all ways of each. */
	const double part = p->sets > 1 ? a->set[set] : f->ways / p->cache_lines;
	const double behind = exp(-rate * LAST_TIME);
	double missed = behind, outlived = behind, written = behind;
	int at;

	for (at = 0; at < TIMES; at++) {
		/* It is none of the others. */
		const double not_used = exp(-rate * p->time[at]), used = 1 - not_used;
		const double mean = fmax(part * a->footprint[at] - used, 0);
		const double variance = fmax(part * a->variance[at] - used * not_used, 0);
		const double density = p->weight[at] * rate * not_used;
		const double miss = density * at_least(f->ways, mean, fmin(variance, mean));

		missed += miss;
		if (p->time[at] <= a->lost_after)
			continue;
		outlived += miss;
		written += density * (1 - a->lost_after / p->time[at]);
	}
	*own = missed > 0 ? outlived / missed : 0;
	*other = fmin(written, 1);
}

static void add(struct outlived *to, double misses, double share)
{
	to->misses += misses;
	to->outlived += misses * share;
}

/* Judge the lines of a type on a CPU that missed. */
static void judge_type(struct finder *f, uint32_t type)
{
	struct residence_type *t = &f->r->type[type];
	struct footprints *p = &f->footprints;
	const struct cpu_type *c = p->type[type];
	bool looked = false;
	struct around a;
	size_t i;

	for (i = c->first; i < c->end; i++) {
		const struct use *u = p->used[i].use;
		const double coherent = use_coherent(u, f->level);
		const double own = u->misses[f->level] - coherent;
		struct type_line *l = p->used[i].line;
		double own_share, other_share;

		if (!u->misses[f->level])
			continue;
		if (!looked)
			footprints_around(p, type, &a);
		looked = true;
		if (a.lost_after >= LAST_TIME) {
			t->known = false;
			return;
		}
		judge_line(f, &a, footprints_rate(c, &p->used[i]), footprints_set(p, u), &own_share,
			   &other_share);
		add(&l->own, own, own_share);
		add(&t->own, own, own_share);
		add(&l->other, coherent, other_share);
		add(&t->other, coherent, other_share);
	}
}

static void judge_cpu(struct finder *f)
{
	uint32_t t;

	for (t = 0; t < f->footprints.m->nr_types; t++)
		if (f->footprints.type[t] && f->r->type[t].known)
			judge_type(f, t);
}

/* Of which types samples tell how many lines they have. */
static void find_known(struct residence *r, const struct model *m)
{
	const struct use *u;
	uint32_t t;

	for (u = m->uses; u; u = u->hh.next) {
		r->type[u->key.type].lines++;
		r->type[u->key.type].samples += u->n;
	}
	for (t = 0; t < m->nr_types; t++)
		r->type[t].known = r->type[t].samples >= ENOUGH_SAMPLES * r->type[t].lines;
}

/**
 * residence_find() - judge the misses of all lines
 * @r: the result; the caller calls residence_free() even after an error
 * @m: the model, after claims_find()
 * @g: the cache of a CPU
 * @level: its level
 * @shared: all CPUs share one cache: nothing is known of it
 *
 * Return: 0, or -1 without memory.
 */
int residence_find(struct residence *r, const struct model *m, const struct geometry *g,
		   enum level level, bool shared)
{
	struct finder f = { .r = r, .level = level, .ways = g->ways };
	int ret;

	memset(r, 0, sizeof(*r));
	r->type = calloc(m->nr_types + 1, sizeof(*r->type));
	if (!r->type)
		return -1;
	if (shared)
		return 0;
	find_known(r, m);
	ret = footprints_init(&f.footprints, m, g);
	while (!ret && (ret = footprints_next_cpu(&f.footprints)) > 0) {
		judge_cpu(&f);
		ret = 0;
	}
	r->lines = f.footprints.lines;
	f.footprints.lines = NULL;
	footprints_free(&f.footprints);
	return ret;
}

static double share_of(const struct outlived *line, const struct outlived *type)
{
	const struct outlived *o = line && line->misses > 0 ? line : type;

	return o->misses > 0 ? o->outlived / o->misses : 0;
}

/**
 * residence_outlived() - how many misses are of lines that any cache of the size had lost
 * @r: from residence_find()
 * @type: index of a type
 * @offset: in its objects
 * @own: set to the share of the misses that the CPU itself caused
 * @other: set to that of misses that other CPUs caused
 *
 * Return: false if it is not known.
 */
bool residence_outlived(const struct residence *r, uint32_t type, uint32_t offset, double *own,
			double *other)
{
	const struct residence_type *t = &r->type[type];
	const struct type_line *l = footprints_line(r->lines, type, offset);

	if (!t->known)
		return false;
	*own = share_of(l ? &l->own : NULL, &t->own);
	*other = share_of(l ? &l->other : NULL, &t->other);
	return true;
}

/**
 * residence_free() - free what residence_find() made
 * @r: it
 */
void residence_free(struct residence *r)
{
	struct type_line *l, *next;

	HASH_ITER(hh, r->lines, l, next) {
		HASH_DEL(r->lines, l);
		free(l);
	}
	free(r->type);
	memset(r, 0, sizeof(*r));
}
