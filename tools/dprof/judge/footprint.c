// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * How many lines a CPU uses within a time, from samples.
 *
 * Rates.  How many of a line's samples begin a visit is known (visits.c).  How many samples a line
 * would have on average is estimated from how many it has and from the other lines of its type:
 * for few samples, from the numbers of lines with as many and with one more, for others as if
 * these averages had the distribution gamma (I. J. Good, "The population frequencies of species
 * and the estimation of population parameters", Biometrika 40, 1953; H. Robbins, "An empirical
 * Bayes approach to statistics", 3rd Berkeley Symposium, 1956).  There are as many lines without a
 * sample as Chao's bound has (A. Chao, "Nonparametric estimation of the number of classes in a
 * population", Scandinavian Journal of Statistics 11, 1984).  A type is taken to be in use between
 * its first and its last sample.
 *
 * How many lines are used within a time g, the footprint (X. Xiang, C. Ding, H. Luo, B. Bao,
 * "HOTL: a higher order theory of locality", ASPLOS 2013), is for visits at random times, with
 * the rates v of all lines:
 *
 *	f(g) = sum of 1 - exp(-v g)
 *
 * with a variance of the sum of (1 - exp(-v g)) exp(-v g), which is f(2g) - f(g).  The time
 * after which a line is lost is that in which f reaches the size of the cache.
 *
 * The unit of time is that in which a line with one sample is visited once, so what a sample
 * stands for does not matter.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "footprint.h"

/* The first of the times. */
#define FIRST_TIME	1e-5
/* A type is in use for this part of the recording at least. */
#define LEAST_SPAN	1e-3
/* Lines with few samples, of which there are enough to go by their numbers. */
#define ENOUGH_LINES	10
/* Below this, bits of an address are those of the physical one. */
#define PAGE		4096

static int32_t cpu_of(const struct footprints *f, const struct used_line *l)
{
	return f->visits.use[l->first]->key.cpu;
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
static double expected(const struct cpu_type *c, uint64_t n)
{
	if (n < FEW && c->lines[n] >= ENOUGH_LINES)
		return (n + 1) * (c->lines[n + 1] + 1) / c->lines[n];
	return isinf(c->alike) ? c->mean : (n + c->alike) * c->mean / (c->mean + c->alike);
}

static double rate_of(const struct cpu_type *c, const struct used_line *l)
{
	return l->visits / l->n * expected(c, l->n) / c->span;
}

/**
 * footprints_rate() - how often the present CPU visits a line while its type is in use
 * @f: the footprints
 * @l: the line
 *
 * Return: visits in the unit of time.
 */
double footprints_rate(const struct footprints *f, const struct used_line *l)
{
	return rate_of(f->type[l->type], l);
}

/* The lines without a sample, and how alike all are. */
static void set_rates(struct cpu_type *c, const struct used_line *line)
{
	double samples = 0, squares = 0, visits = 0, lines, variance;
	size_t i;

	for (i = c->first; i < c->end; i++) {
		const double n = line[i].n;

		if (line[i].n <= FEW)
			c->lines[line[i].n]++;
		samples += n;
		squares += n * n;
		visits += line[i].visits;
	}
	c->lines[0] = c->lines[1] * c->lines[1] / (2 * (c->lines[2] + 1));
	lines = c->end - c->first + c->lines[0];
	c->mean = samples / lines;
	variance = squares / lines - c->mean * c->mean;
	c->alike = variance > c->mean ? c->mean * c->mean / (variance - c->mean) : INFINITY;
	c->unseen_rate = visits / samples * expected(c, 0) / c->span;
}

/**
 * footprints_class() - which rates count as one
 * @rate: a rate
 *
 * Return: its class, from 0 to NR_RATES - 1.
 */
int footprints_class(double rate)
{
	const long k = lround(RATES * log2(rate)) + NR_RATES / 2;

	return k < 0 ? 0 : k >= NR_RATES ? NR_RATES - 1 : k;
}

/**
 * footprints_class_rate() - the rate that a class counts as
 * @class: from footprints_class()
 *
 * Return: the rate.
 */
double footprints_class_rate(int class)
{
	return exp2((class - NR_RATES / 2) / (double)RATES);
}

/* Lines by their rate, so that each rate is a term of the footprint. */
static void set_footprint(struct footprints *f, struct cpu_type *c)
{
	double lines[NR_RATES] = { 0 }, rate;
	size_t i;
	int at, k;

	for (i = c->first; i < c->end; i++)
		lines[footprints_class(rate_of(c, &f->visits.line[i]))]++;
	for (at = 0; at < TIMES; at++)
		c->footprint[at] = c->lines[0] * -expm1(-c->unseen_rate * f->time[at]);
	for (k = 0; k < NR_RATES; k++) {
		if (!lines[k])
			continue;
		rate = footprints_class_rate(k);
		for (at = 0; at < TIMES; at++)
			c->footprint[at] += lines[k] * -expm1(-rate * f->time[at]);
	}
}

/* The time after which a line is lost; LAST_TIME if it is not within that. */
static double lost_after(const struct footprints *f, const double *footprint)
{
	double part;
	int at;

	for (at = 1; at < TIMES; at++)
		if (footprint[at] >= f->cache_lines) {
			part = (f->cache_lines - footprint[at - 1]) /
			       (footprint[at] - footprint[at - 1]);
			return f->time[at - 1] + part * (f->time[at] - f->time[at - 1]);
		}
	return LAST_TIME;
}

/**
 * footprints_set() - which set a line is of
 * @f: the footprints
 * @u: a use of the line
 *
 * Return: the set, or -1 if it is not known.
 */
int footprints_set(const struct footprints *f, const struct use *u)
{
	if (f->sets == 1 || (!u->phys && f->sets * LINE > PAGE))
		return -1;
	return (u->phys ? u->phys / LINE : u->key.line) % f->sets;
}

/* Lines by set, within the typical time. */
static void set_sets(const struct footprints *f, struct cpu_type *c, double time)
{
	double spread = c->lines[0] * -expm1(-c->unseen_rate * time);
	uint32_t s;
	size_t i;

	for (i = c->first; i < c->end; i++) {
		const double used = -expm1(-rate_of(c, &f->visits.line[i]) * time);
		const int set = footprints_set(f, f->visits.use[f->visits.line[i].first]);

		if (set < 0)
			spread += used;
		else
			c->set[set] += used;
	}
	for (s = 0; s < f->sets; s++)
		c->set[s] += spread / f->sets;
}

static void drop_cpu(struct footprints *f)
{
	uint32_t t;

	for (t = 0; f->type && t < f->m->nr_types; t++) {
		if (f->type[t])
			free(f->type[t]->set);
		free(f->type[t]);
		f->type[t] = NULL;
	}
}

/* The lines of a type on the present CPU, from one on; NULL without memory. */
static struct cpu_type *make_type(struct footprints *f, size_t first)
{
	const struct used_line *l = &f->visits.line[first];
	struct cpu_type *c = calloc(1, sizeof(*c));
	size_t end = first + 1;

	if (!c)
		return NULL;
	f->type[l->type] = c;
	c->set = calloc(f->sets, sizeof(*c->set));
	if (!c->set)
		return NULL;
	while (end < f->visits.nr_lines && f->visits.line[end].type == l->type &&
	       cpu_of(f, &f->visits.line[end]) == cpu_of(f, l))
		end++;
	c->first = first;
	c->end = end;
	c->span = span_of(f->m, f->m->by_index[l->type]);
	set_rates(c, f->visits.line);
	set_footprint(f, c);
	return c;
}

/**
 * footprints_next_cpu() - go on to the next CPU
 * @f: the footprints
 *
 * Return: 1, 0 if there is none, or -1 without memory.
 */
int footprints_next_cpu(struct footprints *f)
{
	double all[TIMES] = { 0 }, time;
	uint32_t t;
	int at;

	drop_cpu(f);
	f->first = f->next;
	while (f->next < f->visits.nr_lines &&
	       cpu_of(f, &f->visits.line[f->next]) == cpu_of(f, &f->visits.line[f->first])) {
		const struct cpu_type *c = make_type(f, f->next);

		if (!c)
			return -1;
		f->next = c->end;
		for (at = 0; at < TIMES; at++)
			all[at] += c->span * c->footprint[at];
	}
	time = lost_after(f, all);
	for (t = 0; t < f->m->nr_types; t++)
		if (f->type[t])
			set_sets(f, f->type[t], time);
	return f->next > f->first;
}

static double footprint_at(const struct footprints *f, const double *footprint, double time)
{
	const double at = log(time / FIRST_TIME) / f->step;
	const int before = at;

	if (before >= TIMES - 1)
		return footprint[TIMES - 1];
	return footprint[before] + (at - before) * (footprint[before + 1] - footprint[before]);
}

/**
 * footprints_around() - what the present CPU uses while a type is in use
 * @f: the footprints
 * @type: index of the type
 *
 * Return: that, to be freed, with all in one piece; NULL without memory.
 */
struct around *footprints_around(const struct footprints *f, uint32_t type)
{
	struct around *a = calloc(1, sizeof(*a) + f->sets * sizeof(*a->set));
	double sum = 0;
	uint32_t t, s;
	int at;

	if (!a)
		return NULL;
	a->set = (double *)(a + 1);
	for (t = 0; t < f->m->nr_types; t++) {
		const struct cpu_type *c = f->type[t];
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
	return a;
}

static void set_times(struct footprints *f)
{
	int at;

	f->step = log(LAST_TIME / FIRST_TIME) / (TIMES - 1);
	for (at = 0; at < TIMES; at++) {
		f->time[at] = FIRST_TIME * exp(at * f->step);
		f->weight[at] = f->time[at] * f->step;
	}
}

/**
 * footprints_init() - begin in front of the first CPU
 * @f: the footprints; the caller calls footprints_free() even after an error
 * @m: the model, after claims_find(); it must outlive @f
 * @g: the cache of a CPU
 * @level: its level
 *
 * Return: 0, or -1 without memory.
 */
int footprints_init(struct footprints *f, const struct model *m, const struct geometry *g,
		    enum level level)
{
	const uint32_t sets = geometry_sets(g);

	memset(f, 0, sizeof(*f));
	f->m = m;
	f->cache_lines = (double)sets * g->ways;
	f->even = 1.0 / sets;
	f->sets = sets <= MAX_SETS ? sets : 1;
	set_times(f);
	f->type = calloc(m->nr_types + 1, sizeof(*f->type));
	return !f->type || visits_find(&f->visits, m, level) ? -1 : 0;
}

/**
 * footprints_free() - free what footprints_init() made
 * @f: it
 */
void footprints_free(struct footprints *f)
{
	drop_cpu(f);
	free(f->type);
	visits_free(&f->visits);
	memset(f, 0, sizeof(*f));
}
