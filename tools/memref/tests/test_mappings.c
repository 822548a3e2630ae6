// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* What is referenced of each mapping: events become mappings, and their views. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "one_view.h"

#define HEAP	0x555555400000ULL
#define FILES	0x7f0000100000ULL
#define BLOCK	(uint64_t)VIRT_BLOCK

static int begin_mappings(void **state)
{
	const int ret = begin(state);

	m.mappings.collect = 1;
	m.virt.max_cells = 100;
	return ret;
}

static void vma_of(uint32_t worker, uint32_t seq, uint32_t pid, uint64_t start, uint64_t size, const char *name)
{
	struct vma_row row = { .seq = seq, .pid = pid, .worker = worker, .start = start, .end = start + size };

	snprintf(row.name, sizeof(row.name), "%s", name);
	assert_int_equal(model_add_vma(&m, &row), 0);
}

static void virt_of(uint32_t worker, uint32_t seq, uint32_t pid, uint64_t addr, uint32_t pages)
{
	const struct virt_row row = { .seq = seq, .pid = pid, .worker = worker, .addr = addr, .pages = pages };

	assert_int_equal(model_add_virt(&m, &row), 0);
}

static void vma(uint32_t seq, uint32_t pid, uint64_t start, uint64_t size, const char *name)
{
	vma_of(0, seq, pid, start, size, name);
}

/* Intervals last from seq - 1 to seq seconds. */
static void scan(uint32_t seq)
{
	const struct scan_row row = {
		.seq = seq, .group_kb = 2048, .write = 1, .begin_ns = seq * 1000000000ULL,
		.scan_ns = (seq + 1) * 1000000000ULL, .end_ns = (seq + 1) * 1000000000ULL,
	};

	assert_int_equal(model_add_scan(&m, &row), 0);
}

/* The heap of process 7 in two intervals, a file of processes 7 and 9, and 9's stack. */
static void recording(void)
{
	vma(1, 7, HEAP, 2 * BLOCK, "[heap]");
	virt(1, 7, HEAP, 512, 100);
	virt(1, 7, HEAP + BLOCK, 100, 0);
	vma(1, 7, FILES, BLOCK, "/lib/libc.so.6");
	virt(1, 7, FILES, 30, 0);
	/* Another part of the file, and what begins where the table does, not the mapping. */
	vma(1, 7, FILES + BLOCK, BLOCK, "/lib/libc.so.6");
	virt(1, 7, FILES + BLOCK, 10, 2);
	vma(1, 9, FILES, BLOCK, "/lib/libc.so.6");
	virt(1, 9, FILES, 50, 0);
	scan(1);
	vma(2, 7, HEAP, 2 * BLOCK, "[heap]");
	virt(2, 7, HEAP, 8, 8);
	vma(2, 9, FILES - 8192, 8192, "[stack]");
	virt(2, 9, FILES - 8192, 2, 2);
	scan(2);
	model_end(&m);
}

static void totals(void **state)
{
	(void)state;
	recording();
	make("mappings");
	assert_int_equal(rows(), 4);
	is_text(0, "mapping", "[heap]");
	is(0, "pid", 7);
	is(0, "intervals", 2);
	is(0, "mean_pages", 310);
	is(0, "max_mib", 612 / 256.0);
	is(0, "mean_written_mib", 54 / 256.0);
	is(0, "share_pct", 100 * 620 / 712.0);
	is(0, "blocks_2mib", 1.5);
	is(0, "wasted_mib", 3 - 310 / 256.0);
	is_text(1, "mapping", "/lib/libc.so.6");
	is(1, "pid", 9);
	is(1, "mean_pages", 25);
	/* Two mappings of one name are one. */
	is(2, "pid", 7);
	is(2, "intervals", 1);
	is(2, "mean_pages", 20);
	is(2, "max_mib", 40 / 256.0);
	is_text(3, "mapping", "[stack]");
	is(3, "mean_pages", 1);
}

