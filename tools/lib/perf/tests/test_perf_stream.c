// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The stream of records of perf.data files: their order, what is skipped, damage, and compressed records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <cmocka.h>

#include "made/mutate.h"
#include "perf_bytes.h"

/* Where the records of a file with a smallest event begin. */
#define FIRST	(16 + 8 + 64)

static struct bytes begin(uint64_t sample_type, bool id_all)
{
	struct bytes f = begin_pipe();

	put_event(&f, 0, sample_type, id_all ? ID_ALL : 0, NULL, 0);
	assert_int_equal(f.size, FIRST);
	return f;
}

static void put_timed(struct bytes *f, uint64_t time)
{
	put_record(f, PERF_RECORD_THROTTLE, &time, sizeof(time));
}

/* Times in the order they are given, up to a 1; then the error.  Frees the file. */
static void check_times(struct bytes *f, const uint64_t *times, uint64_t late, const char *error)
{
	struct perf_data *d = open_as(f, f->size, NULL);
	struct perf_record r;
	int ret;

	while ((ret = perf_data_next(d, &r)) > 0)
		assert_int_equal(r.time, *times++);
	assert_int_equal(*times, 1);
	assert_string_equal(d->error, error);
	assert_int_equal(ret, *error ? -1 : 0);
	assert_int_equal(d->late, late);
	close_file(d, f);
}

static void records_are_given_in_order_of_time(void **unused)
{
	struct bytes f = begin(PERF_SAMPLE_TIME, true);

	(void)unused;
	put_timed(&f, 30);
	put_timed(&f, 10);
	/* These have no time, and do not wait. */
	put_timed(&f, 0);
	put_timed(&f, UINT64_MAX);
	put_timed(&f, UINT64_MAX - 1);
	put_record(&f, PERF_RECORD_UNTHROTTLE, (uint64_t[]){ 5 }, 8);
	put_timed(&f, 20);
	check_times(&f, (uint64_t[]){ 0, UINT64_MAX, 10, 20, 30, UINT64_MAX - 1, 1 }, 0, "");
	f = begin(PERF_SAMPLE_TIME, true);
	put_timed(&f, 20);
	put_record(&f, PERF_FINISHED_ROUND, NULL, 0);
	put_record(&f, PERF_FINISHED_ROUND, NULL, 0);
	put_record(&f, 79, NULL, 0);
	put_timed(&f, 30);
	/* The one of 20 was given when this is read: it is late, and the next one is not. */
	put_timed(&f, 19);
	put_timed(&f, 20);
	check_times(&f, (uint64_t[]){ 20, 19, 20, 30, 1 }, 1, "");
	/* Without times behind other records, samples cannot be put in order with them. */
	f = begin(PERF_SAMPLE_TIME, false);
	put_record(&f, PERF_RECORD_SAMPLE, (uint64_t[]){ 30 }, 8);
	put_record(&f, PERF_RECORD_SAMPLE, (uint64_t[]){ 10 }, 8);
	put_timed(&f, 5);
	check_times(&f, (uint64_t[]){ 30, 10, 0, 1 }, 0, "");
}

static void a_sample_whose_id_no_event_has_is_damage(void **unused)
{
	struct bytes f = begin(PERF_SAMPLE_ID, false);
	char event[FIRST - 16];

	(void)unused;
	memcpy(event, f.at + 16, sizeof(event));
	put(&f, event, sizeof(event));
	put_record(&f, PERF_RECORD_SAMPLE, (uint64_t[]){ 0 }, 8);
	put_record(&f, PERF_RECORD_SAMPLE, (uint64_t[]){ 5 }, 8);
	check_times(&f, (uint64_t[]){ 0, 1 }, 0, "x: a sample of an event that the file does not describe at 0xb0");
}

