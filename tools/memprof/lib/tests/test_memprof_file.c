// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Chunks of recordings that are made byte by byte: what is found of each, and what is damage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "memprof/lib/file.h"
#include "memprof/tests/memprof_data.h"

#define HEADER	40	/* bytes of a chunk's */

static char error[256];

/* Of a file: its bytes. */
static struct {
	unsigned char bytes[1 << 20];
	size_t n;
} image;

static void put(size_t at, unsigned int bytes, uint64_t value)
{
	assert_true(at + bytes <= sizeof(image.bytes));
	for (unsigned int i = 0; i < bytes; i++)
		image.bytes[at + i] = value >> 8 * i;
}

static void put_file_header(uint32_t bytes)
{
	memset(&image, 0, sizeof(image));
	memcpy(image.bytes, "MEMPROF\n", 8);
	put(8, 4, 1);
	put(12, 4, bytes);
	put(16, 8, 0x1122334455667788);
	put(24, 8, 0x99aabbccddeeff00);
	image.n = bytes;
}

static uint32_t check_of(size_t at)
{
	const uint32_t bytes = image.bytes[at + 8] | image.bytes[at + 9] << 8 | image.bytes[at + 10] << 16;

	return XXH3_64bits_withSeed(image.bytes + at + HEADER, bytes, XXH3_64bits(image.bytes + at, 36));
}

/* Return: where it begins.  Its records are bytes that count from its number. */
static size_t put_chunk(unsigned int type, uint32_t stream, uint32_t records, uint32_t bytes, unsigned int number)
{
	const size_t at = image.n;

	put(at, 4, 0x4b484350);
	put(at + 4, 2, type);
	put(at + 8, 4, bytes);
	put(at + 12, 4, records);
	put(at + 16, 8, 0x100000000 + number);
	put(at + 24, 8, 0x200000000 + number);
	put(at + 32, 4, stream);
	for (uint32_t i = 0; i < bytes; i++)
		put(at + HEADER + i, 1, number + i);
	put(at + 36, 4, check_of(at));
	image.n = at + HEADER + bytes;
	return at;
}

static void write_bytes(size_t n)
{
	const int fd = open(data_path, O_WRONLY | O_TRUNC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, image.bytes, n), n);
	assert_int_equal(close(fd), 0);
}

static void open_image(struct file *f)
{
	write_bytes(image.n);
	assert_int_equal(file_open(f, data_path, error, sizeof(error)), 0);
}

static void damage_is(const struct file *f, const char *what, size_t at, size_t of)
{
	char text[256] = "";

	if (what)
		snprintf(text, sizeof(text), "%s at %#lx (of %#lx)", what, at, of);
	assert_string_equal(f->damage, text);
}

static void stream_is(const struct file *f, uint32_t i, unsigned int type, uint32_t number, uint32_t first,
		      uint32_t last, uint64_t records)
{
	const struct file_stream *s = &f->streams[i];

	assert_true(i < f->nr_streams);
	assert_int_equal(s->type, type);
	assert_int_equal(s->number, number);
	assert_int_equal(s->first, first);
	assert_int_equal(s->last, last);
	assert_int_equal(s->records, records);
}

struct expected_chunk {
	unsigned int type;
	uint32_t stream, records, bytes, next;
};

/* One of each type; of those that have streams, two. */
static const struct expected_chunk all[] = {
	{ 1, 7, 1, 3, 13 },		/* META */
	{ 2, 5, 1, 32, 4 },		/* SAMPLES */
	{ 2, 0x10005, 2, 95, 0 },	/* two records and a part of one */
	{ 2, 5, 3, 96, 0 },
	{ 3, 5, 2, 48, 0 },		/* EVENTS */
	{ 4, 5, 9, 16, 0 },		/* TASKS: of any size */
	{ 4, 6, 1, 8, 0 },
	{ 5, 1, 1, 24, 9 },		/* STREAM: one, whatever their numbers */
	{ 5, 2, 1, 24, 0 },
	{ 6, 0, 3, 36, 0 },		/* THREADS */
	{ 7, 0, 5, 0, 0 },		/* CHAINS */
	{ 8, 0, 1, 24, 0 },		/* LOST */
	{ 1, 8, 1, 2, 0 },
	{ 3, 6, 1, 24, 0 },
	{ 9, 0, 1, 2, 0 },		/* END */
};

