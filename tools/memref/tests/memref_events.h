/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* memref's events as bytes, and their formats, for tests of the readers. */
#ifndef MEMREF_TESTS_EVENTS_H
#define MEMREF_TESTS_EVENTS_H

#include <stdio.h>

#include "lib/trace/tests/trace_bytes.h"
#include "memref/model/events.h"

enum { ID_GROUP = 101, ID_BATCH, ID_NODE, ID_TASK, ID_VIRT, ID_SCAN, ID_AGE, ID_VMA, ID_VMA_AGE };

struct event_layout {
	const char *name;
	int id;
	struct { const char *name; int size, count; } field[26];
};

/* @count: number of characters; -1: a __data_loc, bytes behind the event by offset and length. */
static const struct event_layout layouts[] = {
	{ "memref_log_data", ID_GROUP, { { "phys_addr", 8, 0 }, { "seq", 4, 0 },
		{ "kernel", 4, 0 }, { "user", 4, 0 }, { "page_cache", 4, 0 }, { "rw", 4, 0 } } },
	{ "memref_batch", ID_BATCH, { { "first", 8, 0 }, { "seq", 4, 0 }, { "group_kb", 4, 0 },
		{ "data", 1, -1 } } },
	{ "memref_node", ID_NODE, { { "start", 8, 0 }, { "end", 8, 0 }, { "seq", 4, 0 },
		{ "node", 4, 0 } } },
	{ "memref_task", ID_TASK, { { "pages", 8, 0 }, { "written", 8, 0 }, { "rss", 8, 0 },
		{ "seq", 4, 0 }, { "pid", 4, 0 }, { "comm", 1, 16 } } },
	{ "memref_virt", ID_VIRT, { { "addr", 8, 0 }, { "seq", 4, 0 }, { "pid", 4, 0 },
		{ "pages", 4, 0 }, { "written", 4, 0 } } },
	{ "memref_vma", ID_VMA, { { "start", 8, 0 }, { "end", 8, 0 }, { "seq", 4, 0 }, { "pid", 4, 0 },
		{ "name", 1, -1 } } },
	{ "memref_age", ID_AGE, { { "cgroup", 8, 0 }, { "seq", 4, 0 }, { "node", 4, 0 },
		{ "class", 4, 0 }, { "pages", 4, AGE_BUCKETS }, { "again", 4, AGE_BUCKETS },
		{ "path", 1, -1 } } },
	{ "memref_vma_age", ID_VMA_AGE, { { "start", 8, 0 }, { "end", 8, 0 }, { "seq", 4, 0 }, { "pid", 4, 0 },
		{ "comm", 1, 16 }, { "anon", 4, AGE_BUCKETS }, { "file", 4, AGE_BUCKETS },
		{ "name", 1, -1 } } },
	{ "memref_scan", ID_SCAN, { { "begin_ns", 8, 0 }, { "scan_ns", 8, 0 }, { "end_ns", 8, 0 },
		{ "kernel", 8, 0 }, { "user", 8, 0 }, { "page_cache", 8, 0 }, { "ptes", 8, 0 },
		{ "young", 8, 0 }, { "tables", 8, 0 }, { "tables_cold", 8, 0 }, { "rss", 8, 0 },
		{ "seq", 4, 0 }, { "groups", 4, 0 }, { "mms", 4, 0 }, { "mms_skipped", 4, 0 },
		{ "interval_ms", 4, 0 }, { "group_kb", 4, 0 }, { "kernel_leaf_kb", 4, 0 },
		{ "pids", 4, 0 }, { "flags", 4, 0 }, { "flush", 4, 0 }, { "write", 4, 0 },
		{ "cpu_max", 4, 0 }, { "parts", 4, 0 }, { "harvest_ns", 8, 0 } } },
};

#define NR_LAYOUTS	(sizeof(layouts) / sizeof(*layouts))

static inline void layout_format(const struct event_layout *l, char *text, size_t size)
{
	int n, i, at = 8;

	n = snprintf(text, size, "name: %s\nID: %d\nformat:\n" FORMAT_COMMON, l->name, l->id);
	for (i = 0; i < 26 && l->field[i].name; i++) {
		int bytes = l->field[i].count < 0 ? 4 : l->field[i].size * (l->field[i].count ? l->field[i].count : 1);
		char what[64];

		if (l->field[i].count < 0)
			snprintf(what, sizeof(what), "__data_loc u8[] %s", l->field[i].name);
		else if (l->field[i].count)
			snprintf(what, sizeof(what), "char %s[%d]", l->field[i].name, l->field[i].count);
		else
			snprintf(what, sizeof(what), "u%d %s", 8 * bytes, l->field[i].name);
		n += snprintf(text + n, size - n, "\tfield:%s;\toffset:%d;\tsize:%d;\tsigned:0;\n", what, at, bytes);
		at += bytes;
	}
	snprintf(text + n, size - n, "\nprint fmt: \"%%s\", \"\"\n");
}