static void what_was_before_damage_is_given_first(void **unused)
{
	static const struct { uint32_t type; uint16_t size; const char *error; } rows[] = {
		{ PERF_RECORD_THROTTLE, 7, "x: damaged record (of 7 bytes) at 0x78" },
		{ PERF_RECORD_THROTTLE, 0, "x: damaged record (of 0 bytes) at 0x78" },
		{ PERF_RECORD_THROTTLE, 8, "x: damaged record of type 5 at 0x78" },
		{ PERF_RECORD_THROTTLE, 17, "x: truncated record at 0x78" },
		{ PERF_HEADER_ATTR, 16, "x: damaged event at 0x78" },
		{ PERF_HEADER_FEATURE, 8, "x: damaged feature at 0x78" },
		{ PERF_COMPRESSED2, 8, "x: damaged compressed record at 0x78" },
		{ PERF_COMPRESSED2, 15, "x: damaged compressed record at 0x78" },
		{ PERF_COMPRESSED2, 16, "x: damaged compressed record at 0x78" },
		{ PERF_COMPRESSED, 16, "x: cannot be decompressed (Unknown frame descriptor) at 0x78" },
		{ PERF_AUXTRACE, 16, "x: truncated record of type 71 at 0x78" },
		{ PERF_HEADER_TRACING_DATA, 12, "x: truncated record of type 66 at 0x78" },
	};
	size_t i;

	(void)unused;
	for (i = 0; i < LENGTH(rows); i++) {
		struct bytes f = begin(PERF_SAMPLE_TIME, true);
		const struct perf_event_header h = { .type = rows[i].type, .size = rows[i].size };

		put_timed(&f, 30);
		put_timed(&f, 10);
		put(&f, &h, sizeof(h));
		put(&f, "\1\1\1\1\1\1\1\1", 8);
		check_times(&f, (uint64_t[]){ 10, 30, 1 }, 0, rows[i].error);
	}
	/* Data that would end a byte behind the file. */
	for (i = 0; i < 2; i++) {
		struct bytes f = begin(PERF_SAMPLE_TIME, true);

		put_timed(&f, 30);
		put_record(&f, i ? PERF_HEADER_TRACING_DATA : PERF_AUXTRACE, (uint64_t[]){ 25 }, 8);
		put(&f, (char[31]){ 0 }, i ? 31 : 24);
		check_times(&f, (uint64_t[]){ 30, 1 }, 0, i ? "x: truncated record of type 66 at 0x68" :
			    "x: truncated record of type 71 at 0x68");
	}
	for (i = 1; i < 8; i++) {
		struct bytes f = begin(PERF_SAMPLE_TIME, true);

		put_timed(&f, 30);
		put(&f, "\5\0\0\0\0\0\x10", i);
		check_times(&f, (uint64_t[]){ 30, 1 }, 0, "x: truncated record at 0x68");
	}
}

/* Bytes that are no records, unless they are skipped. */
static void data_behind_a_record_are_skipped(void **unused)
{
	static const struct { uint32_t type, size; uint64_t says; size_t bytes; } rows[] = {
		{ PERF_AUXTRACE, 40, 24, 24 }, { PERF_AUXTRACE, 8, 0, 0 }, { PERF_AUXTRACE, 40, 300000, 300000 },
		{ PERF_AUXTRACE, 0, 0, 0 },
		{ PERF_HEADER_TRACING_DATA, 8, 24, 24 }, { PERF_HEADER_TRACING_DATA, 4, 25, 32 },
		{ PERF_HEADER_TRACING_DATA, 4, 31, 32 }, { PERF_HEADER_TRACING_DATA, 4, 0, 0 },
		{ PERF_HEADER_TRACING_DATA, 8, 16 | 1ULL << 32, 16 }, { 72, 40, 24, 0 },
	};
	char *ones = malloc(300000);
	size_t i;

	(void)unused;
	assert_non_null(ones);
	memset(ones, 1, 300000);
	for (i = 0; i < LENGTH(rows); i++) {
		struct bytes f = begin(PERF_SAMPLE_TIME, true);

		put_record(&f, rows[i].type, (uint64_t[8]){ rows[i].says, 1, 1 }, rows[i].size);
		put(&f, ones, rows[i].bytes);
		put_timed(&f, 30);
		check_times(&f, (uint64_t[]){ 30, 1 }, 0, "");
	}
	free(ones);
}

/* Records of each length, over several buffers' ends: where each one is, and of which time. */
static void records_of_any_length_are_in_one_piece(void **unused)
{
	struct bytes f = begin(PERF_SAMPLE_TIME, true);
	size_t sizes[64], i, at;
	char *data = calloc(1, 65536);
	struct perf_record r;
	struct perf_data *d;

	(void)unused;
	for (i = 0; i < LENGTH(sizes); i++) {
		const uint64_t time = 100 + i;

		sizes[i] = i % 3 ? 65528 - 8 - 8 * (i % 11) : 8 * (i + 1);
		memcpy(data + sizes[i] - 8, &time, 8);
		put_record(&f, PERF_RECORD_THROTTLE, data, sizes[i]);
		memset(data, 0, 65536);
	}
	d = open_as(&f, f.size, NULL);
	for (i = 0, at = FIRST; i < LENGTH(sizes); i++) {
		assert_int_equal(perf_data_next(d, &r), 1);
		assert_int_equal(r.time, 100 + i);
		assert_int_equal(r.at, at);
		at += 8 + sizes[i];
	}
	assert_int_equal(perf_data_next(d, &r), 0);
	close_file(d, &f);
	free(data);
}

