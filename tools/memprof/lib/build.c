// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * From records to flows (section 4.2 of the paper): records are read in order of time;
 * events change which objects there are, and each sample becomes an access of the
 * object that is at its address, in its process, at its time.  What cannot be told is
 * an access of an object of type unknown, by reason.
 *
 * Memory: objects that were never accessed are forgotten when they end, so it grows
 * with the objects alive and with the accesses kept, not with the events.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "internal.h"
#include "merge.h"

/*
 * A sample is dated when the interrupt is handled, a little after the access.  If
 * another thread has just allocated what is at the address, the access may have been
 * of what was there before.
 */
#define RACE_NS		2000

#define NONE		UINT32_MAX

struct process {
	uint32_t pid;
	struct space *space;
	UT_hash_handle hh;
};

/* A thread's number in time: pids are used again. */
struct slot {
	uint64_t key;		/* pid << 32 | tid */
	uint32_t thread;	/* now */
	struct process *process;
	UT_hash_handle hh;
};

/* Chains of a process image have numbers of their own. */
struct image {
	struct { uint64_t image; uint32_t pid, pad; } key;
	uint32_t *map, room;
	UT_hash_handle hh;
};

/* Of a stream of events. */
struct owner {
	uint32_t pid, tid;
	struct image *image;
	struct slot *slot;
	uint32_t thread;
};

/* Objects that a call is making, or moving: in use by their thread only. */
struct pending {
	struct owner *owner;
	uint64_t from, until;
	struct space *space;
	struct live fresh, old;		/* old: size 0 if there is none */
};

struct builder {
	struct memprof *m;
	struct live_pool pool;
	struct process *processes;
	struct slot *slots;
	struct image *images;
	struct owner *owners;
	uint32_t nr_owners;
	struct slot **slot_of_number;
	uint32_t nr_numbers;
	uint32_t *sample_chains;	/* of the file to ours */
	uint32_t nr_sample_chains;
	struct pending *pending;
	size_t nr_pending, room_pending;
	uint64_t next_pending, now;
	uint32_t kernel_object;
	uint32_t session, preload;
	bool failed;
};

/* ---- strings, chains, objects, threads ---- */

struct string {
	uint32_t number;
	UT_hash_handle hh;
	char text[];
};

/** string_number() - the number of a text, which is kept; 0 without memory */
uint32_t string_number(struct strings *s, const char *text)
{
	size_t length = strlen(text);
	struct string *t;

	HASH_FIND(hh, s->table, text, length, t);
	if (t)
		return t->number;
	if (s->used + 1 >= s->room) {
		uint32_t room = s->room ? 2 * s->room : 256;
		const char **p = realloc(s->text, room * sizeof(*p));

		if (!p)
			return 0;
		s->text = p;
		s->room = room;
	}
	if (!s->used)
		s->text[s->used++] = "";
	if (!*text)
		return 0;
	t = malloc(sizeof(*t) + length + 1);
	if (!t)
		return 0;
	memcpy(t->text, text, length + 1);
	t->number = s->used;
	HASH_ADD_KEYPTR(hh, s->table, t->text, length, t);
	s->text[s->used] = t->text;
	return s->used++;
}

/**
 * string_keep() - a text that is kept
 *
 * Not an index of strings.text: C may fetch that array before string_number() moves it.
 *
 * Return: the kept text; "" without memory.
 */
const char *string_keep(struct strings *s, const char *text)
{
	const uint32_t number = string_number(s, text);

	return s->text ? s->text[number] : "";
}

/** strings_free() - forget all */
void strings_free(struct strings *s)
{
	struct string *t, *next;

	HASH_ITER(hh, s->table, t, next) {
		HASH_DEL(s->table, t);
		free(t);
	}
	free(s->text);
}

static void *grow(void *array, size_t *room, size_t need, size_t bytes, bool *failed)
{
	size_t n = *room ? *room * 2 : 64;
	void *p;

	if (need <= *room)
		return array;
	p = realloc(array, (n > need ? n : need) * bytes);
	if (!p) {
		*failed = true;
		return array;
	}
	*room = n > need ? n : need;
	return p;
}

static uint32_t add_chain(struct builder *b, uint32_t pid)
{
	struct chains *c = &b->m->chains;
	size_t room = c->room;

	c->all = grow(c->all, &room, c->used + 1, sizeof(*c->all), &b->failed);
	if (b->failed)
		return 0;
	c->room = room;
	/* Number 0 is none. */
	if (!c->used)
		memset(&c->all[c->used++], 0, sizeof(*c->all));
	if (c->used + 1 > c->room)
		return add_chain(b, pid);
	c->all[c->used] = (struct chain){ .space_pid = pid, .first_ns = b->now };
	return c->used++;
}

static void set_frames(struct builder *b, uint32_t chain, const uint64_t *frames, uint32_t depth)
{
	struct chains *c = &b->m->chains;
	size_t room = c->frames_room;

	if (!chain)
		return;
	c->frames = grow(c->frames, &room, c->frames_used + depth, sizeof(*frames), &b->failed);
	if (b->failed)
		return;
	c->frames_room = room;
	memcpy(c->frames + c->frames_used, frames, depth * sizeof(*frames));
	c->all[chain].at = c->frames_used;
	c->all[chain].depth = depth;
	c->frames_used += depth;
}

