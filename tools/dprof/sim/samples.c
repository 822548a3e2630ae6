// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The cache simulation: accesses of data without path traces, derived from samples. */
#include <math.h>
#include <stdlib.h>

#include "parts.h"

/* The simulated miss rate must reach this share of the sampled one. */
#define ENOUGH_MISSES	0.9

/* Samples of a line that missed the cache and did not hit in another CPU's cache. */
static uint64_t own_misses(const struct sim *s, const struct use *u)
{
	return u->misses[s->options.level] - use_coherent(u, s->options.level);
}

static int count_line(const struct sim *s, const struct use *u, uint64_t n, struct footprint *t,
		struct sim_seen **sets, struct sim_seen **objects)
{
	int new = sim_first_time(sets, 0, u->key.type, u->key.line & (s->sets - 1));

	t->seen++;
	t->once += n == 1;
	t->twice += n == 2;
	t->sets_seen += new > 0;
	if (new < 0)
		return -1;
	new = sim_first_time(objects, u->key.base, u->key.type, 0);
	t->objects += new > 0;
	return new < 0 ? -1 : 0;
}

static void estimate_lines(const struct sim *s, const struct dtype *type, struct footprint *t)
{
	double cache = s->options.geometry.size / LINE, most = 16 * cache, chance;
	double lines = t->seen + t->once * (t->once - 1.0) / (2 * (t->twice + 1.0)), known;

	known = t->objects ? (double)type->peak * t->seen / t->objects : 0;
	if (known > lines)
		lines = known;
	if (lines > 4 * cache)
		lines = 4 * cache;
	/* Upper bounds: the size of a variable, the objects in the address set. */
	if (type->key.symbol)
		most = type->size / LINE + 1;
	else if (type->seen_alloc && t->objects <= type->peak)
		most = lines;
	if (lines > most)
		lines = most;
	t->copies = lines > t->seen ? lines / t->seen : 1;
	t->most = most > t->seen ? most / t->seen : 1;
	chance = s->sets * (1 - pow(1 - 1.0 / s->sets, t->seen));
	t->keeps_sets = t->sets_seen < 0.75 * chance;
}

int sim_find_footprints(const struct sim *s, struct model *m, struct footprint *f)
{
	struct sim_seen *sets = NULL, *objects = NULL;
	struct use *u;
	uint32_t i;
	int ret = 0;

	for (u = m->uses; u; u = u->hh.next) {
		f[u->key.type].known += u->known - use_coherent(u, s->options.level);
		f[u->key.type].missed += own_misses(s, u);
	}
	for (u = m->uses; u && !ret; u = u->hh.next) {
		struct footprint *t = &f[u->key.type];
		uint64_t n = t->missed ? own_misses(s, u) : u->n;

		if (n)
			ret = count_line(s, u, n, t, &sets, &objects);
	}
	sim_free_seen(&sets);
	sim_free_seen(&objects);
	for (i = 0; i < m->nr_types && !ret; i++) {
		if (!f[i].seen)
			continue;
		estimate_lines(s, m->by_index[i], &f[i]);
		if (m->by_index[i]->seen_alloc && sim_fill_pool(m, i, &f[i].pool))
			ret = -1;
	}
	return ret;
}

/*
 * After a simulation, give types that missed less often than their samples up to four times
 * the lines.  Return whether there was such a type.
 */
bool sim_grow_footprints(const struct sim *s, struct footprint *f)
{
	bool grown = false;
	uint32_t i;

	for (i = 0; i < s->nr_types; i++) {
		const struct sim_sum *sum = &s->type[i].sum;
		double shared = sum->outcome[MISS_TRUE] + sum->outcome[MISS_FALSE];
		double accesses = sum->accesses - shared;
		double misses = sum->outcome[MISS_CONFLICT] + sum->outcome[MISS_CAPACITY];

		if (s->type[i].has_traces || !f[i].missed || f[i].copies >= f[i].most ||
		    misses * f[i].known >= ENOUGH_MISSES * accesses * f[i].missed)
			continue;
		f[i].copies = f[i].copies * 4 < f[i].most ? f[i].copies * 4 : f[i].most;
		grown = true;
	}
	return grown;
}

/* The same address in two address spaces is two lines. */
static uint64_t line_of(const struct use *u)
{
	return u->key.line ^ ((uint64_t)u->key.space << 48) / LINE;
}