#define ALL	(sizeof(all) / sizeof(all[0]))

static void put_all(uint32_t header, size_t *at)
{
	put_file_header(header);
	for (size_t i = 0; i < ALL; i++)
		at[i] = put_chunk(all[i].type, all[i].stream, all[i].records, all[i].bytes, i + 1);
}

static void all_is(struct file *f, const size_t *at)
{
	size_t i;

	assert_int_equal(f->nr_chunks, ALL + 1);
	for (i = 0; i < ALL; i++) {
		const struct file_chunk *c = &f->chunks[i + 1];

		assert_int_equal(c->at, at[i]);
		assert_int_equal(c->base_ns, 0x100000001 + i);
		assert_int_equal(c->last_ns, 0x200000001 + i);
		assert_int_equal(c->bytes, all[i].bytes);
		assert_int_equal(c->records, all[i].records);
		assert_int_equal(c->next, all[i].next);
		assert_int_equal(c->check, check_of(at[i]));
	}
	assert_int_equal(f->nr_streams, 12);
	stream_is(f, 0, 1, 7, 1, 13, 2);
	stream_is(f, 1, 2, 5, 2, 4, 4);
	stream_is(f, 2, 2, 0x10005, 3, 3, 2);
	stream_is(f, 3, 3, 5, 5, 5, 2);
	stream_is(f, 4, 4, 5, 6, 6, 9);
	stream_is(f, 5, 4, 6, 7, 7, 1);
	stream_is(f, 6, 5, 1, 8, 9, 2);
	stream_is(f, 7, 6, 0, 10, 10, 3);
	stream_is(f, 8, 7, 0, 11, 11, 5);
	stream_is(f, 9, 8, 0, 12, 12, 1);
	stream_is(f, 10, 3, 6, 14, 14, 1);
	stream_is(f, 11, 9, 0, 15, 15, 1);
}

/* A later version's header may be longer. */
static void chunks_and_their_streams(void **unused)
{
	const uint32_t headers[] = { 32, 45 };
	size_t at[ALL], i, k, capacity = 0;
	void *buffer = NULL;
	struct file f;

	(void)unused;
	for (i = 0; i < 2; i++) {
		put_all(headers[i], at);
		open_image(&f);
		assert_ptr_equal(f.path, data_path);
		assert_int_equal(fcntl(f.fd, F_GETFD), FD_CLOEXEC);
		assert_int_equal(f.bytes, image.n);
		assert_memory_equal(f.header.magic, "MEMPROF\n", 8);
		assert_int_equal(f.header.version, 1);
		assert_int_equal(f.header.bytes, headers[i]);
		assert_int_equal(f.header.start_ns, 0x1122334455667788);
		assert_int_equal(f.header.start_real_ns, 0x99aabbccddeeff00);
		assert_true(f.ended);
		assert_false(f.no_memory);
		damage_is(&f, NULL, 0, 0);
		all_is(&f, at);
		for (k = 0; k < ALL; k++) {
			assert_int_equal(file_read_chunk(&f, k + 1, &buffer, &capacity), all[k].bytes);
			assert_memory_equal(buffer, image.bytes + at[k], HEADER + all[k].bytes);
		}
		damage_is(&f, NULL, 0, 0);
		file_close(&f);
	}
	free(buffer);
}