/* Several threads read at the same time, also parts of one process: each has its own mapping. */
static void of_workers(void **state)
{
	(void)state;
	vma_of(51, 1, 7, HEAP, 4 * BLOCK, "[heap]");
	vma_of(52, 1, 7, FILES, BLOCK, "/lib/libc.so.6");
	virt_of(51, 1, 7, HEAP, 100);
	virt_of(52, 1, 7, FILES, 10);
	vma_of(52, 1, 9, HEAP, BLOCK, "[stack]");
	virt_of(51, 1, 7, HEAP + BLOCK, 200);
	virt_of(52, 1, 9, HEAP, 3);
	/* It is not within the worker's own. */
	virt_of(52, 1, 7, HEAP + 2 * BLOCK, 1);
	scan(1);
	make("mappings");
	assert_int_equal(rows(), 4);
	is_text(0, "mapping", "[heap]");
	is(0, "mean_pages", 300);
	is_text(1, "mapping", "/lib/libc.so.6");
	is(1, "mean_pages", 10);
	is_text(2, "mapping", "[stack]");
	is(2, "pid", 9);
	is(2, "mean_pages", 3);
	is_text(3, "mapping", "(no name)");
	is(3, "mean_pages", 1);
}

/* Threads end, and new ones come: those that were seen last are kept, and one that begins again and again. */
static void many_workers(void **state)
{
	uint32_t i;

	(void)state;
	for (i = 0; i < 3 * MAX_WORKERS; i++) {
		if (i % 100 == 0)
			vma_of(99, 1, 9, HEAP, BLOCK, "[stack]");
		vma_of(100 + i, 1, 7, HEAP, BLOCK, "[heap]");
		virt_of(100 + i, 1, 7, HEAP, 1);
	}
	virt_of(99, 1, 9, HEAP, 5);
	for (i = 0; i < 3 * MAX_WORKERS; i++)
		virt_of(100 + i, 1, 7, HEAP, 10000);
	scan(1);
	assert_int_equal(HASH_COUNT(m.mappings.parts), MAX_WORKERS);
	make("mappings");
	assert_int_equal(rows(), 3);
	is_text(0, "mapping", "(no name)");
	is(0, "mean_pages", (2 * MAX_WORKERS + 1) * 10000);
	is_text(1, "mapping", "[heap]");
	is(1, "mean_pages", 3 * MAX_WORKERS + (MAX_WORKERS - 1) * 10000);
	is_text(2, "mapping", "[stack]");
	is(2, "mean_pages", 5);
}

/* The advice counts whole blocks: huge pages cannot reach beyond a mapping. */
static void advice(void **state)
{
	uint32_t i;

	(void)state;
	vma(1, 7, HEAP, 4 * BLOCK, "[heap]");
	for (i = 0; i < 4; i++)
		virt(1, 7, HEAP + i * BLOCK, 512, 0);
	vma(1, 7, FILES, 4 * BLOCK, "[anon:cache]");
	virt(1, 7, FILES, 256, 0);
	for (i = 0; i < 3; i++)
		virt(1, 7, FILES + BLOCK / 2 + i * BLOCK, 512, 0);
	virt(1, 7, FILES + BLOCK / 2 + 3 * BLOCK, 256, 0);
	vma(1, 7, FILES + 8 * BLOCK, BLOCK, "/lib/libc.so.6");
	virt(1, 7, FILES + 8 * BLOCK, 100, 0);
	scan(1);
	make("mappings");
	is(0, "blocks_2mib", 4);
	assert_non_null(strstr(cell(0, "advice")->text, "worth it: 100 % of the pages"));
	/* Its first and its last half of a block cannot be huge pages. */
	is(1, "blocks_2mib", 3);
	is(1, "mean_pages", 2048);
	is(1, "wasted_mib", 0);
	is(2, "blocks_2mib", 0);
	is_text(2, "advice", "too small: no block of 2 MiB is wholly within it");
}

