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
		.flags = 20, .flush = 21, .write = 22, .cpu_max = 23,
	};
	uint32_t size;

	(void)state;
	event.size = 0;
	put_scan(&event, &s);
	assert_int_equal(take(event.size), 0);
	assert_int_equal(rows[0].type, ROW_SCAN);
	assert_memory_equal(&rows[0].scan, &s, sizeof(s));
	/* Fields behind the end of a cut record are 0; nothing behind it is read. */
	for (size = 2; size < event.size; size++)
		assert_int_equal(take(size), 0);
	assert_int_equal(rows[0].scan.cpu_max, 0);
	assert_int_equal(rows[0].scan.write, 22);
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
		/* cpu_max was added later, begin_ns was not. */
		if (lacks)
			l.field[0].name = "started_ns";
		else
			l.field[22].name = NULL;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups), cmocka_unit_test(batches), cmocka_unit_test(scans),
		cmocka_unit_test(tasks), cmocka_unit_test(ages), cmocka_unit_test(mapping_ages),
		cmocka_unit_test(nodes_and_virtual),
		cmocka_unit_test(mappings), cmocka_unit_test(formats), cmocka_unit_test(other_ages),
	};

	return cmocka_run_group_tests_name("decode", tests, set_up, tear_down);
}