/* Damage ends the file there: what is before it is found. */
static void damaged_headers(void **unused)
{
	static const struct { unsigned int chunk, at, bytes; uint64_t value; const char *damage; } cases[] = {
		{ 2, 0, 4, 0x4b484351, "damaged" }, { 2, 0, 4, 0x4a484350, "damaged" },
		{ 2, 4, 2, 0, "damaged" }, { 2, 4, 2, 10, "damaged" }, { 2, 4, 2, 0xffff, "damaged" },
		{ 12, 4, 2, 9, NULL }, { 12, 4, 2, 10, "damaged" },
		/* Bytes: those of a record more or less, and of a record but one. */
		{ 1, 8, 4, 31, "damaged" }, { 1, 12, 4, 0, "damaged" }, { 1, 12, 4, 2, "damaged" },
		{ 2, 12, 4, 3, "damaged" }, { 2, 12, 4, 1, "damaged" },
		{ 4, 12, 4, 1, "damaged" }, { 4, 12, 4, 3, "damaged" },
		{ 7, 12, 4, 0, "damaged" }, { 7, 12, 4, 2, "damaged" },
		{ 9, 12, 4, 2, "damaged" }, { 9, 12, 4, 4, "damaged" },
		{ 11, 12, 4, 0, "damaged" }, { 11, 12, 4, 2, "damaged" },
		/* Those of other types have records of any size. */
		{ 0, 12, 4, 77, NULL }, { 5, 12, 4, 77, NULL }, { 10, 12, 4, 77, NULL }, { 14, 12, 4, 77, NULL },
		/* Behind the end of the file. */
		{ 14, 8, 4, 2, NULL }, { 14, 8, 4, 3, "truncated" }, { 14, 8, 4, 0xffffff, "truncated" },
		{ 14, 8, 4, 0x1000000, "truncated" }, { 14, 8, 4, 0x1000001, "damaged" }, { 14, 8, 4, 0xffffffff, "damaged" },
	};
	struct file f;
	size_t at[ALL], i;

	(void)unused;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		put_all(32, at);
		put(at[cases[i].chunk] + cases[i].at, cases[i].bytes, cases[i].value);
		open_image(&f);
		damage_is(&f, cases[i].damage, at[cases[i].chunk], image.n);
		assert_int_equal(f.nr_chunks, cases[i].damage ? cases[i].chunk + (cases[i].chunk > 0) : ALL + 1);
		assert_int_equal(f.ended, !cases[i].damage);
		file_close(&f);
	}
}

/* Cut off in each place. */
static void truncated_files(void **unused)
{
	size_t at[ALL], n, whole;
	struct file f;

	(void)unused;
	put_all(32, at);
	for (n = 1; n < image.n; n++) {
		write_bytes(n);
		if (n < 32) {
			assert_int_equal(file_open(&f, data_path, error, sizeof(error)), -1);
			continue;
		}
		assert_int_equal(file_open(&f, data_path, error, sizeof(error)), 0);
		for (whole = 0; whole < ALL && at[whole] + HEADER + all[whole].bytes <= n; whole++)
			;
		damage_is(&f, n == at[whole] ? "the recording was not ended" : "truncated", at[whole], n);
		assert_int_equal(f.nr_chunks, whole + (whole > 0));
		assert_false(f.ended);
		file_close(&f);
	}
	/* What is behind the end is read, too. */
	put_all(32, at);
	put_chunk(1, 0, 1, 5, 99);
	open_image(&f);
	damage_is(&f, NULL, 0, 0);
	assert_int_equal(f.nr_chunks, ALL + 2);
	assert_int_equal(f.chunks[ALL + 1].bytes, 5);
	file_close(&f);
}

