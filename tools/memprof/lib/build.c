// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/*
 * From records to flows (section 4.2 of the paper): records are read in order of time;
 * events change which objects there are, and each sample becomes an access of the
 * object that is at its address, in its process, at its time.  What cannot be told is
 * an access of an object of type unknown, by reason.
 *
 * Memory: objects that were never accessed are dropped when they end, so it grows
 * with the objects alive and with the accesses kept, not with the events.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build.h"

static void finish_names(struct builder *b)
{
	struct memprof *m = b->m;
	struct process *p;
	struct slot *s, *next;
	size_t i;

	/* A thread's program is what its process last executed. */
	HASH_ITER(hh, b->slots, s, next) {
		p = s->process;
		if (s->thread != NONE && p->space && m->threads[s->thread].died_ns == UINT64_MAX)
			m->threads[s->thread].program = (const char *)(uintptr_t)p->space->program;
	}
	for (i = 0; i < m->nr_threads; i++) {
		m->threads[i].name = text_of(b, (uintptr_t)m->threads[i].name < m->strings.used ?
					  (uintptr_t)m->threads[i].name : 0);
		m->threads[i].program = text_of(b, (uintptr_t)m->threads[i].program < m->strings.used ?
					     (uintptr_t)m->threads[i].program : 0);
	}
	for (i = 0; i < m->nr_objects; i++) {
		struct memprof_object *o = &m->objects[i];

		if ((uintptr_t)o->path < m->strings.used)
			o->path = text_of(b, (uintptr_t)o->path);
		if ((uintptr_t)o->symbol < m->strings.used)
			o->symbol = text_of(b, (uintptr_t)o->symbol);
	}
}

static int by_thread_and_time(const void *a, const void *b)
{
	const struct moved *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return (x->since_ns > y->since_ns) - (x->since_ns < y->since_ns);
}

/* Flows: numbers of accesses, by object and by thread; counting sort keeps their order. */
static int make_flow(struct memprof *m, uint32_t **flow, uint32_t **at, size_t n, bool objects)
{
	const size_t step = sizeof(struct kept_access) / sizeof(uint32_t);
	const uint32_t *key;
	size_t i, sum = 0, count, capacity = 0;
	bool failed = false;

	*flow = big_grow(&m->bigs, NULL, &capacity, m->nr_accesses + 1, sizeof(**flow), &failed);
	*at = big_new(&m->bigs, (n + 2) * sizeof(**at), &failed);
	if (failed)
		return -1;
	if (!m->nr_accesses)
		return 0;
	key = objects ? &m->accesses[0].object : &m->accesses[0].thread;
	for (i = 0; i < m->nr_accesses; i++)
		(*at)[key[i * step] + 1]++;
	for (i = 0; i <= n; i++) {
		count = (*at)[i];
		sum += count;
		(*at)[i] = sum;
	}
	/* at[x] is where x begins; moved while placing, then moved back. */
	for (i = 0; i < m->nr_accesses; i++)
		(*flow)[(*at)[key[i * step]]++] = i;
	memmove(*at + 1, *at, n * sizeof(**at));
	(*at)[0] = 0;
	(*at)[n] = m->nr_accesses;
	return 0;
}

/* Records from one step of looking ahead to the next: memory's latency, and no more. */
#define STEP	8
#define AHEAD	32	/* a power of two, as much as four steps */

/* What a record will ask for, as far as it is being fetched. */
struct ahead {
	struct live_map *map;
	uint64_t addr;
	struct live_page *page;
	bool begins;		/* an object: none is there */
};

/* Where a record's object will be looked for. */
static inline void look_ahead(const struct builder *b, const struct merge_record *r, struct ahead *a)
{
	const struct sample_record *sample = (const void *)r->at;
	const struct event_record *event = (const void *)r->at;
	const struct owner *o = r->stream->context;
	const struct slot *slot;

	a->map = NULL;
	a->begins = false;
	if (r->stream->type == CHUNK_EVENTS) {
		slot = o ? o->slot : NULL;
		a->addr = event->addr;
		a->begins = event->type == EVENT_ALLOC;
	} else if (r->stream->type == CHUNK_SAMPLES) {
		slot = sample->thread < b->nr_numbers ? b->slot_of_number[sample->thread] : NULL;
		a->addr = sample->addr;
	} else {
		return;
	}
	if (!slot || !slot->process->space)
		return;
	a->map = &slot->process->space->live;
	live_fetch_entry(a->map, a->addr);
}

static void take(struct builder *b, const struct merge_record *r)
{
	b->now = r->time;
	if (unlikely(b->now >= b->next_pending))
		end_pending_until(b, b->now);
	if (r->stream->type == CHUNK_EVENTS) {
		if (r->stream->context)
			take_event(b, r->stream->context, (const void *)r->at);
	} else if (r->stream->type == CHUNK_SAMPLES) {
		take_sample(b, (const void *)r->at, r->stream->number);
	} else {
		take_task(b, (const void *)r->at);
	}
}

/* The records of a step; before the first and behind the last there are none. */
#define for_step(i, end, at, n)							\
	for (i = (at), end = i + STEP < (n) ? i + STEP : (n); i < end; i++)

/*
 * Each record needs some lines of memory, each found by the one before, and none is in
 * a cache: so they are fetched for later records while earlier ones are taken.
 */
