// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/* What a recording is built of: chains, objects, processes and threads, by their numbers. */
#include <stdlib.h>
#include <string.h>

#include "build.h"

/** grow_now() - as grow(), if there is not room */
void *grow_now(void *array, size_t *capacity, size_t need, size_t bytes, bool *failed)
{
	size_t n = *capacity ? *capacity * 2 : 64;
	void *p;

	p = realloc(array, (n > need ? n : need) * bytes);
	if (!p) {
		*failed = true;
		return array;
	}
	*capacity = n > need ? n : need;
	advise_huge(p, *capacity * bytes);
	return p;
}

/**
 * add_chain() - a new chain
 * @b: the builder
 * @pid: its process, 0 if not known yet
 * @time: when it was first seen
 *
 * Return: its number, 0 without memory.
 */
uint32_t add_chain(struct builder *b, uint32_t pid, uint64_t time)
{
	struct chains *c = &b->m->chains;
	size_t capacity = c->capacity;

	c->all = grow(c->all, &capacity, c->used + 1, sizeof(*c->all), &b->failed);
	if (b->failed)
		return 0;
	c->capacity = capacity;
	/* Number 0 is none. */
	if (!c->used)
		memset(&c->all[c->used++], 0, sizeof(*c->all));
	if (c->used + 1 > c->capacity)
		return add_chain(b, pid, time);
	c->all[c->used] = (struct chain){ .space_pid = pid, .first_ns = time };
	return c->used++;
}

/** set_frames() - the return addresses of a chain, the innermost first */
void set_frames(struct builder *b, uint32_t chain, const uint64_t *frames, uint32_t depth)
{
	struct chains *c = &b->m->chains;
	size_t capacity = c->frames_capacity;

	if (!chain)
		return;
	c->frames = grow(c->frames, &capacity, c->frames_used + depth, sizeof(*frames), &b->failed);
	if (b->failed)
		return;
	c->frames_capacity = capacity;
	memcpy(c->frames + c->frames_used, frames, depth * sizeof(*frames));
	c->all[chain].at = c->frames_used;
	c->all[chain].depth = depth;
	c->frames_used += depth;
}

/** new_object() - keep an object that was accessed.  Return: its number, 0 without memory */
uint32_t new_object(struct builder *b, const struct memprof_object *o)
{
	struct memprof *m = b->m;

	m->objects = big_grow(&m->bigs, m->objects, &m->capacity_objects, m->nr_objects + 1, sizeof(*o),
			      &b->failed);
	if (b->failed || m->nr_objects >= NONE - 1)
		return 0;
	m->totals.objects++;
	m->objects[m->nr_objects] = *o;
	return m->nr_objects++;
}

/** text_of() - the text of a number */
const char *text_of(const struct builder *b, uint32_t number)
{
	return b->m->strings.text ? b->m->strings.text[number] : "";
}

/** get_process() - a process, with an address space, made if new.  Return: NULL without memory */
struct process *get_process(struct builder *b, uint32_t pid)
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
		if (!p->hh.tbl) {
			free(p);
			b->failed = true;
			return NULL;
		}
	}
	if (!p->space)
		p->space = space_new(pid, &b->pool);
	b->failed |= !p->space;
	return b->failed ? NULL : p;
}

/** new_thread() - the thread that has a slot from now on, born then.  Return: its number */
uint32_t new_thread(struct builder *b, struct slot *s, uint64_t born)
{
	struct memprof *m = b->m;
	struct memprof_thread *t;

	m->threads = grow(m->threads, &m->capacity_threads, m->nr_threads + 1, sizeof(*t), &b->failed);
	if (b->failed)
		return NONE;
	t = &m->threads[m->nr_threads];
	*t = (struct memprof_thread){ .pid = s->key >> 32, .tid = (uint32_t)s->key, .name = "",
				      .program = "", .born_ns = born, .died_ns = UINT64_MAX };
	s->process->space->tasks++;
	return s->thread = m->nr_threads++;
}

/** get_slot() - where a pid and tid are kept, made if they are new.  Return: NULL without memory */
struct slot *get_slot(struct builder *b, uint32_t pid, uint32_t tid)
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
	if (!s->hh.tbl) {
		free(s);
		b->failed = true;
		return NULL;
	}
	return s;
}

/** make_space() - a space for a slot whose process had ended, and a thread for it */
struct space *make_space(struct builder *b, struct slot *s)
{
	if (!s->process->space && !get_process(b, s->process->pid))
		return NULL;
	if (s->thread == NONE)
		new_thread(b, s, 0);
	return s->process->space;
}

/* Forget what the handle does not keep. */
void free_builder(struct builder *b)
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
