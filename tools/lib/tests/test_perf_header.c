// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* What perf.data files say in front of their records and behind them, byte by byte; and damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "lib/perf/perf_parts.h"
#include "made/mutate.h"

#define LENGTH(a)	(sizeof(a) / sizeof((a)[0]))
#define ATTR		64		/* the smallest there is */
#define ID_ALL		(1 << 18)	/* attr.sample_id_all */
#define MIB		(1ULL << 20)

/* A file, or a part of one. */
struct bytes {
	char *at;
	size_t size, capacity;
};

static void put(struct bytes *b, const void *data, size_t size)
{
	if (b->size + size > b->capacity) {
		b->capacity = 2 * (b->size + size);
		b->at = realloc(b->at, b->capacity);
		assert_non_null(b->at);
	}
	if (size)
		memcpy(b->at + b->size, data, size);
	b->size += size;
}

static void put32(struct bytes *b, uint32_t value)
{
	put(b, &value, sizeof(value));
}

static void put64(struct bytes *b, uint64_t value)
{
	put(b, &value, sizeof(value));
}

/* A size, and a text with the zero byte behind it. */
static void put_text(struct bytes *b, const char *text)
{
	put32(b, strlen(text) + 1);
	put(b, text, strlen(text) + 1);
}

static void put_record(struct bytes *b, uint32_t type, const void *data, size_t size)
{
	const struct perf_event_header h = { .type = type, .size = sizeof(h) + size };

	put(b, &h, sizeof(h));
	put(b, data, size);
}

static void put_attr(struct bytes *b, uint32_t type, uint64_t sample_type, uint64_t flags)
{
	const uint64_t words[ATTR / 8] = { type | (uint64_t)ATTR << 32, 0, 0, sample_type, 0, flags };

	put(b, words, sizeof(words));
}

/* Offsets of the native file below. */
enum { SIZE = 8, ATTR_SIZE = 16, ATTRS = 24, DATA = 40, FEATURES_AT = 72, IDS = 104, EVENTS = 128, RECORDS = 288,
       SECTIONS = 336 };

/* Two events, of ids 31 and 32, and of 20; a record of 48 bytes; then what is put behind it. */
static struct bytes native(void)
{
	static const uint64_t lost[] = { 31, 5, 10 | 11ULL << 32, 77, 31 };
	static const uint64_t header[] = { 0x32454c4946524550, 104, ATTR + 16, EVENTS, 160, RECORDS, 48 };
	struct bytes b = { 0 };

	put(&b, header, sizeof(header));
	put(&b, (uint64_t[6]){ 0 }, 48);
	put(&b, (uint64_t[]){ 31, 32, 20 }, 24);
	put_attr(&b, 4, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME, ID_ALL);
	put(&b, (uint64_t[]){ IDS, 16 }, 16);
	put_attr(&b, 5, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME, ID_ALL);
	put(&b, (uint64_t[]){ IDS + 16, 8 }, 16);
	put_record(&b, PERF_RECORD_LOST, lost, sizeof(lost));
	assert_int_equal(b.size, SECTIONS);
	return b;
}

static void patch(struct bytes *b, size_t at, uint64_t value)
{
	memcpy(b->at + at, &value, sizeof(value));
}

/* @expected: what is behind the path in the message, NULL: it is read. */
static struct perf_data *open_as(const struct bytes *b, size_t size, const char *expected)
{
	struct perf_data *d = malloc(sizeof(*d));
	char error[512] = "";
	int ret;

	assert_non_null(d);
	ret = perf_data_open_as(d, mutate_file(b->at, size), "x", error, sizeof(error));
	assert_string_equal(error, expected ? expected : "");
	assert_int_equal(ret, expected ? -1 : 0);
	return d;
}

static void end(struct perf_data *d, struct bytes *b)
{
	perf_data_close(d);
	free(d);
	if (b)
		free(b->at);
}

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
		end(d, &b);
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
		end(open_as(&b, b.size, rows[i].expected), NULL);
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
	end(d, &large);
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
		end(open_as(&b, rows[i].size, rows[i].expected), NULL);
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
		end(open_as(&b, b.size, rows[i].expected), NULL);
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
	end(d, &b);
}