static void take_batch(struct builder *b, const struct merge_record *r, size_t n)
{
	struct ahead ahead[AHEAD], *a;
	size_t at, i, end;

	if (n == 1) {
		take(b, r);
		return;
	}
	/* What is before the first wraps around, behind the last. */
	for (at = 0; at < n + 3 * STEP && !b->failed; at += STEP) {
		for_step(i, end, at, n)
			look_ahead(b, &r[i], &ahead[i % AHEAD]);
		for_step(i, end, at - STEP, n) {
			a = &ahead[i % AHEAD];
			a->page = a->map ? live_fetch_page(a->map, a->addr) : NULL;
		}
		for_step(i, end, at - 2 * STEP, n) {
			a = &ahead[i % AHEAD];
			if (a->page && !a->begins)
				live_fetch_object(a->map, a->page, a->addr);
		}
		for_step(i, end, at - 3 * STEP, n) {
			a = &ahead[i % AHEAD];
			if (a->page)
				live_expect(a->map, a->page);
			take(b, &r[i]);
		}
	}
}

static void read_all(struct builder *b, struct file *f)
{
	struct merge merge = { .arg = b, .chain = take_chain };
	const struct merge_record *records;
	struct memprof *m = b->m;
	size_t i, n;

	if (merge_begin(&merge, f)) {
		b->failed = true;
		return;
	}
	for (i = 0; i < merge.nr_streams; i++)
		if (merge.streams[i].type == CHUNK_EVENTS && merge.streams[i].number < b->nr_owners &&
		    b->owners[merge.streams[i].number].image)
			merge.streams[i].context = &b->owners[merge.streams[i].number];
	while (!b->failed && (records = merge_next(&merge, &n)))
		take_batch(b, records, n);
	if (b->now > m->start_ns)
		m->totals.duration_ns = m->totals.recorded_ns = b->now - m->start_ns;
	if (m->options.to_ns && m->options.to_ns < m->totals.duration_ns)
		m->totals.duration_ns = m->options.to_ns;
	m->totals.duration_ns -= m->options.from_ns < m->totals.duration_ns ? m->options.from_ns :
				 m->totals.duration_ns;
	merge_end(&merge);
}

/*
 * Room for all accesses, and some objects: from the start in mappings of their own, which
 * grow without being copied.  What is not used of them costs nothing.
 */
static void reserve(struct builder *b, const struct file *f)
{
	struct memprof *m = b->m;
	size_t i, samples = 0, accesses;
	bool failed = false;

	for (i = 0; i < f->nr_streams; i++)
		if (f->streams[i].type == CHUNK_SAMPLES)
			samples += f->streams[i].records;
	/* One at a time, or all. */
	accesses = m->options.each ? 0 : samples;
	if (m->options.count_objects || samples * sizeof(*m->objects) < HUGE_ARRAY ||
	    !big_fits(&m->bigs, accesses * sizeof(*m->accesses) + HUGE_ARRAY))
		return;
	/* Without memory for so many there may be some for what is wanted of them. */
	if (accesses)
		m->accesses = big_grow(&m->bigs, m->accesses, &m->capacity_accesses, accesses, sizeof(*m->accesses),
				       &failed);
	m->objects = big_grow(&m->bigs, m->objects, &m->capacity_objects,
			      HUGE_ARRAY / sizeof(*m->objects), sizeof(*m->objects), &failed);
}

/**
 * build() - make flows of a recording
 * @m: with options set; filled in
 * @f: the recording
 * @error: says what is wrong
 * @size: of @error
 *
 * Return: 0, or -1 with @error set.
 */
int build(struct memprof *m, struct file *f, char *error, size_t size)
{
	struct builder b = { .m = m, .next_pending = UINT64_MAX, .kernel_object = NONE, .counted_object = NONE,
			     .whole = !m->options.from_ns && !m->options.to_ns && !m->options.pid &&
				      !m->options.nr_pids };
	int ret = 0;
	size_t i;

	m->start_ns = m->totals.start_ns = f->header.start_ns;
	m->totals.bytes = f->bytes;
	read_meta(m, f);
	m->names = names_new(m->options.symbols);
	m->jit = jit_new(m->options.symbols);
	/* Number 0 of chains and strings is none. */
	string_number(&m->strings, "");
	add_chain(&b, 0, 0);
	b.failed |= !m->names || !m->jit || !m->cpu_node || live_pool_init(&b.pool) || m->strings.failed;
	if (m->options.each)
		m->accesses = big_new(&m->bigs, sizeof(*m->accesses), &b.failed);
	reserve(&b, f);
	if (!b.failed) {
		read_owners(&b, f);
		read_threads(&b, f);
		read_chains(&b, f);
		read_losses(&b, f);
		read_all(&b, f);
	}
	b.failed |= f->no_memory;
	m->totals.max_live_objects = b.pool.max_live;
	if (!b.failed) {
		finish_names(&b);
		if (m->nr_moved)
			qsort(m->moved, m->nr_moved, sizeof(*m->moved), by_thread_and_time);
		b.failed |= m->strings.failed || names_failed(m->names);
		if (m->options.each)
			m->nr_accesses = 0;
		b.failed |= m->nr_accesses >= UINT32_MAX ||
			    make_flow(m, &m->by_object, &m->object_at, m->nr_objects, true) ||
			    make_flow(m, &m->by_thread, &m->thread_at, m->nr_threads, false);
	}
	for (i = 0; !b.failed && !m->options.each && i < m->nr_objects; i++)
		m->objects[i].accesses = m->object_at[i + 1] - m->object_at[i];
	if (b.failed) {
		snprintf(error, size, "%s: %s", m->path, *m->bigs.error ? m->bigs.error : "no memory left");
		ret = -1;
	}
	free_builder(&b);
	return ret;
}
