// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* trace.dat files, written byte by byte: each kind of entry, damage, and every truncation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "small_trace.h"

static void expect_event(uint64_t ts, int cpu, uint32_t value, uint64_t offset)
{
	struct trace_event e;
	uint32_t got;

	assert_int_equal(trace_dat_next(&dat, &e), 1);
	assert_int_equal(e.ts, ts);
	assert_int_equal(e.cpu, cpu);
	assert_int_equal(e.offset, offset);
	assert_int_equal(e.size, 12);
	memcpy(&got, (const char *)e.data + 8, 4);
	assert_int_equal(got, value);
}

static void expect_end(uint64_t lost, uint64_t bad)
{
	struct trace_event e;

	assert_int_equal(trace_dat_next(&dat, &e), 0);
	assert_int_equal(dat.lost_events, lost);
	assert_int_equal(dat.bad_offset, bad);
	trace_dat_close(&dat);
}

/* Two CPUs; the second has a page more. */
static uint32_t two_cpus(void)
{
	uint32_t table = put_v6(&file, "test", formats, 1, 2), first = file.size, page;

	page = page_begin(&file, 1000);
	put_event(&file, 0, 1);
	put_event(&file, 50, 3);
	page_end(&file, page, 0, 0);
	put_cpu(&file, table, 0, first);
	page = page_begin(&file, 1020);
	put_event(&file, 5, 2);
	page_end(&file, page, 0, 0);
	page = page_begin(&file, 2000);
	put_event(&file, 0, 4);
	page_end(&file, page, 0, 0);
	put_cpu(&file, table, 1, first + PAGE_BYTES);
	return first;
}

static void merged_by_time(void **state)
{
	uint32_t at = two_cpus();
	char *symbols;

	(void)state;
	open_all();
	assert_int_equal(dat.version, 6);
	assert_int_equal(dat.cpus, 2);
	assert_int_equal(dat.size, file.size);
	assert_string_equal(dat.uname, "machine");
	symbols = trace_dat_symbols(&dat);
	assert_string_equal(symbols, "ffff T start");
	free(symbols);
	expect_event(1000, 0, 1, at);
	expect_event(1025, 1, 2, at + PAGE_BYTES);
	expect_event(1050, 0, 3, at);
	expect_event(2000, 1, 4, at + 2 * PAGE_BYTES);
	assert_int_equal(dat.read, 3 * PAGE_BYTES);
	expect_end(0, 0);
}

static void times(void **state)
{
	uint32_t table = put_v6(&file, "test", formats, 1, 1), at = file.size, page;
	uint64_t t = UINT64_C(3) << 59;		/* beyond what a time stamp holds */

	(void)state;
	page = page_begin(&file, t + 100);
	put_event(&file, 1, 1);
	put_head(&file, 30, 5);				/* time extend: 3 << 27 | 5 */
	put(&file, 3, 4);
	put_event(&file, 2, 2);
	put_head(&file, 31, 7);				/* time stamp: 1 << 27 | 7 */
	put(&file, 1, 4);
	put_event(&file, 1, 3);
	put_head(&file, 30, (1 << 27) - 1);
	put(&file, UINT32_MAX, 4);
	put_event(&file, (1 << 27) - 1, 4);
	page_end(&file, page, 0, 0);
	put_cpu(&file, table, 0, at);
	open_all();
	expect_event(t + 101, 0, 1, at);
	expect_event(t + 101 + (3 << 27) + 5 + 2, 0, 2, at);
	t += (1 << 27) + 7 + 1;
	expect_event(t, 0, 3, at);
	expect_event(t + (UINT64_C(1) << 59) - 1 + (1 << 27) - 1, 0, 4, at);
	expect_end(0, 0);
}

