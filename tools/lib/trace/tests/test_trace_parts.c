// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* What trace.dat files are read by: cursors, sections, compressed chunks, and streams of CPUs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "lib/trace/parts.h"
#include "small_trace.h"

static void cursors(void **state)
{
	static const unsigned char b[] = { 1, 2, 3, 4, 5, 6, 7, 8, 'a', 'b', 0, 'c' };
	struct cursor c = { b, sizeof(b), 0 };

	(void)state;
	assert_true(take_number(&c, 1) == 1 && c.left == 11 && c.p == b + 1);
	assert_int_equal(take_number(&c, 2), 0x0302);
	assert_int_equal(take_number(&c, 4), 0x07060504);
	assert_ptr_equal(take(&c, 1), b + 7);
	assert_string_equal(take_string(&c), "ab");
	assert_int_equal(c.left, 1);
	assert_string_equal(take_string(&c), "");
	assert_true(c.bad && c.left == 1);
	assert_null(take(&c, 0));
	c = (struct cursor){ b, 8, 0 };
	assert_true(take_number(&c, 8) == 0x0807060504030201 && !c.left && !c.bad);
	assert_ptr_equal(take(&c, 0), b + 8);
	assert_true(take_number(&c, 1) == 0 && c.bad);
	c = (struct cursor){ b, 7, 0 };
	assert_true(take_number(&c, 8) == 0 && c.bad && c.left == 7);
	assert_int_equal(take_number(&c, 1), 0);
	/* The end of a text is the last byte. */
	c = (struct cursor){ b + 8, 3, 0 };
	assert_true(!strcmp(take_string(&c), "ab") && !c.bad && !c.left);
	c = (struct cursor){ b + 8, 2, 0 };
	assert_true(!strcmp(take_string(&c), "") && c.bad);
}

static void damage_is_the_first(void **state)
{
	static const struct { uint64_t offset, expected; } steps[] = {
		{ 100, 100 }, { 101, 100 }, { 99, 99 }, { 99, 99 }, { 1, 1 }, { 2, 1 }, { 0, 1 },
	};
	unsigned int i;

	(void)state;
	memset(&dat, 0, sizeof(dat));
	for (i = 0; i < COUNT(steps); i++) {
		trace_dat_bad(&dat, steps[i].offset);
		assert_int_equal(dat.bad_offset, steps[i].expected);
	}
	dat.bad_offset = 0;
	trace_dat_bad(&dat, 0);
	assert_int_equal(dat.bad_offset, 1);
}

static void pieces(void **state)
{
	unsigned char to[8];

	(void)state;
	open_bytes("0123456789", 10);
	memset(to, 'x', 8);
	assert_int_equal(trace_dat_read(&dat, to, 4, 3), 4);
	assert_memory_equal(to, "3456xxxx", 8);
	assert_int_equal(trace_dat_read(&dat, to, 8, 2), 8);
	assert_memory_equal(to, "23456789", 8);
	assert_int_equal(trace_dat_read(&dat, to, 8, 3), 7);
	assert_memory_equal(to, "34567899", 8);
	assert_int_equal(trace_dat_read(&dat, to, 8, 10), 0);
	assert_int_equal(trace_dat_read(&dat, to, 0, 0), 0);
	close(dat.fd);
}

static void headers_of_sections(void **state)
{
	static const unsigned char head[17] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17 };
	struct section s;

	(void)state;
	open_bytes(head, 17);
	assert_int_equal(trace_dat_section(&dat, 1, &s), 0);
	assert_int_equal(s.id, 0x0302);
	assert_int_equal(s.flags, 0x0504);
	assert_int_equal(s.name, 0x09080706);
	assert_int_equal(s.size, 0x11100f0e0d0c0b0a);
	assert_int_equal(s.offset, 17);
	assert_int_equal(trace_dat_section(&dat, 0, &s), 0);
	assert_int_equal(s.offset, 16);
	assert_int_equal(trace_dat_section(&dat, 2, &s), -1);
	assert_int_equal(trace_dat_section(&dat, 17, &s), -1);
	/* What the file was shorter by when it was opened is not there. */
	dat.size = 1;
	assert_int_equal(trace_dat_section(&dat, 1, &s), -1);
	assert_int_equal(trace_dat_section(&dat, 0, &s), 0);
	close(dat.fd);
}