/*
 * Choose the line for a simulated access: the sampled line itself, or one of the lines that
 * have no sample.  @any: the access may go to any object of the pool.
 */
static uint64_t one_of(const struct sim *s, const struct footprint *f, const struct use *u,
		       uint64_t *random, bool *any)
{
	uint64_t known = u->known - use_coherent(u, s->options.level), missed = own_misses(s, u);
	uint64_t copy, place;

	*any = false;
	/* A hit is an access to a line in use, so keep the sampled line. */
	if (f->missed && next_share(random) * (known ? known : f->known) >=
	    (known ? missed : f->missed))
		return line_of(u);
	*any = f->pool.nr;
	copy = next_share(random) * f->copies;
	if (!copy || *any)
		return line_of(u);
	/* A random address that depends on the line and the copy only. */
	place = line_of(u) * 65536 + copy;
	place = next_random(&place) >> 8;
	return f->keeps_sets ? (place & ~(uint64_t)(s->sets - 1)) | (line_of(u) & (s->sets - 1)) :
			       place;
}

/* Running sums of a type's samples over the slices of time. */
static void add_up_slices(const struct dtype *t, uint32_t *upto)
{
	uint32_t sum = 0;
	int i;

	for (i = 0; i < NR_SLICES; i++)
		upto[i] = sum += t->slice[i];
}

/* Draw a time in ns of the recording, distributed as the type's samples. */
static double some_time(const struct model *m, const struct dtype *t, const uint32_t *upto,
			uint64_t *random)
{
	double first = t->first_sample - m->first_ts, last = t->last_sample - m->first_ts;
	double length = 1ULL << m->slice_shift, begin, end;
	uint32_t target = next_random(random) % upto[NR_SLICES - 1], low = 0, high = NR_SLICES - 1;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (upto[middle] <= target)
			low = middle + 1;
		else
			high = middle;
	}
	begin = low * length;
	end = begin + length;
	if (begin < first)
		begin = first;
	if (end > last)
		end = last;
	return begin + (end - begin) * next_share(random);
}

/*
 * A line with a single sample that hit: an earlier access had filled it, and the type has
 * many such lines, each in use for a short time.  Replaying it per_sample times at random
 * times would evict lines that it did not evict.  The samples that missed already represent
 * such fills.
 */
static bool passing(const struct sim *s, const struct use *u)
{
	return u->n == 1 && u->known && !u->misses[s->options.level];
}

/* Schedule accesses of types without path traces, as often and when they were sampled. */
int sim_schedule_samples(struct sim *s, struct model *m, const struct footprint *footprint,
			 double span, struct schedule *schedule, uint64_t *random)
{
	double duration = m->last_ts - m->first_ts, scale;
	uint32_t *upto = calloc(m->nr_types + 1, NR_SLICES * sizeof(*upto)), k;
	struct use *u;
	int ret = -1;

	if (!upto)
		goto out;
	for (k = 0; k < m->nr_types; k++)
		add_up_slices(m->by_index[k], upto + k * NR_SLICES);
	scale = span / (duration > 0 ? duration : 1);
	for (u = m->uses; u; u = u->hh.next) {
		const struct dtype *t = m->by_index[u->key.type];
		const uint32_t *slices = upto + t->index * NR_SLICES;
		uint64_t n, i;

		if (s->type[u->key.type].has_traces || passing(s, u))
			continue;
		n = u->n * s->per_sample * scale + next_share(random);
		for (i = 0; i < n; i++) {
			bool any;
			uint64_t line = one_of(s, &footprint[u->key.type], u, random, &any);
			bool write = next_share(random) * u->n < u->stores;
			struct step step = {
				.time = scale * some_time(m, t, slices, random),
				.addr = line * LINE,
				.base = u->key.base + (line - u->key.line) * LINE,
				.actor = { u->key.type, NO_TRACE, 0 },
				.cpu = u->key.cpu < 0 ? 0 : u->key.cpu, .len = 0,
				.op = write ? OP_STORE : OP_LOAD,
				.written = write ? u->written : u->read ? u->read : u->written,
				.any = any,
			};

			if (sim_add_step(schedule, &step))
				goto out;
		}
	}
	ret = 0;
out:
	free(upto);
	return ret;
}