/* A gigantic page is many blocks; what was not referenced is no reason against huge pages by itself. */
static void advice_of_few(void **state)
{
	(void)state;
	vma(1, 7, BLOCK << 9, BLOCK << 9, "/anon_hugepage (deleted)");
	virt(1, 7, BLOCK << 9, THP_PAGES << 9, 0);
	vma(1, 7, HEAP + 4096, 8 * BLOCK, "[heap]");
	virt(1, 7, HEAP + 4096, 100, 0);
	virt(1, 7, HEAP, 0, 0);
	scan(1);
	make("mappings");
	is(0, "blocks_2mib", 512);
	is(0, "wasted_mib", 0);
	assert_non_null(strstr(cell(0, "advice")->text, "worth it: 100 %"));
	is(1, "blocks_2mib", 0);
	is_text(1, "advice", "not worth it: no block of 2 MiB wholly within it was referenced");
}

/* TLBs hold 512 pages of one mapping, but not 1536 of three. */
static void advice_of_process(void **state)
{
	static const char * const names[3] = { "a", "b", "c" };
	uint32_t i;

	(void)state;
	vma(1, 9, HEAP, BLOCK, "a");
	virt(1, 9, HEAP, 512, 0);
	for (i = 0; i < 3; i++) {
		vma(1, 7, HEAP + i * 4 * BLOCK, BLOCK, names[i]);
		virt(1, 7, HEAP + i * 4 * BLOCK, 512, 0);
	}
	scan(1);
	make("mappings");
	is(0, "pid", 9);
	assert_non_null(strstr(cell(0, "advice")->text, "not worth it: at most 512 pages"));
	for (i = 1; i < 4; i++) {
		is(i, "pid", 7);
		assert_int_equal(strncmp(cell(i, "advice")->text, "worth it: 100 %", 15), 0);
	}
}

static void over_time(void **state)
{
	(void)state;
	recording();
	make("mapping-times");
	/* Three names in two intervals. */
	assert_int_equal(rows(), 6);
	is_text(0, "mapping", "[heap]");
	is(0, "time_s", 1);
	is(0, "mib", 612 / 256.0);
	is(0, "written_mib", 100 / 256.0);
	is(0, "below_mib", 0);
	is_text(1, "mapping", "/lib/libc.so.6");
	is(1, "rank", 2);
	is(1, "mib", 90 / 256.0);
	is(1, "below_mib", 612 / 256.0);
	is(2, "mib", 0);
	is(3, "time_s", 2);
	is(3, "mib", 8 / 256.0);
	is(4, "mib", 0);
	is_text(5, "mapping", "[stack]");
	is(5, "mib", 2 / 256.0);
	is(5, "below_mib", 8 / 256.0);
}

/* The seven names with the most pages, and the others. */
static void many(void **state)
{
	char name[32];
	uint32_t i;

	(void)state;
	for (i = 0; i < 12; i++) {
		snprintf(name, sizeof(name), "/file/%u", i);
		vma(1, 7, FILES + i * BLOCK, BLOCK, name);
		virt(1, 7, FILES + i * BLOCK, 100 + i, 0);
	}
	scan(1);
	make("mapping-times");
	assert_int_equal(rows(), 8);
	is_text(0, "mapping", "/file/11");
	is_text(6, "mapping", "/file/5");
	is_text(7, "mapping", "other");
	is(7, "rank", 8);
	is(7, "mib", (100 + 101 + 102 + 103 + 104) / 256.0);
}

/* Beyond so many, a damaged recording fills no more memory. */
static void too_many(void **state)
{
	char name[32];
	uint32_t i;

	(void)state;
	for (i = 0; i < MAX_MAPPINGS + 10; i++) {
		snprintf(name, sizeof(name), "%u", i);
		vma(1, 7, HEAP, BLOCK, name);
		virt(1, 7, HEAP, 1, 0);
	}
	scan(1);
	assert_int_equal(m.mappings.nr, MAX_MAPPINGS + 1);
	make("mappings");
	is_text(0, "mapping", "(others)");
	is(0, "mean_pages", 10);
	assert_non_null(strstr(cell(0, "advice")->text, "unknown"));
}

