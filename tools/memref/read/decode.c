// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Decodes memref events into rows, by the formats that libtraceevent has parsed. */
#include <stdio.h>
#include <string.h>

#include "batch.h"
#include "decode.h"

const char * const event_names[NR_EVENTS] = {
	[EVENT_GROUP] = "memref_log_data", [EVENT_BATCH] = "memref_batch",
	[EVENT_NODE] = "memref_node", [EVENT_TASK] = "memref_task",
	[EVENT_VIRT] = "memref_virt", [EVENT_VMA] = "memref_vma",
	[EVENT_AGE] = "memref_age", [EVENT_VMA_AGE] = "memref_vma_age",
	[EVENT_SCAN] = "memref_scan",
};

/* Fields from index @later on were added later: older kernels lack them. */
static const struct {
	const char *field[32];
	int later;
} known[NR_EVENTS] = {
	[EVENT_GROUP] = { { "phys_addr", "seq", "kernel", "user", "page_cache", "rw" }, 99 },
	[EVENT_BATCH] = { { "seq", "group_kb", "first", "data" }, 99 },
	[EVENT_NODE] = { { "start", "end", "seq", "node" }, 99 },
	[EVENT_TASK] = { { "pages", "written", "rss", "seq", "pid", "comm" }, 99 },
	[EVENT_VIRT] = { { "addr", "seq", "pid", "pages", "written", "common_pid" }, 99 },
	[EVENT_VMA] = { { "start", "end", "seq", "pid", "name", "common_pid" }, 99 },
	[EVENT_AGE] = { { "cgroup", "seq", "node", "class", "pages", "again", "path" }, 99 },
	[EVENT_VMA_AGE] = { { "start", "end", "seq", "pid", "comm", "anon", "file", "name" }, 99 },
	[EVENT_SCAN] = { {
		"begin_ns", "scan_ns", "end_ns", "kernel", "user", "page_cache", "ptes",
		"young", "seq", "groups", "mms", "mms_skipped", "interval_ms", "group_kb",
		"kernel_leaf_kb", "pids", "flags", "flush", "write",
		"tables", "tables_cold", "rss", "cpu_max", "parts", "harvest_ns",
	}, 19 },
};

/* A field with this many numbers; 0: any number. */
static int numbers_of(int event, int i)
{
	if ((event == EVENT_AGE && (i == 4 || i == 5)) || (event == EVENT_VMA_AGE && (i == 5 || i == 6)))
		return AGE_BUCKETS;
	return 0;
}

/* Return 0, or -1 with @wrong set if the event lacks a required field, or has another one of that name. */
static int find_fields(struct tep_handle *tep, int event, struct fields *f, char *wrong, size_t size)
{
	struct tep_event *e = tep_find_event_by_name(tep, "memref", event_names[event]);
	int i;

	memset(f, 0, sizeof(*f));
	f->id = e ? e->id : -1;
	for (i = 0; e && known[event].field[i]; i++) {
		const struct tep_format_field *field = tep_find_any_field(e, known[event].field[i]);
		const int expected = numbers_of(event, i);

		f->field[i] = field;
		if (field && field->offset >= 0 && field->size >= 0 &&
		    (!expected || field->size == expected * (int)sizeof(uint32_t)))
			continue;
		if (!field && i >= known[event].later)
			continue;
		if (field && expected)
			snprintf(wrong, size, "%s.%s has %d bytes; this release reads %d numbers of 4",
				 event_names[event], known[event].field[i], field->size, expected);
		else
			snprintf(wrong, size, "%s.%s", event_names[event], known[event].field[i]);
		return -1;
	}
	return 0;
}

/**
 * decoder_init() - look up the events of memref and their fields
 * @d: the decoder
 * @tep: has parsed the formats of the events
 * @wrong: set to the event or field that is not as expected
 * @size: of @wrong
 *
 * Return: 0, or -1 if memref_log_data or memref_scan is missing, or an event lacks
 * a required field, or has another one of that name.
 */
int decoder_init(struct decoder *d, struct tep_handle *tep, char *wrong, size_t size)
{
	int i;

	for (i = 0; i < NR_EVENTS; i++)
		if (find_fields(tep, i, &d->event[i], wrong, size))
			return -1;
	if (d->event[EVENT_GROUP].id >= 0 && d->event[EVENT_SCAN].id >= 0)
		return 0;
	snprintf(wrong, size, "no %s", event_names[d->event[EVENT_GROUP].id < 0 ? EVENT_GROUP : EVENT_SCAN]);
	return -1;
}

