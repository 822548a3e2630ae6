// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* What processes referenced of each of their mappings: heap, stacks, files, named memory. */
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "mappings.h"

/* The part of @worker, or NULL if it has none. */
static struct mapping_part *part_of(struct mappings *m, uint32_t worker)
{
	if (!m->part || m->part->worker != worker)
		HASH_FIND(hh, m->parts, &worker, sizeof(worker), m->part);
	return m->part;
}

/**
 * mappings_begin_part() - add a memref_vma event
 * @m: the mappings
 * @interval: index of its interval
 * @row: the event; the following memref_virt events of its worker that are within it belong to it
 *
 * Return: 0, or -1 without memory.
 */
int mappings_begin_part(struct mappings *m, uint32_t interval, const struct vma_row *row)
{
	struct mapping_part *p = part_of(m, row->worker);

	m->named = true;
	/* Those that have begun a part of late are last. */
	if (!p && HASH_COUNT(m->parts) >= MAX_WORKERS)
		p = m->parts;
	if (p)
		HASH_DEL(m->parts, p);
	else
		p = calloc(1, sizeof(*p));
	if (!p)
		return -1;
	p->worker = row->worker;
	HASH_ADD(hh, m->parts, worker, sizeof(p->worker), p);
	p->row = *row;
	p->interval = interval;
	p->of = NULL;
	m->part = p;
	return 0;
}

/* The part that an event belongs to, or NULL if its memref_vma event is missing. */
static struct mapping_part *part_with(struct mappings *m, uint32_t interval, const struct virt_row *row)
{
	struct mapping_part *p = part_of(m, row->worker);

	return p && interval == p->interval && row->pid == p->row.pid && row->addr >= p->row.start &&
	       row->addr < p->row.end ? p : NULL;
}

/**
 * mappings_name() - the name of the mapping that a memref_virt event belongs to
 * @m: the mappings
 * @interval: index of its interval
 * @row: the event
 *
 * Return: the name, or "" if its memref_vma event is missing.
 */
const char *mappings_name(struct mappings *m, uint32_t interval, const struct virt_row *row)
{
	const struct mapping_part *part = part_with(m, interval, row);

	return part ? part->row.name : "";
}

static struct mapping *look_up(const struct mappings *m, uint32_t pid, const char *name)
{
	struct mapping_key key = { .pid = pid };
	struct mapping *p;

	/* The key is hashed with all of its bytes. */
	memcpy(key.name, name, strnlen(name, sizeof(key.name) - 1));
	HASH_FIND(hh, m->all, &key, sizeof(key), p);
	return p;
}

static struct mapping_process *find_process(struct mappings *m, uint32_t pid)
{
	struct mapping_process *p;

	HASH_FIND(hh, m->processes, &pid, sizeof(pid), p);
	if (p)
		return p;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->pid = pid;
	HASH_ADD(hh, m->processes, pid, sizeof(pid), p);
	return p;
}

static struct mapping_name *find_name(struct mappings *m, const char *name)
{
	struct mapping_name *n;

	HASH_FIND_STR(m->names, name, n);
	if (n)
		return n;
	n = calloc(1, sizeof(*n));
	if (!n)
		return NULL;
	memcpy(n->name, name, strnlen(name, sizeof(n->name) - 1));
	HASH_ADD_STR(m->names, name, n);
	return n;
}

/* The mapping, or NULL without memory. */
static struct mapping *find(struct mappings *m, uint32_t pid, const char *name)
{
	struct mapping *p = look_up(m, pid, name);

	if (!p && m->nr >= MAX_MAPPINGS) {
		pid = 0;
		name = OTHER_MAPPINGS;
		p = look_up(m, pid, name);
	}
	if (p)
		return p;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->key.pid = pid;
	memcpy(p->key.name, name, strnlen(name, sizeof(p->key.name) - 1));
	p->process = find_process(m, pid);
	p->name = find_name(m, name);
	if (!p->process || !p->name) {
		free(p);
		return NULL;
	}
	p->index = m->nr++;
	HASH_ADD(hh, m->all, key, sizeof(p->key), p);
	return p;
}

