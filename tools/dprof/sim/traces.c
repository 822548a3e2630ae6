// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The cache simulation: accesses of objects along the path traces of their type. */
#include <stdlib.h>
#include <string.h>

#include "parts.h"

/* Iterations of a loop to simulate at most: more hardly change the caches' contents. */
#define MAX_TURNS	16
/* Accesses that a sample stands for, if they cannot be estimated. */
#define DEFAULT_PER_SAMPLE	1000

/* Fill a pool with a type's objects: of the address set, or else of the samples. */
int sim_fill_pool(struct model *m, uint32_t type, struct pool *pool)
{
	uint64_t capacity = 0, sum = 0;
	struct object *o;
	struct use *u;

	memset(pool, 0, sizeof(*pool));
	for (o = m->objects; o; o = o->hh.next)
		capacity += o->key.type == type;
	if (!capacity)
		for (u = m->uses; u; u = u->hh.next)
			capacity += u->key.type == type;
	pool->object = calloc(capacity + 1, sizeof(*pool->object));
	pool->upto = calloc(capacity + 1, sizeof(*pool->upto));
	if (!pool->object || !pool->upto)
		return -1;
	for (o = m->objects; o; o = o->hh.next) {
		if (o->key.type != type)
			continue;
		pool->object[pool->nr].base = o->key.base;
		pool->object[pool->nr].size = o->size;
		pool->object[pool->nr].cpu = o->cpu;
		pool->upto[pool->nr++] = sum += o->allocs;
	}
	if (pool->nr)
		return 0;
	for (u = m->uses; u; u = u->hh.next) {
		if (u->key.type != type || !u->key.base)
			continue;
		pool->object[pool->nr].base = u->key.base;
		pool->object[pool->nr].cpu = u->key.cpu;
		pool->upto[pool->nr++] = sum += u->n;
	}
	/* Watched, but neither allocated nor sampled in the recording: make an address up. */
	if (!pool->nr) {
		pool->object[0].base = 0xffff000000000000ULL + ((uint64_t)type << 24);
		pool->upto[pool->nr++] = 1;
	}
	return 0;
}

void sim_free_pool(struct pool *pool)
{
	free(pool->object);
	free(pool->upto);
}

/* Draw an object by weight; retry a few times to find one that is not live at @time. */
static uint64_t pick(struct pool *pool, double time, uint64_t *random)
{
	uint64_t low = 0, high, target;
	int tries;

	for (tries = 0; tries < 8; tries++) {
		target = next_random(random) % pool->upto[pool->nr - 1];
		for (low = 0, high = pool->nr; low < high; ) {
			uint64_t middle = (low + high) / 2;

			if (pool->upto[middle] <= target)
				low = middle + 1;
			else
				high = middle;
		}
		if (pool->object[low].until <= time)
			break;
	}
	return low;
}

static uint64_t times(const struct element *e)
{
	return e->repeats < 1 ? 1 : e->repeats > MAX_TURNS ? MAX_TURNS : e->repeats;
}

/* Number of accesses that play_object() schedules for a trace. */
static double steps_of(const struct trace *t)
{
	double n = 1;
	uint32_t i, k;

	for (i = 0; i < t->nr; i++) {
		n += times(&t->element[i]);
		if (!t->element[i].loop || t->element[i].loop > i + 1)
			continue;
		for (k = 0; k < t->element[i].loop; k++)
			n += (t->element[i].turns > MAX_TURNS ? MAX_TURNS : t->element[i].turns) *
			     times(&t->element[i - k]);
	}
	return n;
}

struct player {
	struct schedule *schedule;
	const struct trace *trace;
	uint32_t index;			/* of the trace */
	uint64_t base;
	double begin;
	int cpu, nr_cpus;		/* cpu: where it is allocated */
};

static int play_element(struct player *p, uint32_t i, double time)
{
	const struct element *e = &p->trace->element[i];
	struct step step = {
		.time = p->begin + time, .addr = p->base + e->offset, .base = p->base,
		.actor = { p->trace->type, p->index, i },
		.cpu = (p->cpu + e->cpu) % p->nr_cpus,
		.len = e->len ? e->len : 1, .op = e->op ? e->op : OP_LOAD,
	};
	uint64_t k;

	for (k = 0; k < times(e); k++) {
		/* Keep the order, by less than the resolution of the recording. */
		step.time += k * 1e-3;
		if (sim_add_step(p->schedule, &step))
			return -1;
	}
	return 0;
}

