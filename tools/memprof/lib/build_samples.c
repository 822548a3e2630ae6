// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/* Samples: which object each is an access of. */
#include <stdio.h>
#include <string.h>

#include "build.h"

/*
 * A sample is dated when the interrupt is handled, a little after the access.  If
 * another thread has just allocated what is at the address, the access may have been
 * of what was there before.
 */
#define RACE_NS		2000

static uint32_t unknown_object(struct builder *b, struct space *s, int reason)
{
	b->m->totals.unknown[reason] += b->counts;
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

/*
 * A program that was to load the library and did not: why.  The loader may not have come as
 * far yet, so that the name may change.
 */
static uint32_t unfollowed_process(struct builder *b, struct space *s)
{
	const uint8_t why = 8 | s->executed << 2 | s->has_loader << 1 | s->privileged;
	const uint32_t object = unknown_object(b, s, REASON_NO_EVENTS);
	const char *program = text_of(b, s->program), *slash = strrchr(program, '/');
	char text[512];

	if (!b->m->preloaded || !s->executed || s->own_end || !s->program || s->why == why || b->failed)
		return object;
	s->why = why;
	snprintf(text, sizeof(text), "%.200s (pid %u) did not load libmemprof-preload.so: %s",
		 slash ? slash + 1 : program, s->pid,
		 !s->has_loader ? "it is linked statically" :
		 s->privileged ? "it has a set-ID bit or capabilities" :
		 "LD_PRELOAD was replaced or removed before");
	b->m->objects[object].symbol = (const char *)(uintptr_t)string_number(&b->m->strings, text);
	return object;
}

/* One more of the objects that are not kept. */
static uint32_t count_object(struct builder *b)
{
	if (unlikely(b->counted_object == NONE)) {
		const struct memprof_object o = {
			.type = MEMPROF_DYNAMIC, .died_ns = UINT64_MAX, .thread = MEMPROF_NO_THREAD,
			.cpu = -1, .node = MEMPROF_NO_NODE, .path = "", .symbol = "",
		};

		b->counted_object = new_object(b, &o);
	} else {
		b->m->totals.objects++;
	}
	return b->counted_object;
}

static uint32_t object_of_live(struct builder *b, const struct space *s, struct live *l)
{
	if (l->object == LIVE_NO_OBJECT && b->m->options.count_objects) {
		l->object = count_object(b);
	} else if (l->object == LIVE_NO_OBJECT) {
		const struct memprof_object o = {
			.type = MEMPROF_DYNAMIC, .pid = s->pid, .address = l->addr, .size = l->size,
			.born_ns = since_start(b, l->born), .died_ns = UINT64_MAX,
			.chain = l->chain,
			.thread = l->thread == LIVE_NO_THREAD ? MEMPROF_NO_THREAD : l->thread, .cpu = l->cpu,
			.node = memprof_node_of_cpu(b->m, l->cpu), .path = "", .symbol = "",
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
			.node = r->by_event ? memprof_node_of_cpu(b->m, r->cpu) : MEMPROF_NO_NODE,
			.path = (const char *)(uintptr_t)(r->kind == REGION_NAMED ? 0 : r->path),
			.symbol = (const char *)(uintptr_t)(r->kind == REGION_NAMED ? r->path : 0),
			.inherited = r->inherited,
		};

		r->object = new_object(b, &o);
	}
	return r->object;
}

/* Go's heap on x86-64: arenas of 64 MiB from this address on (runtime/malloc.go). */
#define GO_FIRST	UINT64_C(0xc000000000)
#define GO_END		UINT64_C(0x10000000000)
#define GO_ARENA	(UINT64_C(64) << 20)

static bool is_go(struct builder *b, struct space *s)
{
	if (!s->go)
		s->go = 1 + names_go(b->m->names, text_of(b, s->program));
	return s->go == 2;
}

/* An arena of Go's heap, of whose objects there are no events. */
static uint32_t go_arena(struct builder *b, struct space *s, uint64_t addr)
{
	const uint64_t start = addr & -GO_ARENA;
	struct memprof_object o = {
		.type = MEMPROF_DYNAMIC, .pid = s->pid, .address = start, .size = GO_ARENA, .died_ns = UINT64_MAX,
		.thread = MEMPROF_NO_THREAD, .cpu = -1, .node = MEMPROF_NO_NODE, .path = "",
	};
	char text[64];
	struct live l;

	snprintf(text, sizeof(text), "[Go arena %#lx-%#lx]", (unsigned long)start, (unsigned long)(start + GO_ARENA));
	o.symbol = (const char *)(uintptr_t)string_number(&b->m->strings, text);
	/* As a live object it is found at once the next time. */
	l = (struct live){ .addr = start, .size = GO_ARENA, .object = new_object(b, &o),
			   .thread = LIVE_NO_THREAD, .permanent = true };
	insert(b, s, &l);
	return l.object;
}

/* Memory of which no object is known: where nothing else is, its mapping is the object. */
static uint32_t unfollowed_object(struct builder *b, struct space *s, struct region *r, uint64_t addr, int reason)
{
	const char *name = r->kind == REGION_HEAP ? "[heap]" : "[anon]";
	uint32_t object;
	bool fresh;

	if (addr >= GO_FIRST && addr < GO_END && is_go(b, s))
		return go_arena(b, s, addr);
	if (!b->m->by_mapping)
		return s->has_events ? unknown_object(b, s, reason) : unfollowed_process(b, s);
	fresh = r->object == LIVE_NO_OBJECT;
	object = object_of_region(b, s, r, MEMPROF_DYNAMIC);
	if (fresh && !b->failed)
		b->m->objects[object].symbol = (const char *)(uintptr_t)string_number(&b->m->strings, name);
	return object;
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

	if (!names_data(b->m->names, text_of(b, path), m->offset + (addr - past - m->start), past, &symbol,
			&back, &size))
		return NONE;
	begin = addr - back;
	o.address = begin;
	o.size = size;
	o.symbol = (const char *)(uintptr_t)string_number(&b->m->strings, symbol);
	/* As a live object it is found at once the next time. */
	l = (struct live){ .addr = begin, .size = size, .object = new_object(b, &o),
			   .thread = LIVE_NO_THREAD, .permanent = true };
	insert(b, s, &l);
	return l.object;
}

/*
 * Variables of a file without symbols that are behind its mapping at m: all of them are one
 * object.  The C library, too, maps memory there: what is not of the file is none.
 */
static uint32_t bss_object(struct builder *b, struct space *s, const struct mapping *m, struct region *r,
			   uint64_t addr)
{
	const uint32_t path = s->regions[m->region].path;
	const char *name = text_of(b, path), *slash = strrchr(name, '/');
	const bool fresh = r->object == LIVE_NO_OBJECT;
	char text[512];
	uint32_t object;

	if (!names_loads(b->m->names, name, m->offset + (m->end - 1 - m->start), addr - (m->end - 1)))
		return NONE;
	object = object_of_region(b, s, r, MEMPROF_STATIC);
	if (fresh && !b->failed) {
		snprintf(text, sizeof(text), "[%.400s .bss]", slash ? slash + 1 : name);
		b->m->objects[object].path = (const char *)(uintptr_t)path;
		b->m->objects[object].symbol = (const char *)(uintptr_t)string_number(&b->m->strings, text);
	}
	return object;
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
		return unfollowed_object(b, s, r, addr, REASON_FREED);
	case REGION_NAMED:
		return object_of_region(b, s, r, MEMPROF_STATIC);
	default:
		break;
	}
	if (r->by_event)
		return object_of_region(b, s, r, MEMPROF_DYNAMIC);
	/* Behind a file's writable data: its .bss. */
	before = m > s->mappings ? m - 1 : NULL;
	if (before && before->end == m->start && s->regions[before->region].kind == REGION_FILE) {
		object = static_object(b, s, before, addr, s->regions[before->region].path);
		if (object == NONE)
			object = bss_object(b, s, before, r, addr);
		if (object != NONE)
			return object;
	}
	return unfollowed_object(b, s, r, addr, REASON_LIBRARY);
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

			if (object != b->counted_object)
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

/* The object of an address, and where it begins. */
static uint32_t find_object(struct builder *b, struct space *s, uint32_t thread, uint64_t addr,
			    uint64_t *begin)
{
	uint32_t i, object;
	struct live *l;

	*begin = 0;
	if (addr >> 47)
		return kernel_object(b);
	object = b->nr_pending ? object_of_pending(b, s, thread, addr) : NONE;
	if (object == NONE) {
		i = live_find(&s->live, addr);
		l = &b->pool.all[i];
		if (likely(i)) {
			if (l->born < s->lost_ns && !l->permanent)
				return unknown_object(b, s, REASON_LOST);
			if (l->thread != (thread & LIVE_NO_THREAD) && b->now - l->born < RACE_NS &&
			    !l->permanent)
				return unknown_object(b, s, REASON_RACE);
			object = object_of_live(b, s, l);
			*begin = object == b->counted_object ? 0 : l->addr;
			return object;
		}
		object = object_of_mapping(b, s, addr);
	}
	if (object != NONE && !b->failed)
		*begin = b->m->objects[object].address;
	return object;
}

static void keep_physical(struct builder *b, size_t number, const struct sample_record *r, uint64_t addr)
{
	struct memprof *m = b->m;

	m->physical = big_grow(&m->bigs, m->physical, &m->capacity_physical, number + 1, sizeof(*m->physical),
			       &b->failed);
	if (!b->failed)
		m->physical[number] = (r->pfn == PFN_UNKNOWN ? 0 : (uint64_t)r->pfn << 12 | (addr & 0xfff)) |
				      (r->tlb_miss ? TLB_MISSED : 0);
}

/* Files' names have numbers until there are no more of them. */
static void hand_out(struct builder *b)
{
	struct memprof_access a;

	memprof_access(b->m, 0, &a);
	b->m->options.each(&a, b->m->options.arg);
}

/** take_sample() - a sample of a CPU, at b->now */
void take_sample(struct builder *b, const struct sample_record *r, unsigned int cpu)
{
	const uint64_t addr = (int64_t)((uint64_t)r->addr << 16) >> 16, time = since_start(b, b->now);
	struct memprof *m = b->m;
	struct kept_access *k;
	struct slot *slot;
	struct space *s;
	uint32_t object, chain;
	uint64_t begin, offset;

	m->totals.recorded++;
	if (unlikely(r->thread >= b->nr_numbers || !b->slot_of_number[r->thread])) {
		m->totals.samples += in_part(b, 0);
		return;
	}
	slot = b->slot_of_number[r->thread];
	s = space_of(b, slot);
	if (unlikely(!s))
		return;
	/* Objects have the same numbers, whatever part is asked for. */
	b->counts = in_part(b, s->pid) && of_thread(&m->options, slot->key);
	m->totals.samples += b->counts;
	chain = r->chain < b->nr_sample_chains ? b->sample_chains[r->chain] : 0;
	if (s->own_end && chain && m->chains.all[chain].depth) {
		uint64_t ip = m->chains.frames[m->chains.all[chain].at];

		if (ip >= s->own_start && ip < s->own_end) {
			m->totals.own += b->counts;
			return;
		}
	}
	object = find_object(b, s, slot->thread, addr, &begin);
	if (unlikely(b->failed))
		return;
	if (object == NONE) {
		m->totals.own += b->counts;
		return;
	}
	if (!b->counts)
		return;
	if (chain && !m->chains.all[chain].space_pid) {
		m->chains.all[chain].space_pid = s->pid;
		m->chains.all[chain].first_ns = b->now;
	}
	if (!m->options.each) {
		m->accesses = big_grow(&m->bigs, m->accesses, &m->capacity_accesses, m->nr_accesses + 1, sizeof(*k),
				   &b->failed);
		if (b->failed)
			return;
	}
	/* Accesses of objects are counted at the end, unless they are not kept. */
	if (unlikely(m->options.each))
		m->objects[object].accesses++;
	m->threads[slot->thread].accesses++;
	offset = addr - begin;
	k = &m->accesses[m->options.each ? 0 : m->nr_accesses];
	*k = (struct kept_access){
		.time = time, .thread = slot->thread, .object = object, .chain = chain,
		.offset = offset, .offset_high = offset >> 32, .cpu = cpu, .latency = r->latency,
		.home = r->node, .level = r->level, .op = r->op, .hitm = r->hitm, .kernel = r->kernel,
	};
	m->totals.accesses++;
	if (unlikely(m->options.each || m->options.physical))
		keep_physical(b, k - m->accesses, r, addr);
	if (m->options.each && !b->failed)
		hand_out(b);
	else
		m->nr_accesses += !b->failed;
}
