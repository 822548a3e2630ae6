// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/* Processes and threads: fork, exec, exit, and what is mapped. */
#include <string.h>

#include "build.h"

static void keep_code(struct builder *b, const struct code_map *c)
{
	struct memprof *m = b->m;

	m->code_map = grow(m->code_map, &m->capacity_code_map, m->nr_code_map + 1, sizeof(*c), &b->failed);
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

/* perf reports anonymous mappings merged with their neighbors: only gaps are new. */
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
	else if (!strncmp(name, MEMPROF_NAMED, strlen(MEMPROF_NAMED)))
		r.kind = REGION_NAMED;
	else if (strstr(name, "/memprof.") || (strstr(name, "/#") && ends_with(name, " (deleted)")))
		r.kind = REGION_OWN;
	else
		r.kind = t->flags & TASK_EXECUTABLE ? REGION_CODE : REGION_FILE;
	if (is_anonymous(&r)) {
		map_gaps(b, s, t->start, t->start + t->length, &r);
		return;
	}
	r.path = string_number(&b->m->strings, r.kind == REGION_NAMED ? name + strlen(MEMPROF_NAMED) : name);
	if (r.kind == REGION_CODE) {
		const struct code_map c = { t->pid, r.path, t->start, t->start + t->length, t->offset,
					    b->now };

		keep_code(b, &c);
		if (ends_with(name, "/libmemprof-preload.so")) {
			s->own_start = t->start;
			s->own_end = t->start + t->length;
		}
		s->has_loader |= strstr(name, "/ld-linux") || strstr(name, "/ld-musl") || strstr(name, "/ld-2.");
		/* The first one of a program is the program's. */
		if (!s->program) {
			s->program = r.path;
			s->privileged = t->flags & TASK_PRIVILEGED;
		}
	}
	/* mprotect() reports existing mappings again. */
	m = space_find(s, t->start);
	if (m && m->start == t->start && m->end == t->start + t->length &&
	    s->regions[m->region].path == r.path && s->regions[m->region].kind == r.kind)
		return;
	b->failed |= space_map(s, t->start, t->start + t->length, t->offset, &r) == UINT32_MAX &&
		     t->length;
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
		s->executed = !(t->flags & TASK_FOUND);
	}
	/* Numbers, until strings do not move any more: resolved by finish_threads(). */
	if (t->bytes > sizeof(*t))
		b->m->threads[slot->thread].name =
			(const char *)(uintptr_t)string_number(&b->m->strings, t->name);
}

static void take_cgroup(struct builder *b, const struct task_record *t)
{
	struct slot *slot = get_slot(b, t->pid, t->tid);
	struct memprof *m = b->m;

	if (!slot || !space_of(b, slot) || b->failed)
		return;
	m->moved = grow(m->moved, &m->capacity_moved, m->nr_moved + 1, sizeof(*m->moved), &b->failed);
	if (!b->failed)
		m->moved[m->nr_moved++] = (struct moved){
			slot->thread, string_number(&m->strings, t->bytes > sizeof(*t) ? t->name : ""),
			since_start(b, b->now) };
}

/** take_task() - what became of a process or thread, at b->now */
void take_task(struct builder *b, const struct task_record *t)
{
	switch (t->type) {
	case TASK_FORK: take_fork(b, t); break;
	case TASK_EXIT: take_exit(b, t); break;
	case TASK_COMM:
	case TASK_EXEC: take_comm(b, t); break;
	case TASK_MMAP: take_mmap(b, t); break;
	case TASK_CGROUP: take_cgroup(b, t); break;
	}
}