static uint32_t new_object(struct builder *b, const struct memprof_object *o)
{
	struct memprof *m = b->m;

	m->objects = grow(m->objects, &m->room_objects, m->nr_objects + 1, sizeof(*o), &b->failed);
	if (b->failed || m->nr_objects >= NONE - 1)
		return 0;
	m->objects[m->nr_objects] = *o;
	return m->nr_objects++;
}

static const char *text(const struct builder *b, uint32_t number)
{
	return b->m->strings.text ? b->m->strings.text[number] : "";
}

static struct process *get_process(struct builder *b, uint32_t pid)
{
	struct process *p;

	HASH_FIND(hh, b->processes, &pid, sizeof(pid), p);
	if (!p) {
		p = calloc(1, sizeof(*p));
		if (!p) {
			b->failed = true;
			return NULL;
		}
		p->pid = pid;
		HASH_ADD(hh, b->processes, pid, sizeof(pid), p);
	}
	if (!p->space)
		p->space = space_new(pid, &b->pool);
	b->failed |= !p->space;
	return b->failed ? NULL : p;
}

static uint32_t new_thread(struct builder *b, struct slot *s, uint64_t born)
{
	struct memprof *m = b->m;
	struct memprof_thread *t;

	m->threads = grow(m->threads, &m->room_threads, m->nr_threads + 1, sizeof(*t), &b->failed);
	if (b->failed)
		return NONE;
	t = &m->threads[m->nr_threads];
	*t = (struct memprof_thread){ .pid = s->key >> 32, .tid = (uint32_t)s->key, .name = "",
				      .program = "", .born_ns = born, .died_ns = UINT64_MAX };
	s->process->space->tasks++;
	return s->thread = m->nr_threads++;
}

static struct slot *get_slot(struct builder *b, uint32_t pid, uint32_t tid)
{
	uint64_t key = (uint64_t)pid << 32 | tid;
	struct process *p;
	struct slot *s;

	HASH_FIND(hh, b->slots, &key, sizeof(key), s);
	if (s)
		return s;
	p = get_process(b, pid);
	s = p ? calloc(1, sizeof(*s)) : NULL;
	if (!s) {
		b->failed = true;
		return NULL;
	}
	s->key = key;
	s->process = p;
	s->thread = NONE;
	HASH_ADD(hh, b->slots, key, sizeof(key), s);
	return s;
}

/* The space of a slot, made if the process had ended, and its thread. */
static struct space *space_of(struct builder *b, struct slot *s)
{
	if (unlikely(!s->process->space) && !get_process(b, s->process->pid))
		return NULL;
	if (unlikely(s->thread == NONE))
		new_thread(b, s, 0);
	return s->process->space;
}

static uint64_t since_start(const struct builder *b, uint64_t time)
{
	return time > b->m->start_ns ? time - b->m->start_ns : 0;
}

/* ---- events of objects ---- */

static void object_gone(void *arg, uint32_t live)
{
	struct builder *b = arg;
	const struct live *o = &b->pool.all[live];

	if (o->object != LIVE_NO_OBJECT && !o->permanent)
		b->m->objects[o->object].died_ns = since_start(b, b->now);
}

static void insert(struct builder *b, struct space *s, const struct live *o)
{
	uint32_t i = live_insert(&s->live, o->addr, o->size, object_gone, b);

	if (unlikely(!i)) {
		b->failed = true;
		return;
	}
	b->pool.all[i] = *o;
}

static uint32_t local_chain(struct builder *b, struct owner *o, uint32_t id)
{
	struct image *image = o->image;
	size_t room = image->room;

	if (likely(id < image->room && image->map[id]))
		return image->map[id];
	if (!id)
		return 0;
	image->map = grow(image->map, &room, id + 1, sizeof(*image->map), &b->failed);
	if (b->failed)
		return 0;
	memset(image->map + image->room, 0, (room - image->room) * sizeof(*image->map));
	image->room = room;
	if (!image->map[id])
		image->map[id] = add_chain(b, image->key.pid);
	return image->map[id];
}

