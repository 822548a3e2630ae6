// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The events of perf.data files: which of them a record is of, and which count what others count. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "perf_bytes.h"

static void the_clock_is_that_of_the_first_event(void **unused)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .clockid = 4, .sample_type = PERF_SAMPLE_IP };
	int used;

	(void)unused;
	for (used = 0; used < 2; used++) {
		struct bytes b = begin_pipe();
		struct perf_data *d;

		attr.use_clockid = used;
		put_record(&b, PERF_HEADER_ATTR, &attr, sizeof(attr));
		put_record(&b, PERF_RECORD_THROTTLE, NULL, 0);
		d = read_pipe(&b, 1, "");
		assert_int_equal(d->clockid, used ? 4 : -1);
		close_file(d, &b);
	}
}

#define I	PERF_SAMPLE_IDENTIFIER
#define D	PERF_SAMPLE_ID

static void events_whose_records_differ_need_ids_at_the_same_place(void **unused)
{
	static const struct { uint64_t type[2]; uint64_t flags[2]; bool good; } rows[] = {
		{ { I, I }, { ID_ALL, ID_ALL }, true },
		{ { I, I | PERF_SAMPLE_CPU }, { ID_ALL, ID_ALL }, true },
		{ { I, 0 }, { 0, 0 }, false }, { { 0, I }, { 0, 0 }, false }, { { 0, 0 }, { 0, 0 }, false },
		{ { I, I }, { ID_ALL, 0 }, false }, { { I, I }, { 0, ID_ALL }, false },
		{ { D, D }, { ID_ALL, ID_ALL }, true },
		{ { D, D | PERF_SAMPLE_PERIOD }, { ID_ALL, ID_ALL }, true },
		{ { D, D | PERF_SAMPLE_IP }, { 0, 0 }, false }, { { D, D | PERF_SAMPLE_TID }, { 0, 0 }, false },
		{ { D, D | PERF_SAMPLE_TIME }, { 0, 0 }, false }, { { D, D | PERF_SAMPLE_ADDR }, { 0, 0 }, false },
		{ { D | PERF_SAMPLE_IP, D | PERF_SAMPLE_ADDR }, { 0, 0 }, true },
		{ { D, D | PERF_SAMPLE_CPU }, { 0, 0 }, true },
		{ { D, D | PERF_SAMPLE_CPU }, { ID_ALL, ID_ALL }, false },
		{ { D, D | PERF_SAMPLE_STREAM_ID }, { ID_ALL, ID_ALL }, false },
		{ { D | PERF_SAMPLE_CPU, D | PERF_SAMPLE_STREAM_ID }, { ID_ALL, ID_ALL }, true },
		/* The same place in samples, another one in others. */
		{ { I, D }, { 0, 0 }, true }, { { I, D | PERF_SAMPLE_CPU }, { ID_ALL, ID_ALL }, false },
	};
	size_t i;

	(void)unused;
	for (i = 0; i < LENGTH(rows); i++) {
		struct bytes b = begin_pipe();
		int k;

		for (k = 0; k < 2; k++)
			put_event(&b, k, rows[i].type[k], rows[i].flags[k], (uint64_t[]){ 1 + k }, 1);
		put_record(&b, PERF_RECORD_THROTTLE, (uint64_t[7]){ 1, 1, 1, 1, 1, 1, 1 }, 56);
		close_file(read_pipe(&b, rows[i].good, rows[i].good ? "" :
			      "x: its 2 events cannot be told apart: samples have no id at 0xb0"), &b);
	}
}