/* @pieces of the compressed bytes, each in a record. */
static void put_packed(struct bytes *f, const struct bytes *plain, size_t pieces, uint32_t type)
{
	const size_t capacity = ZSTD_compressBound(plain->size) + 1024;
	char *packed = malloc(capacity), data[65536];
	ZSTD_inBuffer in = { plain->at, plain->size, 0 };
	ZSTD_outBuffer out = { packed, capacity, 0 };
	ZSTD_CStream *z = ZSTD_createCStream();
	size_t i, from, bytes;
	uint64_t says;

	/* As perf does, without the end of a frame. */
	assert_int_equal(ZSTD_compressStream2(z, &out, &in, ZSTD_e_flush), 0);
	ZSTD_freeCStream(z);
	for (i = 0; i < pieces; i++) {
		from = out.pos * i / pieces;
		says = bytes = out.pos * (i + 1) / pieces - from;
		assert_true(bytes < 60000);
		memcpy(data, &says, 8);
		memcpy(data + (type == PERF_COMPRESSED2 ? 8 : 0), packed + from, bytes);
		/* What is behind the size is none of it. */
		memcpy(data + 8 + bytes, "\1\2\3\4", 4);
		put_record(f, type, data, bytes + (type == PERF_COMPRESSED2 ? 12 : 0));
	}
	free(packed);
}

/* Up to 40 records; of zeros, or with random bytes, so that what is packed is more than a step takes. */
static struct bytes put_plain(bool zeros, size_t nr, uint64_t times[41])
{
	char *data = calloc(1, 65536);
	struct bytes plain = { 0 };
	uint64_t seed = 3;
	size_t i, k;

	assert_non_null(data);
	for (i = 0; i < nr; i++) {
		times[i] = 100 + i;
		for (k = 0; !zeros && k < 4000; k++)
			data[mutate_random(&seed) % 65000] = mutate_random(&seed);
		k = 65528 - 8 * (1 + i % 19);
		memcpy(data + k - 8, &times[i], 8);
		put_record(&plain, PERF_RECORD_THROTTLE, data, k);
		memset(data, 0, 65536);
	}
	times[nr] = 1;
	free(data);
	return plain;
}

/* Of a record, more than a buffer; of a record of the file, less than a record. */
static void compressed_records_may_be_of_any_length(void **unused)
{
	static const size_t pieces[] = { 8, 16, 320 };
	struct bytes f, plain;
	uint64_t times[41];
	char expected[64];
	size_t i;

	(void)unused;
	for (i = 0; i < 2 * LENGTH(pieces); i++) {
		plain = put_plain(false, 40, times);
		f = begin(PERF_SAMPLE_TIME, true);
		put_packed(&f, &plain, pieces[i / 2], i % 2 ? PERF_COMPRESSED2 : PERF_COMPRESSED);
		check_times(&f, times, 0, "");
		free(plain.at);
	}
	/* Of zeros, all is in one record, and may be taken before the last of it fits into the buffer. */
	for (i = 1; i <= 40; i++) {
		plain = put_plain(true, i, times);
		f = begin(PERF_SAMPLE_TIME, true);
		put_packed(&f, &plain, 1, PERF_COMPRESSED);
		check_times(&f, times, 0, "");
		if (i < 40)
			free(plain.at);
	}
	/* The last record is cut in what is packed. */
	plain.size -= 8;
	times[39] = 1;
	f = begin(PERF_SAMPLE_TIME, true);
	put_packed(&f, &plain, 1, PERF_COMPRESSED);
	snprintf(expected, sizeof(expected), "x: truncated compressed record at 0x%zx", f.size);
	check_times(&f, times, 0, expected);
	free(plain.at);
}

/* A record of 12 bytes, and one whose call chain is to be read as words. */
static void compressed_records_are_aligned(void **unused)
{
	struct bytes f = begin(PERF_SAMPLE_CALLCHAIN, false), plain = { 0 };
	struct perf_record r;
	struct perf_data *d;
	size_t at = f.size;

	(void)unused;
	put_record(&plain, 79, "1234", 4);
	put_record(&plain, PERF_RECORD_SAMPLE, (uint64_t[]){ 2, 7, 8 }, 24);
	put_record(&plain, 79, NULL, 0);
	put_packed(&f, &plain, 1, PERF_COMPRESSED);
	d = open_as(&f, f.size, NULL);
	assert_int_equal(perf_data_next(d, &r), 1);
	assert_int_equal(r.at, at);
	assert_int_equal((uintptr_t)r.sample.chain % 8, 0);
	assert_int_equal(r.sample.nr_chain, 2);
	assert_int_equal(r.sample.chain[1], 8);
	assert_int_equal(perf_data_next(d, &r), 0);
	close_file(d, &f);
	free(plain.at);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_are_given_in_order_of_time),
		cmocka_unit_test(a_sample_whose_id_no_event_has_is_damage),
		cmocka_unit_test(what_was_before_damage_is_given_first),
		cmocka_unit_test(data_behind_a_record_are_skipped),
		cmocka_unit_test(records_of_any_length_are_in_one_piece),
		cmocka_unit_test(compressed_records_may_be_of_any_length),
		cmocka_unit_test(compressed_records_are_aligned),
	};

	return cmocka_run_group_tests_name("perf.data stream", tests, NULL, NULL);
}
