// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* A recording in memory: intervals, groups of physical memory, processes, nodes. */
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "model.h"

const char * const class_names[NR_CLASSES] = { "kernel", "user", "page_cache" };

/**
 * model_init() - initialize an empty model
 * @m: the model; free it with model_free()
 */
void model_init(struct model *m)
{
	memset(m, 0, sizeof(*m));
	strcpy(m->host, "unknown host");
	heat_init(&m->heat, 0);
	heat_init(&m->virt, 0);
}

/**
 * model_free() - free what a model holds
 * @m: the model
 */
void model_free(struct model *m)
{
	struct group *g, *next;
	struct task *t, *next_task;
	size_t i;

	HASH_ITER(hh, m->groups, g, next) {
		HASH_DEL(m->groups, g);
		free(g);
	}
	HASH_ITER(hh, m->tasks, t, next_task) {
		HASH_DEL(m->tasks, t);
		free(t);
	}
	for (i = 0; i < m->nr_intervals; i++)
		free(m->intervals[i].nodes);
	free(m->intervals);
	free(m->spans);
	free(m->pending);
	heat_free(&m->heat);
	heat_free(&m->virt);
	thp_close(&m->thp);
	mappings_free(&m->mappings);
	ages_free(&m->ages);
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

static struct task *find_task(struct model *m, const struct task_row *row)
{
	struct task_key key = { .pid = row->pid };
	struct task *t;

	memcpy(key.comm, row->comm, sizeof(key.comm));
	HASH_FIND(hh, m->tasks, &key, sizeof(key), t);
	if (t)
		return t;
	t = calloc(1, sizeof(*t));
	if (!t)
		return NULL;
	t->key = key;
	HASH_ADD(hh, m->tasks, key, sizeof(key), t);
	return t;
}

/* Whether @size bytes at @addr overlap the window. */
static int addr_in_window(const struct model *m, uint64_t addr, uint64_t size)
{
	const struct window *w = &m->window;

	return (!w->addr || addr + size > w->addr) && (!w->addr_end || addr < w->addr_end);
}

static int count_group(struct model *m, struct interval *i, const struct group_row *row)
{
	uint64_t size = (uint64_t)i->scan.group_kb << 10;
	struct group *g;
	int c, node;

	/* The event format allows groups without referenced pages: skip them. */
	if (!row->pages[KERNEL] && !row->pages[USER] && !row->pages[PAGE_CACHE])
		return 0;
	if (!addr_in_window(m, row->phys_addr, size))
		return 0;
	g = find_group(m, row->phys_addr);
	if (!g)
		return -1;
	for (c = 0; c < NR_CLASSES; c++) {
		if (!row->pages[c])
			continue;
		i->class_groups[c]++;
		i->pages[c] += row->pages[c];
		g->class_intervals[c]++;
		g->pages[c] += row->pages[c];
	}
	i->groups++;
	g->intervals++;
	if (row->written) {
		i->written_groups++;
		g->written_intervals++;
	}
	node = model_node(m, row->phys_addr);
	if (node >= 0 && i->nodes && (uint32_t)node < i->nr_nodes)
		for (c = 0; c < NR_CLASSES; c++)
			i->nodes[node].pages[c] += row->pages[c];
	if (!m->window.pids.nr && thp_add(&m->thp, row->phys_addr, row->pages[USER]))
		return -1;
	return heat_add(&m->heat, i - m->intervals, row->phys_addr, size, row->pages,
			row->written);
}

static int count_task(struct model *m, const struct task_row *row)
{
	struct task *t = find_task(m, row);

	if (!t)
		return -1;
	t->intervals += !!row->pages;
	t->pages += row->pages;
	t->written += row->written;
	if (row->pages > t->max_pages)
		t->max_pages = row->pages;
	if (row->rss > t->rss_max)
		t->rss_max = row->rss;
	return 0;
}

/* A process that @window does not choose, or the last. */
static uint32_t unchosen(const struct model *m)
{
	uint32_t i;

	for (i = 0; i < m->nr_virt_pids - 1; i++)
		if (!pids_has(&m->window.pids, m->virt_pids[i]))
			break;
	return i;
}

static void note_virt_pid(struct model *m, uint32_t pid)
{
	const uint32_t max = sizeof(m->virt_pids) / sizeof(m->virt_pids[0]);
	uint32_t i;

	for (i = 0; i < m->nr_virt_pids; i++)
		if (m->virt_pids[i] == pid)
			return;
	if (m->nr_virt_pids < max)
		m->virt_pids[m->nr_virt_pids++] = pid;
	else if (pids_has(&m->window.pids, pid))
		m->virt_pids[unchosen(m)] = pid;
}

static int count_virt(struct model *m, const struct interval *i, const struct virt_row *row)
{
	const uint32_t pages[NR_CLASSES] = { [USER] = row->pages };
	const char *mapping = m->window.mapping;

	note_virt_pid(m, row->pid);
	if (!pids_choose(&m->window.pids, row->pid))
		return 0;
	if (!addr_in_window(m, row->addr, VIRT_BLOCK))
		return 0;
	if (mapping && !strstr(mappings_name(&m->mappings, i - m->intervals, row), mapping))
		return 0;
	if (m->window.pids.nr && thp_add(&m->thp, row->addr, row->pages))
		return -1;
	if (mappings_add(&m->mappings, i - m->intervals, row))
		return -1;
	return heat_add(&m->virt, i - m->intervals, row->addr, VIRT_BLOCK, pages, row->written);
}

static int count_vma_age(struct model *m, const struct interval *i, const struct vma_age_row *row)
{
	const struct window *w = &m->window;

	if (!pids_choose(&w->pids, row->pid))
		return 0;
	if (w->mapping && !strstr(row->name, w->mapping))
		return 0;
	return ages_add_vma(&m->ages, i - m->intervals, row);
}

static int count_pending(struct model *m, struct interval *i, const struct pending *p)
{
	switch (p->type) {
	case PENDING_GROUP:
		return count_group(m, i, &p->group);
	case PENDING_TASK:
		return count_task(m, &p->task);
	case PENDING_VIRT:
		return count_virt(m, i, &p->virt);
	case PENDING_VMA:
		return mappings_begin_part(&m->mappings, i - m->intervals, &p->vma);
	case PENDING_AGE:
		return ages_add(&m->ages, i - m->intervals, &p->age);
	case PENDING_VMA_AGE:
		return count_vma_age(m, i, &p->vma_age);
	}
	return 0;
}

/* Count the intervals missing between the last interval and @seq. */
static void note_seq(struct model *m, uint32_t seq)
{
	/* A sampler that is stopped and started restarts at seq 1: not a gap. */
	if (m->last_seq && seq > m->last_seq)
		m->missing += seq - m->last_seq - 1;
	m->last_seq = seq;
}

/* Drop the pending rows: the memref_scan of their interval is missing. */
static void drop_pending(struct model *m)
{
	if (m->nr_pending) {
		note_seq(m, m->pending_seq);
		m->last_kept = 0;
		m->missing++;
	}
	m->nr_pending = 0;
}

/*
 * Keep an event until the memref_scan of its interval.  Clocks differ between CPUs,
 * so an event may follow that memref_scan: it then counts in the last interval.
 */
static int pend(struct model *m, uint32_t seq, const struct pending *p)
{
	struct pending *grown;

	if (m->last_seq == seq && !m->nr_pending) {
		if (!m->last_kept)
			return 0;
		return count_pending(m, &m->intervals[m->nr_intervals - 1], p);
	}
	if (m->nr_pending && m->pending_seq != seq)
		drop_pending(m);
	grown = array_grow(m->pending, m->nr_pending, &m->pending_capacity, sizeof(*grown));
	if (!grown)
		return -1;
	m->pending = grown;
	m->pending[m->nr_pending++] = *p;
	m->pending_seq = seq;
	return 0;
}

/**
 * model_add_group() - add a memref_log_data event, or a group of a batch
 * @m: the model
 * @row: the event
 *
 * Return: 0, or -1 without memory.
 */
int model_add_group(struct model *m, const struct group_row *row)
{
	struct pending p = { .type = PENDING_GROUP, .group = *row };

	return pend(m, row->seq, &p);
}

/**
 * model_add_task() - add a memref_task event
 * @m: the model
 * @row: the event
 *
 * Return: 0, or -1 without memory.
 */
int model_add_task(struct model *m, const struct task_row *row)
{
	struct pending p = { .type = PENDING_TASK, .task = *row };

	return pend(m, row->seq, &p);
}

/**
 * model_add_virt() - add a memref_virt event
 * @m: the model
 * @row: the event
 *
 * Return: 0, or -1 without memory.
 */
int model_add_virt(struct model *m, const struct virt_row *row)
{
	struct pending p = { .type = PENDING_VIRT, .virt = *row };

	return pend(m, row->seq, &p);
}

/**
 * model_add_vma() - add a memref_vma event
 * @m: the model
 * @row: the event
 *
 * Return: 0, or -1 without memory.
 */
int model_add_vma(struct model *m, const struct vma_row *row)
{
	struct pending p = { .type = PENDING_VMA, .vma = *row };

	return pend(m, row->seq, &p);
}

/**
 * model_add_age() - add a memref_age event
 * @m: the model
 * @row: the event; ignored if its class or node cannot be
 *
 * Return: 0, or -1 without memory.
 */
int model_add_age(struct model *m, const struct age_row *row)
{
	struct pending p = { .type = PENDING_AGE, .age = *row };

	if (row->class >= NR_AGE_CLASSES || row->node >= MAX_NODES)
		return 0;
	return pend(m, row->seq, &p);
}

/**
 * model_add_vma_age() - add a memref_vma_age event
 * @m: the model
 * @row: the event
 *
 * Return: 0, or -1 without memory.
 */
int model_add_vma_age(struct model *m, const struct vma_age_row *row)
{
	struct pending p = { .type = PENDING_VMA_AGE, .vma_age = *row };

	m->ages.has_vma = true;
	return pend(m, row->seq, &p);
}

/* Index of the first span that ends above an address. */
static size_t span_above(const struct model *m, uint64_t addr)
{
	size_t low = 0, high = m->nr_spans;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (m->spans[middle].end > addr)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static bool same_span(const struct node_span *a, const struct node_span *b)
{
	return a->start == b->start && a->end == b->end && a->node == b->node;
}

/**
 * model_add_node() - add a memref_node event
 * @m: the model
 * @row: the event; it overrides earlier events where memory overlaps (hotplug)
 *
 * Return: 0, or -1 without memory.
 */
int model_add_node(struct model *m, const struct node_row *row)
{
	const struct node_span span = { row->start, row->end, row->node };
	struct node_span pieces[3], *s;
	size_t first, last, n = 0;

	/* The node of a damaged event may be any number: bound the allocation. */
	if (row->node >= MAX_NODES)
		return 0;
	m->has_node[row->node] = true;
	if (row->node >= m->nr_nodes)
		m->nr_nodes = row->node + 1;
	first = span_above(m, row->start);
	if (row->start >= row->end || (first < m->nr_spans && same_span(&m->spans[first], &span)))
		return 0;
	if (m->nr_spans >= MAX_SPANS)
		return 0;
	s = realloc(m->spans, (m->nr_spans + 2) * sizeof(*s));
	if (!s)
		return -1;
	m->spans = s;
	for (last = first; last < m->nr_spans && s[last].start < row->end; last++)
		;
	/* Keep the parts of spans [first, last) outside the new one. */
	if (first < last && s[first].start < row->start)
		pieces[n++] = (struct node_span){ s[first].start, row->start, s[first].node };
	pieces[n++] = span;
	if (first < last && s[last - 1].end > row->end)
		pieces[n++] = (struct node_span){ row->end, s[last - 1].end, s[last - 1].node };
	memmove(s + first + n, s + last, (m->nr_spans - last) * sizeof(*s));
	memcpy(s + first, pieces, n * sizeof(*s));
	m->nr_spans += first + n - last;
	return 0;
}

/**
 * model_node() - the node of a physical address
 * @m: the model
 * @phys_addr: the address
 *
 * Return: the node, or -1 if no memref_node event covers the address.
 */
int model_node(const struct model *m, uint64_t phys_addr)
{
	const size_t i = span_above(m, phys_addr);

	return i < m->nr_spans && m->spans[i].start <= phys_addr ? (int)m->spans[i].node : -1;
}

/**
 * interval_in_window() - whether an interval is of a part of the recording
 * @m: the model
 * @w: the part
 * @row: the event that completes the interval
 */
bool interval_in_window(const struct model *m, const struct window *w, const struct scan_row *row)
{
	double begin = (row->begin_ns - m->begin_ns) * 1e-9;
	double end = (row->scan_ns - m->begin_ns) * 1e-9;

	return end > w->from && (w->to <= 0 || begin < w->to);
}

/**
 * model_add_scan() - add a memref_scan event, which completes an interval
 * @m: the model
 * @row: the event
 *
 * Return: 0, or -1 without memory.
 */
int model_add_scan(struct model *m, const struct scan_row *row)
{
	struct interval *i;
	size_t p;

	if (m->nr_pending && m->pending_seq != row->seq)
		drop_pending(m);
	if (!m->begin_ns)
		m->begin_ns = row->begin_ns;
	note_seq(m, row->seq);
	m->end_ns = row->scan_ns;
	m->last_kept = interval_in_window(m, &m->window, row);
	if (!m->last_kept) {
		m->outside++;
		m->nr_pending = 0;
		return 0;
	}
	i = array_grow(m->intervals, m->nr_intervals, &m->capacity, sizeof(*i));
	if (!i)
		return -1;
	m->intervals = i;
	/* Blocks collected so far belong to the previous interval, late rows included. */
	thp_close(&m->thp);
	i = &m->intervals[m->nr_intervals++];
	memset(i, 0, sizeof(*i));
	i->scan = *row;
	if (m->nr_nodes) {
		i->nodes = calloc(m->nr_nodes, sizeof(*i->nodes));
		if (!i->nodes)
			return -1;
		i->nr_nodes = m->nr_nodes;
	}
	for (p = 0; p < m->nr_pending; p++)
		if (count_pending(m, i, &m->pending[p]))
			return -1;
	m->nr_pending = 0;
	return 0;
}

/**
 * model_add() - add an event of any type
 * @m: the model
 * @row: the event
 *
 * Return: 0, or -1 if out of memory.
 */
int model_add(struct model *m, const struct row *row)
{
	switch (row->type) {
	case ROW_GROUP: return model_add_group(m, &row->group);
	case ROW_NODE: return model_add_node(m, &row->node);
	case ROW_TASK: return model_add_task(m, &row->task);
	case ROW_VIRT: return model_add_virt(m, &row->virt);
	case ROW_VMA: return model_add_vma(m, &row->vma);
	case ROW_AGE: return model_add_age(m, &row->age);
	case ROW_VMA_AGE: return model_add_vma_age(m, &row->vma_age);
	case ROW_SCAN: return model_add_scan(m, &row->scan);
	}
	return 0;
}

/**
 * model_end() - complete the model after the last event
 * @m: the model
 */
void model_end(struct model *m)
{
	const struct window *w = &m->window;
	size_t i;

	drop_pending(m);
	thp_close(&m->thp);
	/* A window of addresses leaves out groups: the checks below do not hold. */
	if (w->addr || w->addr_end)
		return;
	for (i = 0; i < m->nr_intervals; i++) {
		struct interval *v = &m->intervals[i];

		m->incomplete += v->groups != v->scan.groups;
		/* The sums in memref_scan include groups whose events were lost. */
		memcpy(v->pages, v->scan.pages, sizeof(v->pages));
	}
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
	return i->pages[KERNEL] + i->pages[USER] + i->pages[PAGE_CACHE];
}

/**
 * node_pages_sum() - pages referenced on a node in an interval
 * @n: the node's pages
 *
 * Return: the sum of the classes.
 */
uint64_t node_pages_sum(const struct node_pages *n)
{
	return n->pages[KERNEL] + n->pages[USER] + n->pages[PAGE_CACHE];
}

/**
 * interval_seconds() - measured length of an interval
 * @i: the interval
 *
 * Return: seconds from the end of the previous harvest to the begin of its own.
 */
double interval_seconds(const struct interval *i)
{
	return (i->scan.scan_ns - i->scan.begin_ns) * 1e-9;
}

/**
 * interval_time() - when an interval ended
 * @m: the model
 * @i: index of the interval
 *
 * Return: seconds since the recording began.
 */
double interval_time(const struct model *m, size_t i)
{
	return (m->intervals[i].scan.scan_ns - m->begin_ns) * 1e-9;
}

/**
 * model_seconds() - how long the recording is
 * @m: the model
 *
 * Return: seconds from its begin to the end of its last interval, inside the
 * window or not.
 */
double model_seconds(const struct model *m)
{
	return (m->end_ns - m->begin_ns) * 1e-9;
}

/**
 * model_has_rss() - whether the recording has the RSS
 * @m: the model
 *
 * Return: 1 if so in any interval, else 0.
 */
int model_has_rss(const struct model *m)
{
	size_t i;

	for (i = 0; i < m->nr_intervals; i++)
		if (m->intervals[i].scan.rss)
			return 1;
	return 0;
}

/**
 * model_has_writes() - whether write detection was on
 * @m: the model
 *
 * Return: 1 if so in any interval, else 0.
 */
int model_has_writes(const struct model *m)
{
	size_t i;

	for (i = 0; i < m->nr_intervals; i++)
		if (m->intervals[i].scan.write)
			return 1;
	return 0;
}

/**
 * flush_name() - name of a TLB flush mode
 * @flush: the mode, as in memref_scan
 *
 * Return: the name.
 */
const char *flush_name(uint32_t flush)
{
	static const char * const names[] = { "off", "on", "exact" };

	return flush < 3 ? names[flush] : "unknown";
}
