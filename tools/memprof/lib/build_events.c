// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/* Events of objects: which there are, from when until when. */
#include <string.h>

#include "build.h"

/** object_gone() - a live object ends now: called by live.c, with the builder as @arg */
void object_gone(void *arg, uint32_t live)
{
	struct builder *b = arg;
	const struct live *o = &b->pool.all[live];

	if (o->object != LIVE_NO_OBJECT && o->object != b->counted_object && !o->permanent)
		b->m->objects[o->object].died_ns = since_start(b, b->now);
}

/** insert() - an object is there from now on */
void insert(struct builder *b, struct space *s, const struct live *o)
{
	uint32_t i = live_insert(&s->live, o->addr, o->size, object_gone, b);

	if (unlikely(!i)) {
		b->failed = true;
		return;
	}
	b->pool.all[i] = *o;
}

/* A number of the owner's image that is new. */
static __attribute__((noinline)) uint32_t add_local_chain(struct builder *b, struct owner *o, uint32_t id,
							   uint64_t time)
{
	struct image *image = o->image;
	size_t capacity = image->capacity;

	/* Numbers of what the file has room for, and of some that were lost; others are damage. */
	if (!id || id > b->m->totals.bytes + 65536)
		return 0;
	image->map = grow(image->map, &capacity, id + 1, sizeof(*image->map), &b->failed);
	if (b->failed)
		return 0;
	memset(image->map + image->capacity, 0, (capacity - image->capacity) * sizeof(*image->map));
	image->capacity = capacity;
	if (!image->map[id])
		image->map[id] = add_chain(b, image->key.pid, time);
	return image->map[id];
}

static inline uint32_t local_chain(struct builder *b, struct owner *o, uint32_t id, uint64_t time)
{
	const struct image *image = o->image;

	return likely(id < image->capacity && image->map[id]) ? image->map[id] : add_local_chain(b, o, id, time);
}

/** take_chain() - which frames a chain of a stream's process image has; the merge's callback */
void take_chain(void *arg, struct stream *s, uint32_t id, const uint64_t *frames,
		       unsigned int depth)
{
	struct builder *b = arg;

	if (s->context)
		set_frames(b, local_chain(b, s->context, id, s->time), frames, depth);
}

static void find_next_pending(struct builder *b)
{
	size_t i;

	b->next_pending = UINT64_MAX;
	for (i = 0; i < b->nr_pending; i++)
		if (b->pending[i].until < b->next_pending)
			b->next_pending = b->pending[i].until;
}

static void end_pending(struct builder *b, size_t i)
{
	if (b->pending[i].fresh.addr)
		insert(b, b->pending[i].space, &b->pending[i].fresh);
	b->pending[i] = b->pending[--b->nr_pending];
	find_next_pending(b);
}

/** end_pending_until() - complete pending calls that returned at or before @time */
void end_pending_until(struct builder *b, uint64_t time)
{
	size_t i = 0;

	while (i < b->nr_pending)
		if (b->pending[i].until <= time)
			end_pending(b, i);
		else
			i++;
}

/*
 * What is freed, and was nobody else's, has been given: how long calls took is known to
 * EVENT_WAIT_NS only.
 */
static uint32_t given_at(struct builder *b, struct space *s, uint64_t addr)
{
	size_t i;

	for (i = 0; i < b->nr_pending; i++) {
		if (b->pending[i].space != s || b->pending[i].fresh.addr != addr)
			continue;
		end_pending(b, i);
		return live_at(&s->live, addr);
	}
	return 0;
}

/** drop_pending() - an address space ends: its calls do not come back */
void drop_pending(struct builder *b, const struct space *s)
{
	size_t i = 0;

	while (i < b->nr_pending)
		if (b->pending[i].space == s)
			b->pending[i] = b->pending[--b->nr_pending];
		else
			i++;
	find_next_pending(b);
}

static struct pending *pending_of(struct builder *b, const struct owner *o)
{
	size_t i;

	for (i = 0; i < b->nr_pending; i++)
		if (b->pending[i].owner == o)
			return &b->pending[i];
	return NULL;
}

static struct pending *add_pending(struct builder *b, struct owner *o, struct space *s, uint64_t time,
				   unsigned int wait)
{
	struct pending *p;

	b->pending = grow(b->pending, &b->capacity_pending, b->nr_pending + 1, sizeof(*p), &b->failed);
	if (b->failed)
		return NULL;
	p = &b->pending[b->nr_pending++];
	*p = (struct pending){ .owner = o, .space = s, .from = time,
			       .until = time + (uint64_t)wait * EVENT_WAIT_NS };
	if (p->until < b->next_pending)
		b->next_pending = p->until;
	return p;
}

static inline void take_alloc(struct builder *b, struct owner *o, struct space *s,
			      const struct event_record *e)
{
	const uint32_t chain = local_chain(b, o, e->chain, b->now);
	struct pending *p;
	uint32_t i;

	b->m->totals.allocations += in_part(b, s->pid);
	b->m->chains.all[chain].allocations++;
	b->m->chains.all[chain].bytes += e->size;
	if (likely(!e->wait)) {
		i = live_insert(&s->live, e->addr, e->size, object_gone, b);
		if (likely(i))
			live_set(&b->pool.all[i], e, o->thread, b->now, chain);
		else
			b->failed = true;
		return;
	}
	/* realloc()'s event of the old object has begun it. */
	p = b->nr_pending ? pending_of(b, o) : NULL;
	if (!p || p->from != b->now || p->fresh.addr)
		p = add_pending(b, o, s, b->now, e->wait);
	if (p)
		live_set(&p->fresh, e, o->thread, b->now, chain);
}

