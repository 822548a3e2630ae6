// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Of misses, which are of lines that no cache of the size would still have had.
 *
 * A miss is a capacity miss if a fully associative cache of the size had lost the line, too
 * (Hill): if since its last use as many other lines were used as the cache has.  Samples are
 * too rare to see two uses of a line in a row, but they show how often it is used on average,
 * and so do they for all other lines.  Of these two follows how likely it is.
 *
 * Rates.  A line is visited, and a visit has several accesses, of which the first one alone can
 * miss.  How many it has follows from the instructions: one that accesses the same bytes of the line
 * does so once in most visits, so the visits are the samples of the instruction that has the most
 * at one offset, in all objects of the type.  How many samples a line would have on average is estimated
 * from how many it has and from the other lines of its type: for few samples, from the numbers of lines
 * with as many and with one more, for others as if these averages had the distribution gamma (I. J. Good,
 * "The population frequencies of species and the estimation of population parameters", Biometrika 40, 1953;
 * H. Robbins, "An empirical Bayes approach to statistics", 3rd Berkeley Symposium, 1956).  There are
 * as many lines without a sample as Chao's bound has (A. Chao, "Nonparametric estimation of the
 * number of classes in a population", Scandinavian Journal of Statistics 11, 1984).  A type is taken to be
 * in use between its first and its last sample.
 *
 * How many lines are used within a time g, the footprint (X. Xiang, C. Ding, H. Luo, B. Bao, "HOTL: a higher
 * order theory of locality", ASPLOS 2013), is for visits at random times, with the rates v of
 * all lines:
 *
 *	f(g) = sum of 1 - exp(-v g)
 *
 * and the time x after which a line is lost is that in which f reaches the size of the cache.
 *
 * Misses.  A line whose last use was g ago has left its set of a set-associative cache with the
 * probability s(g) that a number of mean f(g) times the set's share of all lines, of the
 * distribution of Poisson, is at least the number of ways.  With the density v exp(-v g) of g, the
 * share of capacity misses in those that the CPU itself caused is
 *
 *	integral over g > x of s(g) v exp(-v g)  /  integral of s(g) v exp(-v g)
 *
 * A miss that another CPU caused by a write is a capacity miss, too, if the line was lost
 * before that.  The write is taken to be at any time since the last use: then this is
 * the mean of 1 - x/g, where g > x.
 *
 * Times are in units of the recording, and in them rates are numbers of samples: what a sample stands for
 * does not matter.
 *
 * Where few lines of a type have a second sample, how many it has is not known, and nothing is said; nor
 * of caches that the lines of the recording do not fill.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "residence.h"

/* Times for which footprints are computed, on a logarithmic scale. */
#define TIMES		200
#define FIRST_TIME	1e-5
#define LAST_TIME	300.0
/* Rates that differ by less than 1/RATES of an octave count as one. */
#define RATES		8
#define NR_RATES	512
/* Samples for each line that are enough to know how many lines there are. */
#define ENOUGH_SAMPLES	1.5
/* The sets of caches with more of them are chosen by a hash of the address. */
#define MAX_SETS	64
#define LEAST_SPAN	1e-3
/* Lines with fewer samples count by how many there are with one more, if there are so many. */
#define FEW		3
#define ENOUGH_LINES	10

/* A line that a CPU uses; @visits: its samples, but for those of the same visit */
struct used {
	const struct use *use;
	struct residence_line *line;
	double visits;
};

/*
 * A type on one CPU.
 * @lines: that have so many samples; for none, as many as there are at least
 * @mean: samples of a line
 * @alike: the more, the less do lines differ in how many they would have on average
 * @unseen_rate: of visits to a line without a sample
 * @footprint: of the type alone, while it is in use
 * @set: lines in use at the typical time, by set
 */
struct on_cpu {
	size_t first, end;
	double lines[FEW + 1], mean, alike, unseen_rate, span;
	double footprint[TIMES], set[MAX_SETS];
};

struct finder {
	struct residence *r;
	const struct model *m;
	enum level level;
	double lines;			/* of the cache */
	uint32_t sets, ways;
	double step, time[TIMES], weight[TIMES];
	struct used *used;
	size_t nr_used;
	struct on_cpu **on_cpu;		/* by type, of one CPU; NULL: it has no sample there */
};

static struct residence_line *get_line(struct residence *r, uint32_t type, uint32_t offset)
{
	struct residence_line key, *l;

	memset(&key.key, 0, sizeof(key.key));
	key.key.type = type;
	key.key.line = offset / LINE;
	HASH_FIND(hh, r->lines, &key.key, sizeof(key.key), l);
	return l;
}

static struct residence_line *make_line(struct residence *r, uint32_t type, uint32_t offset)
{
	struct residence_line *l = get_line(r, type, offset);

	if (l)
		return l;
	l = calloc(1, sizeof(*l));
	if (!l)
		return NULL;
	l->key.type = type;
	l->key.line = offset / LINE;
	HASH_ADD(hh, r->lines, key, sizeof(l->key), l);
	return l;
}

/* How often instructions access the lines of each type. */
static int count_instructions(struct residence *r, const struct model *m)
{
	const struct site *s;

	for (s = m->sites; s; s = s->hh.next) {
		struct residence_line *l = make_line(r, s->key.type, s->key.offset);

		if (!l)
			return -1;
		l->samples += s->sum.n;
		if (s->sum.n > l->most)
			l->most = s->sum.n;
	}
	return 0;
}

static int by_cpu_and_type(const void *a, const void *b)
{
	const struct use *x = ((const struct used *)a)->use, *y = ((const struct used *)b)->use;

	if (x->key.cpu != y->key.cpu)
		return x->key.cpu < y->key.cpu ? -1 : 1;
	if (x->key.type != y->key.type)
		return x->key.type < y->key.type ? -1 : 1;
	if (x->key.line != y->key.line)
		return x->key.line < y->key.line ? -1 : 1;
	return x->key.base < y->key.base ? -1 : x->key.base > y->key.base;
}

/* The first byte of the line that is the object's. */
static uint32_t offset_in_object(const struct use *u)
{
	const uint64_t at = u->key.line * LINE;

	return at > u->key.base ? at - u->key.base : 0;
}

static int list_used(struct finder *f)
{
	const struct use *u;

	f->used = calloc(HASH_COUNT(f->m->uses) + 1, sizeof(*f->used));
	if (!f->used)
		return -1;
	for (u = f->m->uses; u; u = u->hh.next) {
		struct residence_line *l = make_line(f->r, u->key.type, offset_in_object(u));
		struct residence_type *t = &f->r->type[u->key.type];

		if (!l)
			return -1;
		t->lines++;
		t->samples += u->n;
		f->used[f->nr_used++] = (struct used){
			.use = u, .line = l,
			.visits = l->samples ? (double)u->n * l->most / l->samples : u->n,
		};
	}
	qsort(f->used, f->nr_used, sizeof(*f->used), by_cpu_and_type);
	return 0;
}

/* The part of the recording in which a type is in use. */
static double span_of(const struct model *m, const struct dtype *t)
{
	const double all = m->last_ts - m->first_ts, span = t->last_sample - t->first_sample;

	return all > 0 ? fmax(span / all, LEAST_SPAN) : 1;
}

/* Of the time in which @t is in use, that in which @u is, too. */
static double overlap(const struct dtype *t, const struct dtype *u)
{
	const uint64_t from = t->first_sample > u->first_sample ? t->first_sample : u->first_sample;
	const uint64_t to = t->last_sample < u->last_sample ? t->last_sample : u->last_sample;

	if (to < from)
		return 0;
	if (t->first_sample == t->last_sample)
		return 1;
	return (double)(to - from) / (t->last_sample - t->first_sample);
}

/* How many samples lines that have @n would have on average. */
static double expected(const struct on_cpu *c, uint64_t n)
{
	if (n < FEW && c->lines[n] >= ENOUGH_LINES)
		return (n + 1) * (c->lines[n + 1] + (n + 1 < FEW)) / c->lines[n];
	return isinf(c->alike) ? c->mean : (n + c->alike) * c->mean / (c->mean + c->alike);
}

/* The rate at which a line is visited while its type is in use. */
static double rate_of(const struct on_cpu *c, const struct used *u)
{
	return u->visits / u->use->n * expected(c, u->use->n) / c->span;
}

/* The lines without a sample, and how alike all are. */
static void set_rates(struct on_cpu *c, const struct used *used)
{
	double samples = 0, squares = 0, visits = 0, lines, variance;
	size_t i;

	for (i = c->first; i < c->end; i++) {
		const double n = used[i].use->n;

		if (used[i].use->n <= FEW)
			c->lines[used[i].use->n]++;
		samples += n;
		squares += n * n;
		visits += used[i].visits;
	}
	c->lines[0] = c->lines[1] * c->lines[1] / (2 * (c->lines[2] + 1));
	lines = c->end - c->first + c->lines[0];
	c->mean = samples / lines;
	variance = squares / lines - c->mean * c->mean;
	c->alike = variance > c->mean ? c->mean * c->mean / (variance - c->mean) : INFINITY;
	c->unseen_rate = visits / samples * expected(c, 0) / c->span;
}

/* Lines by their rate, so that each rate is a term of the footprint. */
static void set_footprint(struct finder *f, struct on_cpu *c)
{
	double lines[NR_RATES] = { 0 }, rate;
	size_t i;
	int at, k;

	for (i = c->first; i < c->end; i++) {
		k = lround(RATES * log2(rate_of(c, &f->used[i]))) + NR_RATES / 2;
		lines[k < 0 ? 0 : k >= NR_RATES ? NR_RATES - 1 : k]++;
	}
	for (at = 0; at < TIMES; at++)
		c->footprint[at] = c->lines[0] * -expm1(-c->unseen_rate * f->time[at]);
	for (k = 0; k < NR_RATES; k++) {
		if (!lines[k])
			continue;
		rate = exp2((k - NR_RATES / 2) / (double)RATES);
		for (at = 0; at < TIMES; at++)
			c->footprint[at] += lines[k] * -expm1(-rate * f->time[at]);
	}
}

/* The time after which a line is lost; LAST_TIME if it is not within that. */
static double lost_after(const struct finder *f, const double *footprint)
{
	int at;

	for (at = 1; at < TIMES; at++)
		if (footprint[at] >= f->lines)
			return f->time[at - 1] + (f->time[at] - f->time[at - 1]) *
				(f->lines - footprint[at - 1]) / (footprint[at] - footprint[at - 1]);
	return LAST_TIME;
}

static uint32_t set_of(const struct finder *f, const struct use *u)
{
	return (u->phys ? u->phys / LINE : u->key.line) % f->sets;
}

/* Lines by set, within the typical time. */
static void set_sets(struct finder *f, struct on_cpu *c, double time)
{
	const double unseen = c->lines[0] * -expm1(-c->unseen_rate * time) / f->sets;
	uint32_t s;
	size_t i;

	for (s = 0; s < f->sets; s++)
		c->set[s] = unseen;
	for (i = c->first; i < c->end && f->sets > 1; i++)
		c->set[set_of(f, f->used[i].use)] += -expm1(-rate_of(c, &f->used[i]) * time);
	if (f->sets == 1)
		c->set[0] = 1;
}

static int fill_cpu(struct finder *f, size_t first, size_t end)
{
	double all[TIMES] = { 0 }, time;
	size_t i, next;
	uint32_t t;
	int at;

	for (i = first; i < end; i = next) {
		struct on_cpu *c = calloc(1, sizeof(*c));

		t = f->used[i].use->key.type;
		for (next = i; next < end && f->used[next].use->key.type == t; next++)
			;
		if (!c)
			return -1;
		f->on_cpu[t] = c;
		c->first = i;
		c->end = next;
		c->span = span_of(f->m, f->m->by_index[t]);
		set_rates(c, f->used);
		set_footprint(f, c);
		for (at = 0; at < TIMES; at++)
			all[at] += c->span * c->footprint[at];
	}
	time = lost_after(f, all);
	for (t = 0; t < f->m->nr_types; t++)
		if (f->on_cpu[t])
			set_sets(f, f->on_cpu[t], time);
	return 0;
}

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
 * The probability of at least so many lines, of a mean and a variance: that of Poisson, translated
 * (A. Barbour, V. Cekanavicius, "Total variation asymptotics for sums of independent
 * integer random variables", Annals of Probability 30, 2002).
 */
static double at_least(double number, double mean, double variance)
{
	const double left = number - (mean - variance);
	const int whole = floor(left);

	if (left <= 0)
		return 1;
	return poisson(whole, variance) * (1 - (left - whole)) + poisson(whole + 1, variance) * (left - whole);
}

/* What all types use while a type is in use. */
struct around {
	double footprint[TIMES], variance[TIMES], set[MAX_SETS], lost_after;
};

static double footprint_at(const struct finder *f, const double *footprint, double time)
{
	const double at = log(time / FIRST_TIME) / f->step;
	const int before = at;

	if (before >= TIMES - 1)
		return footprint[TIMES - 1];
	return footprint[before] + (at - before) * (footprint[before + 1] - footprint[before]);
}

static void look_around(const struct finder *f, uint32_t type, struct around *a)
{
	double sum = 0;
	uint32_t t, s;
	int at;

	memset(a, 0, sizeof(*a));
	for (t = 0; t < f->m->nr_types; t++) {
		const struct on_cpu *c = f->on_cpu[t];
		const double share = c ? overlap(f->m->by_index[type], f->m->by_index[t]) : 0;

		if (!share)
			continue;
		for (at = 0; at < TIMES; at++)
			a->footprint[at] += share * c->footprint[at];
		for (s = 0; s < f->sets; s++)
			a->set[s] += share * c->set[s];
	}
	for (at = 0; at < TIMES; at++)
		a->variance[at] = footprint_at(f, a->footprint, 2 * f->time[at]) - a->footprint[at];
	for (s = 0; s < f->sets; s++)
		sum += a->set[s];
	for (s = 0; s < f->sets && sum > 0; s++)
		a->set[s] /= sum;
	a->lost_after = lost_after(f, a->footprint);
}

/* The two shares of a line's misses that are capacity misses. */
static void judge_line(const struct finder *f, const struct around *a, double rate, uint32_t set, double *own, double *other)
{
	/* A part of the sets has this part of the lines, and all ways of each. */
	const double part = f->sets > 1 ? a->set[set] : f->ways / f->lines;
	const double behind = exp(-rate * LAST_TIME);
	double missed = behind, outlived = behind, written = behind;
	int at;

	for (at = 0; at < TIMES; at++) {
		/* It is none of the others. */
		const double not_used = exp(-rate * f->time[at]), used = 1 - not_used;
		const double mean = fmax(part * a->footprint[at] - used, 0);
		const double variance = fmax(part * a->variance[at] - used * not_used, 0);
		const double density = f->weight[at] * rate * not_used;
		const double miss = density * at_least(f->ways, mean, fmin(variance, mean));

		missed += miss;
		if (f->time[at] <= a->lost_after)
			continue;
		outlived += miss;
		written += density * (1 - a->lost_after / f->time[at]);
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
	const struct on_cpu *c = f->on_cpu[type];
	bool looked = false;
	struct around a;
	size_t i;

	for (i = c->first; i < c->end; i++) {
		const struct use *u = f->used[i].use;
		const double coherent = use_coherent(u, f->level), own = u->misses[f->level] - coherent;
		struct residence_line *l = f->used[i].line;
		double own_share, other_share;

		if (!u->misses[f->level])
			continue;
		if (!looked)
			look_around(f, type, &a);
		looked = true;
		if (a.lost_after >= LAST_TIME) {
			t->known = false;
			return;
		}
		judge_line(f, &a, rate_of(c, &f->used[i]), f->sets > 1 ? set_of(f, u) : 0, &own_share, &other_share);
		add(&l->own, own, own_share);
		add(&t->own, own, own_share);
		add(&l->other, coherent, other_share);
		add(&t->other, coherent, other_share);
	}
}

static int judge_cpu(struct finder *f, size_t first, size_t end)
{
	uint32_t t;
	int ret;

	f->on_cpu = calloc(f->m->nr_types + 1, sizeof(*f->on_cpu));
	if (!f->on_cpu)
		return -1;
	ret = fill_cpu(f, first, end);
	for (t = 0; t < f->m->nr_types && !ret; t++)
		if (f->on_cpu[t] && f->r->type[t].known)
			judge_type(f, t);
	for (t = 0; t < f->m->nr_types; t++)
		free(f->on_cpu[t]);
	free(f->on_cpu);
	return ret;
}

static void set_times(struct finder *f)
{
	int at;

	f->step = log(LAST_TIME / FIRST_TIME) / (TIMES - 1);
	for (at = 0; at < TIMES; at++) {
		f->time[at] = FIRST_TIME * exp(at * f->step);
		f->weight[at] = f->time[at] * f->step;
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
int residence_find(struct residence *r, const struct model *m, const struct geometry *g, enum level level, bool shared)
{
	const uint32_t sets = geometry_sets(g);
	struct finder f = {
		.r = r, .m = m, .level = level, .lines = (double)sets * g->ways, .ways = g->ways,
		.sets = sets <= MAX_SETS ? sets : 1,
	};
	size_t first, end;
	uint32_t t;
	int ret = 0;

	memset(r, 0, sizeof(*r));
	r->type = calloc(m->nr_types + 1, sizeof(*r->type));
	if (!r->type)
		return -1;
	if (shared)
		return 0;
	set_times(&f);
	if (count_instructions(r, m) || list_used(&f))
		ret = -1;
	for (t = 0; t < m->nr_types; t++)
		r->type[t].known = r->type[t].samples >= ENOUGH_SAMPLES * r->type[t].lines;
	for (first = 0; first < f.nr_used && !ret; first = end) {
		for (end = first; end < f.nr_used && f.used[end].use->key.cpu == f.used[first].use->key.cpu; end++)
			;
		ret = judge_cpu(&f, first, end);
	}
	free(f.used);
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
bool residence_outlived(const struct residence *r, uint32_t type, uint32_t offset, double *own, double *other)
{
	const struct residence_type *t = &r->type[type];
	const struct residence_line *l = get_line((struct residence *)r, type, offset);

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
	struct residence_line *l, *next;

	HASH_ITER(hh, r->lines, l, next) {
		HASH_DEL(r->lines, l);
		free(l);
	}
	free(r->type);
	memset(r, 0, sizeof(*r));
}
