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
 * Visits of the CPU come at the rate v, writes of other CPUs at the rate w.  If these did at any
 * time, the time since the last visit, if no other CPU wrote meanwhile, would have the density
 * (v + w) exp(-(v + w) g); it has one with more short and long times, d(g), as lines are used in
 * bursts (gaps.c).  A line whose last use was g ago has left its set of a set-associative cache if as
 * many others of the set were used since as it has ways.  How many were has a mean and a
 * variance, those of all lines times the set's share of them; s(g) is the probability.  With
 * the time x after which a line is lost, the share of capacity misses in those that the CPU
 * itself caused is
 *
 *	integral over g > x of s(g) d(g)  /  integral of s(g) d(g)
 *
 * A miss that another CPU caused by a write is a capacity miss, too, if the line was lost
 * before the first write: of these misses, exp(-(v + w) x) are, if both come at any time.  (With
 * bursts, those of datagrams agree less with the oracle.)  How many visits are behind a
 * write, w / (v + w), is known from all samples at the place.
 *
 * Where few lines of a type have a second sample, how many it has is not known, and nothing is
 * said; nor of caches that the lines of the recording do not fill.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gsl/gsl_cdf.h>

#include "gaps.h"
#include "residence.h"

/* Samples for each line that are enough to know how many lines there are. */
#define ENOUGH_SAMPLES	1.5