/* The sum of the interval, or NULL without memory. */
static struct mapping_sum *sum_of(struct mappings *m, uint32_t interval, struct mapping *p)
{
	struct mapping_sum *sums;

	if (p->now && m->sums[p->now - 1].interval == interval)
		return &m->sums[p->now - 1];
	sums = array_grow(m->sums, m->nr_sums, &m->capacity, sizeof(*sums));
	if (!sums)
		return NULL;
	m->sums = sums;
	m->sums[m->nr_sums++] = (struct mapping_sum){ .interval = interval, .name = p->name };
	p->now = m->nr_sums;
	p->intervals++;
	return &m->sums[m->nr_sums - 1];
}

static void count_process(struct mapping_process *p, uint32_t interval, uint32_t pages)
{
	if (p->interval != interval)
		p->now = 0;
	p->interval = interval;
	p->now += pages;
	if (p->now > p->peak)
		p->peak = p->now;
}

/* A huge page may take the place of a block that lies wholly in a mapping. */
static void count_block(struct mapping *p, const struct vma_row *part, const struct virt_row *row)
{
	const uint64_t first = part->start / THP_SIZE + !!(part->start % THP_SIZE);
	const uint64_t end = part->end / THP_SIZE, block = row->addr / THP_SIZE;
	/* A larger page of hugetlb is many. */
	const uint64_t blocks = row->pages / THP_PAGES + !!(row->pages % THP_PAGES);

	p->has_block |= first < end;
	if (block < first || block >= end)
		return;
	p->whole.blocks += blocks;
	p->whole.pages += row->pages;
	if (row->pages > THP_PAGES / 2) {
		p->dense.blocks += blocks;
		p->dense.pages += row->pages;
	}
}

/**
 * mappings_add() - add a memref_virt event
 * @m: the mappings
 * @interval: index of its interval, not less than those before
 * @row: the event
 *
 * Return: 0, or -1 without memory.
 */
int mappings_add(struct mappings *m, uint32_t interval, const struct virt_row *row)
{
	struct mapping_part *part = part_with(m, interval, row);
	struct mapping *p = part ? part->of : NULL;
	struct mapping_sum *s;

	if (!m->collect || !row->pages)
		return 0;
	if (!p)
		p = find(m, row->pid, part ? part->row.name : "");
	s = p ? sum_of(m, interval, p) : NULL;
	if (!s)
		return -1;
	s->pages += row->pages;
	s->written += row->written;
	p->pages += row->pages;
	p->written += row->written;
	p->name->pages += row->pages;
	if (s->pages > p->pages_max)
		p->pages_max = s->pages;
	count_process(p->process, interval, row->pages);
	if (part) {
		part->of = p;
		count_block(p, &part->row, row);
	}
	return 0;
}

static int by_pages(const struct mapping_name *a, const struct mapping_name *b)
{
	if (a->pages != b->pages)
		return a->pages > b->pages ? -1 : 1;
	return strcmp(a->name, b->name);
}

/**
 * mappings_rank() - sort the names, those with the most pages first, and set their rank
 * @m: the mappings
 */
void mappings_rank(struct mappings *m)
{
	struct mapping_name *n;
	uint32_t rank = 0;

	HASH_SORT(m->names, by_pages);
	for (n = m->names; n; n = n->hh.next)
		n->rank = rank++;
}

/**
 * mappings_free() - free what the mappings hold
 * @m: the mappings
 */
void mappings_free(struct mappings *m)
{
	struct mapping_process *process, *next_process;
	struct mapping_name *name, *next_name;
	struct mapping_part *part, *next_part;
	struct mapping *p, *next;

	HASH_ITER(hh, m->parts, part, next_part) {
		HASH_DEL(m->parts, part);
		free(part);
	}
	HASH_ITER(hh, m->all, p, next) {
		HASH_DEL(m->all, p);
		free(p);
	}
	HASH_ITER(hh, m->processes, process, next_process) {
		HASH_DEL(m->processes, process);
		free(process);
	}
	HASH_ITER(hh, m->names, name, next_name) {
		HASH_DEL(m->names, name);
		free(name);
	}
	free(m->sums);
}