static inline void take_free(struct builder *b, struct owner *o, struct space *s,
			     const struct event_record *e)
{
	uint32_t i = live_at(&s->live, e->addr);
	struct pending *p;

	b->m->totals.frees += in_part(b, s->pid);
	if (unlikely(!i && b->nr_pending))
		i = given_at(b, s, e->addr);
	if (unlikely(!i)) {
		b->m->totals.unmatched_frees++;
		return;
	}
	if (e->flags & EVENT_REALLOC && e->wait) {
		p = add_pending(b, o, s, b->now, e->wait);
		if (p)
			p->old = b->pool.all[i];
	}
	object_gone(b, i);
	live_remove(&s->live, i);
}

/* The object of a mapping that a program removes ends. */
static void regions_end(struct builder *b, struct space *s, uint64_t start, uint64_t end)
{
	uint32_t i;

	for (i = 0; i < s->nr_mappings; i++) {
		const struct mapping *m = &s->mappings[i];
		struct region *r = &s->regions[m->region];

		if (m->end <= start || m->start >= end)
			continue;
		if (r->by_event && r->object != LIVE_NO_OBJECT && m->start >= start && m->end <= end)
			b->m->objects[r->object].died_ns = since_start(b, b->now);
	}
}

static void take_map(struct builder *b, struct owner *o, struct space *s,
		     const struct event_record *e)
{
	const uint64_t start = e->addr, end = e->addr + ((e->size + 4095) & ~UINT64_C(4095));
	const struct mapping *old = space_find(s, start);
	struct region r = {
		.kind = REGION_ANON, .start = start, .size = e->size, .born = b->now,
		.chain = local_chain(b, o, e->chain, b->now), .thread = o->thread, .cpu = e->cpu,
		.object = LIVE_NO_OBJECT, .by_event = true, .writable = true,
	};
	uint64_t offset = 0;

	b->m->totals.allocations += in_part(b, s->pid);
	b->m->chains.all[r.chain].allocations++;
	b->m->chains.all[r.chain].bytes += e->size;
	if (e->flags & EVENT_FILE && old && !is_anonymous(&s->regions[old->region])) {
		r.kind = s->regions[old->region].kind;
		r.path = s->regions[old->region].path;
		r.shared = s->regions[old->region].shared;
		r.writable = s->regions[old->region].writable;
		offset = old->offset + (start - old->start);
	} else if (e->flags & EVENT_FILE) {
		r.kind = REGION_FILE;
	}
	live_remove_range(&s->live, start, end, object_gone, b);
	regions_end(b, s, start, end);
	b->failed |= space_map(s, start, end, offset, &r) == UINT32_MAX && start < end;
}

static void take_unmap(struct builder *b, struct space *s, const struct event_record *e)
{
	const uint64_t start = e->addr, end = e->addr + ((e->size + 4095) & ~UINT64_C(4095));

	b->m->totals.frees += in_part(b, s->pid);
	live_remove_range(&s->live, start, end, object_gone, b);
	regions_end(b, s, start, end);
	space_unmap(s, start, end);
}

static void take_stack(struct builder *b, struct space *s, const struct event_record *e)
{
	const struct mapping *m = space_find(s, e->addr);
	const struct region r = { .kind = REGION_STACK, .start = e->addr, .size = e->size,
				  .object = LIVE_NO_OBJECT, .writable = true };

	if (m && s->regions[m->region].kind == REGION_STACK && m->start == e->addr)
		return;
	b->failed |= space_map(s, e->addr, e->addr + e->size, 0, &r) == UINT32_MAX && e->size;
}

/* A stream's thread: its first event comes after the thread was forked. */
static struct space *owner_space(struct builder *b, struct owner *o)
{
	struct space *s;

	if (unlikely(!o->slot))
		o->slot = get_slot(b, o->pid, o->tid);
	if (unlikely(!o->slot))
		return NULL;
	s = space_of(b, o->slot);
	if (unlikely(o->thread == NONE))
		o->thread = o->slot->thread;
	if (s)
		s->has_events = true;
	return s;
}

/** take_event() - an event of an object of a stream's thread, at b->now */
void take_event(struct builder *b, struct owner *o, const struct event_record *e)
{
	struct space *s = owner_space(b, o);
	struct pending *p;

	if (unlikely(!s))
		return;
	/* It has come back from the call. */
	if (unlikely(b->nr_pending) && (p = pending_of(b, o)) && p->from != b->now)
		end_pending(b, p - b->pending);
	b->m->totals.events += in_part(b, s->pid);
	switch (e->type) {
	case EVENT_ALLOC:
		take_alloc(b, o, s, e);
		break;
	case EVENT_FREE:
		take_free(b, o, s, e);
		break;
	case EVENT_MAP:
		take_map(b, o, s, e);
		break;
	case EVENT_UNMAP:
		take_unmap(b, s, e);
		break;
	case EVENT_STACK:
		take_stack(b, s, e);
		break;
	case EVENT_LOST:
		b->m->totals.lost_events += e->size;
		s->lost_ns = b->now;
		break;
	}
}