static void contents_of_sections(void **state)
{
	const uint64_t most = 64 << 20;
	struct section s = { .offset = 2, .size = 5 };
	unsigned char *data;
	struct cursor c;

	(void)state;
	open_bytes("0123456789", 10);
	data = trace_dat_load(&dat, &s, &c);
	assert_true(data && c.p == data && c.left == 5 && !c.bad);
	assert_memory_equal(data, "23456", 5);
	free(data);
	s.size = 8;
	data = trace_dat_load(&dat, &s, &c);
	assert_true(data && c.left == 8);
	free(data);
	s.size = 9;
	assert_null(trace_dat_load(&dat, &s, &c));
	assert_true(!c.p && !c.left);
	/* Compressed, and without what decompresses. */
	s = (struct section){ .offset = 0, .size = 5, .flags = SECTION_COMPRESSED };
	assert_null(trace_dat_load(&dat, &s, &c));
	/* The file became shorter. */
	s = (struct section){ .offset = 0, .size = 10 };
	assert_int_equal(ftruncate(dat.fd, 9), 0);
	assert_null(trace_dat_load(&dat, &s, &c));
	/* At most 64 MiB. */
	assert_int_equal(ftruncate(dat.fd, most + 1), 0);
	dat.size = most + 1;
	s.size = most;
	data = trace_dat_load(&dat, &s, &c);
	assert_true(data && c.left == most);
	free(data);
	s.size = most + 1;
	assert_null(trace_dat_load(&dat, &s, &c));
	close(dat.fd);
	assert_int_equal(dat.no_memory, 0);
}

/* Of a chunk that cannot be decompressed, @stored says how much of the file it has. */
static void sizes_of_chunks(void **state)
{
	static const struct {
		uint32_t zsize, size;
		uint64_t max, file;		/* largest size; bytes of the file */
		int ret;
		uint32_t stored;
	} chunks[] = {
		{ 5, 100, 100, 13 + 4, -1, 13 },
		{ 5, 100, 99, 13 + 4, -1, 0 },
		{ 5, 100, 100, 12 + 4, -2, 0 },
		{ 0, 100, 100, 13 + 4, -1, 0 },
		{ 5, 0, 100, 13 + 4, -1, 0 },
		{ 64 << 20, 100, 100, 1 << 30, -1, (64 << 20) + 8 },
		{ (64 << 20) + 1, 100, 100, 1 << 30, -1, 0 },
		{ 5, 64 << 20, UINT32_MAX, 1 << 30, -1, 13 },
		{ 5, (64 << 20) + 1, UINT32_MAX, 1 << 30, -1, 0 },
		{ 5, 100, 100, 7 + 4, -2, 0 },
	};
	struct bytes *raw = calloc(1, sizeof(*raw));
	unsigned char *data;
	uint32_t stored, size, n, at;
	struct trace_dat whole;
	unsigned int i;
	int fd;

	(void)state;
	/* Of a whole file, what decompresses. */
	make(V7_ALL_ZIP);
	fd = write_file(file.size);
	assert_int_equal(trace_dat_open(&whole, path, "test", dat_error, sizeof(dat_error)), 0);
	close(fd);
	for (i = 0; i < COUNT(chunks); i++) {
		memset(raw, 0, sizeof(*raw));
		put(raw, 0, 4);
		put(raw, chunks[i].zsize, 4);
		put(raw, chunks[i].size, 4);
		put(raw, 0x1234567812345678, 8);
		open_bytes(raw->b, chunks[i].file < raw->size ? chunks[i].file : raw->size);
		dat.size = chunks[i].file;
		dat.compression = whole.compression;
		data = NULL;
		size = 0;
		stored = 77;
		if (trace_dat_uncompress(&dat, 4, &stored, &data, &size, chunks[i].max) != chunks[i].ret ||
		    stored != chunks[i].stored)
			fail_msg("chunk %u: %u stored", i, stored);
		assert_int_equal(size, stored ? chunks[i].size : 0);
		assert_int_equal(!!data, !!stored);
		free(data);
		close(dat.fd);
	}
	trace_dat_close(&whole);

	/* In a buffer that is large enough, or grows. */
	make(V7_ALL_ZIP);
	fd = write_file(file.size);
	assert_int_equal(trace_dat_open(&whole, path, "test", dat_error, sizeof(dat_error)), 0);
	close(fd);
	at = place[DATA] + 4;
	memcpy(&n, file.b + at, 4);
	data = malloc(5000);
	size = 5000;
	assert_int_equal(trace_dat_uncompress(&whole, at, &stored, &data, &size, 4096), 0);
	assert_int_equal(size, 4096);
	assert_int_equal(stored, n + 8);
	assert_int_equal(data[0], 100);
	free(data);
	data = malloc(1);
	size = 1;
	assert_int_equal(trace_dat_uncompress(&whole, at + n + 8, &stored, &data, &size, 4096), 0);
	assert_int_equal(data[0] | data[1] << 8, 300);
	assert_int_equal(data[4095], 0);
	free(data);
	trace_dat_close(&whole);
	free(raw);
}