/* Events may be lost: what no memref_vma of the interval and the process covers has no name. */
static void without_name(void **state)
{
	(void)state;
	virt(1, 7, HEAP, 5, 0);
	virt(1, 9, HEAP, 5, 0);
	scan(1);
	lacks("mappings", "the recording has no memref_vma events");
	lacks("mapping-times", "the recording has no memref_vma events");
	m.window.pids = (struct pids){ 1, { 7 } };
	m.window.mapping = "heap";
	lacks("virtual", "the recording has no memref_vma events");
	lacks("thp", "the recording has no memref_vma events");
	m.window.pids.nr = 0;
	m.window.mapping = NULL;
	vma(2, 7, HEAP, BLOCK, "[heap]");
	virt(2, 7, HEAP, 1, 0);
	virt(2, 9, HEAP, 2, 0);
	virt(2, 7, HEAP + BLOCK, 4, 0);
	virt(2, 7, HEAP - 4096, 8, 0);
	scan(2);
	virt(3, 7, HEAP, 16, 0);
	scan(3);
	make("mappings");
	assert_int_equal(rows(), 3);
	is_text(0, "mapping", "(no name)");
	is(0, "pid", 7);
	is(0, "mean_pages", (5 + 4 + 8 + 16) / 3.0);
	is_text(0, "advice", "unknown: these may be several mappings");
	is(1, "pid", 9);
	is_text(2, "mapping", "[heap]");
	is(2, "mean_pages", 1 / 3.0);
}

static void strange_name(void **state)
{
	(void)state;
	vma(1, 7, HEAP, BLOCK, "/tmp/a\nb\377c");
	virt(1, 7, HEAP, 5, 0);
	scan(1);
	make("mappings");
	assert_null(strpbrk(cell(0, "mapping")->text, "\n\377"));
}

static void of_one(void **state)
{
	const struct window mapping = { .mapping = "heap" }, of_process = { .mapping = "heap", .pids = { 1, { 7 } } };

	(void)state;
	m.window.mapping = "libc";
	recording();
	make("mappings");
	assert_int_equal(rows(), 2);
	m.window.pids = (struct pids){ 1, { 9 } };
	make("virtual");
	assert_int_equal(rows(), 2);
	is(1, "virt_addr", FILES + BLOCK - FILES % BLOCK);
	assert_int_equal(view_window(view_find("mappings"), &mapping, error, sizeof(error)), 0);
	assert_int_equal(view_window(view_find("virtual"), &mapping, error, sizeof(error)), 0);
	assert_int_equal(view_window(view_find("wss"), &mapping, error, sizeof(error)), -1);
	assert_string_equal(error, "--mapping heap: the view wss does not distinguish mappings");
	assert_int_equal(view_window(view_find("thp"), &mapping, error, sizeof(error)), -1);
	assert_string_equal(error, "--mapping heap: the view thp distinguishes mappings with --pid");
	assert_int_equal(view_window(view_find("thp"), &of_process, error, sizeof(error)), 0);
}

static void lacking(void **state)
{
	(void)state;
	scan(1);
	lacks("mappings", "memref record --virt --pid");
	m.window.mapping = "none";
	recording();
	lacks("mapping-times", "no mapping was referenced of mappings named *none*");
	m.window.pids = (struct pids){ 1, { 8 } };
	lacks("mappings", "--pid 8: the recording is of the virtual memory of 7, 9");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(totals, begin_mappings, end),
		cmocka_unit_test_setup_teardown(of_workers, begin_mappings, end),
		cmocka_unit_test_setup_teardown(many_workers, begin_mappings, end),
		cmocka_unit_test_setup_teardown(advice, begin_mappings, end),
		cmocka_unit_test_setup_teardown(advice_of_few, begin_mappings, end),
		cmocka_unit_test_setup_teardown(advice_of_process, begin_mappings, end),
		cmocka_unit_test_setup_teardown(over_time, begin_mappings, end),
		cmocka_unit_test_setup_teardown(many, begin_mappings, end),
		cmocka_unit_test_setup_teardown(too_many, begin_mappings, end),
		cmocka_unit_test_setup_teardown(without_name, begin_mappings, end),
		cmocka_unit_test_setup_teardown(strange_name, begin_mappings, end),
		cmocka_unit_test_setup_teardown(of_one, begin_mappings, end),
		cmocka_unit_test_setup_teardown(lacking, begin_mappings, end),
	};

	return cmocka_run_group_tests_name("mappings", tests, NULL, NULL);
}
