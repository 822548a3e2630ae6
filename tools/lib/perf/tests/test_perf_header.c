// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The header of perf.data files: each bound of it, and what is found by it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "made/mutate.h"
#include "perf_bytes.h"

static void each_bound_of_the_header_is_checked(void **unused)
{
	static const struct {
		size_t at;
		uint64_t value, next;
		const char *expected;
	} rows[] = {
		{ SIZE, 103, ATTR + 16, "x: damaged header (of 103 bytes) at 0x8" },
		{ SIZE, 104, ATTR + 16, NULL },
		{ SIZE, 4096, ATTR + 16, NULL },
		{ SIZE, 4097, ATTR + 16, "x: damaged header (of 4097 bytes) at 0x8" },
		{ SIZE, 15, ATTR + 16, "x: damaged header (of 15 bytes) at 0x8" },
		{ SIZE, 17, ATTR + 16, "x: damaged header (of 17 bytes) at 0x8" },
		{ ATTR_SIZE, 79, EVENTS, "x: damaged header (events of 79 bytes) at 0x10" },
		{ ATTR_SIZE, 4097, EVENTS, "x: damaged header (events of 4097 bytes) at 0x10" },
		{ ATTR_SIZE, 160, EVENTS, NULL },
		{ ATTRS, EVENTS, 80, NULL },
		{ ATTRS, EVENTS, 81, "x: damaged header (events of 80 bytes) at 0x10" },
		{ ATTRS, SECTIONS, 0, NULL },
		{ ATTRS, SECTIONS + 1, 0, "x: damaged header (events of 80 bytes) at 0x10" },
		{ ATTRS, SECTIONS - 79, 80, "x: damaged header (events of 80 bytes) at 0x10" },
		{ DATA, SECTIONS, 0, NULL },
		{ DATA, SECTIONS + 1, 0, "x: truncated (data up to 0x151, of 0x150 bytes) at 0x28" },
		{ DATA, RECORDS, 48, NULL },
		{ DATA, RECORDS, 49, "x: truncated (data up to 0x151, of 0x150 bytes) at 0x28" },
		/* Where the ids of the second event are. */
		{ EVENTS + 144, 0, 336, "x: damaged event (number 1, with 42 ids) at 0xd0" },
		{ EVENTS + 144, 0, 320, NULL },
		{ EVENTS + 144, 0, 328, "x: damaged event (number 1, with 41 ids) at 0xd0" },
		{ EVENTS + 144, SECTIONS, 0, NULL },
		{ EVENTS + 144, SECTIONS + 1, 0, "x: damaged event at 0xd0" },
		{ EVENTS + 144, SECTIONS - 8, 8, NULL },
		{ EVENTS + 144, SECTIONS - 7, 8, "x: damaged event at 0xd0" },
		{ EVENTS + 144, IDS, 9, "x: damaged event at 0xd0" },
		{ EVENTS + 144, IDS, 4, "x: damaged event at 0xd0" },
	};
	struct perf_data *d;
	size_t i;

	(void)unused;
	for (i = 0; i < LENGTH(rows); i++) {
		struct bytes b = native();

		patch(&b, rows[i].at, rows[i].value);
		patch(&b, rows[i].at + 8, rows[i].next);
		d = open_as(&b, b.size, rows[i].expected);
		/* Without a size of the data, perf record did not end. */
		assert_int_equal(d->unended, !rows[i].expected && rows[i].at == DATA && !rows[i].next);
		close_file(d, &b);
	}
}

/* Without events, nothing but the header limits how large they may be. */
static void attrs_have_64_to_4080_bytes(void **unused)
{
	static const struct { uint64_t size; const char *expected; } rows[] = {
		{ 80, NULL }, { 4096, NULL },
		{ 79, "x: damaged header (events of 79 bytes) at 0x10" },
		{ 4097, "x: damaged header (events of 4097 bytes) at 0x10" },
	};
	struct bytes b = native(), large = native();
	struct perf_data *d;
	size_t i;

	(void)unused;
	patch(&b, ATTRS + 8, 0);
	for (i = 0; i < LENGTH(rows); i++) {
		patch(&b, ATTR_SIZE, rows[i].size);
		close_file(open_as(&b, b.size, rows[i].expected), NULL);
	}
	free(b.at);
	/* Of a large one, the beginning is an attr, the end a section. */
	patch(&large, ATTR_SIZE, 4096);
	patch(&large, ATTRS, SECTIONS);
	patch(&large, ATTRS + 8, 4096);
	put_attr(&large, 9, PERF_SAMPLE_IP, 0);
	put(&large, (char[4096 - ATTR - 16]){ 0 }, 4096 - ATTR - 16);
	put(&large, (uint64_t[]){ IDS + 8, 16 }, 16);
	d = open_as(&large, large.size, NULL);
	assert_int_equal(d->nr_events, 1);
	assert_int_equal(d->events[0].attr.type, 9);
	assert_int_equal(d->events[0].attr.sample_type, PERF_SAMPLE_IP);
	assert_ptr_equal(perf_events_by_id(d, 32), d->events);
	assert_ptr_equal(perf_events_by_id(d, 20), d->events);
	assert_null(perf_events_by_id(d, 31));
	close_file(d, &large);
}