/* A file with one feature, or with two in the order of their numbers. */
static void put_feature(struct bytes *b, unsigned int feature, uint64_t bytes)
{
	uint64_t bits;

	memcpy(&bits, b->at + FEATURES_AT + feature / 64 * 8, 8);
	patch(b, FEATURES_AT + feature / 64 * 8, bits | 1ULL << feature % 64);
	put64(b, 0);
	put64(b, bytes);
}

static struct perf_data *with_feature(unsigned int feature, const struct bytes *f)
{
	struct bytes b = native();
	struct perf_data *d;

	put_feature(&b, feature, f->size);
	patch(&b, SECTIONS, SECTIONS + 16);
	put(&b, f->at, f->size);
	d = open_as(&b, b.size, NULL);
	free(b.at);
	return d;
}

static void features_are_found_in_the_order_of_their_bits(void **unused)
{
	/* Of those not read, the bytes may be anywhere. */
	static const unsigned int others[] = { 0, 1, 2, 5, 9, 10, 11, 13, 15, 17, 18, 21, 23, 63, 64, 128, 255 };
	static const unsigned int numbers[] = { 3, 4, 6, 7, 8 };
	static const char * const texts[] = { "host.name", "6.12.1", "aarch64", "\x50", "A processor" };
	struct bytes b = native(), f = { 0 };
	size_t i, k, at, n = LENGTH(others) + LENGTH(numbers);
	struct perf_data *d;

	(void)unused;
	for (i = 0, at = SECTIONS; i < 256; i++) {
		for (k = 0; k < LENGTH(others); k++)
			if (others[k] == i) {
				put_feature(&b, i, UINT64_MAX);
				patch(&b, at, UINT64_MAX);
				at += 16;
			}
		for (k = 0; k < LENGTH(numbers); k++)
			if (numbers[k] == i) {
				put_feature(&b, i, 4 + (k == 3 ? 0 : strlen(texts[k]) + 1));
				patch(&b, at, SECTIONS + 16 * n + f.size);
				at += 16;
				if (k == 3)
					put32(&f, 80);
				else
					put_text(&f, texts[k]);
			}
	}
	put(&b, f.at, f.size);
	d = open_as(&b, b.size, NULL);
	assert_string_equal(d->machine.host, "host.name");
	assert_string_equal(d->machine.release, "6.12.1");
	assert_string_equal(d->machine.arch, "aarch64");
	assert_string_equal(d->machine.cpu, "A processor");
	assert_int_equal(d->machine.nr_cpus, 80);
	end(d, NULL);
	/* Without the last byte, and with half of the list of sections. */
	end(open_as(&b, b.size - 1, "x: truncated feature 8 at 0x1d0"), NULL);
	end(open_as(&b, SECTIONS + 8, "x: truncated at 0x158"), NULL);
	free(f.at);
	free(b.at);
}

static void a_feature_is_inside_of_the_file_or_too_large(void **unused)
{
	static const unsigned int read[] = { 3, 4, 6, 7, 8, 12, 14, 16, 22 };
	char expected[64];
	size_t i;

	(void)unused;
	for (i = 0; i < LENGTH(read); i++) {
		struct bytes b = native();

		put_feature(&b, read[i], 0);
		snprintf(expected, sizeof(expected), "x: truncated feature %u at 0x150", read[i]);
		patch(&b, SECTIONS, b.size);
		end(open_as(&b, b.size, NULL), NULL);
		patch(&b, SECTIONS, b.size + 1);
		end(open_as(&b, b.size, expected), NULL);
		patch(&b, SECTIONS, b.size - 8);
		patch(&b, SECTIONS + 8, 8);
		end(open_as(&b, b.size, NULL), NULL);
		patch(&b, SECTIONS + 8, 9);
		end(open_as(&b, b.size, expected), NULL);
		patch(&b, SECTIONS + 8, 16 * MIB);
		end(open_as(&b, b.size, expected), NULL);
		patch(&b, SECTIONS + 8, 16 * MIB + 1);
		end(open_as(&b, b.size, NULL), NULL);
		/* A file that was not ended has no features, whatever it says. */
		patch(&b, SECTIONS + 8, 9);
		patch(&b, DATA + 8, 0);
		end(open_as(&b, b.size, NULL), &b);
	}
}