/* Of the distribution of Poisson, the probability of at least so many. */
static double poisson(int number, double mean)
{
	if (number <= 0)
		return 1;
	return mean > 0 ? gsl_cdf_poisson_Q(number - 1, mean) : 0;
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

/* The probability that a line of a set is lost, by the time that it was out of use. */
struct lost {
	bool known;
	double by_time[TIMES];
};

/*
 * @around: by type, of the present CPU; NULL: not looked at
 * @lost: by set, of the present type on the present CPU; the first one: the set is not known
 */
struct finder {
	struct residence *r;
	struct footprints footprints;
	struct around **around;
	struct lost *lost;
	uint32_t ways;
};

/*
 * The probability that a set has lost a line after the time that is number @at.  @used: the
 * probability that the line itself is used within the time: it is none of the others.
 */
static double is_replaced(const struct finder *f, const struct around *a, int set, int at,
			  double used)
{
	const struct footprints *p = &f->footprints;
	const double lines = a->footprint[at], variance = a->variance[at];
	double mean, of_set;

	if (set >= 0) {
		mean = fmax(a->set[set] * lines - used, 0);
		of_set = a->set[set] * variance - used * (1 - used);
	} else {
		mean = p->even * fmax(lines - used, 0);
		of_set = p->even * ((1 - p->even) * lines + p->even * variance);
	}
	return at_least(f->ways, mean, fmax(fmin(of_set, mean), 0));
}

/* The two shares of a line's misses that are capacity misses. */
static void judge_line(const struct finder *f, const struct around *a, const struct used_line *l,
		       double shape, double *own, double *other)
{
	const struct footprints *p = &f->footprints;
	const int set = footprints_set(p, p->visits.use[l->first]);
	const double visited = footprints_rate(p, l), rate = visited / (1 - l->written);
	const double behind = gaps_longer(rate, shape, LAST_TIME);
	double missed = behind, outlived = behind;
	int at;

	for (at = 0; at < TIMES; at++) {
		const double density = p->weight[at] * gaps_density(rate, shape, p->time[at]);
		const double miss =
			density * is_replaced(f, a, set, at, -expm1(-visited * p->time[at]));

		missed += miss;
		if (p->time[at] > a->lost_after)
			outlived += miss;
	}
	*own = missed > 0 ? outlived / missed : 0;
	*other = exp(-rate * a->lost_after);
	/* One set: what replaces a line is that the cache is full. */
	if (f->ways >= p->cache_lines)
		*own = 1;
}

static void add(struct outlived *to, double misses, double share)
{
	to->misses += misses;
	to->outlived += misses * share;
}

static struct residence_bytes *find_bytes(const struct residence *r, uint32_t type, int64_t offset)
{
	struct residence_bytes key, *b;

	memset(&key.key, 0, sizeof(key.key));
	key.key.type = type;
	key.key.index = offset >> 3;
	HASH_FIND(hh, r->bytes, &key.key, sizeof(key.key), b);
	return b;
}

static struct residence_bytes *make_bytes(struct residence *r, uint32_t type, int64_t offset)
{
	struct residence_bytes *b = find_bytes(r, type, offset);

	if (b)
		return b;
	b = calloc(1, sizeof(*b));
	if (!b)
		return NULL;
	b->key.type = type;
	b->key.index = offset >> 3;
	HASH_ADD(hh, r->bytes, key, sizeof(b->key), b);
	return b;
}

/* Misses that the CPU itself caused, as far as they are known: see tally_judged_misses(). */
static double own_misses(const struct use *u, enum level level)
{
	return u->misses[level] - (level == LEVEL_L1 ? u->l2_stores : 0) - (double)use_coherent(u, level);
}

/* Count the misses of an object in a line, by the bytes at which its samples are. */
static int count_use(struct finder *f, const struct use *u, double own_share, double other_share)
{
	const enum level level = f->footprints.visits.level;
	const double coherent = use_coherent(u, level);
	const double own = own_misses(u, level);
	struct residence_type *t = &f->r->type[u->key.type];
	uint32_t i;

	add(&t->own, own, own_share);
	add(&t->other, coherent, other_share);
	for (i = 0; i < u->nr_units; i++) {
		const double part = (double)u->unit[i].n / u->n;
		struct residence_bytes *b =
			make_bytes(f->r, u->key.type, visits_line_offset(u) + u->unit[i].first);

		if (!b)
			return -1;
		add(&b->own, own * part, own_share);
		add(&b->other, coherent * part, other_share);
	}
	return 0;
}

/* What the CPU uses while a type is in use; NULL without memory. */
static const struct around *around(struct finder *f, uint32_t type)
{
	if (!f->around[type])
		f->around[type] = footprints_around(&f->footprints, type);
	return f->around[type];
}

/* Judge the misses in a line.  @shape: of its gaps */
static int judge_uses(struct finder *f, const struct used_line *l, double shape)
{
	const enum level level = f->footprints.visits.level;
	double own_share, other_share;
	const struct around *a;
	size_t i;

	for (i = l->first; i < l->end; i++) {
		const struct use *u = f->footprints.visits.use[i];

		if (!u->misses[level])
			continue;
		a = around(f, u->key.type);
		if (!a)
			return -1;
		if (a->lost_after >= LAST_TIME) {
			f->r->type[u->key.type].unknown += u->misses[level];
			continue;
		}
		judge_line(f, a, l, shape, &own_share, &other_share);
		if (count_use(f, u, own_share, other_share))
			return -1;
	}
	return 0;
}

static bool misses_in(const struct footprints *p, const struct used_line *l)
{
	size_t i;

	for (i = l->first; i < l->end; i++)
		if (p->visits.use[i]->misses[p->visits.level])
			return true;
	return false;
}

/*
 * Add the visits of a line that no write of another CPU was before.  Where a store that missed
 * finds its line is not reported, but that it did not hit.
 */
static void add_gaps(const struct footprints *p, const struct used_line *l, struct gaps *g)
{
	double misses = 0, unknown = 0;
	size_t i;

	for (i = l->first; i < l->end; i++) {
		const struct use *u = p->visits.use[i];

		misses += u->misses[p->visits.level] - (double)use_coherent(u, p->visits.level);
		unknown += u->n - u->known;
	}
	gaps_add(g, footprints_rate(p, l) / (1 - l->written), l->visits * (1 - l->written),
		 misses + unknown * (1 - l->written));
}

/* The probability that a line of a set is lost.  @rate: at which it is visited */
static const double *lost_of(const struct finder *f, const struct around *a, int set, double rate)
{
	struct lost *lost = &f->lost[set + 1];
	int at;

	for (at = 0; at < TIMES && !lost->known; at++)
		lost->by_time[at] = is_replaced(f, a, set, at, -expm1(-rate * f->footprints.time[at]));
	lost->known = true;
	return lost->by_time;
}

/* The shape of a type's gaps on the present CPU.  @rate: at which its lines are visited */
static double shape_of_type(const struct finder *f, const struct cpu_type *c, const struct around *a,
			    double rate)
{
	const struct footprints *p = &f->footprints;
	double lost[TIMES] = { 0 }, visits = 0;
	struct gaps all = { };
	size_t i;
	int at;

	for (i = c->first; i < c->end; i++)
		visits += p->visits.line[i].visits;
	for (i = c->first; i < c->end; i++) {
		const struct used_line *l = &p->visits.line[i];
		const double *of_set = lost_of(f, a, footprints_set(p, p->visits.use[l->first]), rate);

		add_gaps(p, l, &all);
		for (at = 0; at < TIMES; at++)
			lost[at] += of_set[at] * l->visits / visits;
	}
	return gaps_shape(&all, p, lost);
}

/* The shape of a line's gaps: that of its type, @type, if as many misses follow as it has. */
static double shape_of_line(const struct finder *f, const struct around *a, const struct used_line *l,
			    double type, double rate)
{
	const struct footprints *p = &f->footprints;
	const double *lost = lost_of(f, a, footprints_set(p, p->visits.use[l->first]), rate);
	struct gaps g = { };

	add_gaps(p, l, &g);
	return gaps_agree(&g, gaps_expected(&g, p, lost, type)) ? type : gaps_shape(&g, p, lost);
}

static double mean_rate(const struct footprints *p, const struct cpu_type *c)
{
	double rates = 0, visits = 0;
	size_t i;

	for (i = c->first; i < c->end; i++) {
		rates += p->visits.line[i].visits * footprints_rate(p, &p->visits.line[i]);
		visits += p->visits.line[i].visits;
	}
	return rates / visits;
}

/* Judge the lines of a type on the present CPU. */
static int judge_type(struct finder *f, uint32_t type)
{
	const struct footprints *p = &f->footprints;
	const struct cpu_type *c = p->type[type];
	double rate = 0, of_type = INFINITY, shape;
	const struct around *a = NULL;
	bool fills = false;
	int ret = 0;
	size_t i;

	for (i = c->first; i < c->end && !ret; i++) {
		const struct used_line *l = &p->visits.line[i];

		if (!misses_in(p, l))
			continue;
		if (!a) {
			a = around(f, type);
			if (!a)
				return -1;
			fills = a->lost_after < LAST_TIME && f->ways < p->cache_lines;
			memset(f->lost, 0, (p->sets + 1) * sizeof(*f->lost));
			rate = mean_rate(p, c);
			if (fills)
				of_type = shape_of_type(f, c, a, rate);
		}
		shape = fills ? shape_of_line(f, a, l, of_type, rate) : INFINITY;
		ret = judge_uses(f, l, shape);
	}
	return ret;
}

static int judge_cpu(struct finder *f)
{
	const uint32_t nr_types = f->footprints.m->nr_types;
	int ret = 0;
	uint32_t t;

	for (t = 0; t < nr_types && !ret; t++)
		if (f->footprints.type[t])
			ret = judge_type(f, t);
	for (t = 0; t < nr_types; t++) {
		free(f->around[t]);
		f->around[t] = NULL;
	}
	return ret;
}

/*
 * A type is known if its lines have enough samples, and most of its misses are on CPUs that fill
 * their cache.
 */
static void find_known(struct residence *r, const struct footprints *f)
{
	size_t i;
	uint32_t t;

	for (i = 0; i < f->visits.nr_lines; i++) {
		r->type[f->visits.line[i].type].lines++;
		r->type[f->visits.line[i].type].samples += f->visits.line[i].n;
	}
	for (t = 0; t < f->m->nr_types; t++) {
		struct residence_type *type = &r->type[t];

		type->known = type->samples >= ENOUGH_SAMPLES * type->lines &&
			      type->unknown <= type->own.misses + type->other.misses;
	}
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
	struct finder f = { .r = r, .ways = g->ways };
	int ret;

	memset(r, 0, sizeof(*r));
	r->type = calloc(m->nr_types + 1, sizeof(*r->type));
	if (!r->type)
		return -1;
	if (shared)
		return 0;
	f.around = calloc(m->nr_types + 1, sizeof(*f.around));
	ret = f.around ? footprints_init(&f.footprints, m, g, level) : -1;
	f.lost = calloc(f.footprints.sets + 1, sizeof(*f.lost));
	if (!f.lost)
		ret = -1;
	while (!ret && (ret = footprints_next_cpu(&f.footprints)) > 0)
		ret = judge_cpu(&f);
	if (!ret)
		find_known(r, &f.footprints);
	if (f.around)
		footprints_free(&f.footprints);
	free(f.around);
	free(f.lost);
	return ret;
}

static double share_of(const struct outlived *bytes, const struct outlived *type)
{
	const struct outlived *o = bytes && bytes->misses > 0 ? bytes : type;

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
	const struct residence_bytes *b = find_bytes(r, type, offset);

	if (!t->known)
		return false;
	*own = share_of(b ? &b->own : NULL, &t->own);
	*other = share_of(b ? &b->other : NULL, &t->other);
	return true;
}

/**
 * residence_free() - free what residence_find() made
 * @r: it
 */
void residence_free(struct residence *r)
{
	struct residence_bytes *b, *next;

	HASH_ITER(hh, r->bytes, b, next) {
		HASH_DEL(r->bytes, b);
		free(b);
	}
	free(r->type);
	memset(r, 0, sizeof(*r));
}