/* A chunk of 16 MiB is the largest. */
static void largest_chunk(void **unused)
{
	struct file f;

	(void)unused;
	for (uint32_t more = 0; more < 2; more++) {
		put_file_header(32);
		put_chunk(1, 0, 1, 0, 1);
		put(32 + 8, 4, 0x1000000 + more);
		write_bytes(image.n);
		assert_int_equal(truncate(data_path, 32 + HEADER + 0x1000000 + more), 0);
		assert_int_equal(file_open(&f, data_path, error, sizeof(error)), 0);
		damage_is(&f, more ? "damaged" : "the recording was not ended", more ? 32 : 32 + HEADER + 0x1000000,
			  32 + HEADER + 0x1000000 + more);
		assert_int_equal(f.nr_chunks, more ? 0 : 2);
		file_close(&f);
	}
}

static void is_refused(const char *file, const char *why)
{
	struct file f = { .fd = 77 };
	char text[256];
	int next;

	next = open("/dev/null", O_RDONLY);
	close(next);
	assert_int_equal(file_open(&f, file, error, sizeof(error)), -1);
	snprintf(text, sizeof(text), "%s: %s", file, why);
	assert_string_equal(error, text);
	/* As one that was closed, and its descriptor is. */
	assert_int_equal(f.fd, -1);
	assert_null(f.path);
	assert_null(f.streams);
	assert_int_equal(open("/dev/null", O_RDONLY), next);
	close(next);
}

static void files_that_are_no_recordings(void **unused)
{
	static const struct { unsigned int at, bytes; uint64_t value; const char *why; } cases[] = {
		{ 0, 1, 'm', "not a recording of memprof" }, { 7, 1, '\r', "not a recording of memprof" },
		{ 12, 4, 31, "not a recording of memprof" }, { 12, 4, 0, "not a recording of memprof" },
		{ 8, 4, 0, "version 0 of the format, this program reads 1" },
		{ 8, 4, 2, "version 2 of the format, this program reads 1" },
		{ 8, 4, 0x101, "version 257 of the format, this program reads 1" },
	};
	struct file f;
	size_t i;

	(void)unused;
	is_refused("/nonexistent", "No such file or directory");
	is_refused("/tmp", "Is a directory");
	is_refused("/dev/null", "not a file");
	write_bytes(0);
	is_refused(data_path, "empty file");
	put_file_header(32);
	write_bytes(31);
	is_refused(data_path, "not a recording of memprof");
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		put_file_header(32);
		put_chunk(9, 0, 1, 2, 1);
		put(cases[i].at, cases[i].bytes, cases[i].value);
		write_bytes(image.n);
		is_refused(data_path, cases[i].why);
	}
	/* A header, and no more; one that the file has not. */
	put_file_header(32);
	open_image(&f);
	damage_is(&f, "the recording was not ended", 32, 32);
	assert_int_equal(f.nr_chunks, 0);
	file_close(&f);
	put_file_header(40);
	image.n = 39;
	open_image(&f);
	damage_is(&f, "the recording was not ended", 40, 39);
	file_close(&f);
}

/* Of each chunk the bytes of its header and records, changed once it was opened. */
static void checks_of_chunks(void **unused)
{
	size_t at[ALL], i, capacity = 0;
	void *buffer = NULL;
	struct file f;
	int fd;

	(void)unused;
	put_all(32, at);
	open_image(&f);
	fd = open(data_path, O_WRONLY);
	for (i = at[3]; i < at[4]; i++) {
		const unsigned char changed = image.bytes[i] ^ 0x10;
		/* Its check is that of the open file. */
		const bool is_check = i >= at[3] + 36 && i < at[3] + HEADER;

		assert_int_equal(pwrite(fd, &changed, 1, i), 1);
		f.damage[0] = '\0';
		assert_int_equal(file_read_chunk(&f, 4, &buffer, &capacity), is_check ? 96 : -1);
		damage_is(&f, is_check ? NULL : "damaged", at[3], image.n);
		assert_int_equal(file_read_chunk(&f, 5, &buffer, &capacity), 48);
		assert_int_equal(pwrite(fd, image.bytes + i, 1, i), 1);
	}
	f.damage[0] = '\0';
	f.chunks[4].check ^= 0x80000000;
	assert_int_equal(file_read_chunk(&f, 4, &buffer, &capacity), -1);
	damage_is(&f, "damaged", at[3], image.n);
	/* The first damage is remembered. */
	assert_int_equal(ftruncate(fd, image.n - 1), 0);
	assert_int_equal(file_read_chunk(&f, ALL, &buffer, &capacity), -1);
	damage_is(&f, "damaged", at[3], image.n);
	f.damage[0] = '\0';
	assert_int_equal(file_read_chunk(&f, ALL, &buffer, &capacity), -1);
	damage_is(&f, "truncated", at[ALL - 1], image.n);
	assert_false(f.no_memory);
	close(fd);
	file_close(&f);
	free(buffer);
}