static void texts_end_within_their_bytes(void **unused)
{
	static const struct { uint32_t says; const char *bytes; size_t size; const char *expected; } rows[] = {
		{ 5, "name", 5, "name" }, { 5, "hos\0t", 5, "hos" }, { 4, "name", 5, "" }, { 6, "name", 5, "" },
		{ 5, "name\0\0\0", 8, "name" }, { 1, "", 1, "" }, { 0, "", 1, "" },
	};
	char long_name[300];
	struct bytes f = { 0 };
	struct perf_data *d;
	size_t i;

	(void)unused;
	for (i = 0; i < LENGTH(rows); i++) {
		f.size = 0;
		put32(&f, rows[i].says);
		put(&f, rows[i].bytes, rows[i].size);
		d = with_feature(3, &f);
		assert_string_equal(d->machine.host, rows[i].expected);
		end(d, NULL);
	}
	f.size = 3;
	d = with_feature(3, &f);
	assert_string_equal(d->machine.host, "");
	end(d, NULL);
	memset(long_name, 'n', sizeof(long_name));
	long_name[299] = '\0';
	for (i = 0; i < 4; i++) {
		static const unsigned int features[] = { 3, 4, 6, 8 };
		const size_t sizes[] = { sizeof(d->machine.host), sizeof(d->machine.release), sizeof(d->machine.arch),
					 sizeof(d->machine.cpu) };

		f.size = 0;
		put_text(&f, long_name);
		d = with_feature(features[i], &f);
		const char *texts[] = { d->machine.host, d->machine.release, d->machine.arch, d->machine.cpu };

		assert_int_equal(strlen(texts[i]), sizes[i] - 1);
		end(d, NULL);
	}
	free(f.at);
}

/* An event of the feature with names: attr of so many bytes, ids. */
static void put_name(struct bytes *f, size_t attr, const char *name, const uint64_t *ids, uint32_t nr)
{
	put(f, (char[128]){ 0 }, attr);
	put32(f, nr);
	put_text(f, name);
	put(f, ids, nr * sizeof(*ids));
}

static void check_names(struct bytes *f, const char *first, const char *second)
{
	struct perf_data *d = with_feature(12, f);

	assert_string_equal(d->events[0].name, first);
	assert_string_equal(d->events[1].name, second);
	end(d, NULL);
}

static void begin_names(struct bytes *f, uint32_t nr, uint32_t attr)
{
	f->size = 0;
	put32(f, nr);
	put32(f, attr);
}

static void names_are_of_the_events_of_their_ids(void **unused)
{
	static const uint64_t first[] = { 31, 32 }, second[] = { 20 }, later[] = { 32, 20 }, none[] = { 99 };
	char long_name[100];
	struct bytes f = { 0 };
	struct perf_data *d;

	(void)unused;
	begin_names(&f, 2, 72);
	put_name(&f, 72, "two", second, 1);
	put_name(&f, 72, "one", first, 2);
	check_names(&f, "one", "two");
	/* What is behind the number of them is none. */
	begin_names(&f, 1, 72);
	put_name(&f, 72, "two", second, 1);
	put_name(&f, 72, "one", first, 2);
	check_names(&f, "", "two");
	/* The first of an event's ids says which it is; and of those without any, the order. */
	begin_names(&f, 3, 0);
	put_name(&f, 0, "one", later, 2);
	put_name(&f, 0, "two", NULL, 0);
	put_name(&f, 0, "none", NULL, 0);
	check_names(&f, "one", "two");
	begin_names(&f, 2, 0);
	put_name(&f, 0, "one", NULL, 0);
	put_name(&f, 0, "two", NULL, 0);
	check_names(&f, "one", "two");
	begin_names(&f, 2, 64);
	put_name(&f, 64, "none", none, 1);
	put_name(&f, 64, "two", NULL, 0);
	check_names(&f, "", "two");
	/* The last id is cut, or the name, or the attr. */
	begin_names(&f, 2, 64);
	put_name(&f, 64, "two", second, 1);
	put_name(&f, 64, "one", first, 2);
	f.size--;
	check_names(&f, "", "two");
	f.size -= 17;
	check_names(&f, "", "two");
	f.size -= 7;
	check_names(&f, "", "two");
	f.size = 4;
	check_names(&f, "", "");
	memset(long_name, 'n', sizeof(long_name));
	long_name[99] = '\0';
	begin_names(&f, 1, 8);
	put_name(&f, 8, long_name, second, 1);
	d = with_feature(12, &f);
	assert_int_equal(strlen(d->events[1].name), sizeof(d->events[1].name) - 1);
	end(d, &f);
}

