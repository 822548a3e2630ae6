// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * The cache simulation.
 *
 * The paper replays random objects and paths one after the other.  This simulation also
 * lets them overlap in time as in the recording: objects are allocated at random times, at
 * the recorded rate, and each access follows the allocation after the recorded time.  So
 * short-lived objects evict lines of long-lived ones.  Data without path traces, such as
 * variables, are accessed as often and by the CPUs as the samples of their lines show.
 */
#include <stdlib.h>
#include <string.h>

#include "parts.h"

/* Snapshots of the caches' contents per simulation. */
#define SNAPSHOTS	64
/* Simulations that sim_run() makes at most, each with larger footprints. */
#define MAX_FITS	4

static int by_time(const void *a, const void *b)
{
	const struct step *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	/* qsort() is not stable; break ties by values that do not depend on memory addresses. */
	if (x->base != y->base)
		return x->base < y->base ? -1 : 1;
	return x->actor.element < y->actor.element ? -1 : x->actor.element > y->actor.element;
}

static int note_pair(struct sim *s, const struct actor *victim, const struct actor *writer,
		     int outcome)
{
	struct sim_pair key, *pair;

	memset(&key.key, 0, sizeof(key.key));
	key.key.victim = *victim;
	key.key.writer = *writer;
	key.key.outcome = outcome;
	HASH_FIND(hh, s->pairs, &key.key, sizeof(key.key), pair);
	if (!pair) {
		pair = calloc(1, sizeof(*pair));
		if (!pair)
			return -1;
		pair->key = key.key;
		HASH_ADD(hh, s->pairs, key, sizeof(pair->key), pair);
	}
	pair->count++;
	return 0;
}

struct run {
	struct sim *sim;
	struct coherence coherence;
	bool counting;
};

/* @full_missed: set if the fully associative cache missed, too, and not by sharing. */
static int access_line(struct run *r, const struct step *step, uint64_t line, uint64_t bytes,
		       int *worst, bool *full_missed)
{
	struct sim *s = r->sim;
	uint32_t set = line & (s->sets - 1);
	int cpu = s->options.shared ? 0 : step->cpu, outcome, new;

	outcome = coherence_access(&r->coherence, cpu, line, bytes, step->op & OP_STORE,
				   step->base, &step->actor);
	if (outcome < 0)
		return -1;
	new = sim_first_time(&s->lines, line, step->actor.type, set);
	if (new < 0 || sim_first_time(&s->objects, step->base, step->actor.type, set) < 0)
		return -1;
	s->set_lines[set] += new;
	if (r->counting && (outcome == MISS_TRUE || outcome == MISS_FALSE) &&
	    note_pair(s, &step->actor, &r->coherence.culprit, outcome))
		return -1;
	if (outcome != MISS_TRUE && outcome != MISS_FALSE && !r->coherence.full_hit)
		*full_missed = true;
	/* Samples do not show first touches, so do not count them as cold misses. */
	if (outcome == MISS_COLD && step->actor.trace == NO_TRACE)
		outcome = MISS_CAPACITY;
	/* An access to two lines misses if either line misses. */
	if (outcome != HIT)
		*worst = outcome;
	return 0;
}

static void count(struct sim_sum *sum, int outcome, bool full_missed)
{
	sum->accesses++;
	sum->full_misses += full_missed;
	sum->outcome[outcome]++;
}

static int do_step(struct run *r, const struct step *step)
{
	uint64_t end = step->addr + step->len, addr;
	struct sim *s = r->sim;
	bool full_missed = false;
	int outcome = HIT;

	if (!step->op) {
		coherence_remove_lines(&r->coherence, step->base / LINE, (step->base + step->addr - 1) / LINE);
		return 0;
	}
	if (!step->len) {
		if (access_line(r, step, step->addr / LINE, step->written, &outcome,
				&full_missed))
			return -1;
	}
	for (addr = step->addr; addr < end; addr = (addr / LINE + 1) * LINE) {
		uint64_t n = end - addr, first = addr % LINE;

		if (n > LINE - first)
			n = LINE - first;
		if (access_line(r, step, addr / LINE, (n == 64 ? ~0ULL : (1ULL << n) - 1) << first,
				&outcome, &full_missed))
			return -1;
	}
	s->accesses++;
	/*
	 * Accesses of traces do not count while the caches warm up.  Samples always do: a type
	 * may have been sampled in that time only.
	 */
	if (!r->counting && step->actor.trace != NO_TRACE)
		return 0;
	s->counted++;
	count(&s->type[step->actor.type].sum, outcome, full_missed);
	if (step->actor.trace != NO_TRACE)
		count(&s->element[step->actor.trace][step->actor.element], outcome, full_missed);
	return 0;
}