/* Its memory is that of the largest chunk so far. */
static void buffer_of_a_chunk(void **unused)
{
	size_t at[ALL], capacity = 0;
	void *buffer = NULL, *before;
	struct file f;

	(void)unused;
	put_all(32, at);
	open_image(&f);
	assert_int_equal(file_read_chunk(&f, 11, &buffer, &capacity), 0);
	assert_int_equal(capacity, HEADER);
	assert_int_equal(file_read_chunk(&f, 2, &buffer, &capacity), 32);
	assert_int_equal(capacity, HEADER + 32);
	before = buffer;
	assert_int_equal(file_read_chunk(&f, 2, &buffer, &capacity), 32);
	assert_int_equal(file_read_chunk(&f, 1, &buffer, &capacity), 3);
	assert_int_equal(capacity, HEADER + 32);
	assert_ptr_equal(buffer, before);
	assert_int_equal(file_read_chunk(&f, 3, &buffer, &capacity), 95);
	assert_int_equal(capacity, HEADER + 95);
	/* A byte is missing. */
	capacity--;
	assert_int_equal(file_read_chunk(&f, 3, &buffer, &capacity), 95);
	assert_int_equal(capacity, HEADER + 95);
	free(buffer);
	file_close(&f);
}

/* More of them than there is memory for at first. */
static void many_chunks_of_many_streams(void **unused)
{
	enum { STREAMS = 300, EACH = 16 };
	uint32_t i, c;
	struct file f;

	(void)unused;
	put_file_header(32);
	for (i = 0; i < STREAMS * EACH; i++)
		put_chunk(4, i % STREAMS * 3, i, 1, i);
	open_image(&f);
	damage_is(&f, "the recording was not ended", image.n, image.n);
	assert_int_equal(f.nr_chunks, STREAMS * EACH + 1);
	assert_int_equal(f.nr_streams, STREAMS);
	for (i = 0; i < STREAMS; i++) {
		stream_is(&f, i, 4, 3 * i, i + 1, i + 1 + STREAMS * (EACH - 1), EACH * i + STREAMS * EACH * (EACH - 1) / 2);
		for (c = f.streams[i].first; c != f.streams[i].last; c = f.chunks[c].next) {
			assert_int_equal(f.chunks[c].next, c + STREAMS);
			assert_int_equal(f.chunks[c].records, c - 1);
			assert_int_equal(f.chunks[c].at, 32 + 41 * (c - 1));
		}
		assert_int_equal(f.chunks[c].next, 0);
	}
	file_close(&f);
	assert_int_equal(f.fd, -1);
	assert_null(f.chunks);
	assert_int_equal(f.nr_chunks, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chunks_and_their_streams),
		cmocka_unit_test(damaged_headers),
		cmocka_unit_test(truncated_files),
		cmocka_unit_test(largest_chunk),
		cmocka_unit_test(files_that_are_no_recordings),
		cmocka_unit_test(checks_of_chunks),
		cmocka_unit_test(buffer_of_a_chunk),
		cmocka_unit_test(many_chunks_of_many_streams),
	};

	return cmocka_run_group_tests_name("memprof file", tests, data_make_path, data_remove_path);
}
