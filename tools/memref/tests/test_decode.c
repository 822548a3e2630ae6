// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Events of memref, byte by byte: each field of each event, and events that are cut off. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "memref/read/decode.h"
#include "memref_events.h"

static struct tep_handle *tep;
static struct decoder decoder;
static struct bytes event;
static struct row rows[64];
static int nr_rows;

static int keep(void *ctx, const struct row *row)
{
	(void)ctx;
	rows[nr_rows++] = *row;
	return nr_rows == 64 ? 7 : 0;
}

/* Decode from a block of exactly this size, so that sanitizers catch reads behind it. */
static int take(uint32_t size)
{
	void *data = malloc(size ? size : 1);
	int ret;

	memcpy(data, event.b, size);
	nr_rows = 0;
	ret = decode(&decoder, 1234, data, size, keep, NULL);
	free(data);
	return ret;
}

static int set_up(void **state)
{
	char text[4096], wrong[128];
	size_t i;

	(void)state;
	tep = tep_alloc();
	for (i = 0; i < NR_LAYOUTS; i++) {
		layout_format(&layouts[i], text, sizeof(text));
		if (tep_parse_event(tep, text, strlen(text), "memref"))
			return -1;
	}
	return decoder_init(&decoder, tep, wrong, sizeof(wrong));
}

static int tear_down(void **state)
{
	(void)state;
	tep_free(tep);
	return 0;
}

static void groups(void **state)
{
	const uint32_t pages[NR_CLASSES] = { [KERNEL] = 12, [USER] = 3, [PAGE_CACHE] = 7 };
	int rw;

	(void)state;
	for (rw = 0; rw < 3; rw++) {
		event.size = 0;
		put_group(&event, 5ULL << 40, 99, pages, rw);
		assert_int_equal(take(event.size), 0);
		assert_int_equal(nr_rows, 1);
		assert_int_equal(rows[0].type, ROW_GROUP);
		assert_int_equal(rows[0].ts, 1234);
		assert_int_equal(rows[0].group.phys_addr, 5ULL << 40);
		assert_int_equal(rows[0].group.seq, 99);
		assert_int_equal(rows[0].group.pages[KERNEL], 12);
		assert_int_equal(rows[0].group.pages[USER], 3);
		assert_int_equal(rows[0].group.pages[PAGE_CACHE], 7);
		assert_int_equal(rows[0].group.written, rw == 1);
	}
}

static void batches(void **state)
{
	static const uint8_t data[] = { 0x02, 5, 0x1f, 1, 2, 3 };
	uint32_t size;

	(void)state;
	event.size = 0;
	put_batch(&event, 7, 42, 1024, data, sizeof(data));
	assert_int_equal(take(event.size), 0);
	assert_int_equal(nr_rows, 2);
	assert_int_equal(rows[0].group.phys_addr, 7 << 20);
	assert_int_equal(rows[0].group.seq, 42);
	assert_int_equal(rows[0].group.pages[USER], 5);
	assert_int_equal(rows[1].group.phys_addr, 9 << 20);
	assert_int_equal(rows[1].group.pages[PAGE_CACHE], 3);
	assert_int_equal(rows[1].ts, 1234);
	/* The event's data end behind the record: damaged, no group is decoded. */
	for (size = 28; size < event.size; size++) {
		assert_int_equal(take(size), -1);
		assert_int_equal(nr_rows, 0);
	}
	put_at(&event, 24, 28 | 0xffffU << 16, 4);
	assert_int_equal(take(event.size), -1);
	put_at(&event, 24, 0xffff | 6 << 16, 4);
	assert_int_equal(take(event.size), -1);
	/* Damaged inside: the groups before the damage are decoded. */
	put_at(&event, 24, 28 | 5 << 16, 4);
	assert_int_equal(take(event.size), -1);
	assert_int_equal(nr_rows, 1);
}