static int take_snapshot(struct run *r)
{
	struct sim *s = r->sim;
	struct sim_seen *objects = NULL;
	uint32_t *lines = calloc(s->nr_types + 1, sizeof(*lines));
	uint64_t i, nr = (uint64_t)s->sets * s->options.geometry.ways;
	int cpu, ret = 0;

	if (!lines)
		return -1;
	for (cpu = 0; cpu < r->coherence.nr_cpus; cpu++) {
		for (i = 0; i < nr && ret >= 0; i++) {
			const struct cache_line *l = &r->coherence.cache[cpu].lines[i];
			struct sim_type *t = &s->type[l->type];

			if (!l->used)
				continue;
			lines[l->type]++;
			if (l->trace != NO_TRACE)
				t->trace_lines[l->trace - t->first_trace] += 1.0 / SNAPSHOTS;
			ret = sim_first_time(&objects, l->base, l->type, 0);
			if (ret > 0)
				t->objects += 1.0 / SNAPSHOTS;
		}
	}
	for (i = 0; i < s->nr_types; i++) {
		s->type[i].lines += (double)lines[i] / SNAPSHOTS;
		if (lines[i] > s->type[i].peak_lines)
			s->type[i].peak_lines = lines[i];
	}
	free(lines);
	sim_free_seen(&objects);
	return ret < 0 ? -1 : 0;
}

static int replay(struct sim *s, struct model *m, struct schedule *schedule)
{
	struct run r = { .sim = s };
	int nr_cpus = s->options.shared || !m->nr_cpus ? 1 : m->nr_cpus;
	size_t i, warm = schedule->nr / 4, next = warm, taken = 0;
	int ret = coherence_init(&r.coherence, &s->options.geometry, nr_cpus);

	for (i = 0; i < schedule->nr && !ret; i++) {
		r.counting = i >= warm;
		ret = do_step(&r, &schedule->step[i]);
		/* Space the snapshots evenly over the counted part. */
		if (!ret && i == next && taken < SNAPSHOTS) {
			ret = take_snapshot(&r);
			taken++;
			next = warm + taken * (schedule->nr - warm) / SNAPSHOTS;
		}
	}
	coherence_free(&r.coherence);
	return ret;
}

/* A type with more samples than this for each access in its histories is simulated by its samples. */
#define MANY_SAMPLES	10

/* Accesses in histories, by type; NULL without memory. */
static uint64_t *watched_accesses(const struct model *m)
{
	uint64_t *watched = calloc(m->nr_types + 1, sizeof(*watched));
	const struct path *first, *p;

	for (first = m->paths; watched && first; first = first->hh.next)
		for (p = first; p; p = p->next_same)
			watched[p->type] += p->accesses;
	return watched;
}

static int prepare(struct sim *s, const struct model *m, const struct traces *t)
{
	uint64_t *watched;
	uint32_t i;
	size_t k;

	s->sets = geometry_sets(&s->options.geometry);
	s->type = calloc(s->nr_types + 1, sizeof(*s->type));
	s->element = calloc(t->nr + 1, sizeof(*s->element));
	s->set_lines = calloc(s->sets, sizeof(*s->set_lines));
	watched = watched_accesses(m);
	if (!s->type || !s->element || !s->set_lines || !watched) {
		free(watched);
		return -1;
	}
	for (k = 0; k < t->nr; k++) {
		const uint32_t type = t->trace[k].type;
		struct sim_type *st = &s->type[type];

		if (!st->nr_traces)
			st->first_trace = k;
		/* Few accesses of a few objects do not replace many samples. */
		if (t->trace[k].nr && watched[type] * MANY_SAMPLES >= m->by_index[type]->sum.n)
			st->has_traces = true;
		st->nr_traces++;
		s->element[k] = calloc(t->trace[k].nr + 1, sizeof(**s->element));
		if (!s->element[k]) {
			free(watched);
			return -1;
		}
	}
	free(watched);
	for (i = 0; i < s->nr_types; i++) {
		struct sim_type *st = &s->type[i];

		st->trace_lines = calloc(st->nr_traces + 1, sizeof(*st->trace_lines));
		if (!st->trace_lines)
			return -1;
	}
	return 0;
}