/* The event being decoded. */
struct raw {
	const struct fields *f;
	const void *data;
	uint32_t size;
	uint64_t ts;
};

static uint64_t value(const struct raw *e, int i)
{
	const struct tep_format_field *field = e->f->field[i];
	unsigned long long v = 0;

	/* A record may be shorter than its format: do not read behind its end. */
	if (!field || (uint64_t)field->offset + field->size > e->size)
		return 0;
	tep_read_number_field((struct tep_format_field *)field, e->data, &v);
	return v;
}

static int decode_group(const struct raw *e, row_fn take, void *ctx)
{
	const struct row row = { .type = ROW_GROUP, .ts = e->ts, .group = {
		.phys_addr = value(e, 0),
		.seq = value(e, 1),
		.pages = { [KERNEL] = value(e, 2), [USER] = value(e, 3),
			   [PAGE_CACHE] = value(e, 4) },
		.written = value(e, 5) == 1,
	} };

	return take(ctx, &row);
}

static int decode_batch(const struct raw *e, row_fn take, void *ctx)
{
	struct batch b = {
		.seq = value(e, 0), .group_kb = value(e, 1), .group = value(e, 2),
	};
	uint32_t where = value(e, 3);		/* __data_loc: offset, and length << 16 */
	struct row row = { .type = ROW_GROUP, .ts = e->ts };
	int ret;

	if ((where & 0xffff) + (where >> 16) > e->size)
		return -1;
	b.data = (const uint8_t *)e->data + (where & 0xffff);
	b.end = b.data + (where >> 16);
	while ((ret = batch_next(&b, &row.group)) > 0) {
		ret = take(ctx, &row);
		if (ret)
			break;
	}
	return ret;
}

static int decode_node(const struct raw *e, row_fn take, void *ctx)
{
	const struct row row = { .type = ROW_NODE, .ts = e->ts, .node = {
		.start = value(e, 0), .end = value(e, 1), .seq = value(e, 2),
		.node = value(e, 3),
	} };

	return take(ctx, &row);
}

/* Copy field @i, the name of a process; "" if it is not within the event. */
static void comm(const struct raw *e, int i, char to[16])
{
	const struct tep_format_field *field = e->f->field[i];
	const char *from = (const char *)e->data + field->offset;

	if ((uint64_t)field->offset + field->size <= e->size && field->size <= 16)
		memcpy(to, from, strnlen(from, field->size));
	to[15] = '\0';
}

static int decode_task(const struct raw *e, row_fn take, void *ctx)
{
	struct row row = { .type = ROW_TASK, .ts = e->ts, .task = {
		.pages = value(e, 0), .written = value(e, 1), .rss = value(e, 2),
		.seq = value(e, 3), .pid = value(e, 4),
	} };

	comm(e, 5, row.task.comm);
	return take(ctx, &row);
}

static int decode_virt(const struct raw *e, row_fn take, void *ctx)
{
	const struct row row = { .type = ROW_VIRT, .ts = e->ts, .virt = {
		.addr = value(e, 0), .seq = value(e, 1), .pid = value(e, 2),
		.pages = value(e, 3), .written = value(e, 4), .worker = value(e, 5),
	} };

	return take(ctx, &row);
}

/*
 * Copy field @i, text whose place and length are a __data_loc, cut to @size.  Return: 0, or -1 if it
 * is not within the event.
 */
static int text(const struct raw *e, int i, char *to, size_t size)
{
	const uint32_t where = value(e, i);	/* offset, and length << 16 */
	size_t length = where >> 16;

	if ((where & 0xffff) + length > e->size)
		return -1;
	if (length >= size)
		length = size - 1;
	memcpy(to, (const char *)e->data + (where & 0xffff), length);
	to[length] = '\0';
	return 0;
}

static int decode_vma(const struct raw *e, row_fn take, void *ctx)
{
	struct row row = { .type = ROW_VMA, .ts = e->ts, .vma = {
		.start = value(e, 0), .end = value(e, 1), .seq = value(e, 2), .pid = value(e, 3),
		.worker = value(e, 5),
	} };

	return text(e, 4, row.vma.name, sizeof(row.vma.name)) ? -1 : take(ctx, &row);
}