static void scans(void **state)
{
	struct scan_row s = {
		.begin_ns = 1, .scan_ns = 2, .end_ns = 3, .pages = { 4, 5, 6 }, .ptes = 7, .young = 8,
		.tables = 9, .tables_cold = 10, .rss = 11ULL << 33, .seq = 12, .groups = 13, .mms = 14,
		.mms_skipped = 15, .interval_ms = 16, .group_kb = 17, .kernel_leaf_kb = 18, .pids = 19,
		.flags = 20, .flush = 21, .write = 22, .cpu_max = 23, .parts = 24, .harvest_ns = 25,
	};
	uint32_t size;

	(void)state;
	event.size = 0;
	put_scan(&event, &s);
	assert_int_equal(take(event.size), 0);
	assert_int_equal(rows[0].type, ROW_SCAN);
	assert_memory_equal(&rows[0].scan, &s, offsetof(struct scan_row, parts) + sizeof(s.parts));
	/* Fields behind the end of a cut record are 0; nothing behind it is read. */
	for (size = 2; size < event.size; size++)
		assert_int_equal(take(size), 0);
	assert_int_equal(rows[0].scan.parts, 24);
	/* A kernel without it has one harvest. */
	assert_int_equal(rows[0].scan.harvest_ns, 1);
}

static void tasks(void **state)
{
	uint32_t size;

	(void)state;
	event.size = 0;
	put_task(&event, 3, 4242, 100, "a name of 16 byt");
	assert_int_equal(take(event.size), 0);
	assert_int_equal(rows[0].type, ROW_TASK);
	assert_int_equal(rows[0].task.seq, 3);
	assert_int_equal(rows[0].task.pid, 4242);
	assert_int_equal(rows[0].task.pages, 100);
	assert_int_equal(rows[0].task.written, 50);
	assert_int_equal(rows[0].task.rss, 200);
	assert_string_equal(rows[0].task.comm, "a name of 16 by");
	for (size = 8; size < event.size; size++) {
		assert_int_equal(take(size), 0);
		assert_string_equal(rows[0].task.comm, "");
	}
}