static void a_file_that_is_cut_says_where(void **unused)
{
	static const struct { size_t size; const char *expected; } rows[] = {
		{ 0, "x: truncated at 0x0" }, { 15, "x: truncated at 0xf" }, { 16, "x: truncated at 0x10" },
		{ 103, "x: truncated at 0x67" }, { 104, "x: damaged header (events of 80 bytes) at 0x10" },
		{ SECTIONS - 1, "x: truncated (data up to 0x150, of 0x14f bytes) at 0x28" }, { SECTIONS, NULL },
	};
	struct bytes b = native();
	size_t i;

	(void)unused;
	for (i = 0; i < LENGTH(rows); i++)
		close_file(open_as(&b, rows[i].size, rows[i].expected), NULL);
	free(b.at);
}

static void the_first_bytes_show_what_a_file_is(void **unused)
{
	static const struct { const char *bytes; bool is; const char *expected; } rows[] = {
		{ "PERFILE2", true, NULL },
		{ "2ELIFREP", true, "x: recorded on a machine of the other byte order, which is not read at 0x0" },
		{ "PERFFILE", true, "x: not a perf.data file at 0x0" },
		{ "PERFILE3", false, "x: not a perf.data file at 0x0" },
		{ "3ELIFREP", false, "x: not a perf.data file at 0x0" },
		{ "PERFFILF", false, "x: not a perf.data file at 0x0" },
	};
	struct bytes b = native();
	size_t i;

	(void)unused;
	for (i = 0; i < LENGTH(rows); i++) {
		memcpy(b.at, rows[i].bytes, 8);
		assert_int_equal(perf_data_is(mutate_file(b.at, b.size)), rows[i].is);
		assert_int_equal(perf_data_is(mutate_file(b.at, 8)), rows[i].is);
		assert_false(perf_data_is(mutate_file(b.at, 7)));
		close_file(open_as(&b, b.size, rows[i].expected), NULL);
	}
	assert_false(perf_data_is("/nowhere/perf.data"));
	free(b.at);
}

static void what_is_no_file_is_named(void **unused)
{
	char folder[] = "/tmp/perf_header.XXXXXX", fifo[64], error[512];
	struct perf_data d;

	(void)unused;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(perf_data_open_as(&d, folder, "x", error, sizeof(error)), -1);
	assert_string_equal(error, "x: a folder (of perf record --threads), which is not read");
	perf_data_close(&d);
	assert_int_equal(perf_data_open_as(&d, "/dev/null", "x", error, sizeof(error)), -1);
	assert_string_equal(error, "x: no regular file: what perf writes into a pipe is read from a file");
	perf_data_close(&d);
	snprintf(fifo, sizeof(fifo), "%s/none", folder);
	assert_int_equal(perf_data_open_as(&d, fifo, "x", error, sizeof(error)), -1);
	assert_string_equal(error, "x: No such file or directory");
	perf_data_close(&d);
	rmdir(folder);
}

static void events_and_records_are_where_the_header_says(void **unused)
{
	struct bytes b = native();
	struct perf_data *d = open_as(&b, b.size, NULL);
	struct perf_record r;
	size_t i;

	(void)unused;
	assert_int_equal(d->nr_events, 2);
	assert_false(d->pipe || d->unended);
	for (i = 0; i < 2; i++) {
		assert_int_equal(d->events[i].attr.type, 4 + i);
		assert_int_equal(d->events[i].attr.size, ATTR);
		assert_int_equal(d->events[i].attr.sample_type, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME);
		assert_int_equal(d->events[i].attr.sample_id_all, 1);
		assert_string_equal(d->events[i].name, "");
		assert_string_equal(d->events[i].pmu, "");
	}
	assert_ptr_equal(perf_events_by_id(d, 0), &d->events[0]);
	assert_ptr_equal(perf_events_by_id(d, 31), &d->events[0]);
	assert_ptr_equal(perf_events_by_id(d, 32), &d->events[0]);
	assert_ptr_equal(perf_events_by_id(d, 20), &d->events[1]);
	assert_null(perf_events_by_id(d, 30));
	assert_int_equal(d->machine.nr_cpus, 0);
	assert_int_equal(d->machine.nr_nodes, 0);
	for (i = 0; i < PERF_MAX_CPUS; i++)
		assert_int_equal(d->machine.cpu_node[i], PERF_NO_NODE);
	assert_int_equal(perf_data_next(d, &r), 1);
	assert_int_equal(r.at, RECORDS);
	assert_int_equal(r.type, PERF_RECORD_LOST);
	assert_int_equal(r.lost, 5);
	assert_int_equal(r.time, 77);
	assert_int_equal(d->clockid, -1);
	assert_int_equal(perf_data_next(d, &r), 0);
	assert_int_equal(perf_data_next(d, &r), 0);
	close_file(d, &b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_bound_of_the_header_is_checked),
		cmocka_unit_test(attrs_have_64_to_4080_bytes),
		cmocka_unit_test(a_file_that_is_cut_says_where),
		cmocka_unit_test(the_first_bytes_show_what_a_file_is),
		cmocka_unit_test(what_is_no_file_is_named),
		cmocka_unit_test(events_and_records_are_where_the_header_says),
	};

	return cmocka_run_group_tests_name("perf.data header", tests, NULL, NULL);
}