/*
 * A line that missed was not accessed recently: spread such accesses over the objects of
 * the address set, round robin.
 */
static void rotate_objects(struct schedule *schedule, struct footprint *footprint)
{
	struct footprint *f;
	struct step *step;
	uint64_t base;

	for (step = schedule->step; step < schedule->step + schedule->nr; step++) {
		if (!step->any)
			continue;
		f = &footprint[step->actor.type];
		base = f->pool.object[f->turn++ % f->pool.nr].base;
		step->addr += base - step->base;
		step->base = base;
	}
}

static int simulate(struct sim *s, struct model *m, const struct traces *t,
		    const struct sim_options *options, struct footprint **footprint)
{
	struct schedule schedule = { };
	uint64_t random = options->seed;
	double duration = m->last_ts - m->first_ts, span = duration, all;
	uint32_t i;
	int ret;

	memset(s, 0, sizeof(*s));
	s->options = *options;
	s->traces = t;
	s->nr_types = m->nr_types;
	ret = prepare(s, m, t);
	if (ret)
		return ret;
	if (!*footprint) {
		*footprint = calloc(m->nr_types + 1, sizeof(**footprint));
		if (!*footprint || sim_find_footprints(s, m, *footprint))
			return -1;
	}
	s->per_sample = options->per_sample ? (double)options->per_sample :
			sim_estimate_per_sample(s, m);
	all = sim_all_accesses(s, m);
	if (all > options->max_accesses)
		span *= options->max_accesses / all;
	for (i = 0; i < m->nr_types && !ret; i++)
		if (s->type[i].has_traces)
			ret = sim_schedule_traces(s, m, m->by_index[i], span, &schedule, &random);
	if (!ret)
		ret = sim_schedule_samples(s, m, *footprint, span, &schedule, &random);
	if (!ret && schedule.nr) {
		qsort(schedule.step, schedule.nr, sizeof(*schedule.step), by_time);
		rotate_objects(&schedule, *footprint);
		ret = replay(s, m, &schedule);
	}
	s->seconds = span / 1e9;
	free(schedule.step);
	return ret;
}

/**
 * sim_run() - simulate
 * @s: the results; the caller calls sim_free() even after an error
 * @m: the model, after model_end()
 * @t: its traces; they must outlive @s
 * @options: parameters of the simulation
 *
 * Repeats the simulation with more lines, at most MAX_FITS times in all, while a type
 * misses less often than its samples did.
 *
 * Return: 0, or -1 without memory.
 */
int sim_run(struct sim *s, struct model *m, const struct traces *t,
	    const struct sim_options *options)
{
	struct footprint *footprint = NULL;
	int ret = simulate(s, m, t, options, &footprint), i;
	uint32_t k;

	for (i = 1; i < MAX_FITS && !ret && sim_grow_footprints(s, footprint); i++) {
		sim_free(s);
		ret = simulate(s, m, t, options, &footprint);
	}
	for (k = 0; footprint && k < m->nr_types; k++)
		sim_free_pool(&footprint[k].pool);
	free(footprint);
	return ret;
}

/**
 * sim_free() - free the results of a simulation
 * @s: the results
 */
void sim_free(struct sim *s)
{
	struct sim_pair *p, *next;
	uint32_t i;
	size_t k;

	for (i = 0; s->type && i < s->nr_types; i++)
		free(s->type[i].trace_lines);
	free(s->type);
	free(s->set_lines);
	sim_free_seen(&s->lines);
	sim_free_seen(&s->objects);
	for (k = 0; s->element && k < s->traces->nr; k++)
		free(s->element[k]);
	free(s->element);
	HASH_ITER(hh, s->pairs, p, next) {
		HASH_DEL(s->pairs, p);
		free(p);
	}
	memset(s, 0, sizeof(*s));
}