static void ages(void **state)
{
	char longer[300];
	uint32_t size;
	int b;

	(void)state;
	event.size = 0;
	put_age(&event, 9, AGE_FILE, 1234567, "/web", 10);
	assert_int_equal(take(event.size), 0);
	assert_int_equal(rows[0].type, ROW_AGE);
	assert_int_equal(row_seq(&rows[0]), 9);
	assert_int_equal(rows[0].age.class, AGE_FILE);
	assert_int_equal(rows[0].age.node, 1);
	assert_int_equal(rows[0].age.cgroup, 1234567);
	assert_string_equal(rows[0].age.path, "/web");
	for (b = 0; b < AGE_BUCKETS; b++) {
		assert_int_equal(rows[0].age.pages[b], 10 + b);
		assert_int_equal(rows[0].age.again[b], (10 + b) / 2);
	}
	/* Cut off: damaged, but for the path. */
	for (size = 8; size < event.size; size++)
		assert_int_equal(take(size), size >= 100 && size < 104 ? 0 : -1);
	put_at(&event, 100, 104 | 0xffffU << 16, 4);
	assert_int_equal(take(event.size), -1);
	/* A longer path is cut. */
	memset(longer, 'x', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	event.size = 0;
	put_age(&event, 9, AGE_FILE, 1, longer, 0);
	assert_int_equal(take(event.size), 0);
	assert_int_equal(strlen(rows[0].age.path), AGE_PATH - 1);
	/* As long as its place, or nearly, and without a zero byte. */
	for (size = AGE_PATH - 2; size <= AGE_PATH + 1; size++) {
		put_at(&event, 100, 104 | size << 16, 4);
		assert_int_equal(take(event.size), 0);
		assert_int_equal(strlen(rows[0].age.path), size < AGE_PATH ? size : AGE_PATH - 1);
	}
}

static void mapping_ages(void **state)
{
	struct vma_age_row row = { .start = 0x7f0000200000, .end = 0x7f0000400000, .seq = 8, .pid = 77 };
	char longer[MAPPING_NAME + 50];
	uint32_t size;
	int b;

	(void)state;
	memcpy(row.comm, "a name of 16 byt", 16);
	for (b = 0; b < AGE_BUCKETS; b++)
		row.anon[b] = row.file[AGE_BUCKETS - 1 - b] = 1000 + b;
	event.size = 0;
	put_vma_age(&event, &row, "/lib/libc.so.6");
	assert_int_equal(take(event.size), 0);
	assert_int_equal(nr_rows, 1);
	assert_int_equal(rows[0].type, ROW_VMA_AGE);
	assert_int_equal(row_seq(&rows[0]), 8);
	assert_int_equal(rows[0].vma_age.start, 0x7f0000200000);
	assert_int_equal(rows[0].vma_age.end, 0x7f0000400000);
	assert_int_equal(rows[0].vma_age.pid, 77);
	assert_string_equal(rows[0].vma_age.comm, "a name of 16 by");
	assert_memory_equal(rows[0].vma_age.anon, row.anon, sizeof(row.anon));
	assert_memory_equal(rows[0].vma_age.file, row.file, sizeof(row.file));
	assert_string_equal(rows[0].vma_age.name, "/lib/libc.so.6");
	/* Cut off: damaged, but for the name. */
	for (size = 8; size < event.size; size++)
		assert_int_equal(take(size), size >= 120 && size < 124 ? 0 : -1);
	put_at(&event, 120, 124 | 0xffffU << 16, 4);
	assert_int_equal(take(event.size), -1);
	/* A longer name is cut. */
	memset(longer, 'x', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	event.size = 0;
	put_vma_age(&event, &row, longer);
	assert_int_equal(take(event.size), 0);
	assert_int_equal(strlen(rows[0].vma_age.name), MAPPING_NAME - 1);
}

static void nodes_and_virtual(void **state)
{
	(void)state;
	event.size = 0;
	put_common(&event, ID_NODE);
	put(&event, 1ULL << 32, 8);
	put(&event, 2ULL << 32, 8);
	put(&event, 5, 4);
	put(&event, 1, 4);
	assert_int_equal(take(event.size), 0);
	assert_int_equal(rows[0].type, ROW_NODE);
	assert_int_equal(rows[0].node.start, 1ULL << 32);
	assert_int_equal(rows[0].node.end, 2ULL << 32);
	assert_int_equal(rows[0].node.seq, 5);
	assert_int_equal(rows[0].node.node, 1);
	event.size = 0;
	put_common(&event, ID_VIRT);
	put(&event, 0x7f0000200000, 8);
	put(&event, 6, 4);
	put(&event, 77, 4);
	put(&event, 512, 4);
	put(&event, 3, 4);
	assert_int_equal(take(event.size), 0);
	assert_int_equal(rows[0].type, ROW_VIRT);
	assert_int_equal(rows[0].virt.addr, 0x7f0000200000);
	assert_int_equal(rows[0].virt.seq, 6);
	assert_int_equal(rows[0].virt.pid, 77);
	assert_int_equal(rows[0].virt.pages, 512);
	assert_int_equal(rows[0].virt.written, 3);
	assert_int_equal(rows[0].virt.worker, 1);
	put_at(&event, 4, 4711, 4);
	assert_int_equal(take(event.size), 0);
	assert_int_equal(rows[0].virt.worker, 4711);
	/* An event of another system, or no event. */
	put_at(&event, 0, 9999, 2);
	assert_int_equal(take(event.size), 0);
	assert_int_equal(nr_rows, 0);
	assert_int_equal(take(1), 0);
	assert_int_equal(nr_rows, 0);
}

static void mappings(void **state)
{
	char longer[MAPPING_NAME + 50];
	uint32_t size;

	(void)state;
	event.size = 0;
	put_vma(&event, 6, 77, 0x7f0000200000, 0x7f0000400000, "/lib/libc.so.6");
	assert_int_equal(take(event.size), 0);
	assert_int_equal(rows[0].type, ROW_VMA);
	assert_int_equal(row_seq(&rows[0]), 6);
	assert_int_equal(rows[0].vma.pid, 77);
	assert_int_equal(rows[0].vma.start, 0x7f0000200000);
	assert_int_equal(rows[0].vma.end, 0x7f0000400000);
	assert_string_equal(rows[0].vma.name, "/lib/libc.so.6");
	put_at(&event, 4, 4711, 4);
	assert_int_equal(take(event.size), 0);
	assert_int_equal(rows[0].vma.worker, 4711);
	/* Cut off: damaged where the name is. */
	for (size = 36; size < event.size; size++)
		assert_int_equal(take(size), -1);
	put_at(&event, 32, 36 | 0xffffU << 16, 4);
	assert_int_equal(take(event.size), -1);
	/* A longer name is cut. */
	memset(longer, 'x', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	event.size = 0;
	put_vma(&event, 6, 77, 0, 4096, longer);
	assert_int_equal(take(event.size), 0);
	assert_int_equal(strlen(rows[0].vma.name), MAPPING_NAME - 1);
}

/* An event that lacks a field is refused; fields that were added later may be missing. */
static void formats(void **state)
{
	struct event_layout l = layouts[NR_LAYOUTS - 1];
	struct decoder d;
	char text[4096], wrong[128];
	int lacks;

	(void)state;
	for (lacks = 0; lacks < 2; lacks++) {
		struct tep_handle *t = tep_alloc();

		layout_format(&layouts[0], text, sizeof(text));
		assert_int_equal(tep_parse_event(t, text, strlen(text), "memref"), 0);
		/* Without memref_scan, there are no intervals. */
		assert_int_equal(decoder_init(&d, t, wrong, sizeof(wrong)), -1);
		assert_string_equal(wrong, "no memref_scan");
		/* harvest_ns was added later, begin_ns was not. */
		if (lacks)
			l.field[0].name = "started_ns";
		else
			l.field[24].name = NULL;
		layout_format(&l, text, sizeof(text));
		assert_int_equal(tep_parse_event(t, text, strlen(text), "memref"), 0);
		assert_int_equal(decoder_init(&d, t, wrong, sizeof(wrong)), lacks ? -1 : 0);
		if (lacks)
			assert_string_equal(wrong, "memref_scan.begin_ns");
		tep_free(t);
	}
}

/* Histograms with another number of ages are those of another kernel, not damaged. */
static void refuses_count(const char *event_name, const char *field, const char *expected)
{
	struct tep_handle *t = tep_alloc();
	struct decoder d;
	char text[4096], wrong[128];
	size_t i, k;

	for (i = 0; i < NR_LAYOUTS; i++) {
		struct event_layout l = layouts[i];

		for (k = 0; k < sizeof(l.field) / sizeof(*l.field) && l.field[k].name; k++)
			if (!strcmp(l.name, event_name) && !strcmp(l.field[k].name, field))
				l.field[k].count = 41;
		layout_format(&l, text, sizeof(text));
		assert_int_equal(tep_parse_event(t, text, strlen(text), "memref"), 0);
	}
	assert_int_equal(decoder_init(&d, t, wrong, sizeof(wrong)), -1);
	assert_string_equal(wrong, expected);
	tep_free(t);
}

static void other_ages(void **state)
{
	(void)state;
	refuses_count("memref_age", "again", "memref_age.again has 164 bytes; this release reads 9 numbers of 4");
	refuses_count("memref_age", "pages", "memref_age.pages has 164 bytes; this release reads 9 numbers of 4");
	refuses_count("memref_vma_age", "anon", "memref_vma_age.anon has 164 bytes; this release reads 9 numbers of 4");
	refuses_count("memref_vma_age", "file", "memref_vma_age.file has 164 bytes; this release reads 9 numbers of 4");
}

/* Records that end early: a field is there with its last byte, and 0 without. */
static void cut_records(void **state)
{
	static const struct { int id; uint8_t size[7]; enum row_type type; } events[] = {
		{ ID_GROUP, { 8, 4, 4, 4, 4, 4 }, ROW_GROUP }, { ID_NODE, { 8, 8, 4, 4 }, ROW_NODE },
		{ ID_TASK, { 8, 8, 8, 4, 4 }, ROW_TASK }, { ID_VIRT, { 8, 4, 4, 4, 4 }, ROW_VIRT },
	};
	uint64_t field[6], value[6];
	uint32_t size, end;
	unsigned int i, n;

	(void)state;
	for (i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		event.size = 0;
		put_common(&event, events[i].id);
		for (n = 0; events[i].size[n]; n++) {
			value[n] = events[i].size[n] == 8 ? 0x1122334455667700 + n : 0x8899aa00 + n;
			put(&event, value[n], events[i].size[n]);
		}
		for (size = 2; size <= event.size; size++) {
			const struct row *r = rows;

			assert_int_equal(take(size), 0);
			assert_int_equal(nr_rows, 1);
			assert_int_equal(r->type, events[i].type);
			assert_int_equal(r->ts, 1234);
			memset(field, 0, sizeof(field));
			switch (r->type) {
			case ROW_GROUP:
				memcpy(field, (uint64_t[]){ r->group.phys_addr, r->group.seq, r->group.pages[KERNEL],
					r->group.pages[USER], r->group.pages[PAGE_CACHE] }, 40);
				assert_int_equal(r->group.written, 0);
				break;
			case ROW_NODE:
				memcpy(field, (uint64_t[]){ r->node.start, r->node.end, r->node.seq, r->node.node }, 32);
				break;
			case ROW_TASK:
				memcpy(field, (uint64_t[]){ r->task.pages, r->task.written, r->task.rss, r->task.seq,
					r->task.pid }, 40);
				assert_string_equal(r->task.comm, "");
				break;
			default:
				memcpy(field, (uint64_t[]){ r->virt.addr, r->virt.seq, r->virt.pid, r->virt.pages,
					r->virt.written }, 40);
			}
			for (end = 8, n = 0; n < 5 && events[i].size[n]; n++) {
				end += events[i].size[n];
				assert_int_equal(field[n], end <= size ? value[n] : 0);
			}
		}
	}
}

/* Texts of each length around their place, with a zero byte behind them and without. */
static void lengths_of_names(void **state)
{
	char name[MAPPING_NAME + 4], longest[16 + 1];
	uint32_t length, zero;

	(void)state;
	for (length = 0; length <= MAPPING_NAME + 2; length++) {
		memset(name, 'x', sizeof(name));
		name[length] = '\0';
		event.size = 0;
		put_vma(&event, 6, 77, 0, 4096, name);
		for (zero = 0; zero < 2; zero++) {
			put_at(&event, 32, 36 | (length + zero) << 16, 4);
			assert_int_equal(take(36 + length + zero), 0);
			assert_int_equal(strlen(rows[0].vma.name), length < MAPPING_NAME ? length : MAPPING_NAME - 1);
			assert_int_equal(strspn(rows[0].vma.name, "x"), strlen(rows[0].vma.name));
			if (length + zero)
				assert_int_equal(take(36 + length + zero - 1), -1);
		}
	}
	for (length = 0; length <= 16; length++) {
		memset(longest, 'c', sizeof(longest));
		longest[length] = '\0';
		event.size = 0;
		put_task(&event, 3, 4242, 100, longest);
		assert_int_equal(take(event.size), 0);
		assert_int_equal(strlen(rows[0].task.comm), length < 16 ? length : 15);
	}
}

/* A batch of more groups than are taken. */
static void a_row_that_is_not_taken(void **state)
{
	uint8_t data[2 * 70];
	int i;

	(void)state;
	for (i = 0; i < 70; i++) {
		data[2 * i] = 2;
		data[2 * i + 1] = 1 + i;
	}
	event.size = 0;
	put_batch(&event, 7, 42, 1024, data, sizeof(data));
	assert_int_equal(take(event.size), 7);
	assert_int_equal(nr_rows, 64);
	assert_int_equal(rows[63].group.pages[USER], 64);
	put_at(&event, 24, 28 | 2 * 63 << 16, 4);
	assert_int_equal(take(event.size), 0);
	assert_int_equal(nr_rows, 63);
	/* At a place behind its own end, an empty one is damaged. */
	put_at(&event, 24, event.size, 4);
	assert_int_equal(take(event.size), 0);
	put_at(&event, 24, event.size + 1, 4);
	assert_int_equal(take(event.size), -1);
}

/* Parses all layouts; of @event_name, @field is as @change says: 0: is not there. */
static int init_without(const char *event_name, const char *field, int size, int count, char *wrong, size_t wrong_size)
{
	struct tep_handle *t = tep_alloc();
	char text[4096];
	struct decoder d;
	size_t i, k;
	int ret;

	for (i = 0; i < NR_LAYOUTS; i++) {
		struct event_layout l = layouts[i];

		if (!strcmp(l.name, event_name) && !field)
			continue;
		for (k = 0; k < sizeof(l.field) / sizeof(*l.field) && l.field[k].name; k++) {
			if (strcmp(l.name, event_name) || strcmp(l.field[k].name, field))
				continue;
			if (!size)
				l.field[k].name = "another";
			l.field[k].size = size ? size : l.field[k].size;
			l.field[k].count = size ? count : l.field[k].count;
		}
		layout_format(&l, text, sizeof(text));
		assert_int_equal(tep_parse_event(t, text, strlen(text), "memref"), 0);
	}
	ret = decoder_init(&d, t, wrong, wrong_size);
	tep_free(t);
	return ret;
}

/* Each field of each event is needed but those that were added later. */
static void fields_that_are_missing(void **state)
{
	static const char *const later[] = { "tables", "tables_cold", "rss", "cpu_max", "parts", "harvest_ns" };
	char wrong[128], expected[128];
	size_t i, k, n;
	int may;

	(void)state;
	for (i = 0; i < NR_LAYOUTS; i++) {
		for (k = 0; k < sizeof(layouts[i].field) / sizeof(*layouts[i].field) && layouts[i].field[k].name; k++) {
			*wrong = '\0';
			for (may = 0, n = 0; n < sizeof(later) / sizeof(*later); n++)
				may |= layouts[i].id == ID_SCAN && !strcmp(later[n], layouts[i].field[k].name);
			sprintf(expected, "%s.%s", layouts[i].name, layouts[i].field[k].name);
			assert_int_equal(init_without(layouts[i].name, layouts[i].field[k].name, 0, 0, wrong, sizeof(wrong)),
					 may ? 0 : -1);
			assert_string_equal(wrong, may ? "" : expected);
		}
		/* The event itself is needed if it is one of these. */
		*wrong = '\0';
		may = layouts[i].id != ID_SCAN && layouts[i].id != ID_GROUP;
		sprintf(expected, "no %s", layouts[i].name);
		assert_int_equal(init_without(layouts[i].name, NULL, 0, 0, wrong, sizeof(wrong)), may ? 0 : -1);
		assert_string_equal(wrong, may ? "" : expected);
	}
	/* Other sizes: of numbers any is read; histograms are of 9 numbers of 4. */
	assert_int_equal(init_without("memref_task", "seq", 2, 0, wrong, sizeof(wrong)), 0);
	assert_int_equal(init_without("memref_age", "class", 8, 0, wrong, sizeof(wrong)), 0);
	assert_int_equal(init_without("memref_age", "pages", 2, 18, wrong, sizeof(wrong)), 0);
	assert_int_equal(init_without("memref_vma_age", "anon", 4, 8, wrong, sizeof(wrong)), -1);
	assert_string_equal(wrong, "memref_vma_age.anon has 32 bytes; this release reads 9 numbers of 4");
	assert_int_equal(init_without("memref_vma_age", "file", 4, 10, wrong, sizeof(wrong)), -1);
}

/* The name of a process in a field that is shorter, or longer than ours. */
static void other_names_of_processes(void **state)
{
	static const struct { int size; const char *name; } sizes[] = {
		{ 8, "abcdefgh" }, { 15, "abcdefghijklmno" }, { 16, "abcdefghijklmno" }, { 17, "" },
	};
	struct event_layout l;
	unsigned int i;
	size_t k;

	(void)state;
	for (i = 0; i < 4; i++) {
		struct tep_handle *t = tep_alloc();
		struct decoder d;
		char text[4096], wrong[128];
		void *data;

		for (k = 0; k < NR_LAYOUTS; k++) {
			l = layouts[k];
			if (l.id == ID_TASK)
				l.field[5].count = sizes[i].size;
			layout_format(&l, text, sizeof(text));
			assert_int_equal(tep_parse_event(t, text, strlen(text), "memref"), 0);
		}
		assert_int_equal(decoder_init(&d, t, wrong, sizeof(wrong)), 0);
		event.size = 0;
		put_task(&event, 3, 4242, 100, "");
		event.size -= 16;
		put_data(&event, "abcdefghijklmnopq", sizes[i].size);
		data = malloc(event.size);
		memcpy(data, event.b, event.size);
		nr_rows = 0;
		assert_int_equal(decode(&d, 1234, data, event.size, keep, NULL), 0);
		assert_string_equal(rows[0].task.comm, sizes[i].name);
		free(data);
		tep_free(t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups), cmocka_unit_test(batches), cmocka_unit_test(scans),
		cmocka_unit_test(tasks), cmocka_unit_test(ages), cmocka_unit_test(mapping_ages),
		cmocka_unit_test(nodes_and_virtual),
		cmocka_unit_test(mappings), cmocka_unit_test(formats), cmocka_unit_test(other_ages),
		cmocka_unit_test(cut_records), cmocka_unit_test(lengths_of_names),
		cmocka_unit_test(a_row_that_is_not_taken), cmocka_unit_test(fields_that_are_missing),
		cmocka_unit_test(other_names_of_processes),
	};

	return cmocka_run_group_tests_name("decode", tests, set_up, tear_down);
}
