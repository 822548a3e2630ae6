// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * What perf.data files say of the events and the machine: in front of the records and
 * behind them, or as records in files from pipes.  Of the features, those are read that
 * say where samples are from; one that is damaged is as if it were not there.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf_parts.h"

#define MAGIC		0x32454c4946524550ULL	/* "PERFILE2" */
#define SWAPPED_MAGIC	0x50455246494c4532ULL
#define MAX_FEATURE	(16U << 20)
/* Of memory, with one node each: blocks of nodes that take turns at every 128 MiB of 8 TiB. */
#define MAX_SPANS	(1U << 16)
#define MIN_ATTR	64			/* PERF_ATTR_SIZE_VER0 */
#define MAX_ATTR	4096

enum feature {
	FEATURE_HOSTNAME = 3, FEATURE_OSRELEASE = 4, FEATURE_ARCH = 6, FEATURE_NRCPUS = 7,
	FEATURE_CPUDESC = 8, FEATURE_EVENT_DESC = 12, FEATURE_NUMA_TOPOLOGY = 14,
	FEATURE_PMU_MAPPINGS = 16, FEATURE_MEM_TOPOLOGY = 22, FEATURES = 256,
};

struct section {
	uint64_t at, bytes;
};

struct file_header {
	uint64_t magic, size, attr_size;
	struct section attrs, data, event_types;
	uint64_t features[FEATURES / 64];
};

/* What is left of a feature. */
struct cursor {
	const char *at;
	size_t left;
};

static const void *take(struct cursor *c, size_t bytes)
{
	const char *p = c->at;

	if (bytes > c->left)
		return NULL;
	c->at += bytes;
	c->left -= bytes;
	return p;
}

static bool take_number(struct cursor *c, void *value, size_t bytes)
{
	const void *p = take(c, bytes);

	if (p)
		memcpy(value, p, bytes);
	return p;
}

/* A size of 32 bits, and so many bytes, of which the last ones are 0.  NULL: damage */
static const char *take_string(struct cursor *c)
{
	uint32_t bytes;
	const char *text;

	if (!take_number(c, &bytes, sizeof(bytes)))
		return NULL;
	text = take(c, bytes);
	return text && memchr(text, '\0', bytes) ? text : NULL;
}

static void copy_string(struct cursor *c, char *to, size_t size)
{
	const char *text = take_string(c);

	if (text)
		snprintf(to, size, "%s", text);
}

static void read_names(struct perf_data *d, struct cursor *c)
{
	uint32_t nr, attr, ids, i;
	struct perf_event *e;
	const char *name;
	uint64_t id;

	if (!take_number(c, &nr, 4) || !take_number(c, &attr, 4))
		return;
	for (i = 0; i < nr; i++) {
		if (!take(c, attr) || !take_number(c, &ids, 4))
			return;
		name = take_string(c);
		if (!name || ids > c->left / sizeof(id))
			return;
		e = i < d->nr_events ? &d->events[i] : NULL;
		if (ids && take_number(c, &id, sizeof(id)))
			e = perf_events_by_id(d, id);
		take(c, ids ? (ids - 1) * sizeof(id) : 0);
		if (e)
			snprintf(e->name, sizeof(e->name), "%s", name);
	}
	/* Of a file from a pipe, they may come later. */
	d->checked = false;
}

static void read_pmus(struct perf_data *d, struct cursor *c)
{
	uint32_t nr, type, i;
	const char *name;
	size_t k;

	if (!take_number(c, &nr, 4))
		return;
	for (i = 0; i < nr; i++) {
		if (!take_number(c, &type, 4))
			return;
		name = take_string(c);
		for (k = 0; name && k < d->nr_events; k++)
			if (d->events[k].attr.type == type)
				snprintf(d->events[k].pmu, sizeof(d->events[k].pmu), "%s", name);
		if (!name)
			return;
	}
}

/* The CPUs of a list such as "0-3,8" are of a node. */
static void set_cpus(struct perf_machine *m, const char *list, int node)
{
	unsigned long a, b;
	char *end;

	while (*list >= '0' && *list <= '9') {
		a = b = strtoul(list, &end, 10);
		if (*end == '-')
			b = strtoul(end + 1, &end, 10);
		for (; a <= b && a < PERF_MAX_CPUS; a++) {
			m->cpu_node[a] = node;
			if (a >= m->nr_cpus)
				m->nr_cpus = a + 1;
		}
		list = *end == ',' ? end + 1 : end;
	}
}

static void read_nodes(struct perf_machine *m, struct cursor *c)
{
	uint32_t nr, node, i;
	const char *cpus;

	if (!take_number(c, &nr, 4))
		return;
	for (i = 0; i < nr; i++) {
		/* Total and free memory are between the two. */
		if (!take_number(c, &node, 4) || !take(c, 16) || node >= PERF_MAX_NODES)
			return;
		cpus = take_string(c);
		if (!cpus)
			return;
		if (node >= m->nr_nodes)
			m->nr_nodes = node + 1;
		set_cpus(m, cpus, node);
	}
}