static void pmus_are_found_by_their_numbers(void **unused)
{
	struct bytes f = { 0 };
	struct perf_data *d;
	size_t i;

	(void)unused;
	put32(&f, 3);
	put32(&f, 4);
	put_text(&f, "cpu");
	put32(&f, 6);
	put_text(&f, "software");
	put32(&f, 5);
	put_text(&f, "a_name_that_is_longer_than_31_characters");
	for (i = 0; i < 4; i++) {
		d = with_feature(16, &f);
		assert_string_equal(d->events[0].pmu, i < 3 ? "cpu" : "");
		assert_string_equal(d->events[1].pmu, i ? "" : "a_name_that_is_longer_than_31_c");
		end(d, NULL);
		/* Of a name the last byte is missing; then there is one fewer; then no number. */
		if (!i)
			f.size--;
		else if (i == 1)
			f.size += 1, f.at[0] = 2;
		else
			f.size = 3;
	}
	free(f.at);
}

static void cpus_are_of_the_nodes_whose_lists_have_them(void **unused)
{
	struct bytes f = { 0 };
	struct perf_data *d;
	size_t i;

	(void)unused;
	put32(&f, 5);
	put32(&f, 0);
	put(&f, "1234567812345678", 16);
	put_text(&f, "0-3,8");
	put32(&f, 254);
	put(&f, "1234567812345678", 16);
	put_text(&f, "5,12-11,14-14,4095-5000x9");
	put32(&f, 2);
	put(&f, "1234567812345678", 16);
	put_text(&f, "");
	put32(&f, 255);
	put(&f, "1234567812345678", 16);
	put_text(&f, "20");
	put32(&f, 1);
	put(&f, "1234567812345678", 16);
	put_text(&f, "21");
	d = with_feature(14, &f);
	for (i = 0; i < PERF_MAX_CPUS; i++)
		assert_int_equal(d->machine.cpu_node[i], i < 4 || i == 8 ? 0 :
				 i == 5 || i == 14 || i == 4095 ? 254 : PERF_NO_NODE);
	assert_int_equal(d->machine.nr_cpus, PERF_MAX_CPUS);
	assert_int_equal(d->machine.nr_nodes, 255);
	end(d, NULL);
	/* A list that is cut is none; what was before it stays. */
	f.size = 4 + 2 * (4 + 16 + 4) + 6 + 26 - 1;
	d = with_feature(14, &f);
	assert_int_equal(d->machine.nr_cpus, 9);
	assert_int_equal(d->machine.nr_nodes, 1);
	end(d, NULL);
	f.at[0] = 1;
	f.size = 4 + 4 + 15;
	d = with_feature(14, &f);
	assert_int_equal(d->machine.nr_nodes, 0);
	end(d, &f);
}

static void check_cpus(uint32_t number, uint32_t bytes, uint32_t expected)
{
	struct bytes f = { 0 };
	struct perf_data *d;

	put32(&f, number);
	f.size = bytes;
	d = with_feature(7, &f);
	assert_int_equal(d->machine.nr_cpus, expected);
	end(d, &f);
}

static void the_number_of_cpus_has_a_bound(void **unused)
{
	(void)unused;
	check_cpus(1, 4, 1);
	check_cpus(PERF_MAX_CPUS, 4, PERF_MAX_CPUS);
	check_cpus(PERF_MAX_CPUS + 1, 4, 0);
	check_cpus(1, 3, 0);
}

struct span { uint64_t first, end; int node; };

