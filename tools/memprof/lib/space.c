// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/*
 * Address spaces: what is mapped where.  Mappings are few and change seldom: a sorted
 * array.
 */
#include <stdlib.h>
#include <string.h>

#include "space.h"

/** space_new() - an empty address space, or NULL without memory */
struct space *space_new(uint32_t pid, struct live_pool *pool)
{
	struct space *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->pid = pid;
	live_map_init(&s->live, pool);
	memset(s->unknown, 0xff, sizeof(s->unknown));
	s->stack = LIVE_NO_OBJECT;
	return s;
}

/** space_clear() - exec: all of it is gone */
void space_clear(struct space *s, live_gone gone, void *arg)
{
	live_map_free(&s->live, gone, arg);
	s->nr_mappings = 0;
	s->last = 0;
	s->nr_regions = 0;
	s->lost_ns = s->own_start = s->own_end = 0;
	s->has_events = s->executed = s->has_loader = s->privileged = false;
	s->why = s->go = 0;
	s->stack = LIVE_NO_OBJECT;
	memset(s->unknown, 0xff, sizeof(s->unknown));
}

/** space_free() - forget it */
void space_free(struct space *s, live_gone gone, void *arg)
{
	space_clear(s, gone, arg);
	free(s->mappings);
	free(s->regions);
	free(s);
}

static void *copy(const void *from, size_t n, size_t bytes)
{
	void *to = malloc((n ? n : 1) * bytes);

	if (to)
		memcpy(to, from ? from : "", n * bytes);
	return to;
}

/** space_copy() - fork: the child's, or NULL without memory */
struct space *space_copy(uint32_t pid, const struct space *from)
{
	struct space *s = space_new(pid, from->live.pool);
	uint32_t i;

	if (!s)
		return NULL;
	s->mappings = copy(from->mappings, from->nr_mappings, sizeof(*s->mappings));
	s->regions = copy(from->regions, from->nr_regions, sizeof(*s->regions));
	if (!s->mappings || !s->regions || live_map_copy(&s->live, &from->live)) {
		space_free(s, NULL, NULL);
		return NULL;
	}
	s->nr_mappings = s->capacity_mappings = from->nr_mappings;
	s->nr_regions = s->capacity_regions = from->nr_regions;
	for (i = 0; i < s->nr_regions; i++) {
		s->regions[i].object = LIVE_NO_OBJECT;
		s->regions[i].inherited = true;
	}
	s->lost_ns = from->lost_ns;
	s->own_start = from->own_start;
	s->own_end = from->own_end;
	s->has_events = from->has_events;
	s->executed = from->executed;
	s->has_loader = from->has_loader;
	s->privileged = from->privileged;
	s->program = from->program;
	return s;
}

/* The first mapping that ends behind an address. */
static uint32_t first_after(const struct space *s, uint64_t addr)
{
	uint32_t low = 0, high = s->nr_mappings;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (s->mappings[mid].end <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static int reserve(void **array, uint32_t *capacity, uint32_t need, size_t bytes)
{
	void *p;

	if (need <= *capacity)
		return 0;
	p = realloc(*array, 2 * (size_t)need * bytes);
	if (!p)
		return -1;
	*array = p;
	*capacity = 2 * need;
	return 0;
}

/** space_unmap() - nothing is in a range any more */
void space_unmap(struct space *s, uint64_t start, uint64_t end)
{
	uint32_t i = first_after(s, start), from;
	struct mapping *m;

	s->last = 0;
	if (i == s->nr_mappings || s->mappings[i].start >= end)
		return;
	m = &s->mappings[i];
	if (m->start < start && m->end > end) {
		/* A hole: the rest behind it is one more. */
		if (reserve((void **)&s->mappings, &s->capacity_mappings, s->nr_mappings + 1,
			      sizeof(*m)))
			return;
		m = &s->mappings[i];
		memmove(m + 1, m, (s->nr_mappings - i) * sizeof(*m));
		s->nr_mappings++;
		m[1].offset += end - m[1].start;
		m[1].start = end;
		m->end = start;
		return;
	}
	if (m->start < start) {
		m->end = start;
		i++;
	}
	for (from = i; i < s->nr_mappings && s->mappings[i].end <= end; i++)
		;
	if (i < s->nr_mappings && s->mappings[i].start < end) {
		s->mappings[i].offset += end - s->mappings[i].start;
		s->mappings[i].start = end;
	}
	memmove(&s->mappings[from], &s->mappings[i], (s->nr_mappings - i) * sizeof(*m));
	s->nr_mappings -= i - from;
}

/**
 * space_map() - something is in a range
 * @s: the address space
 * @start: first address
 * @end: behind the last
 * @offset: in the file
 * @r: what it is, copied
 *
 * Return: the region's number, UINT32_MAX without memory.
 */
uint32_t space_map(struct space *s, uint64_t start, uint64_t end, uint64_t offset,
		   const struct region *r)
{
	uint32_t i;

	if (start >= end)
		return UINT32_MAX;
	space_unmap(s, start, end);
	if (reserve((void **)&s->mappings, &s->capacity_mappings, s->nr_mappings + 1,
		      sizeof(*s->mappings)) ||
	    reserve((void **)&s->regions, &s->capacity_regions, s->nr_regions + 1, sizeof(*s->regions)))
		return UINT32_MAX;
	i = first_after(s, start);
	memmove(&s->mappings[i + 1], &s->mappings[i], (s->nr_mappings - i) * sizeof(*s->mappings));
	s->mappings[i] = (struct mapping){ start, end, offset, s->nr_regions };
	s->nr_mappings++;
	s->regions[s->nr_regions] = *r;
	return s->nr_regions++;
}

/** space_find() - the mapping that an address is in, or NULL */
const struct mapping *space_find(struct space *s, uint64_t addr)
{
	uint32_t i = s->last;

	/* Neighbors in time are neighbors in memory. */
	if (i < s->nr_mappings && s->mappings[i].start <= addr && addr < s->mappings[i].end)
		return &s->mappings[i];
	i = first_after(s, addr);
	if (i == s->nr_mappings || s->mappings[i].start > addr)
		return NULL;
	s->last = i;
	return &s->mappings[i];
}