static int play_object(struct player *p)
{
	const struct trace *t = p->trace;
	uint64_t turn, turns;
	uint32_t i, k;

	for (i = 0; i < t->nr; i++) {
		const struct element *e = &t->element[i];
		double since = e->since, next;

		if (play_element(p, i, since))
			return -1;
		if (!e->loop || e->loop > i + 1)
			continue;
		/* Spread the iterations over the time until the element after the loop. */
		turns = e->turns > MAX_TURNS ? MAX_TURNS : e->turns;
		next = i + 1 < t->nr ? t->element[i + 1].since : t->end;
		for (turn = 1; turn < turns; turn++)
			for (k = 0; k < e->loop; k++)
				if (play_element(p, i + 1 + k - e->loop,
						 since + (next - since) * (turn + (double)k / e->loop) /
						 (turns + 1)))
					return -1;
	}
	return 0;
}

/* Number of objects of a type that are allocated in the time of the recording. */
static double objects_of(const struct sim *s, const struct dtype *t)
{
	const struct sim_type *st = &s->type[t->index];
	double accesses = 0;
	size_t i;

	if (t->allocs)
		return t->allocs;
	/* Not in the address set: estimate the number from the samples. */
	for (i = 0; i < st->nr_traces; i++)
		accesses += s->traces->trace[st->first_trace + i].frequency *
			    s->traces->trace[st->first_trace + i].accesses;
	if (t->sum.n && accesses > 0 && t->sum.n * s->per_sample / accesses > t->histories)
		return t->sum.n * s->per_sample / accesses;
	return t->histories;
}

/*
 * Estimate the accesses that a sample stands for, from types in the address set: accesses
 * at the watched offsets by samples at those offsets.
 */
double sim_estimate_per_sample(struct sim *s, struct model *m)
{
	double accesses = 0, samples = 0;
	size_t i;
	uint32_t k;

	for (i = 0; i < s->traces->nr; i++) {
		const struct trace *t = &s->traces->trace[i];
		const struct dtype *type = m->by_index[t->type];
		struct tally sum;

		if (!type->allocs)
			continue;
		accesses += type->allocs * t->frequency * t->accesses;
		for (k = 0; k < t->nr; k++) {
			site_tally(m, t->type, &t->element[k], &sum);
			samples += sum.n * t->frequency;
		}
	}
	return samples >= 1 && accesses > samples ? accesses / samples : DEFAULT_PER_SAMPLE;
}

int sim_schedule_traces(struct sim *s, struct model *m, const struct dtype *t, double span,
			struct schedule *schedule, uint64_t *random)
{
	const struct sim_type *st = &s->type[t->index];
	double duration = m->last_ts - m->first_ts, begin;
	int nr_cpus = m->nr_cpus ? m->nr_cpus : 1;
	struct pool pool;
	uint64_t n, i;
	int ret = 0;

	if (sim_fill_pool(m, t->index, &pool)) {
		sim_free_pool(&pool);
		return -1;
	}
	n = objects_of(s, t) * span / (duration > 0 ? duration : 1) + next_share(random);
	if (!n)
		n = 1;
	for (i = 0, begin = 0; i < n && !ret; i++) {
		double share = next_share(random);
		size_t k = st->first_trace;
		struct player p = { .schedule = schedule, .nr_cpus = nr_cpus };
		uint64_t object;

		/* Stratified: one random time in each n-th of the span, so times are sorted. */
		begin = span * (i + next_share(random)) / n;
		while (k + 1 < st->first_trace + st->nr_traces &&
		       share >= s->traces->trace[k].frequency)
			share -= s->traces->trace[k++].frequency;
		object = pick(&pool, begin, random);
		p.trace = &s->traces->trace[k];
		p.index = k;
		p.base = pool.object[object].base;
		p.begin = begin;
		p.cpu = pool.object[object].cpu >= 0 ? pool.object[object].cpu % nr_cpus :
						       (int)(next_random(random) % nr_cpus);
		pool.object[object].until = begin + p.trace->end;
		ret = play_object(&p);
		if (!ret && s->options.remove_freed && p.trace->how == HISTORY_FREED) {
			const struct step end = {
				.time = begin + p.trace->end, .base = p.base,
				.actor = { t->index, k, 0 }, .addr = t->size,
			};

			ret = sim_add_step(schedule, &end);
		}
	}
	sim_free_pool(&pool);
	return ret;
}

/* Number of accesses to simulate for the whole time of the recording. */
double sim_all_accesses(const struct sim *s, const struct model *m)
{
	double n = 0;
	uint32_t i;
	size_t k;

	for (i = 0; i < s->nr_types; i++) {
		const struct sim_type *st = &s->type[i];

		if (!st->has_traces) {
			n += m->by_index[i]->sum.n * s->per_sample;
			continue;
		}
		for (k = st->first_trace; k < st->first_trace + st->nr_traces; k++)
			n += objects_of(s, m->by_index[i]) * s->traces->trace[k].frequency *
			     steps_of(&s->traces->trace[k]);
	}
	return n;
}