static void check_memory(const uint64_t *words, size_t bytes, uint32_t nodes, const struct span *spans, size_t nr)
{
	struct bytes f = { 0 };
	struct perf_data *d;
	size_t i;

	put(&f, words, bytes);
	d = with_feature(22, &f);
	assert_int_equal(d->machine.nr_nodes, nodes);
	assert_int_equal(d->machine.nr_memory, nr);
	for (i = 0; i < nr; i++) {
		assert_int_equal(d->machine.memory[i].first, spans[i].first);
		assert_int_equal(d->machine.memory[i].end, spans[i].end);
		assert_int_equal(d->machine.memory[i].node, spans[i].node);
		assert_int_equal(perf_data_node(d, spans[i].first), spans[i].node);
		assert_int_equal(perf_data_node(d, spans[i].end - 1), spans[i].node);
		if (i + 1 == nr || spans[i + 1].first > spans[i].end)
			assert_int_equal(perf_data_node(d, spans[i].end), PERF_NO_NODE);
	}
	if (!nr || spans[0].first)
		assert_int_equal(perf_data_node(d, nr ? spans[0].first - 1 : 0), PERF_NO_NODE);
	end(d, &f);
}

static void memory_is_of_the_nodes_whose_bitmaps_have_it(void **unused)
{
	/* Blocks 0, 1, 3, 64, 65 of node 3; 2, 63 and 66 of node 1: with a bit that is not of it. */
	uint64_t words[] = { 1, MIB, 2, 3, 66, 66, 0x0b, 7, 1, 67, 67, 1ULL << 63 | 1 << 2, 0x0c };
	const struct span spans[] = {
		{ 0, 2 * MIB, 3 }, { 2 * MIB, 3 * MIB, 1 }, { 3 * MIB, 4 * MIB, 3 }, { 63 * MIB, 64 * MIB, 1 },
		{ 64 * MIB, 66 * MIB, 3 }, { 66 * MIB, 67 * MIB, 1 },
	};
	const struct span first[] = { { 0, 2 * MIB, 3 }, { 3 * MIB, 4 * MIB, 3 }, { 64 * MIB, 66 * MIB, 3 } };

	(void)unused;
	check_memory(words, sizeof(words), 4, spans, 6);
	/* The last bitmap's second word is cut; and all of the second node's. */
	check_memory(words, sizeof(words) - 1, 4, spans, 5);
	words[10] = 8 * 8;
	check_memory(words, sizeof(words) - 8, 4, spans, 5);
	words[10] = 9 * 8;
	check_memory(words, sizeof(words) - 8, 4, first, 3);
	words[10] = 67;
	check_memory(words, 11 * 8 - 1, 4, first, 3);
	words[8] = 254;
	words[10] = 0;
	check_memory(words, sizeof(words), 255, first, 3);
	words[8] = 255;
	check_memory(words, sizeof(words), 4, first, 3);
	words[8] = 1;
	words[2] = 1;
	words[10] = 67;
	check_memory(words, sizeof(words), 4, first, 3);
	words[0] = 2;
	check_memory(words, sizeof(words), 0, NULL, 0);
	words[0] = 1;
	words[1] = 0;
	check_memory(words, sizeof(words), 0, NULL, 0);
	words[1] = MIB;
	check_memory(words, 23, 0, NULL, 0);
}

static void memory_ends_with_the_address_space(void **unused)
{
	/* Blocks of a third of all addresses: a fourth would end beyond. */
	const uint64_t third = UINT64_MAX / 3, words[] = { 1, third, 1, 0, 5, 5, 0x1d };
	const struct span spans[] = { { 0, third, 0 }, { 2 * third, 3 * third, 0 } };

	(void)unused;
	check_memory(words, sizeof(words), 1, spans, 2);
}

/* Every other block: as many spans as are kept, and one more. */
static void memory_has_as_many_spans_as_are_kept(void **unused)
{
	enum { SPANS = 1 << 16 };
	struct bytes f = { 0 };
	struct perf_data *d;
	int more, i;

	(void)unused;
	for (more = 0; more < 2; more++) {
		const uint64_t blocks = 2 * (SPANS + more);

		f.size = 0;
		put(&f, (uint64_t[]){ 1, MIB, 1, 7, blocks, blocks }, 48);
		for (i = 0; i < SPANS / 32 + more; i++)
			put64(&f, 0x5555555555555555);
		d = with_feature(22, &f);
		assert_int_equal(d->machine.nr_memory, more ? 0 : SPANS);
		assert_int_equal(perf_data_node(d, 2 * MIB * (SPANS - 1)), more ? PERF_NO_NODE : 7);
		assert_int_equal(perf_data_node(d, 2 * MIB * (SPANS - 1) + MIB), PERF_NO_NODE);
		end(d, NULL);
	}
	free(f.at);
}