/* 8192 streams, of data that do not overlap. */
static void many_streams(void **state)
{
	uint64_t i;

	(void)state;
	open_bytes("", 0);
	dat.size = 10000;
	for (i = 0; i < 9000; i++)
		assert_int_equal(trace_dat_add_stream(&dat, i, 1, 0, i), 0);
	assert_int_equal(dat.nr_streams, 8192);
	assert_int_equal(dat.claimed, 8192);
	assert_int_equal(dat.bad_offset, 0);
	trace_dat_close(&dat);
}

static void claims(void **state)
{
	static const struct {
		uint64_t offset, size;
		int streams;
		uint64_t claimed, bad;
	} steps[] = {
		{ 10, 0, 0, 0, 0 }, { 0, 40, 1, 40, 0 }, { 99, 1, 2, 41, 0 }, { 50, 50, 3, 91, 0 },
		{ 20, 9, 4, 100, 0 }, { 30, 1, 4, 100, 30 }, { 99, 2, 4, 100, 30 }, { 100, 1, 4, 100, 30 },
		{ 29, UINT64_MAX, 4, 100, 29 },
	};
	unsigned int i;

	(void)state;
	open_bytes("", 0);
	dat.size = 100;
	for (i = 0; i < COUNT(steps); i++) {
		assert_int_equal(trace_dat_add_stream(&dat, steps[i].offset, steps[i].size, 0, 0), 0);
		assert_int_equal(dat.nr_streams, steps[i].streams);
		assert_int_equal(dat.claimed, steps[i].claimed);
		assert_int_equal(dat.bad_offset, steps[i].bad);
	}
	trace_dat_close(&dat);
	/* Behind the end, and up to behind it: what is damaged is the end. */
	open_bytes("", 0);
	dat.size = 100;
	assert_int_equal(trace_dat_add_stream(&dat, 100, 1, 0, 0), 0);
	assert_true(dat.bad_offset == 100 && !dat.nr_streams);
	dat.bad_offset = 0;
	assert_int_equal(trace_dat_add_stream(&dat, 99, 2, 0, 0), 0);
	assert_true(dat.bad_offset == 100 && dat.nr_streams == 1 && dat.claimed == 1);
	trace_dat_close(&dat);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cursors), cmocka_unit_test(damage_is_the_first), cmocka_unit_test(pieces),
		cmocka_unit_test(headers_of_sections), cmocka_unit_test(contents_of_sections),
		cmocka_unit_test(sizes_of_chunks), cmocka_unit_test(many_streams), cmocka_unit_test(claims),
	};

	return cmocka_run_group_tests_name("trace_parts", tests, NULL, NULL);
}
