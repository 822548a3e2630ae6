// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Samples packed into one event, and the order of what they are mixed with. */
#include <stdlib.h>
#include <string.h>

#include "batch.h"

/* Of the first word of a sample. */
enum {
	PACK_USER = 1 << 2, PACK_LOCKED = 1 << 3, PACK_IP = 1 << 4, PACK_LINEAR = 1 << 5,
	PACK_PHYS = 1 << 6, PACK_DATA_SRC = 1 << 7, PACK_LATENCY = 1 << 8,
};
enum { OP_MASK = 3, WIDTH_SHIFT = 9, TYPE_SHIFT = 17 };
/* Of the word of the pid: another control group than that of the sample before. */
#define PACK_CGROUP	(1U << 31)

/* Words that all samples have. */
enum { HEAD, IP, ADDR, ADDR_HIGH, OFFSET, SINCE, PID, NR_WORDS };

/* Bits of union perf_mem_data_src. */
enum { DATA_OP_SHIFT = 1, DATA_LOCK_SHIFT = 25 };

static uint32_t word(const struct batch *b, size_t i)
{
	uint32_t v;

	memcpy(&v, b->words + i * sizeof(v), sizeof(v));
	return v;
}

static uint64_t pair(const struct batch *b, size_t i)
{
	return word(b, i) | (uint64_t)word(b, i + 1) << 32;
}

static size_t size_of(uint32_t head, uint32_t pid)
{
	return NR_WORDS + !!(head & PACK_IP) + 2 * !!(head & PACK_PHYS) + 2 * !!(head & PACK_DATA_SRC) +
	       !!(head & PACK_LATENCY) + 2 * !!(pid & PACK_CGROUP);
}

/**
 * batch_next() - read the next sample
 * @b: the batch
 * @e: set to the sample, as an event
 *
 * Return: 1, 0 at the end, -1 if what is left is no sample.
 */
int batch_next(struct batch *b, struct event *e)
{
	struct sample_event *s = &e->sample;
	size_t i = NR_WORDS;
	uint32_t head;

	if (!b->nr)
		return 0;
	head = word(b, HEAD);
	if (b->nr < NR_WORDS || b->nr < size_of(head, word(b, PID)))
		return -1;
	memset(e, 0, sizeof(*e));
	e->kind = EVENT_SAMPLE;
	e->ts = b->ts + word(b, SINCE);
	e->cpu = b->cpu;
	e->pid = word(b, PID) & ~PACK_CGROUP;
	s->ip = word(b, IP) | (uint64_t)(head & PACK_IP ? word(b, i++) : UINT32_MAX) << 32;
	s->addr = pair(b, ADDR);
	s->offset = word(b, OFFSET);
	s->base = s->addr - s->offset;
	s->type = head >> TYPE_SHIFT;
	s->width = head >> WIDTH_SHIFT;
	s->op = head & OP_MASK;
	s->source = b->source;
	s->flags = head & PACK_USER ? SAMPLE_USER : 0;
	if (head & PACK_LINEAR)
		s->phys = s->addr - b->linear;
	if (head & PACK_PHYS) {
		s->phys = pair(b, i);
		i += 2;
	}
	if (head & PACK_DATA_SRC) {
		b->data_src = pair(b, i);
		i += 2;
	}
	s->data_src = b->data_src ^ (uint64_t)s->op << DATA_OP_SHIFT ^
		      (uint64_t)!!(head & PACK_LOCKED) << DATA_LOCK_SHIFT;
	if (head & PACK_LATENCY)
		s->latency = word(b, i++);
	if (word(b, PID) & PACK_CGROUP) {
		b->cgroup = pair(b, i);
		i += 2;
	}
	s->cgroup = b->cgroup;
	b->words += i * sizeof(uint32_t);
	b->nr -= i;
	return 1;
}

/* An event that waits; @seq: which one of those of the same time came first. */
struct waiter {
	uint64_t ts, seq;
	struct event *event;
};

static int by_time(const void *a, const void *b)
{
	const struct waiter *x = a, *y = b;

	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return x->seq < y->seq ? -1 : 1;
}

/* Of what is kept of an event. */
static size_t event_bytes(const struct event *e)
{
	return offsetof(struct event, type) + event_format[e->kind].size;
}

/**
 * waiting_send() - send events in the order of time
 * @w: the events
 * @until: those up to this time
 */
void waiting_send(struct waiting *w, uint64_t until)
{
	/* Who takes it may copy it as a whole. */
	struct event e = { 0 };
	size_t i;

	if (w->nr)
		qsort(w->waiter, w->nr, sizeof(*w->waiter), by_time);
	for (i = 0; i < w->nr && w->waiter[i].ts <= until; i++) {
		memcpy(&e, w->waiter[i].event, event_bytes(w->waiter[i].event));
		w->send(w->ctx, &e);
		free(w->waiter[i].event);
	}
	w->nr -= i;
	if (i && w->nr)
		memmove(w->waiter, w->waiter + i, w->nr * sizeof(*w->waiter));
	w->first = w->nr ? w->waiter[0].ts : UINT64_MAX;
}

/**
 * waiting_add() - add an event that was read
 * @w: the events
 * @e: the event
 *
 * Return: 0, or -1 without memory.
 */
int waiting_add(struct waiting *w, const struct event *e)
{
	const size_t size = event_bytes(e);
	struct waiter *to = w->waiter;

	if (w->nr == w->capacity) {
		const size_t capacity = w->capacity ? 2 * w->capacity : 1024;

		to = realloc(w->waiter, capacity * sizeof(*to));
		if (!to)
			return -1;
		w->waiter = to;
		w->capacity = capacity;
	}
	to += w->nr;
	*to = (struct waiter){ .ts = e->ts, .seq = w->seq++, .event = malloc(size) };
	if (!to->event)
		return -1;
	memcpy(to->event, e, size);
	if (!w->nr++ || e->ts < w->first)
		w->first = e->ts;
	return 0;
}

/** waiting_free() - free what still waits */
void waiting_free(struct waiting *w)
{
	while (w->nr)
		free(w->waiter[--w->nr].event);
	free(w->waiter);
}