/* ---- files from pipes ---- */

static struct bytes begin_pipe(void)
{
	struct bytes b = { 0 };

	put(&b, (uint64_t[]){ 0x32454c4946524550, 16 }, 16);
	return b;
}

static void put_event(struct bytes *b, uint32_t type, uint64_t sample_type, uint64_t flags, const uint64_t *ids, size_t nr)
{
	struct bytes attr = { 0 };

	put_attr(&attr, type, sample_type, flags);
	put(&attr, ids, nr * sizeof(*ids));
	put_record(b, PERF_HEADER_ATTR, attr.at, attr.size);
	free(attr.at);
}

/* All records up to the end, or to the damage that is @expected. */
static struct perf_data *read_pipe(const struct bytes *b, size_t records, const char *expected)
{
	struct perf_data *d = open_as(b, b->size, NULL);
	struct perf_record r;
	int ret;

	assert_true(d->pipe);
	while ((ret = perf_data_next(d, &r)) > 0)
		assert_true(records--);
	assert_int_equal(records, 0);
	assert_string_equal(d->error, expected);
	assert_int_equal(ret, *expected ? -1 : 0);
	return d;
}

static void check_damaged(uint32_t type, const uint64_t *words, size_t size, bool damaged, size_t events)
{
	struct bytes b = begin_pipe();
	struct perf_data *d;

	put_record(&b, type, words, size);
	d = read_pipe(&b, 0, !damaged ? "" : type == PERF_HEADER_ATTR ? "x: damaged event at 0x10" :
		      "x: damaged feature at 0x10");
	assert_int_equal(d->nr_events, events);
	end(d, &b);
}

static void an_attr_in_a_pipe_has_its_size(void **unused)
{
	uint64_t words[12] = { 64ULL << 32 };

	(void)unused;
	check_damaged(PERF_HEADER_ATTR, words, 64, false, 1);
	check_damaged(PERF_HEADER_ATTR, words, 63, true, 0);
	words[0] = 63ULL << 32;
	check_damaged(PERF_HEADER_ATTR, words, 72, true, 0);
	words[0] = 56ULL << 32;
	check_damaged(PERF_HEADER_ATTR, words, 72, true, 0);
	words[0] = 72ULL << 32;
	check_damaged(PERF_HEADER_ATTR, words, 72, false, 1);
	check_damaged(PERF_HEADER_ATTR, words, 71, true, 0);
	words[0] = 68ULL << 32;
	check_damaged(PERF_HEADER_ATTR, words, 80, true, 0);
	words[0] = 80ULL << 32;
	check_damaged(PERF_HEADER_ATTR, words, 72, true, 0);
	words[0] = 3;
	check_damaged(PERF_HEADER_FEATURE, words, 8, false, 0);
	check_damaged(PERF_HEADER_FEATURE, words, 7, true, 0);
	words[0] = 255;
	check_damaged(PERF_HEADER_FEATURE, words, 8, false, 0);
}

static void put_pipe_feature(struct bytes *b, uint64_t number, const struct bytes *f)
{
	struct bytes data = { 0 };

	put64(&data, number);
	put(&data, f->at, f->size);
	put_record(b, PERF_HEADER_FEATURE, data.at, data.size);
	free(data.at);
}