static void entries(void **state)
{
	uint32_t table = put_v6(&file, "test", formats, 1, 1), at = file.size, page, i;
	struct trace_event e;

	(void)state;
	page = page_begin(&file, 0);
	put_head(&file, 29, 4);				/* padding of 8 bytes; its time counts */
	put(&file, 8, 4);
	put(&file, 0, 4);
	put_event(&file, 1, 1);
	put_head(&file, 0, 1);				/* long: 5 words with the length */
	put(&file, 134, 4);
	for (i = 0; i < 132; i++)			/* rounded up to a word */
		put(&file, i, 1);
	put_event(&file, 1, 2);
	put_head(&file, 29, 0);				/* the rest of the page is empty */
	put(&file, 0xffffffff, 4);
	put(&file, 0xffffffff, 4);
	page_end(&file, page, 0, 0);
	page = page_begin(&file, 100);
	page_end(&file, page, 0, 0);			/* no event at all */
	page = page_begin(&file, 200);
	put_event(&file, 0, 3);
	page_end(&file, page, 0, 0);
	put_cpu(&file, table, 0, at);
	open_all();
	expect_event(5, 0, 1, at);
	assert_int_equal(trace_dat_next(&dat, &e), 1);
	assert_int_equal(e.ts, 6);
	assert_int_equal(e.size, 130);
	assert_int_equal(((const unsigned char *)e.data)[129], 129);
	expect_event(7, 0, 2, at);
	expect_event(200, 0, 3, at + 2 * PAGE_BYTES);
	expect_end(0, 0);
}

static void lost_events(void **state)
{
	uint32_t table = put_v6(&file, "test", formats, 1, 1), at = file.size, page, i;

	(void)state;
	page = page_begin(&file, 0);
	put_event(&file, 0, 1);
	page_end(&file, page, LOST | LOST_STORED, 1234567);
	page = page_begin(&file, 10);			/* no number: at least one */
	put_event(&file, 0, 2);
	page_end(&file, page, LOST, 0);
	page = page_begin(&file, 20);			/* no room for the number */
	for (i = 0; i < (PAGE_BYTES - 16) / 16; i++)
		put_event(&file, 0, 3);
	page_end(&file, page, LOST, 0);
	put_at(&file, page + 8, (PAGE_BYTES - 16) | LOST | LOST_STORED, 8);
	put_cpu(&file, table, 0, at);
	open_all();
	expect_event(0, 0, 1, at);
	assert_int_equal(dat.lost_events, 1234567);
	expect_event(10, 0, 2, at + PAGE_BYTES);
	for (i = 0; i < (PAGE_BYTES - 16) / 16; i++)
		expect_event(20, 0, 3, at + 2 * PAGE_BYTES);
	expect_end(1234567 + 1 + 1, 0);
}

/* What is wrong with an entry or a page ends that page; the next one is read. */
static void damage(void **state)
{
	static const struct {
		uint32_t type, delta, second;
		int words;
	} bad[] = {
		{ 4, 0, 0, 3 },		/* an event that is longer than the page has */
		{ 0, 0, 3, 1 },		/* a long one that is too short */
		{ 0, 0, 4096, 3 },	/* or too long */
		{ 29, 1, 4096, 3 },	/* padding that is */
		{ 30, 1, 0, 0 },	/* a time without its second half */
	};
	uint32_t table, at, page;
	unsigned int i;
	int w;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		table = put_v6(&file, "test", formats, 1, 1);
		at = file.size;
		page = page_begin(&file, 0);
		put_event(&file, 1, 1);
		put_head(&file, bad[i].type, bad[i].delta);
		for (w = 0; w < bad[i].words; w++)
			put(&file, w ? 0 : bad[i].second, 4);
		page_end(&file, page, 0, 0);
		page = page_begin(&file, 10);
		put_event(&file, 0, 2);
		page_end(&file, page, 0, 0);
		put_cpu(&file, table, 0, at);
		open_all();
		expect_event(1, 0, 1, at);
		expect_event(10, 0, 2, at + PAGE_BYTES);
		expect_end(0, at);
	}
	/* More events than a page has room for. */
	put_at(&file, at + 8, PAGE_BYTES - 16 + 1, 8);
	open_all();
	expect_event(10, 0, 2, at + PAGE_BYTES);
	expect_end(0, at);
	/* As many as it has room for; zeros are no events. */
	put_at(&file, at + 8, PAGE_BYTES - 16, 8);
	open_all();
	expect_event(1, 0, 1, at);
	expect_event(10, 0, 2, at + PAGE_BYTES);
	expect_end(0, at);
}

