// SPDX-License-Identifier: GPL-2.0
/* What a recording says: intervals, and groups of physical memory. */
#include <stdlib.h>
#include <string.h>

#include "model.h"

const char * const class_names[NR_CLASSES] = { "kernel", "user", "page_cache" };

/**
 * model_init() - an empty model
 * @m: the model; free it with model_free()
 */
void model_init(struct model *m)
{
	memset(m, 0, sizeof(*m));
	strcpy(m->host, "unknown host");
}

/**
 * model_free() - free what a model holds
 * @m: the model
 */
void model_free(struct model *m)
{
	struct group *g, *next;

	HASH_ITER(hh, m->groups, g, next) {
		HASH_DEL(m->groups, g);
		free(g);
	}
	free(m->intervals);
}

static struct group *find_group(struct model *m, uint64_t phys_addr)
{
	struct group *g;

	HASH_FIND(hh, m->groups, &phys_addr, sizeof(phys_addr), g);
	if (g)
		return g;
	g = calloc(1, sizeof(*g));
	if (!g)
		return NULL;
	g->phys_addr = phys_addr;
	HASH_ADD(hh, m->groups, phys_addr, sizeof(phys_addr), g);
	return g;
}

/* An interval begins: those between it and the last one are not there. */
static void note_seq(struct model *m, uint32_t seq)
{
	/* A sampler that was stopped and started counts from 1 again. */
	if (m->last_seq && seq > m->last_seq)
		m->missing += seq - m->last_seq - 1;
	m->last_seq = seq;
}

/* Rows came without the memref_scan that closes their interval. */
static void drop_open(struct model *m)
{
	if (m->is_open) {
		note_seq(m, m->open.scan.seq);
		m->missing++;
	}
	m->is_open = 0;
	memset(&m->open, 0, sizeof(m->open));
}

/*
 * The interval that a row belongs to.  The clocks of two CPUs may differ by so
 * much that a row comes after the memref_scan of its interval.
 */
static struct interval *interval_of(struct model *m, uint32_t seq)
{
	if (m->nr_intervals && m->last_seq == seq && !m->is_open)
		return &m->intervals[m->nr_intervals - 1];
	if (m->is_open && m->open.scan.seq != seq)
		drop_open(m);
	m->open.scan.seq = seq;
	m->is_open = 1;
	return &m->open;
}

/**
 * model_add_group() - take a memref_log_data event
 * @m: the model
 * @row: the event
 *
 * Return: 0, or -1 without memory.
 */
int model_add_group(struct model *m, const struct group_row *row)
{
	struct interval *i = interval_of(m, row->seq);
	struct group *g = find_group(m, row->phys_addr);
	int c, any = 0;

	if (!g)
		return -1;
	for (c = 0; c < NR_CLASSES; c++) {
		if (!row->pages[c])
			continue;
		any = 1;
		i->class_groups[c]++;
		g->class_intervals[c]++;
		g->pages[c] += row->pages[c];
	}
	/* The format allows rows of groups that were not referenced. */
	if (!any)
		return 0;
	i->groups++;
	g->intervals++;
	if (row->written) {
		i->written_groups++;
		g->written_intervals++;
	}
	return 0;
}

/**
 * model_add_scan() - take a memref_scan event, which ends an interval
 * @m: the model
 * @row: the event
 *
 * Return: 0, or -1 without memory.
 */
int model_add_scan(struct model *m, const struct scan_row *row)
{
	if (m->is_open && m->open.scan.seq != row->seq)
		drop_open(m);
	if (m->nr_intervals == m->room) {
		size_t room = m->room ? m->room * 2 : 256;
		struct interval *i = realloc(m->intervals, room * sizeof(*i));

		if (!i)
			return -1;
		m->intervals = i;
		m->room = room;
	}
	note_seq(m, row->seq);
	m->open.scan = *row;
	m->intervals[m->nr_intervals++] = m->open;
	m->is_open = 0;
	memset(&m->open, 0, sizeof(m->open));
	return 0;
}

/**
 * model_end() - there are no more events
 * @m: the model
 */
void model_end(struct model *m)
{
	size_t i;

	drop_open(m);
	for (i = 0; i < m->nr_intervals; i++)
		m->incomplete += m->intervals[i].groups != m->intervals[i].scan.groups;
}

/**
 * interval_pages() - pages referenced in an interval
 * @i: the interval
 *
 * Return: the sum of the classes; a page of two classes counts twice, as in
 * the paper (section 3.6).
 */
uint64_t interval_pages(const struct interval *i)
{
	return i->scan.pages[KERNEL] + i->scan.pages[USER] + i->scan.pages[PAGE_CACHE];
}

/**
 * interval_seconds() - how long an interval really was
 * @i: the interval
 *
 * Return: from the end of the harvest before it to the beginning of its own.
 */
double interval_seconds(const struct interval *i)
{
	return (i->scan.scan_ns - i->scan.begin_ns) * 1e-9;
}

/**
 * interval_time() - when an interval ended
 * @m: the model
 * @i: number of the interval in it
 *
 * Return: seconds since the first interval began.
 */
double interval_time(const struct model *m, size_t i)
{
	return (m->intervals[i].scan.scan_ns - m->intervals[0].scan.begin_ns) * 1e-9;
}