static void take_chain(void *arg, struct stream *s, uint32_t id, const uint64_t *frames,
		       unsigned int depth)
{
	struct builder *b = arg;

	if (s->context)
		set_frames(b, local_chain(b, s->context, id), frames, depth);
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

static void end_pending_until(struct builder *b, uint64_t time)
{
	size_t i = 0;

	while (i < b->nr_pending)
		if (b->pending[i].until <= time)
			end_pending(b, i);
		else
			i++;
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

	b->pending = grow(b->pending, &b->room_pending, b->nr_pending + 1, sizeof(*p), &b->failed);
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
	const uint32_t chain = local_chain(b, o, e->chain);
	struct live object = {
		.addr = e->addr, .size = e->size, .born = b->now, .chain = chain,
		.thread = o->thread, .object = LIVE_NO_OBJECT, .cpu = e->cpu,
	};
	struct pending *p;

	b->m->totals.allocations++;
	b->m->chains.all[chain].allocations++;
	b->m->chains.all[chain].bytes += e->size;
	if (likely(!e->wait)) {
		insert(b, s, &object);
		return;
	}
	/* realloc()'s event of the old object has begun it. */
	p = b->nr_pending ? pending_of(b, o) : NULL;
	if (!p || p->from != b->now || p->fresh.addr)
		p = add_pending(b, o, s, b->now, e->wait);
	if (p)
		p->fresh = object;
}

static inline void take_free(struct builder *b, struct owner *o, struct space *s,
			     const struct event_record *e)
{
	uint32_t i = live_at(&s->live, e->addr);
	struct pending *p;

	b->m->totals.frees++;
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

static bool is_anonymous(const struct region *r)
{
	return r->kind == REGION_ANON || r->kind == REGION_HEAP || r->kind == REGION_STACK;
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
	const struct mapping *had = space_find(s, start);
	struct region r = {
		.kind = REGION_ANON, .start = start, .size = e->size, .born = b->now,
		.chain = local_chain(b, o, e->chain), .thread = o->thread, .cpu = e->cpu,
		.object = LIVE_NO_OBJECT, .by_event = true, .writable = true,
	};
	uint64_t offset = 0;

	b->m->totals.allocations++;
	b->m->chains.all[r.chain].allocations++;
	b->m->chains.all[r.chain].bytes += e->size;
	if (e->flags & EVENT_FILE && had && !is_anonymous(&s->regions[had->region])) {
		r.kind = s->regions[had->region].kind;
		r.path = s->regions[had->region].path;
		r.shared = s->regions[had->region].shared;
		r.writable = s->regions[had->region].writable;
		offset = had->offset + (start - had->start);
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

	b->m->totals.frees++;
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

/* Memory is slow: what the next records of the stream need is fetched before. */
static inline void look_ahead(const struct space *s, const struct event_record *e, const char *end)
{
	if (unlikely((const char *)(e + 13) > end))
		return;
	live_prefetch(&s->live, e[12].addr, 0);
	live_prefetch(&s->live, e[8].addr, 1);
	live_prefetch(&s->live, e[4].addr, 2);
}

static inline void take_event(struct builder *b, struct owner *o, const struct event_record *e,
			      const char *end)
{
	struct space *s = owner_space(b, o);
	struct pending *p;

	if (unlikely(!s))
		return;
	look_ahead(s, e, end);
	/* It has come back from the call. */
	if (unlikely(b->nr_pending) && (p = pending_of(b, o)) && p->from != b->now)
		end_pending(b, p - b->pending);
	b->m->totals.events++;
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

/* ---- tasks ---- */

static void keep_code(struct builder *b, const struct code_map *c)
{
	struct memprof *m = b->m;

	m->code_map = grow(m->code_map, &m->room_code_map, m->nr_code_map + 1, sizeof(*c), &b->failed);
	if (!b->failed)
		m->code_map[m->nr_code_map++] = *c;
}

/** find_code() - the code mapping that a process had at an address at a time, or NULL */
const struct code_map *find_code(const struct memprof *m, uint32_t pid, uint64_t addr, uint64_t time)
{
	const struct code_map *c, *later = NULL;
	size_t i;

	for (i = m->nr_code_map; i--; ) {
		c = &m->code_map[i];
		if (c->pid != pid || addr < c->start || addr >= c->end)
			continue;
		if (c->from_ns <= time)
			return c;
		later = c;
	}
	return later;
}

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);

	return n >= k && !strcmp(s + n - k, end);
}

/* perf tells of anonymous mappings merged with their neighbors: only gaps are new. */
static void map_gaps(struct builder *b, struct space *s, uint64_t start, uint64_t end,
		     const struct region *r)
{
	uint64_t at = start, to;
	uint32_t i;

	while (at < end && !b->failed) {
		to = end;
		for (i = 0; i < s->nr_mappings; i++) {
			const struct mapping *m = &s->mappings[i];

			if (m->end <= at || !is_anonymous(&s->regions[m->region]))
				continue;
			if (m->start <= at)
				to = at = m->end;
			else if (m->start < to)
				to = m->start;
			if (m->start > at)
				break;
			to = end;
		}
		if (at >= end)
			break;
		b->failed |= space_map(s, at, to, 0, r) == UINT32_MAX;
		at = to;
	}
}

static void take_mmap(struct builder *b, const struct task_record *t)
{
	struct slot *slot = get_slot(b, t->pid, t->tid);
	struct space *s = slot ? space_of(b, slot) : NULL;
	struct region r = { .born = b->now, .start = t->start, .size = t->length,
			    .object = LIVE_NO_OBJECT, .writable = t->flags & TASK_WRITABLE,
			    .shared = t->flags & TASK_SHARED };
	const char *name = t->bytes > sizeof(*t) ? t->name : "";
	const struct mapping *m;

	if (!s || t->length > UINT64_MAX - t->start)
		return;
	if (!strcmp(name, "[heap]"))
		r.kind = REGION_HEAP;
	else if (!strncmp(name, "[stack", 6))
		r.kind = REGION_STACK;
	else if (!strcmp(name, "//anon") || !strncmp(name, "[anon", 5))
		r.kind = REGION_ANON;
	else if (strstr(name, "/memprof.") || (strstr(name, "/#") && ends_with(name, " (deleted)")))
		r.kind = REGION_OWN;
	else
		r.kind = t->flags & TASK_EXECUTABLE ? REGION_CODE : REGION_FILE;
	if (is_anonymous(&r)) {
		map_gaps(b, s, t->start, t->start + t->length, &r);
		return;
	}
	r.path = string_number(&b->m->strings, name);
	if (r.kind == REGION_CODE) {
		const struct code_map c = { t->pid, r.path, t->start, t->start + t->length, t->offset,
					    b->now };

		keep_code(b, &c);
		if (ends_with(name, "/libmemprof-preload.so")) {
			s->own_start = t->start;
			s->own_end = t->start + t->length;
		}
		/* The first one of a program is the program's. */
		if (!s->program)
			s->program = r.path;
	}
	/* mprotect() tells again of what is there. */
	m = space_find(s, t->start);
	if (m && m->start == t->start && m->end == t->start + t->length &&
	    s->regions[m->region].path == r.path && s->regions[m->region].kind == r.kind)
		return;
	b->failed |= space_map(s, t->start, t->start + t->length, t->offset, &r) == UINT32_MAX &&
		     t->length;
}

static void drop_pending(struct builder *b, const struct space *s)
{
	size_t i = 0;

	while (i < b->nr_pending)
		if (b->pending[i].space == s)
			b->pending[i] = b->pending[--b->nr_pending];
		else
			i++;
	find_next_pending(b);
}

static void end_process(struct builder *b, struct process *p)
{
	if (!p->space)
		return;
	drop_pending(b, p->space);
	space_free(p->space, object_gone, b);
	p->space = NULL;
}

static void take_fork(struct builder *b, const struct task_record *t)
{
	struct process *parent, *child;
	struct slot *slot, *from;
	uint64_t key;
	size_t i, n;

	if (t->pid != t->other) {
		parent = get_process(b, t->other);
		child = get_process(b, t->pid);
		if (b->failed)
			return;
		end_process(b, child);
		child->space = space_copy(t->pid, parent->space);
		if (!child->space) {
			b->failed = true;
			return;
		}
		for (i = 0, n = b->m->nr_code_map; i < n; i++) {
			struct code_map c = b->m->code_map[i];

			if (c.pid != t->other)
				continue;
			c.pid = t->pid;
			keep_code(b, &c);
		}
	}
	slot = get_slot(b, t->pid, t->tid);
	if (!slot)
		return;
	space_of(b, slot);
	/* space_of() made a thread if there was none. */
	if (slot->thread == NONE || b->m->threads[slot->thread].died_ns != UINT64_MAX ||
	    b->m->threads[slot->thread].accesses)
		new_thread(b, slot, since_start(b, b->now));
	if (b->failed)
		return;
	b->m->threads[slot->thread].born_ns = since_start(b, b->now);
	/* It has its parent's name until it has one of its own. */
	key = (uint64_t)t->other << 32 | t->other;
	HASH_FIND(hh, b->slots, &key, sizeof(key), from);
	if (from && from->thread != NONE)
		b->m->threads[slot->thread].name = b->m->threads[from->thread].name;
}

static void take_exit(struct builder *b, const struct task_record *t)
{
	uint64_t key = (uint64_t)t->pid << 32 | t->tid;
	struct slot *s;

	HASH_FIND(hh, b->slots, &key, sizeof(key), s);
	if (!s || s->thread == NONE || b->m->threads[s->thread].died_ns != UINT64_MAX)
		return;
	b->m->threads[s->thread].died_ns = since_start(b, b->now);
	if (s->process->space)
		b->m->threads[s->thread].program = (const char *)(uintptr_t)s->process->space->program;
	if (s->process->space && --s->process->space->tasks <= 0)
		end_process(b, s->process);
}

static void take_comm(struct builder *b, const struct task_record *t)
{
	struct slot *slot = get_slot(b, t->pid, t->tid);
	struct space *s;
	int tasks;

	if (!slot)
		return;
	s = space_of(b, slot);
	if (!s || b->failed)
		return;
	if (t->type == TASK_EXEC) {
		drop_pending(b, s);
		tasks = s->tasks;
		space_clear(s, object_gone, b);
		s->tasks = tasks;
		s->program = 0;
	}
	/* Numbers, until strings do not move any more: resolved by finish_threads(). */
	if (t->bytes > sizeof(*t))
		b->m->threads[slot->thread].name =
			(const char *)(uintptr_t)string_number(&b->m->strings, t->name);
}

static void take_task(struct builder *b, const struct task_record *t)
{
	switch (t->type) {
	case TASK_FORK: take_fork(b, t); break;
	case TASK_EXIT: take_exit(b, t); break;
	case TASK_COMM:
	case TASK_EXEC: take_comm(b, t); break;
	case TASK_MMAP: take_mmap(b, t); break;
	}
}

/* ---- samples ---- */

static uint32_t unknown_object(struct builder *b, struct space *s, int reason)
{
	b->m->totals.unknown[reason]++;
	if (s->unknown[reason] == NONE) {
		const struct memprof_object o = {
			.type = MEMPROF_UNKNOWN, .pid = s->pid, .size = 0, .died_ns = UINT64_MAX,
			.thread = MEMPROF_NO_THREAD, .cpu = -1, .node = MEMPROF_NO_NODE,
			.path = "", .symbol = memprof_reason(reason),
		};

		s->unknown[reason] = new_object(b, &o);
	}
	return s->unknown[reason];
}

static int node_of_cpu(const struct memprof *m, unsigned int cpu)
{
	return cpu < m->nr_cpus ? m->cpu_node[cpu] : MEMPROF_NO_NODE;
}

static uint32_t object_of_live(struct builder *b, const struct space *s, struct live *l)
{
	if (l->object == LIVE_NO_OBJECT) {
		const struct memprof_object o = {
			.type = MEMPROF_DYNAMIC, .pid = s->pid, .address = l->addr, .size = l->size,
			.born_ns = since_start(b, l->born), .died_ns = UINT64_MAX,
			.chain = l->chain, .thread = l->thread, .cpu = l->cpu,
			.node = node_of_cpu(b->m, l->cpu), .path = "", .symbol = "",
			.inherited = l->inherited,
		};

		l->object = new_object(b, &o);
	}
	return l->object;
}

static uint32_t object_of_region(struct builder *b, struct space *s, struct region *r,
				 enum memprof_type type)
{
	if (r->object == LIVE_NO_OBJECT) {
		const struct memprof_object o = {
			.type = type, .pid = s->pid, .address = r->start, .size = r->size,
			.born_ns = since_start(b, r->born), .died_ns = UINT64_MAX,
			.chain = r->chain, .thread = r->by_event ? r->thread : MEMPROF_NO_THREAD,
			.cpu = r->by_event ? r->cpu : -1,
			.node = r->by_event ? node_of_cpu(b->m, r->cpu) : MEMPROF_NO_NODE,
			.path = (const char *)(uintptr_t)r->path, .symbol = "",
			.inherited = r->inherited,
		};

		r->object = new_object(b, &o);
	}
	return r->object;
}

/* All stacks of a process are one object, as in the paper. */
static uint32_t stack_object(struct builder *b, struct space *s)
{
	if (s->stack == LIVE_NO_OBJECT) {
		const struct memprof_object o = {
			.type = MEMPROF_STACK, .pid = s->pid, .died_ns = UINT64_MAX,
			.thread = MEMPROF_NO_THREAD, .cpu = -1, .node = MEMPROF_NO_NODE,
			.path = "", .symbol = "",
		};

		s->stack = new_object(b, &o);
	}
	return s->stack;
}

/* A variable of the file that is mapped at m, past bytes behind the mapping. */
static uint32_t static_object(struct builder *b, struct space *s, const struct mapping *m,
			      uint64_t addr, uint32_t path)
{
	uint64_t past = addr < m->end ? 0 : addr - (m->end - 1), size, begin;
	struct memprof_object o = {
		.type = MEMPROF_STATIC, .pid = s->pid, .died_ns = UINT64_MAX,
		.thread = MEMPROF_NO_THREAD, .cpu = -1, .node = MEMPROF_NO_NODE,
		.path = (const char *)(uintptr_t)path,
	};
	const char *symbol;
	struct live l;
	int64_t back;

	if (!names_data(b->m->names, text(b, path), m->offset + (addr - past - m->start), past, &symbol,
			&back, &size))
		return NONE;
	begin = addr - back;
	o.address = begin;
	o.size = size;
	o.symbol = (const char *)(uintptr_t)string_number(&b->m->strings, symbol);
	/* As a live object it is found at once the next time. */
	l = (struct live){ .addr = begin, .size = size, .object = new_object(b, &o),
			   .thread = NONE, .permanent = true };
	insert(b, s, &l);
	return l.object;
}

static uint32_t object_of_mapping(struct builder *b, struct space *s, uint64_t addr)
{
	const struct mapping *m = space_find(s, addr), *before;
	struct region *r = m ? &s->regions[m->region] : NULL;
	uint32_t object;

	if (!m)
		return unknown_object(b, s, REASON_NOT_MAPPED);
	switch (r->kind) {
	case REGION_STACK:
		return stack_object(b, s);
	case REGION_CODE:
		return object_of_region(b, s, r, MEMPROF_CODE);
	case REGION_OWN:
		return NONE;
	case REGION_FILE:
		object = static_object(b, s, m, addr, r->path);
		return object != NONE ? object : object_of_region(b, s, r, MEMPROF_FILE);
	case REGION_HEAP:
		return unknown_object(b, s, s->has_events ? REASON_FREED : REASON_NO_EVENTS);
	default:
		break;
	}
	if (r->by_event)
		return object_of_region(b, s, r, MEMPROF_DYNAMIC);
	/* Behind a file's writable data: its .bss. */
	before = m > s->mappings ? m - 1 : NULL;
	if (before && before->end == m->start && s->regions[before->region].kind == REGION_FILE) {
		object = static_object(b, s, before, addr, s->regions[before->region].path);
		if (object != NONE)
			return object;
	}
	return unknown_object(b, s, s->has_events ? REASON_LIBRARY : REASON_NO_EVENTS);
}

/* The object of what a call of this thread is making or moving. */
static uint32_t object_of_pending(struct builder *b, struct space *s, uint32_t thread, uint64_t addr)
{
	size_t i;

	for (i = 0; i < b->nr_pending; i++) {
		struct pending *p = &b->pending[i];

		if (p->space != s || p->owner->thread != thread)
			continue;
		if (addr - p->fresh.addr < p->fresh.size)
			return object_of_live(b, s, &p->fresh);
		if (addr - p->old.addr < p->old.size) {
			uint32_t object = object_of_live(b, s, &p->old);

			b->m->objects[object].died_ns = since_start(b, p->from);
			return object;
		}
	}
	return NONE;
}

static uint32_t kernel_object(struct builder *b)
{
	if (b->kernel_object == NONE) {
		const struct memprof_object o = {
			.type = MEMPROF_KERNEL, .died_ns = UINT64_MAX, .thread = MEMPROF_NO_THREAD,
			.cpu = -1, .node = MEMPROF_NO_NODE, .path = "", .symbol = "",
		};

		b->kernel_object = new_object(b, &o);
	}
	return b->kernel_object;
}

static uint32_t find_object(struct builder *b, struct space *s, uint32_t thread, uint64_t addr)
{
	uint32_t i, object;
	struct live *l;

	if (addr >> 47)
		return kernel_object(b);
	if (b->nr_pending) {
		object = object_of_pending(b, s, thread, addr);
		if (object != NONE)
			return object;
	}
	i = live_find(&s->live, addr);
	if (!i)
		return object_of_mapping(b, s, addr);
	l = &b->pool.all[i];
	if (!l->permanent) {
		if (l->born < s->lost_ns)
			return unknown_object(b, s, REASON_LOST);
		if (l->thread != thread && b->now - l->born < RACE_NS)
			return unknown_object(b, s, REASON_RACE);
	}
	return object_of_live(b, s, l);
}

/* Files' names have numbers until there are no more of them. */
static void hand_out(struct builder *b, const struct kept_access *k)
{
	struct memprof *m = b->m;
	struct memprof_access a;

	m->accesses[0] = *k;
	memprof_access(m, 0, &a);
	m->options.each(&a, m->options.arg);
}

static inline void look_ahead_samples(const struct space *s, const struct sample_record *r,
				      const char *end)
{
	if (unlikely((const char *)(r + 13) > end))
		return;
	live_prefetch(&s->live, r[12].addr, 0);
	live_prefetch(&s->live, r[8].addr, 1);
	live_prefetch(&s->live, r[4].addr, 2);
}

static inline void take_sample(struct builder *b, const struct sample_record *r, unsigned int cpu,
			       const char *end)
{
	const uint64_t addr = (int64_t)((uint64_t)r->addr << 16) >> 16, time = since_start(b, b->now);
	struct memprof *m = b->m;
	struct kept_access *k;
	struct slot *slot;
	struct space *s;
	uint32_t object, chain;
	uint64_t offset;

	m->totals.samples++;
	if (unlikely(r->thread >= b->nr_numbers || !b->slot_of_number[r->thread]))
		return;
	slot = b->slot_of_number[r->thread];
	s = space_of(b, slot);
	if (unlikely(!s))
		return;
	look_ahead_samples(s, r, end);
	chain = r->chain < b->nr_sample_chains ? b->sample_chains[r->chain] : 0;
	if (s->own_end && chain && m->chains.all[chain].depth) {
		uint64_t ip = m->chains.frames[m->chains.all[chain].at];

		if (ip >= s->own_start && ip < s->own_end) {
			m->totals.own++;
			return;
		}
	}
	object = find_object(b, s, slot->thread, addr);
	if (unlikely(b->failed))
		return;
	if (object == NONE) {
		m->totals.own++;
		return;
	}
	if (m->options.pid && m->options.pid != s->pid)
		return;
	if (m->options.tid && m->options.tid != (uint32_t)slot->key)
		return;
	if (time < m->options.from_ns || (m->options.to_ns && time >= m->options.to_ns))
		return;
	if (chain && !m->chains.all[chain].space_pid) {
		m->chains.all[chain].space_pid = s->pid;
		m->chains.all[chain].first_ns = b->now;
	}
	if (!m->options.each) {
		m->accesses = grow(m->accesses, &m->room_accesses, m->nr_accesses + 1, sizeof(*k),
				   &b->failed);
		if (b->failed)
			return;
	}
	m->objects[object].accesses++;
	m->threads[slot->thread].accesses++;
	offset = m->objects[object].size || m->objects[object].address ?
		 addr - m->objects[object].address : addr;
	k = &m->accesses[m->options.each ? 0 : m->nr_accesses];
	*k = (struct kept_access){
		.time = time, .thread = slot->thread, .object = object, .chain = chain,
		.offset = offset, .offset_high = offset >> 32, .cpu = cpu, .latency = r->latency,
		.home = r->node, .level = r->level, .op = r->op, .hitm = r->hitm, .kernel = r->kernel,
	};
	m->totals.accesses++;
	if (m->options.each)
		hand_out(b, k);
	else
		m->nr_accesses++;
}

/* ---- tables of the file ---- */

/* For each chunk of a type. */
#define for_each_chunk(f, chunk_type, c)						\
	for (uint32_t i_ = 0, c = 0; i_ < (f)->nr_streams; i_++)			\
		if ((f)->streams[i_].type == (chunk_type))				\
			for (c = (f)->streams[i_].first; c; c = (f)->chunks[c].next)

static struct image *get_image(struct builder *b, uint32_t pid, uint64_t number)
{
	struct image *image = calloc(1, sizeof(*image)), *had;

	if (!image) {
		b->failed = true;
		return NULL;
	}
	image->key.image = number;
	image->key.pid = pid;
	HASH_FIND(hh, b->images, &image->key, sizeof(image->key), had);
	if (had) {
		free(image);
		return had;
	}
	HASH_ADD(hh, b->images, key, sizeof(image->key), image);
	return image;
}

static void read_owners(struct builder *b, struct file *f)
{
	const struct stream_record *r;
	void *buffer = NULL;
	size_t room = 0, owners = 0;
	ssize_t bytes;

	for_each_chunk(f, CHUNK_STREAM, c) {
		bytes = file_read_chunk(f, c, &buffer, &room);
		r = (void *)((char *)buffer + sizeof(struct chunk_header));
		if (bytes < (ssize_t)sizeof(*r) || r->stream > 1U << 24)
			continue;
		if (r->stream >= b->nr_owners) {
			owners = b->nr_owners;
			b->owners = grow(b->owners, &owners, r->stream + 1, sizeof(*b->owners),
					 &b->failed);
			if (b->failed)
				break;
			memset(b->owners + b->nr_owners, 0,
			       (owners - b->nr_owners) * sizeof(*b->owners));
			b->nr_owners = owners;
		}
		b->owners[r->stream] = (struct owner){ .pid = r->pid, .tid = r->tid, .thread = NONE,
						       .image = get_image(b, r->pid, r->image) };
	}
	free(buffer);
}

static void read_threads(struct builder *b, struct file *f)
{
	const struct thread_record *r;
	void *buffer = NULL;
	size_t room = 0, numbers = 0;
	ssize_t bytes, i;

	for_each_chunk(f, CHUNK_THREADS, c) {
		bytes = file_read_chunk(f, c, &buffer, &room);
		r = (void *)((char *)buffer + sizeof(struct chunk_header));
		for (i = 0; i < bytes / (ssize_t)sizeof(*r) && !b->failed; i++, r++) {
			if (r->thread >= THREAD_NONE)
				continue;
			if (r->thread >= b->nr_numbers) {
				numbers = b->nr_numbers;
				b->slot_of_number = grow(b->slot_of_number, &numbers, r->thread + 1,
							 sizeof(*b->slot_of_number), &b->failed);
				if (b->failed)
					break;
				memset(b->slot_of_number + b->nr_numbers, 0,
				       (numbers - b->nr_numbers) * sizeof(*b->slot_of_number));
				b->nr_numbers = numbers;
			}
			b->slot_of_number[r->thread] = get_slot(b, r->pid, r->tid);
		}
	}
	free(buffer);
}

static void read_chains(struct builder *b, struct file *f)
{
	const struct chain_record *r;
	const char *p, *end;
	void *buffer = NULL;
	size_t room = 0, chains = 0;
	ssize_t bytes;

	for_each_chunk(f, CHUNK_CHAINS, c) {
		bytes = file_read_chunk(f, c, &buffer, &room);
		p = (char *)buffer + sizeof(struct chunk_header);
		for (end = p + bytes; end - p >= (ssize_t)sizeof(*r) && !b->failed; ) {
			uint64_t frames[MEMPROF_MAX_DEPTH];

			r = (void *)p;
			p += sizeof(*r);
			if (r->depth > MEMPROF_MAX_DEPTH || r->chain > 1U << 28 ||
			    (ssize_t)(r->depth * sizeof(uint64_t)) > end - p)
				break;
			if (r->chain >= b->nr_sample_chains) {
				chains = b->nr_sample_chains;
				b->sample_chains = grow(b->sample_chains, &chains, r->chain + 1,
							sizeof(*b->sample_chains), &b->failed);
				if (b->failed)
					break;
				memset(b->sample_chains + b->nr_sample_chains, 0,
				       (chains - b->nr_sample_chains) * sizeof(*b->sample_chains));
				b->nr_sample_chains = chains;
			}
			memcpy(frames, p, r->depth * sizeof(uint64_t));
			b->sample_chains[r->chain] = add_chain(b, 0);
			set_frames(b, b->sample_chains[r->chain], frames, r->depth);
			p += r->depth * sizeof(uint64_t);
		}
	}
	free(buffer);
}

static void read_losses(struct builder *b, struct file *f)
{
	struct memprof_totals *t = &b->m->totals;
	const struct lost_record *r;
	void *buffer = NULL;
	size_t room = 0;

	for_each_chunk(f, CHUNK_LOST, c) {
		if (file_read_chunk(f, c, &buffer, &room) < (ssize_t)sizeof(*r))
			continue;
		r = (void *)((char *)buffer + sizeof(struct chunk_header));
		/* Lost events have a record of their own where they are missing. */
		if (r->kind == LOST_SAMPLES)
			t->lost_samples += r->count;
		else if (r->kind == LOST_TASKS)
			t->lost_tasks += r->count;
		else if (r->kind == LOST_THROTTLED)
			t->throttled += r->count;
	}
	free(buffer);
}

static char *read_text(struct file *f, enum chunk_type type)
{
	void *buffer = NULL;
	size_t room = 0;
	ssize_t bytes;
	char *text = NULL;

	for_each_chunk(f, type, c) {
		bytes = file_read_chunk(f, c, &buffer, &room);
		if (bytes < 0 || text)
			continue;
		text = strndup((char *)buffer + sizeof(struct chunk_header), bytes);
	}
	free(buffer);
	return text;
}

static void read_meta(struct memprof *m)
{
	json_t *j = m->meta ? json_loads(m->meta, 0, NULL) : NULL;
	json_t *machine = json_object_get(j, "machine"), *cpus = json_object_get(machine, "cpu_node");
	size_t i, n = json_array_size(cpus);

	m->nr_nodes = json_integer_value(json_object_get(machine, "nodes"));
	if (m->nr_nodes < 1 || m->nr_nodes > 255)
		m->nr_nodes = 1;
	m->cpu_node = calloc(n + 1, 1);
	if (m->cpu_node) {
		m->nr_cpus = n;
		for (i = 0; i < n; i++)
			m->cpu_node[i] = json_integer_value(json_array_get(cpus, i));
	}
	json_decref(j);
	j = m->end_text ? json_loads(m->end_text, 0, NULL) : NULL;
	m->totals.discarded = json_integer_value(json_object_get(j, "discarded"));
	json_decref(j);
}

/* ---- the end ---- */

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
		m->threads[i].name = text(b, (uintptr_t)m->threads[i].name < m->strings.used ?
					  (uintptr_t)m->threads[i].name : 0);
		m->threads[i].program = text(b, (uintptr_t)m->threads[i].program < m->strings.used ?
					     (uintptr_t)m->threads[i].program : 0);
	}
	for (i = 0; i < m->nr_objects; i++) {
		struct memprof_object *o = &m->objects[i];

		if ((uintptr_t)o->path < m->strings.used)
			o->path = text(b, (uintptr_t)o->path);
		if ((uintptr_t)o->symbol < m->strings.used)
			o->symbol = text(b, (uintptr_t)o->symbol);
	}
}

/* Flows: numbers of accesses, by object and by thread; counting sort keeps their order. */
static int make_flow(const struct memprof *m, uint32_t **flow, uint32_t **at, size_t n, bool objects)
{
	const size_t step = sizeof(struct kept_access) / sizeof(uint32_t);
	const uint32_t *key = objects ? &m->accesses[0].object : &m->accesses[0].thread;
	size_t i, sum = 0, had;

	*flow = malloc((m->nr_accesses + 1) * sizeof(**flow));
	*at = calloc(n + 2, sizeof(**at));
	if (!*flow || !*at)
		return -1;
	for (i = 0; i < m->nr_accesses; i++)
		(*at)[key[i * step] + 1]++;
	for (i = 0; i <= n; i++) {
		had = (*at)[i];
		sum += had;
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

static void free_builder(struct builder *b)
{
	struct process *p, *next_p;
	struct image *i, *next_i;
	struct slot *s, *next_s;

	HASH_ITER(hh, b->processes, p, next_p) {
		HASH_DEL(b->processes, p);
		if (p->space)
			space_free(p->space, NULL, NULL);
		free(p);
	}
	HASH_ITER(hh, b->slots, s, next_s) {
		HASH_DEL(b->slots, s);
		free(s);
	}
	HASH_ITER(hh, b->images, i, next_i) {
		HASH_DEL(b->images, i);
		free(i->map);
		free(i);
	}
	live_pool_free(&b->pool);
	free(b->owners);
	free(b->slot_of_number);
	free(b->sample_chains);
	free(b->pending);
}

static void read_all(struct builder *b, struct file *f)
{
	struct merge merge = { .arg = b, .chain = take_chain };
	struct memprof *m = b->m;
	uint64_t limit, first = UINT64_MAX;
	struct stream *s;
	size_t i;

	if (merge_begin(&merge, f)) {
		b->failed = true;
		return;
	}
	for (i = 0; i < merge.nr_streams; i++)
		if (merge.streams[i].type == CHUNK_EVENTS && merge.streams[i].number < b->nr_owners &&
		    b->owners[merge.streams[i].number].image)
			merge.streams[i].context = &b->owners[merge.streams[i].number];
	while (!b->failed && (s = merge_first(&merge))) {
		bool more = true;

		limit = merge_limit(&merge);
		do {
			b->now = s->time;
			if (unlikely(b->now >= b->next_pending))
				end_pending_until(b, b->now);
			if (s->type == CHUNK_EVENTS) {
				if (s->context)
					take_event(b, s->context, (const void *)s->at, s->end);
			} else if (s->type == CHUNK_SAMPLES) {
				take_sample(b, (const void *)s->at, s->number, s->end);
			} else {
				take_task(b, (const void *)s->at);
			}
			if (b->now < first)
				first = b->now;
			more = !merge_advance(&merge, s);
		} while (more && s->time <= limit);
		if (more)
			merge_sink(&merge);
		else
			merge_step(&merge);
	}
	if (b->now > m->start_ns)
		m->totals.duration_ns = b->now - m->start_ns;
	merge_end(&merge);
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
	struct builder b = { .m = m, .next_pending = UINT64_MAX, .kernel_object = NONE };
	int ret = 0;

	m->start_ns = m->totals.start_ns = f->header.start_ns;
	m->totals.bytes = f->bytes;
	m->meta = read_text(f, CHUNK_META);
	m->end_text = read_text(f, CHUNK_END);
	read_meta(m);
	m->names = names_new(m->options.symbols);
	/* Number 0 of chains and strings is none. */
	string_number(&m->strings, "");
	add_chain(&b, 0);
	b.failed |= !m->names || !m->cpu_node || live_pool_init(&b.pool);
	if (m->options.each) {
		m->accesses = malloc(sizeof(*m->accesses));
		b.failed |= !m->accesses;
	}
	if (!b.failed) {
		read_owners(&b, f);
		read_threads(&b, f);
		read_chains(&b, f);
		read_losses(&b, f);
		read_all(&b, f);
	}
	m->totals.max_live_objects = b.pool.max_live;
	if (!b.failed) {
		finish_names(&b);
		if (m->options.each)
			m->nr_accesses = 0;
		b.failed |= m->nr_accesses >= UINT32_MAX ||
			    make_flow(m, &m->by_object, &m->object_at, m->nr_objects, true) ||
			    make_flow(m, &m->by_thread, &m->thread_at, m->nr_threads, false);
	}
	if (b.failed) {
		snprintf(error, size, "%s: no memory left", m->path);
		ret = -1;
	}
	free_builder(&b);
	return ret;
}