/* Whole events, from their common fields on. */
static inline void put_group(struct bytes *f, uint64_t phys, uint32_t seq, const uint32_t pages[NR_CLASSES], int rw)
{
	put_common(f, ID_GROUP);
	put(f, phys, 8);
	put(f, seq, 4);
	put(f, pages[KERNEL], 4);
	put(f, pages[USER], 4);
	put(f, pages[PAGE_CACHE], 4);
	put(f, rw, 4);
}

static inline void put_batch(struct bytes *f, uint64_t first, uint32_t seq, uint32_t group_kb,
			     const void *data, uint32_t size)
{
	put_common(f, ID_BATCH);
	put(f, first, 8);
	put(f, seq, 4);
	put(f, group_kb, 4);
	put(f, 28 | size << 16, 4);
	put_data(f, data, size);
}

static inline void put_vma(struct bytes *f, uint32_t seq, uint32_t pid, uint64_t start, uint64_t end,
			   const char *name)
{
	const uint32_t length = strlen(name) + 1;

	put_common(f, ID_VMA);
	put(f, start, 8);
	put(f, end, 8);
	put(f, seq, 4);
	put(f, pid, 4);
	put(f, 36 | length << 16, 4);
	put_data(f, name, length);
}

static inline void put_task(struct bytes *f, uint32_t seq, uint32_t pid, uint64_t pages, const char *comm)
{
	char name[16] = "";

	put_common(f, ID_TASK);
	put(f, pages, 8);
	put(f, pages / 2, 8);
	put(f, 2 * pages, 8);
	put(f, seq, 4);
	put(f, pid, 4);
	memcpy(name, comm, strnlen(comm, sizeof(name)));
	put_data(f, name, sizeof(name));
}

/* @path instead of that of @row, which has less space for it. */
static inline void put_age_row(struct bytes *f, const struct age_row *row, const char *path)
{
	const uint32_t length = strlen(path) + 1;
	int b;

	put_common(f, ID_AGE);
	put(f, row->cgroup, 8);
	put(f, row->seq, 4);
	put(f, row->node, 4);
	put(f, row->class, 4);
	for (b = 0; b < AGE_BUCKETS; b++)
		put(f, row->pages[b], 4);
	for (b = 0; b < AGE_BUCKETS; b++)
		put(f, row->again[b], 4);
	put(f, 104 | length << 16, 4);
	put_data(f, path, length);
}

/* Pages @pages and those that follow it, by age; referenced again half as many. */
static inline void put_age(struct bytes *f, uint32_t seq, uint32_t class, uint64_t cgroup,
			   const char *path, uint32_t pages)
{
	struct age_row row = { .cgroup = cgroup, .seq = seq, .node = 1, .class = class };
	int b;

	for (b = 0; b < AGE_BUCKETS; b++) {
		row.pages[b] = pages + b;
		row.again[b] = (pages + b) / 2;
	}
	put_age_row(f, &row, path);
}

/* @name instead of that of @row, which has less space for it. */
static inline void put_vma_age(struct bytes *f, const struct vma_age_row *row, const char *name)
{
	const uint32_t length = strlen(name) + 1;
	int b;

	put_common(f, ID_VMA_AGE);
	put(f, row->start, 8);
	put(f, row->end, 8);
	put(f, row->seq, 4);
	put(f, row->pid, 4);
	put_data(f, row->comm, sizeof(row->comm));
	for (b = 0; b < AGE_BUCKETS; b++)
		put(f, row->anon[b], 4);
	for (b = 0; b < AGE_BUCKETS; b++)
		put(f, row->file[b], 4);
	put(f, 124 | length << 16, 4);
	put_data(f, name, length);
}

static inline void put_scan(struct bytes *f, const struct scan_row *s)
{
	put_common(f, ID_SCAN);
	put(f, s->begin_ns, 8);
	put(f, s->scan_ns, 8);
	put(f, s->end_ns, 8);
	put(f, s->pages[KERNEL], 8);
	put(f, s->pages[USER], 8);
	put(f, s->pages[PAGE_CACHE], 8);
	put(f, s->ptes, 8);
	put(f, s->young, 8);
	put(f, s->tables, 8);
	put(f, s->tables_cold, 8);
	put(f, s->rss, 8);
	put(f, s->seq, 4);
	put(f, s->groups, 4);
	put(f, s->mms, 4);
	put(f, s->mms_skipped, 4);
	put(f, s->interval_ms, 4);
	put(f, s->group_kb, 4);
	put(f, s->kernel_leaf_kb, 4);
	put(f, s->pids, 4);
	put(f, s->flags, 4);
	put(f, s->flush, 4);
	put(f, s->write, 4);
	put(f, s->cpu_max, 4);
	put(f, s->parts, 4);
	put(f, s->harvest_ns, 8);
}

#endif