/* Return: 0, or -1: no memory is left, or they are more than a machine has. */
static int add_memory(struct perf_machine *m, uint64_t first, uint64_t end, int node)
{
	struct perf_memory *all;

	if (m->nr_memory && m->memory[m->nr_memory - 1].node == node &&
	    m->memory[m->nr_memory - 1].end == first) {
		m->memory[m->nr_memory - 1].end = end;
		return 0;
	}
	if (m->nr_memory == MAX_SPANS)
		return -1;
	/* The capacity is the next power of two. */
	if (!(m->nr_memory & (m->nr_memory - 1))) {
		all = realloc(m->memory, (m->nr_memory ? 2 * m->nr_memory : 1) * sizeof(*all));
		if (!all)
			return -1;
		m->memory = all;
	}
	m->memory[m->nr_memory++] = (struct perf_memory){ first, end, node };
	return 0;
}

static int by_first(const void *a, const void *b)
{
	const struct perf_memory *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

/* Which memory blocks each node has: version, bytes of a block, nodes, a bitmap for each. */
static void read_memory(struct perf_machine *m, struct cursor *c)
{
	uint64_t head[3], node[3], i, k, word = 0;

	if (!take_number(c, head, sizeof(head)) || head[0] != 1 || !head[1])
		return;
	for (i = 0; i < head[2]; i++) {
		if (!take_number(c, node, sizeof(node)) || node[0] >= PERF_MAX_NODES ||
		    node[2] / 8 > c->left)
			break;
		for (k = 0; k < node[2]; k++) {
			if (k % 64 == 0 && !take_number(c, &word, sizeof(word)))
				break;
			if (word >> k % 64 & 1 && k < UINT64_MAX / head[1] &&
			    add_memory(m, k * head[1], (k + 1) * head[1], node[0])) {
				m->nr_memory = 0;
				return;
			}
		}
		if (node[0] >= m->nr_nodes)
			m->nr_nodes = node[0] + 1;
	}
	if (m->nr_memory)
		qsort(m->memory, m->nr_memory, sizeof(*m->memory), by_first);
}

static void read_feature(struct perf_data *d, unsigned int feature, struct cursor c)
{
	struct perf_machine *m = &d->machine;
	uint32_t cpus;

	switch (feature) {
	case FEATURE_HOSTNAME: copy_string(&c, m->host, sizeof(m->host)); break;
	case FEATURE_OSRELEASE: copy_string(&c, m->release, sizeof(m->release)); break;
	case FEATURE_ARCH: copy_string(&c, m->arch, sizeof(m->arch)); break;
	case FEATURE_CPUDESC: copy_string(&c, m->cpu, sizeof(m->cpu)); break;
	case FEATURE_EVENT_DESC: read_names(d, &c); break;
	case FEATURE_PMU_MAPPINGS: read_pmus(d, &c); break;
	case FEATURE_NUMA_TOPOLOGY: read_nodes(m, &c); break;
	case FEATURE_MEM_TOPOLOGY:
		m->nr_memory = 0;
		free(m->memory);
		m->memory = NULL;
		read_memory(m, &c);
		break;
	case FEATURE_NRCPUS:
		if (take_number(&c, &cpus, 4) && cpus <= PERF_MAX_CPUS && cpus > m->nr_cpus)
			m->nr_cpus = cpus;
		break;
	}
}

static bool is_read(unsigned int feature)
{
	switch (feature) {
	case FEATURE_HOSTNAME: case FEATURE_OSRELEASE: case FEATURE_ARCH: case FEATURE_CPUDESC:
	case FEATURE_EVENT_DESC: case FEATURE_PMU_MAPPINGS: case FEATURE_NUMA_TOPOLOGY:
	case FEATURE_MEM_TOPOLOGY: case FEATURE_NRCPUS:
		return true;
	}
	return false;
}

/* Behind the data: where each feature is, of those there are. */
static int read_features(struct perf_data *d, const struct file_header *h)
{
	uint64_t at = h->data.at + h->data.bytes;
	struct section s;
	unsigned int i;
	char *bytes;

	for (i = 0; i < FEATURES; i++) {
		if (!(h->features[i / 64] >> i % 64 & 1))
			continue;
		if (perf_stream_read(d, at, &s, sizeof(s)))
			return -1;
		at += sizeof(s);
		if (!is_read(i) || s.bytes > MAX_FEATURE)
			continue;
		if (s.at > d->file_size || s.bytes > d->file_size - s.at)
			return perf_fail(d, at - sizeof(s), "truncated feature %u", i);
		bytes = malloc(s.bytes + 1);
		if (!bytes)
			return perf_fail(d, at, "no memory left");
		if (!perf_stream_read(d, s.at, bytes, s.bytes))
			read_feature(d, i, (struct cursor){ bytes, s.bytes });
		free(bytes);
	}
	return *d->error ? -1 : 0;
}

static bool is_inside(const struct perf_data *d, const struct section *s)
{
	return s->at <= d->file_size && s->bytes <= d->file_size - s->at;
}

/* An attr, and where its ids are. */
static int read_attr(struct perf_data *d, uint64_t at, size_t size)
{
	char bytes[MAX_ATTR];
	struct section ids;
	uint64_t *all;
	int ret;

	if (perf_stream_read(d, at, bytes, size))
		return -1;
	memcpy(&ids, bytes + size - sizeof(ids), sizeof(ids));
	if (!is_inside(d, &ids) || ids.bytes % sizeof(*all))
		return perf_fail(d, at, "damaged event");
	all = malloc(ids.bytes + 1);
	if (!all)
		return perf_fail(d, at, "no memory left");
	ret = perf_stream_read(d, ids.at, all, ids.bytes);
	if (!ret)
		ret = perf_events_add(d, bytes, size - sizeof(ids), all, ids.bytes / sizeof(*all), at);
	free(all);
	return ret;
}

/**
 * perf_header_read() - what is in front of the records, and behind them
 * @d: the file, open; its first record and the end of them are set
 *
 * Return: 0, or -1 with d->error set.
 */
int perf_header_read(struct perf_data *d)
{
	struct file_header h = { 0 };
	uint64_t at;

	if (perf_stream_read(d, 0, &h, 16))
		return -1;
	if (h.magic == SWAPPED_MAGIC)
		return perf_fail(d, 0, "recorded on a machine of the other byte order, which is not read");
	if (h.magic != MAGIC)
		return perf_fail(d, 0, "not a perf.data file");
	if (h.size == 16) {
		d->pipe = true;
		d->at = 16;
		d->data_end = d->file_size;
		return 0;
	}
	if (h.size < sizeof(h) || h.size > MAX_ATTR)
		return perf_fail(d, 8, "damaged header (of %lu bytes)", (unsigned long)h.size);
	if (perf_stream_read(d, 0, &h, sizeof(h)))
		return -1;
	if (h.attr_size < MIN_ATTR + sizeof(struct section) || h.attr_size > MAX_ATTR ||
	    h.attrs.bytes % h.attr_size || !is_inside(d, &h.attrs))
		return perf_fail(d, 16, "damaged header (events of %lu bytes)", (unsigned long)h.attr_size);
	/* It says 0 until perf record ends. */
	if (!h.data.bytes && h.data.at <= d->file_size) {
		d->unended = true;
		h.data.bytes = d->file_size - h.data.at;
	}
	if (!is_inside(d, &h.data))
		return perf_fail(d, 40, "truncated (data up to 0x%lx, of 0x%lx bytes)",
				 (unsigned long)(h.data.at + h.data.bytes), (unsigned long)d->file_size);
	for (at = h.attrs.at; at < h.attrs.at + h.attrs.bytes; at += h.attr_size)
		if (read_attr(d, at, h.attr_size))
			return -1;
	d->at = h.data.at;
	d->data_end = h.data.at + h.data.bytes;
	return d->unended ? 0 : read_features(d, &h);
}

/**
 * perf_header_attr() - an event, as a record
 * @d: the file
 * @raw: PERF_RECORD_HEADER_ATTR: an attr, which has its size, and ids
 *
 * Return: 0, or -1 with d->error set.
 */
int perf_header_attr(struct perf_data *d, const struct perf_raw *raw)
{
	const char *attr = (const char *)(raw->h + 1);
	const size_t bytes = raw->h->size - sizeof(*raw->h);
	uint32_t size = 0;

	if (bytes >= MIN_ATTR)
		memcpy(&size, attr + 4, sizeof(size));
	if (bytes < MIN_ATTR || size < MIN_ATTR || size > bytes || size % 8)
		return perf_fail(d, raw->at, "damaged event");
	return perf_events_add(d, attr, size, (const uint64_t *)(attr + size), (bytes - size) / 8, raw->at);
}

/** perf_header_feature() - a feature, as a record.  Return: 0, or -1 with d->error set */
int perf_header_feature(struct perf_data *d, const struct perf_raw *raw)
{
	const uint64_t *feature = (const uint64_t *)(raw->h + 1);
	const size_t bytes = raw->h->size - sizeof(*raw->h);

	if (bytes < sizeof(*feature))
		return perf_fail(d, raw->at, "damaged feature");
	if (*feature < FEATURES)
		read_feature(d, *feature, (struct cursor){ (const char *)(feature + 1), bytes - sizeof(*feature) });
	return 0;
}