/* Words that differ, and which of them says the event: counted from the first, or from the end. */
static void ids_are_where_the_fields_around_them_put_them(void **unused)
{
	static const struct { uint64_t type; size_t sample, other; } rows[] = {
		{ I, 0, 1 }, { I | D, 0, 1 }, { I | D | PERF_SAMPLE_IP | PERF_SAMPLE_CPU, 0, 1 }, { D, 0, 1 },
		{ D | PERF_SAMPLE_IP, 1, 1 }, { D | PERF_SAMPLE_TID, 1, 1 }, { D | PERF_SAMPLE_TIME, 1, 1 },
		{ D | PERF_SAMPLE_ADDR, 1, 1 }, { D | PERF_SAMPLE_CPU, 0, 2 }, { D | PERF_SAMPLE_STREAM_ID, 0, 2 },
		{ D | PERF_SAMPLE_PERIOD, 0, 1 },
		{ (1 << 10) - 1 - PERF_SAMPLE_READ - PERF_SAMPLE_CALLCHAIN, 4, 3 },
	};
	size_t i, k;

	(void)unused;
	for (i = 0; i < LENGTH(rows); i++) {
		struct bytes b = begin_pipe();
		struct { struct perf_event_header h; uint64_t words[12]; } record = { .h.type = PERF_RECORD_SAMPLE };
		struct perf_data *d;

		record.h.size = sizeof(record);
		put_event(&b, 0, rows[i].type, ID_ALL, (uint64_t[]){ 900, 901 }, 2);
		for (k = 1; k < 9; k++)
			put_event(&b, k, rows[i].type, ID_ALL, (uint64_t[]){ 100 + k, 200 - k }, 2);
		put_record(&b, PERF_RECORD_THROTTLE, (uint64_t[12]){ 0 }, 96);
		d = read_pipe(&b, 1, "");
		for (k = 0; k < 12; k++)
			record.words[k] = k < 6 ? 101 + k : 200 - (12 - k);
		assert_ptr_equal(perf_events_of(d, &record.h), &d->events[1 + rows[i].sample]);
		record.h.type = PERF_RECORD_LOST;
		assert_ptr_equal(perf_events_of(d, &record.h), &d->events[rows[i].other]);
		/* Those of perf itself have the id 0, and those that are too short have none. */
		memset(record.words, 0, sizeof(record.words));
		assert_ptr_equal(perf_events_of(d, &record.h), &d->events[0]);
		record.words[0] = record.words[1] = 55;
		record.h.size = sizeof(record.h) + 8 * rows[i].other;
		assert_int_equal(!perf_events_of(d, &record.h), !!record.words[0]);
		record.h.size -= 8;
		assert_null(perf_events_of(d, &record.h));
		record.h.type = PERF_RECORD_SAMPLE;
		record.h.size = sizeof(record.h) + 8 * rows[i].sample;
		assert_null(perf_events_of(d, &record.h));
		close_file(d, &b);
	}
}

static void without_ids_records_are_of_the_first_event(void **unused)
{
	struct { struct perf_event_header h; uint64_t words[2]; } record = { .words = { 2, 2 } };
	struct bytes b = begin_pipe();
	struct perf_data *d;

	(void)unused;
	record.h.size = sizeof(record);
	put_event(&b, 0, I, 0, (uint64_t[]){ 1 }, 1);
	put_event(&b, 1, I, 0, (uint64_t[]){ 2 }, 1);
	put_record(&b, PERF_RECORD_THROTTLE, NULL, 0);
	d = read_pipe(&b, 1, "");
	record.h.type = PERF_RECORD_LOST;
	assert_ptr_equal(perf_events_of(d, &record.h), &d->events[0]);
	record.h.type = PERF_RECORD_SAMPLE;
	assert_ptr_equal(perf_events_of(d, &record.h), &d->events[1]);
	close_file(d, &b);
	/* Of one event are all, whatever they say. */
	b = begin_pipe();
	put_event(&b, 0, I, ID_ALL, (uint64_t[]){ 1 }, 1);
	d = read_pipe(&b, 0, "");
	assert_ptr_equal(perf_events_of(d, &record.h), d->events);
	close_file(d, &b);
	b = begin_pipe();
	put_record(&b, PERF_RECORD_THROTTLE, NULL, 0);
	close_file(read_pipe(&b, 0, "x: no events are described before the first record at 0x10"), &b);
}