/* A CPU whose data the file has only in part, or not. */
static void beyond_the_end(void **state)
{
	uint32_t at = two_cpus();

	(void)state;
	assert_int_equal(open_part(at + 2 * PAGE_BYTES + 16 + 16, "test"), 0);
	expect_event(1000, 0, 1, at);
	expect_event(1025, 1, 2, at + PAGE_BYTES);
	expect_event(1050, 0, 3, at);
	expect_event(2000, 1, 4, at + 2 * PAGE_BYTES);
	expect_end(0, at + 2 * PAGE_BYTES + 32);
	/* In the last event; before the last page's header ends; without the second CPU. */
	assert_int_equal(open_part(at + 2 * PAGE_BYTES + 16 + 15, "test"), 0);
	expect_event(1000, 0, 1, at);
	expect_event(1025, 1, 2, at + PAGE_BYTES);
	expect_event(1050, 0, 3, at);
	expect_end(0, at + 2 * PAGE_BYTES);
	assert_int_equal(open_part(at + 2 * PAGE_BYTES + 15, "test"), 0);
	expect_event(1000, 0, 1, at);
	expect_event(1025, 1, 2, at + PAGE_BYTES);
	expect_event(1050, 0, 3, at);
	expect_end(0, at + 2 * PAGE_BYTES);
	assert_int_equal(open_part(at + PAGE_BYTES, "test"), 0);
	expect_event(1000, 0, 1, at);
	expect_event(1050, 0, 3, at);
	expect_end(0, at + PAGE_BYTES);
}

static void expect_refused(const char *message)
{
	assert_int_equal(open_part(file.size, "test"), -1);
	assert_non_null(strstr(dat_error, message));
	trace_dat_close(&dat);
}

static void refused(void **state)
{
	uint32_t at = two_cpus();

	(void)state;
	assert_int_equal(open_part(file.size, "memref"), -1);
	assert_string_equal(dat_error, "no memref events (record with: trace-cmd record -e memref)");
	trace_dat_close(&dat);
	file.b[0] = 'X';
	expect_refused("not a trace.dat file");
	two_cpus();
	file.b[10] = '5';
	expect_refused("not a trace.dat file of version 6 or 7");
	two_cpus();
	file.b[12] = 1;				/* big-endian */
	expect_refused("of a 64-bit little-endian machine");
	two_cpus();
	file.b[13] = 4;				/* 32 bits */
	expect_refused("of a 64-bit little-endian machine");
	two_cpus();
	put_at(&file, 14, 4097, 4);		/* pages */
	expect_refused("of a 64-bit little-endian machine");
	file.size = 13;
	expect_refused("damaged or truncated in its header");
	assert_int_equal(open_part(at / 8, "test"), -1);
	trace_dat_close(&dat);
}

/* Version 7, of which a CPU's pages are one chunk if they are compressed.  Return: where the events begin. */
static uint32_t version_7(int zip, uint32_t *index)
{
	make_sections(zip ? ZIP_DATA : 0, 1, 100);
	*index = place[INDEX];
	return place[DATA];
}

static void expect_values(uint64_t bad, int cpus_known)
{
	struct trace_event e;
	uint32_t i, got;

	for (i = 0; i < 4; i++) {
		assert_int_equal(trace_dat_next(&dat, &e), 1);
		assert_int_equal(e.ts, 100 * (1 + i / 2) + i % 2);
		assert_int_equal(e.cpu, cpus_known ? 4 + (int)(i % 2) : -1);
		memcpy(&got, (const char *)e.data + 8, 4);
		assert_int_equal(got, 1 + i);
	}
	expect_end(0, bad);
}

static void sections(void **state)
{
	uint32_t index;
	char *symbols;
	int zip;

	(void)state;
	for (zip = 0; zip < 2; zip++) {
		version_7(zip, &index);
		open_all();
		assert_int_equal(dat.version, 7);
		assert_string_equal(dat.uname, "box");
		symbols = trace_dat_symbols(&dat);
		assert_string_equal(symbols, "symb");
		free(symbols);
		expect_values(0, 1);
		/* Without the index, which is written last, events are found by what they look like. */
		assert_int_equal(open_part(index, "test"), 0);
		expect_values(index, 0);
	}
}