/* Return 0, or -1 if the field has not AGE_BUCKETS numbers in this event. */
static int buckets(const struct raw *e, int i, uint32_t *to)
{
	const struct tep_format_field *field = e->f->field[i];

	if (field->size != AGE_BUCKETS * sizeof(*to) ||
	    (uint64_t)field->offset + field->size > e->size)
		return -1;
	memcpy(to, (const char *)e->data + field->offset, field->size);
	return 0;
}

static int decode_age(const struct raw *e, row_fn take, void *ctx)
{
	struct row row = { .type = ROW_AGE, .ts = e->ts, .age = {
		.cgroup = value(e, 0), .seq = value(e, 1), .node = value(e, 2),
		.class = value(e, 3),
	} };

	if (text(e, 6, row.age.path, sizeof(row.age.path)) || buckets(e, 4, row.age.pages) ||
	    buckets(e, 5, row.age.again))
		return -1;
	return take(ctx, &row);
}

static int decode_vma_age(const struct raw *e, row_fn take, void *ctx)
{
	struct row row = { .type = ROW_VMA_AGE, .ts = e->ts, .vma_age = {
		.start = value(e, 0), .end = value(e, 1), .seq = value(e, 2), .pid = value(e, 3),
	} };

	comm(e, 4, row.vma_age.comm);
	if (text(e, 7, row.vma_age.name, sizeof(row.vma_age.name)) || buckets(e, 5, row.vma_age.anon) ||
	    buckets(e, 6, row.vma_age.file))
		return -1;
	return take(ctx, &row);
}

static int decode_scan(const struct raw *e, row_fn take, void *ctx)
{
	struct row row = { .type = ROW_SCAN, .ts = e->ts, .scan = {
		.begin_ns = value(e, 0),
		.scan_ns = value(e, 1),
		.end_ns = value(e, 2),
		.pages = { [KERNEL] = value(e, 3), [USER] = value(e, 4),
			   [PAGE_CACHE] = value(e, 5) },
		.ptes = value(e, 6),
		.young = value(e, 7),
		.seq = value(e, 8),
		.groups = value(e, 9),
		.mms = value(e, 10),
		.mms_skipped = value(e, 11),
		.interval_ms = value(e, 12),
		.group_kb = value(e, 13),
		.kernel_leaf_kb = value(e, 14),
		.pids = value(e, 15),
		.flags = value(e, 16),
		.flush = value(e, 17),
		.write = value(e, 18),
		.tables = value(e, 19),
		.tables_cold = value(e, 20),
		.rss = value(e, 21),
		.cpu_max = value(e, 22),
		.parts = value(e, 23),
		.harvest_ns = value(e, 24),
	} };

	/* Kernels of before parts. */
	if (!row.scan.harvest_ns)
		row.scan.harvest_ns = row.scan.end_ns - row.scan.scan_ns;
	return take(ctx, &row);
}

/**
 * decode() - decode an event
 * @d: the decoder
 * @ts: time of the event
 * @data: the event, from its common fields on
 * @size: size of @data
 * @take: called for each row; other events than memref's have none
 * @ctx: passed to @take
 *
 * Return: 0, -1 if the event is damaged, or what @take returned.
 */
int decode(const struct decoder *d, uint64_t ts, const void *data, uint32_t size,
	   row_fn take, void *ctx)
{
	static int (* const by_event[NR_EVENTS])(const struct raw *, row_fn, void *) = {
		[EVENT_GROUP] = decode_group, [EVENT_BATCH] = decode_batch,
		[EVENT_NODE] = decode_node, [EVENT_TASK] = decode_task,
		[EVENT_VIRT] = decode_virt, [EVENT_VMA] = decode_vma,
		[EVENT_AGE] = decode_age, [EVENT_VMA_AGE] = decode_vma_age,
		[EVENT_SCAN] = decode_scan,
	};
	struct raw e = { .data = data, .size = size, .ts = ts };
	uint16_t id;
	int i;

	if (size < sizeof(id))
		return 0;
	memcpy(&id, data, sizeof(id));
	for (i = 0; i < NR_EVENTS; i++) {
		if (d->event[i].id != id)
			continue;
		e.f = &d->event[i];
		return by_event[i](&e, take, ctx);
	}
	return 0;
}
