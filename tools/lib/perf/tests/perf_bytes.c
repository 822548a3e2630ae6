// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* perf.data files, written byte by byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "made/mutate.h"
#include "perf_bytes.h"

void put(struct bytes *b, const void *data, size_t size)
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

void put32(struct bytes *b, uint32_t value)
{
	put(b, &value, sizeof(value));
}

void put64(struct bytes *b, uint64_t value)
{
	put(b, &value, sizeof(value));
}

/* A size, and a text with the zero byte behind it. */
void put_text(struct bytes *b, const char *text)
{
	put32(b, strlen(text) + 1);
	put(b, text, strlen(text) + 1);
}

void put_record(struct bytes *b, uint32_t type, const void *data, size_t size)
{
	const struct perf_event_header h = { .type = type, .size = sizeof(h) + size };

	put(b, &h, sizeof(h));
	put(b, data, size);
}

void put_attr(struct bytes *b, uint32_t type, uint64_t sample_type, uint64_t flags)
{
	const uint64_t words[ATTR / 8] = { type | (uint64_t)ATTR << 32, 0, 0, sample_type, 0, flags };

	put(b, words, sizeof(words));
}

void patch(struct bytes *b, size_t at, uint64_t value)
{
	memcpy(b->at + at, &value, sizeof(value));
}

/* @expected: what is behind the path in the message, NULL: it is read. */
struct perf_data *open_as(const struct bytes *b, size_t size, const char *expected)
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

/* Also frees the bytes of @b, unless it is NULL. */
void close_file(struct perf_data *d, struct bytes *b)
{
	perf_data_close(d);
	free(d);
	if (b)
		free(b->at);
}

/* Two events, of ids 31 and 32, and of 20; a record of 48 bytes; then what is put behind it. */
struct bytes native(void)
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

/* A file with one feature, or with two in the order of their numbers. */
void put_feature(struct bytes *b, unsigned int feature, uint64_t bytes)
{
	uint64_t bits;

	memcpy(&bits, b->at + FEATURES_AT + feature / 64 * 8, 8);
	patch(b, FEATURES_AT + feature / 64 * 8, bits | 1ULL << feature % 64);
	put64(b, 0);
	put64(b, bytes);
}

/* The feature with the names of so many events, each with an attr of so many bytes. */
void begin_names(struct bytes *f, uint32_t nr, uint32_t attr)
{
	f->size = 0;
	put32(f, nr);
	put32(f, attr);
}

/* An event of the feature with names: attr of so many bytes, ids. */
void put_name(struct bytes *f, size_t attr, const char *name, const uint64_t *ids, uint32_t nr)
{
	put(f, (char[128]){ 0 }, attr);
	put32(f, nr);
	put_text(f, name);
	put(f, ids, nr * sizeof(*ids));
}

struct bytes begin_pipe(void)
{
	struct bytes b = { 0 };

	put(&b, (uint64_t[]){ 0x32454c4946524550, 16 }, 16);
	return b;
}

void put_event(struct bytes *b, uint32_t type, uint64_t sample_type, uint64_t flags, const uint64_t *ids, size_t nr)
{
	struct bytes attr = { 0 };

	put_attr(&attr, type, sample_type, flags);
	put(&attr, ids, nr * sizeof(*ids));
	put_record(b, PERF_HEADER_ATTR, attr.at, attr.size);
	free(attr.at);
}

void put_pipe_feature(struct bytes *b, uint64_t number, const struct bytes *f)
{
	struct bytes data = { 0 };

	put64(&data, number);
	put(&data, f->at, f->size);
	put_record(b, PERF_HEADER_FEATURE, data.at, data.size);
	free(data.at);
}

/* All records up to the end, or to the damage that is @expected. */
struct perf_data *read_pipe(const struct bytes *b, size_t records, const char *expected)
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