static void bad_chunks(void **state)
{
	uint32_t index, at = version_7(1, &index);

	(void)state;
	/* The first CPU's data make no sense; the second's are read. */
	memset(file.b + at + 12, 0x55, 8);
	open_all();
	expect_event(101, 5, 2, at + 3 * PAGE_BYTES + 4);
	expect_event(201, 5, 4, at + 3 * PAGE_BYTES + 4);
	expect_end(0, at + 4);
	/* More chunks than there are. */
	at = version_7(1, &index);
	put_at(&file, at, 2, 4);
	open_all();
	expect_event(100, 4, 1, at + 4);
	expect_event(101, 5, 2, at + 3 * PAGE_BYTES + 4);
	expect_event(200, 4, 3, at + 4);
	expect_event(201, 5, 4, at + 3 * PAGE_BYTES + 4);
	assert_true(dat.bad_offset > at && dat.bad_offset <= at + 3 * PAGE_BYTES);
	trace_dat_close(&dat);
	/* A chunk of no size, or of none in the file. */
	at = version_7(1, &index);
	put_at(&file, at + 8, 0, 4);
	open_all();
	expect_event(101, 5, 2, at + 3 * PAGE_BYTES + 4);
	expect_event(201, 5, 4, at + 3 * PAGE_BYTES + 4);
	expect_end(0, at + 4);
	at = version_7(1, &index);
	put_at(&file, at + 4, 0, 4);
	open_all();
	expect_event(101, 5, 2, at + 3 * PAGE_BYTES + 4);
	expect_event(201, 5, 4, at + 3 * PAGE_BYTES + 4);
	expect_end(0, at + 4);
	/* A chunk that is said to be huge. */
	at = version_7(1, &index);
	put_at(&file, at + 8, 0xf0000000, 4);
	open_all();
	expect_event(101, 5, 2, at + 3 * PAGE_BYTES + 4);
	expect_event(201, 5, 4, at + 3 * PAGE_BYTES + 4);
	expect_end(0, at + 4);
}

/* The last four bytes of a page, and a number that is only half on it. */
static void ends_of_pages(void **state)
{
	uint32_t table = put_v6(&file, "test", formats, 1, 1), at = file.size, page, i;

	(void)state;
	page = page_begin(&file, 10);
	put_event(&file, 0, 1);
	put_head(&file, 29, 0);
	page_end(&file, page, 0, 0);
	page = page_begin(&file, 20);
	for (i = 0; i < (PAGE_BYTES - 16) / 16 - 1; i++)
		put_event(&file, 0, 2);
	put_head(&file, 2, 0);				/* 12 bytes: 4 are left */
	put(&file, 0, 8);
	page_end(&file, page, LOST, 0);
	put_at(&file, page + 8, (PAGE_BYTES - 16 - 4) | LOST | LOST_STORED, 8);
	put_at(&file, page + PAGE_BYTES - 4, 77, 4);
	put_cpu(&file, table, 0, at);
	open_all();
	expect_event(10, 0, 1, at);
	expect_event(20, 0, 2, at + PAGE_BYTES);
	assert_int_equal(dat.lost_events, 1);
	assert_int_equal(dat.bad_offset, 0);
	trace_dat_close(&dat);
}

/*
 * LeakSanitizer asks for it.  libtraceevent keeps what it had read of a format that it
 * refuses; tools parse in a child, which ends (lib/trace/child.c).
 */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:tep_parse_event\n";
}

/* Its static functions have no frame pointer: only a slow unwinding finds that one. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "fast_unwind_on_malloc=0";
}

/* Every truncation, and bytes of any value: an error or an end, and nothing outside. */
static void any_bytes(void **state)
{
	uint32_t index, size, round, i;
	struct trace_event e;
	char *symbols;

	(void)state;
	for (round = 0; round < 3000; round++) {
		if (round % 3)
			version_7(round % 3 - 1, &index);
		else
			two_cpus();
		size = round < 600 ? round * file.size / 600 : file.size;
		srand(round);
		for (i = 0; round >= 600 && i < 1 + round % 8; i++) {
			/* Most of the bytes are zeros at the end of pages. */
			uint32_t at = rand() % file.size;

			while (at && !file.b[at])
				at--;
			file.b[at] = rand() % 4 ? rand() : 0xff;
		}
		if (!open_part(size, "test")) {
			for (i = 0; trace_dat_next(&dat, &e) > 0; i++)
				for (uint32_t b = 0; b < e.size; b++)
					e.offset += ((const unsigned char *)e.data)[b];
			assert_true(i < 10000);
			symbols = trace_dat_symbols(&dat);
			free(symbols);
		} else {
			assert_true(*dat_error);
		}
		trace_dat_close(&dat);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(merged_by_time), cmocka_unit_test(times), cmocka_unit_test(entries),
		cmocka_unit_test(lost_events), cmocka_unit_test(damage),
		cmocka_unit_test(beyond_the_end), cmocka_unit_test(refused),
		cmocka_unit_test(sections), cmocka_unit_test(bad_chunks),
		cmocka_unit_test(ends_of_pages), cmocka_unit_test(any_bytes),
	};

	return cmocka_run_group_tests_name("trace_dat", tests, NULL, NULL);
}