static void features_in_a_pipe_take_the_place_of_those_before(void **unused)
{
	const uint64_t two[] = { 1, MIB, 1, 0, 8, 8, 0x5 }, one[] = { 1, MIB, 1, 0, 8, 8, 0x8 };
	struct bytes b = begin_pipe(), f = { 0 };
	struct perf_data *d;

	(void)unused;
	put_event(&b, 4, PERF_SAMPLE_IP, ID_ALL, (uint64_t[]){ 8, 9 }, 2);
	put_text(&f, "host");
	put_pipe_feature(&b, 3, &f);
	/* No feature has so high a number. */
	f.at[4] = 'm';
	put_pipe_feature(&b, 3 + (1ULL << 32), &f);
	put_pipe_feature(&b, 256 + 3, &f);
	f.size = 0;
	put32(&f, 12);
	put_pipe_feature(&b, 7, &f);
	f.size = 0;
	put32(&f, 11);
	put_pipe_feature(&b, 7, &f);
	f.size = 0;
	put(&f, two, sizeof(two));
	put_pipe_feature(&b, 22, &f);
	f.size = 0;
	put(&f, one, sizeof(one));
	put_pipe_feature(&b, 22, &f);
	d = read_pipe(&b, 0, "");
	assert_string_equal(d->machine.host, "host");
	assert_int_equal(d->machine.nr_cpus, 12);
	assert_int_equal(d->machine.nr_memory, 1);
	assert_int_equal(d->machine.memory[0].first, 3 * MIB);
	assert_int_equal(d->machine.memory[0].end, 4 * MIB);
	assert_ptr_equal(perf_events_by_id(d, 8), d->events);
	assert_ptr_equal(perf_events_by_id(d, 9), d->events);
	assert_null(perf_events_by_id(d, 64));
	free(f.at);
	end(d, &b);
}

/* ---- which event a record is of ---- */

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
		end(d, &b);
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
		end(read_pipe(&b, rows[i].good, rows[i].good ? "" :
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
		end(d, &b);
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
	end(d, &b);
	/* Of one event are all, whatever they say. */
	b = begin_pipe();
	put_event(&b, 0, I, ID_ALL, (uint64_t[]){ 1 }, 1);
	d = read_pipe(&b, 0, "");
	assert_ptr_equal(perf_events_of(d, &record.h), d->events);
	end(d, &b);
	b = begin_pipe();
	put_record(&b, PERF_RECORD_THROTTLE, NULL, 0);
	end(read_pipe(&b, 0, "x: no events are described before the first record at 0x10"), &b);
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
	end(read_pipe(&b, 0, ""), NULL);
	put_event(&b, 0, I, 0, NULL, 0);
	end(read_pipe(&b, 0, expected), &b);
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
	end(d, &b);
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
		cmocka_unit_test(each_bound_of_the_header_is_checked),
		cmocka_unit_test(attrs_have_64_to_4080_bytes),
		cmocka_unit_test(a_file_that_is_cut_says_where),
		cmocka_unit_test(the_first_bytes_show_what_a_file_is),
		cmocka_unit_test(what_is_no_file_is_named),
		cmocka_unit_test(events_and_records_are_where_the_header_says),
		cmocka_unit_test(features_are_found_in_the_order_of_their_bits),
		cmocka_unit_test(a_feature_is_inside_of_the_file_or_too_large),
		cmocka_unit_test(texts_end_within_their_bytes),
		cmocka_unit_test(names_are_of_the_events_of_their_ids),
		cmocka_unit_test(pmus_are_found_by_their_numbers),
		cmocka_unit_test(cpus_are_of_the_nodes_whose_lists_have_them),
		cmocka_unit_test(the_number_of_cpus_has_a_bound),
		cmocka_unit_test(memory_is_of_the_nodes_whose_bitmaps_have_it),
		cmocka_unit_test(memory_ends_with_the_address_space),
		cmocka_unit_test(memory_has_as_many_spans_as_are_kept),
		cmocka_unit_test(an_attr_in_a_pipe_has_its_size),
		cmocka_unit_test(features_in_a_pipe_take_the_place_of_those_before),
		cmocka_unit_test(the_clock_is_that_of_the_first_event),
		cmocka_unit_test(events_whose_records_differ_need_ids_at_the_same_place),
		cmocka_unit_test(ids_are_where_the_fields_around_them_put_them),
		cmocka_unit_test(without_ids_records_are_of_the_first_event),
		cmocka_unit_test(a_file_has_at_most_65536_events),
		cmocka_unit_test(of_what_is_made_of_spe_one_event_has_each_operation),
	};

	return cmocka_run_group_tests_name("perf.data header", tests, NULL, NULL);
}