static void a_file_has_at_most_65536_events(void **unused)
{
	struct bytes b = begin_pipe();
	char expected[80];
	int i;

	(void)unused;
	for (i = 0; i < 65536; i++)
		put_event(&b, 0, I, 0, NULL, 0);
	snprintf(expected, sizeof(expected), "x: damaged event (number 65536, with 0 ids) at 0x%zx", b.size);
	close_file(read_pipe(&b, 0, ""), NULL);
	put_event(&b, 0, I, 0, NULL, 0);
	close_file(read_pipe(&b, 0, expected), &b);
}

static const char * const spe[] = {
	"memory", "l1d-access", "llc-access", "tlb-access", "l1d-miss", "llc-miss", "tlb-miss", "remote-access",
	"instructions",
};
#define SPE	(I | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_ADDR)

/* Events of these names, which come behind a first record; of @type[1], another sort. */
static void check_repeats(const char *first, const char *second, uint32_t type, uint64_t fields, int expected)
{
	struct bytes b = begin_pipe(), f = { 0 };
	struct perf_data *d;

	put_event(&b, PERF_TYPE_HARDWARE, SPE, 0, (uint64_t[]){ 1 }, 1);
	put_event(&b, type, fields, 0, (uint64_t[]){ 2 }, 1);
	put_record(&b, PERF_RECORD_THROTTLE, NULL, 0);
	begin_names(&f, 2, 64);
	put_name(&f, 64, first, (uint64_t[]){ 1 }, 1);
	put_name(&f, 64, second, (uint64_t[]){ 2 }, 1);
	put_pipe_feature(&b, 12, &f);
	put_record(&b, PERF_RECORD_THROTTLE, NULL, 0);
	d = read_pipe(&b, 2, "");
	assert_int_equal(d->events[0].repeats, expected == 1);
	assert_int_equal(d->events[1].repeats, expected == 2);
	free(f.at);
	close_file(d, &b);
}

static void of_what_is_made_of_spe_one_event_has_each_operation(void **unused)
{
	size_t i;

	(void)unused;
	for (i = 0; i + 1 < LENGTH(spe); i++) {
		check_repeats(spe[i], spe[i + 1], PERF_TYPE_HARDWARE, SPE, 2);
		check_repeats(spe[i + 1], spe[i], PERF_TYPE_HARDWARE, SPE, 1);
		check_repeats(spe[i], spe[i], PERF_TYPE_HARDWARE, SPE, 0);
	}
	check_repeats(spe[8], "cycles", PERF_TYPE_HARDWARE, SPE, 0);
	check_repeats("cycles", spe[8], PERF_TYPE_HARDWARE, SPE, 0);
	check_repeats(spe[0], spe[1], PERF_TYPE_RAW, SPE, 0);
	check_repeats(spe[0], spe[1], PERF_TYPE_HARDWARE, SPE & ~PERF_SAMPLE_DATA_SRC, 0);
	check_repeats(spe[0], spe[1], PERF_TYPE_HARDWARE, SPE & ~PERF_SAMPLE_WEIGHT, 0);
	check_repeats(spe[0], spe[1], PERF_TYPE_HARDWARE, SPE & ~PERF_SAMPLE_ADDR, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_clock_is_that_of_the_first_event),
		cmocka_unit_test(events_whose_records_differ_need_ids_at_the_same_place),
		cmocka_unit_test(ids_are_where_the_fields_around_them_put_them),
		cmocka_unit_test(without_ids_records_are_of_the_first_event),
		cmocka_unit_test(a_file_has_at_most_65536_events),
		cmocka_unit_test(of_what_is_made_of_spe_one_event_has_each_operation),
	};

	return cmocka_run_group_tests_name("perf.data events", tests, NULL, NULL);
}
