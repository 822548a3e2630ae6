// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* trace.dat files cut by time: each part of the copy, and what cannot be cut. */
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "lib/trace/parts.h"
#include "small_trace.h"

/* The copy's sections, and of options, what they hold. */
static void print_copy(int fd)
{
	static struct bytes copy;
	struct cursor c = { copy.b, 0, 0 }, o;
	struct section s;
	struct trace_dat d = { .fd = fd };
	unsigned int id;
	uint32_t at;

	copy.size = pread(fd, copy.b, sizeof(copy.b), 0);
	d.size = c.left = copy.size;
	*got = '\0';
	take(&c, place[FIRST_OPTIONS]);
	sprintf(got, "%u:", (unsigned int)take_number(&c, 8));
	for (at = c.p - copy.b; !trace_dat_section(&d, at, &s); at = s.offset + s.size) {
		sprintf(end_of(got), " %u=%u.%u.%u+%" PRIu64, at, s.id, s.flags, s.name, s.size);
		if (s.id)
			continue;
		o = (struct cursor){ copy.b + s.offset, s.size, 0 };
		while (o.left && !o.bad) {
			id = take_number(&o, 2);
			sprintf(end_of(got), " %u(", id);
			c = (struct cursor){ .left = take_number(&o, 4) };
			c.p = take(&o, c.left);
			if (c.left == 8)
				sprintf(end_of(got), "%" PRIu64, take_number(&c, 8));
			for (; c.left > 8; take(&c, 1))
				sprintf(end_of(got), "%02x", *c.p);
			sprintf(end_of(got), ")");
		}
	}
}

/* Cuts the file.  Return: the copy, or -1 with @dat_error set. */
static int cut_file(uint64_t after, uint64_t until)
{
	const int to = memfd_create("copy", 0);
	int ret;

	assert_int_equal(open_part(file.size, "test"), 0);
	ret = trace_dat_cut(&dat, to, after, until, dat_error, sizeof(dat_error));
	trace_dat_close(&dat);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", to);
	if (!ret)
		return to;
	close(to);
	return -1;
}

static void expect_copy(uint64_t after, uint64_t until, const char *sections, const char *events)
{
	int fd = cut_file(after, until);

	if (fd < 0)
		fail_msg("%s", dat_error);
	if (sections) {
		print_copy(fd);
		if (strcmp(got, sections))
			print_error("expected %s\ngot      %s\n", sections, got);
		assert_string_equal(got, sections);
	}
	print_file(true);
	assert_string_equal(got, events);
	close(fd);
}

/* What is not cut is as it was; what is behind the data is where they end now. */
static void copies(void **state)
{
	const uint32_t names[][2] = { { TEXT, 5 }, { SYMBOLS, 6 }, { BUFFER, 7 }, { INDEX, 8 } };
	uint32_t moved;
	unsigned int i;

	(void)state;
	make(V7);
	for (i = 0; i < COUNT(names); i++)
		put_at(&file, place[names[i][0]] + 4, names[i][1], 4);
	/* A section behind the index, of which an option says where it is. */
	moved = section_begin(&file, 21, 0);
	put_data(&file, "12345", 5);
	section_end(&file, moved);
	put_at(&file, place[OPTION_SYMBOLS], 21, 2);
	put_at(&file, place[OPTION_SYMBOLS] + 6, moved, 8);
	expect_copy(0, UINT64_MAX, "20480: 32=18.0.5+403 451=19.0.6+8 475=21.0.0+5 496=3.0.7+19968 20480=0.0.8+116 5() 18(32) 21(475) 3(f001000000000000000000100000020000000400000000100000000000000020000000000000050000000030000000000000) 0(0)", "100/4/1@0 101/5/2@2000 300/4/3@1000 301/5/4@3000 read 4000 box none");
	expect_copy(100, 300, "12288: 32=18.0.5+403 451=19.0.6+8 475=21.0.0+5 496=3.0.7+11776 12288=0.0.8+116 5() 18(32) 21(475) 3(f001000000000000000000100000020000000400000000100000000000000010000000000000050000000020000000000000) 0(0)", "101/5/2@1000 300/4/3@0 read 2000 box none");
	expect_copy(301, UINT64_MAX, "4096: 32=18.0.5+403 451=19.0.6+8 475=21.0.0+5 496=3.0.7+3584 4096=0.0.8+116 5() 18(32) 21(475) 3(f001000000000000000000100000020000000400000000100000000000000000000000000000050000000010000000000000) 0(0)", " read 0 box none");
}

static void copies_of_options(void **state)
{
	static const struct { unsigned int id, moves; } options[] = {
		{ 15, 0 }, { 16, 1 }, { 17, 1 }, { 20, 1 }, { 21, 1 }, { 22, 0 }, { 77, 0 },
	};
	unsigned int i;
	char expected[64];

	(void)state;
	for (i = 0; i < COUNT(options); i++) {
		make(V7);
		put_at(&file, place[OPTION_SYMBOLS], options[i].id, 2);
		put_at(&file, place[OPTION_SYMBOLS] + 6, 3, 8);
		/* There is no section at 3. */
		sprintf(expected, " %u(%u) ", options[i].id, options[i].moves ? 0 : 3);
		const int fd = cut_file(0, UINT64_MAX);

		assert_true(fd >= 0);
		print_copy(fd);
		close(fd);
		if (!strstr(got, expected))
			fail_msg("option %u: %s", options[i].id, got);
	}
	/* Options that end without the last one. */
	make(V7);
	put_at(&file, place[OPTION_END], 77, 2);
	expect_copy(0, UINT64_MAX, NULL, "100/4/1@0 101/5/2@2000 300/4/3@1000 301/5/4@3000 read 4000 box symb");
	/* Not of 8 bytes: no place. */
	make(V7);
	put_at(&file, place[UNAME], 16, 2);
	expect_copy(0, UINT64_MAX, NULL, "100/4/1@0 101/5/2@2000 300/4/3@1000 301/5/4@3000 read 4000  symb");
}

static void compressed_copies(void **state)
{
	(void)state;
	make(V7_ZIP);
	expect_copy(0, UINT64_MAX, NULL, "100/4/1@4 101/5/2@1004 300/4/3@4 301/5/4@1004 box symb");
	make(V7_ZIP);
	expect_copy(100, 300, NULL, "101/5/2@1004 300/4/3@4 box symb");
	make(V7_ALL_ZIP);
	expect_copy(101, UINT64_MAX, NULL, "300/4/3@4 301/5/4@1004 box symb");
	/* Of one CPU nothing is left. */
	make(V7_ZIP);
	put_at(&file, place[TABLE] + 12, 0, 8);
	expect_copy(0, 200, NULL, "101/5/2@4 box symb");
	make(V6);
	expect_copy(0, UINT64_MAX, NULL, "100/0/1@0 101/1/2@2000 300/0/3@1000 301/1/4@3000 read 4000 machine ffff T start");
	make(V6);
	expect_copy(100, 300, NULL, "101/1/2@1000 300/0/3@0 read 2000 machine ffff T start");
	make(V6);
	expect_copy(300, 301, NULL, "301/1/4@0 read 1000 machine ffff T start");
	make(V6);
	put_at(&file, place[TABLE] + 8, 0, 8);
	expect_copy(0, 200, NULL, "101/1/2@0 read 1000 machine ffff T start");
}

static void expect_no_copy(const char *message)
{
	assert_int_equal(cut_file(0, UINT64_MAX), -1);
	assert_string_equal(dat_error, message);
}

static void no_copies(void **state)
{
	uint32_t at = 0, i, sections;
	int fd, pipes[2];

	(void)state;
	make(V7);
	at = section_begin(&file, 22, 0);
	section_end(&file, at);
	expect_no_copy("holds events as text, which cannot be cut");
	make(V7);
	section_begin(&file, 99, 0);
	put_at(&file, place[END] + 8, 1, 8);
	expect_no_copy("damaged");
	make(V7);
	put(&file, 0, 15);
	expect_no_copy("damaged");
	make(V7);
	put_at(&file, place[FIRST_OPTIONS], 0, 8);
	expect_no_copy("damaged or truncated");
	make(V7);
	put_at(&file, place[FIRST_OPTIONS], place[SYMBOLS], 8);
	expect_no_copy("damaged");
	make(V7);
	put_at(&file, place[TABLE] - 4, 3, 4);
	expect_no_copy("damaged");
	make(V6);
	put_at(&file, place[UNAME], 3, 2);
	expect_no_copy("of version 6 with several instances (see trace-cmd convert)");
	make(V6);
	file.size--;
	expect_no_copy("damaged or truncated");
	/* 256 sections without those of events and options. */
	for (sections = 256; sections <= 257; sections++) {
		make(V7);
		for (i = 2; i < sections; i++) {
			at = section_begin(&file, 99, 0);
			section_end(&file, at);
		}
		fd = cut_file(0, UINT64_MAX);
		assert_int_equal(fd < 0, sections == 257);
		if (fd < 0)
			assert_string_equal(dat_error, "has too many sections");
		else
			close(fd);
	}
	/* 256 sections of options are followed. */
	for (sections = 256; sections <= 257; sections++) {
		make(V7);
		for (i = 1; i < sections; i++) {
			at = section_begin(&file, 0, 0);
			put_option(&file, 0, 8);
			put(&file, i == 1 ? place[INDEX] : at - 30, 8);
			section_end(&file, at);
			put_at(&file, place[FIRST_OPTIONS], at, 8);
		}
		fd = cut_file(0, UINT64_MAX);
		assert_int_equal(fd < 0, sections == 257);
		if (fd < 0)
			assert_string_equal(dat_error, "damaged");
		else
			close(fd);
	}
	/* Into what is no file of its own. */
	make(V7);
	fd = write_file(file.size);
	assert_int_equal(trace_dat_open(&dat, path, "test", dat_error, sizeof(dat_error)), 0);
	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(trace_dat_cut(&dat, pipes[1], 0, UINT64_MAX, dat_error, sizeof(dat_error)), -1);
	assert_string_equal(dat_error, "the copy must be a file, not a pipe");
	assert_int_equal(lseek(fd, 0, SEEK_END), file.size);
	assert_int_equal(trace_dat_cut(&dat, fd, 0, UINT64_MAX, dat_error, sizeof(dat_error)), -1);
	assert_int_equal(trace_dat_cut(&dat, open("/dev/null", O_RDONLY), 0, UINT64_MAX, dat_error, sizeof(dat_error)), -1);
	assert_string_equal(dat_error, "the copy cannot be written: Bad file descriptor");
	trace_dat_close(&dat);
	close(fd);
	close(pipes[0]);
	close(pipes[1]);
}

/* Of each CPU 25 pages in chunks of 10; the last one is of 5. */
static void copies_of_many_pages(void **state)
{
	struct bytes *raw = calloc(1, sizeof(*raw));
	uint32_t i, page, from, chunks;
	uint64_t size;
	int fd;

	(void)state;
	for (i = 9; i <= 21; i++) {
		uint32_t n;

		make(V7_ZIP);
		from = file.size;
		put(&file, i, 4);
		for (n = 0; n < i; n++) {
			raw->size = 0;
			page = page_begin(raw, 1000 + n);
			put_event(raw, 0, n);
			page_end(raw, page, 0, 0);
			put_contents(raw, 1);
		}
		put_at(&file, place[TABLE] + 4, from, 8);
		put_at(&file, place[TABLE] + 12, file.size - from, 8);
		put_at(&file, place[TABLE] - 4, 1, 4);
		/* The CPU's data are in no section of their own. */
		put_at(&file, place[INDEX] + 8, file.size - place[INDEX] - 16, 8);
		put_at(&file, place[OPTION_END] + 2, file.size - place[OPTION_END] - 6, 4);
		fd = cut_file(0, UINT64_MAX);
		if (fd < 0)
			fail_msg("%s", dat_error);
		assert_int_equal(pread(fd, &chunks, 4, place[DATA]), 4);
		assert_int_equal(chunks, (i + 9) / 10);
		assert_int_equal(trace_dat_open(&dat, path, "test", dat_error, sizeof(dat_error)), 0);
		*got = '\0';
		print_events();
		trace_dat_close(&dat);
		for (size = 0, n = 0; got[n]; n++)
			size += got[n] == '@';
		assert_int_equal(size, i);
		close(fd);
	}
	free(raw);
}

/* A span of a page: later than its begin, not later than its end; with what was lost before. */
static void cut_pages(void **state)
{
	uint32_t table = put_v6(&file, "test", formats, 1, 1), at = file.size, page, head;
	unsigned char out[PAGE_BYTES];
	uint64_t v;

	(void)state;
	page = page_begin(&file, 100);
	put_event(&file, 0, 1);
	put_event(&file, 10, 2);
	put_event(&file, 10, 3);
	put_event(&file, 10, 4);
	page_end(&file, page, LOST | LOST_STORED, 9);
	page = page_begin(&file, 200);
	put_event(&file, 0, 5);
	page_end(&file, page, LOST | LOST_STORED, 7);
	put_cpu(&file, table, 0, at);
	open_all();
	assert_int_equal(trace_dat_cut_page(&dat, at, 100, 120, out), 1);
	memcpy(&v, out, 8);
	assert_int_equal(v, 110);
	memcpy(&v, out + 8, 8);
	assert_int_equal(v, 32);			/* two events; the loss was before them */
	memcpy(&head, out + 16, 4);
	assert_int_equal(head, 3);			/* the first has no time to add */
	assert_int_equal(out[16 + 4 + 8], 2);
	memcpy(&head, out + 32, 4);
	assert_int_equal(head, 3 | 10 << 5);
	assert_int_equal(out[32 + 4 + 8], 3);
	assert_int_equal(trace_dat_cut_page(&dat, at, 100, 120, out), 0);
	trace_dat_close(&dat);

	open_all();
	assert_int_equal(trace_dat_cut_page(&dat, at, 99, 300, out), 1);
	memcpy(&v, out + 8, 8);
	assert_int_equal(v, 64 | LOST | LOST_STORED);
	memcpy(&v, out + 16 + 64, 8);
	assert_int_equal(v, 9);
	assert_int_equal(trace_dat_cut_page(&dat, at, 99, 300, out), 1);
	memcpy(&v, out, 8);
	assert_int_equal(v, 200);
	memcpy(&v, out + 16 + 16, 8);
	assert_int_equal(v, 7);
	assert_int_equal(trace_dat_cut_page(&dat, at, 99, 300, out), 0);
	trace_dat_close(&dat);
}

static void expect_page(uint32_t at, uint64_t time, uint64_t commit, uint64_t lost)
{
	unsigned char out[PAGE_BYTES + 8] = "";
	uint64_t v;

	assert_int_equal(trace_dat_cut_page(&dat, at, 0, UINT64_MAX, out + 8), 1);
	memcpy(&v, out, 8);
	assert_int_equal(v, 0);				/* nothing before the page */
	memcpy(&v, out + 8, 8);
	assert_int_equal(v, time);
	memcpy(&v, out + 8 + 8, 8);
	assert_int_equal(v, commit);
	if (commit & LOST_STORED) {
		memcpy(&v, out + 8 + 16 + (commit & 0xffff), 8);
		assert_int_equal(v, lost);
	}
}

/* What was lost before pages without events, or without room for the number, is not lost. */
static void cut_pages_keep_losses(void **state)
{
	const uint32_t full = (PAGE_BYTES - 16) / 16;
	uint32_t table = put_v6(&file, "test", formats, 1, 1), at = file.size, page, i;
	unsigned char out[PAGE_BYTES];

	(void)state;
	page = page_begin(&file, 10);			/* no events; 9 lost before */
	page_end(&file, page, LOST | LOST_STORED, 9);
	page = page_begin(&file, 20);			/* no room for the number */
	for (i = 0; i < full; i++)
		put_event(&file, 1, i);
	page_end(&file, page, 0, 0);
	page = page_begin(&file, 2000);
	put_event(&file, 0, 1);
	page_end(&file, page, LOST | LOST_STORED, 3);
	page = page_begin(&file, 3000);			/* how many is not known */
	put_event(&file, 0, 1);
	page_end(&file, page, LOST, 0);
	page = page_begin(&file, 4000);			/* lost after the last event */
	page_end(&file, page, LOST | LOST_STORED, 5);
	put_cpu(&file, table, 0, at);
	open_all();
	assert_int_equal(trace_dat_cut_page(&dat, at + 1, 0, UINT64_MAX, out), 0);
	expect_page(at, 21, 16 * full | LOST, 0);
	expect_page(at, 2000, 16 | LOST | LOST_STORED, 8 + 3);
	expect_page(at, 3000, 16 | LOST, 0);
	expect_page(at, 4000, LOST | LOST_STORED, 5);
	assert_int_equal(trace_dat_cut_page(&dat, at, 0, UINT64_MAX, out), 0);
	trace_dat_close(&dat);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cut_pages), cmocka_unit_test(cut_pages_keep_losses), cmocka_unit_test(copies), cmocka_unit_test(copies_of_options),
		cmocka_unit_test(compressed_copies), cmocka_unit_test(no_copies),
		cmocka_unit_test(copies_of_many_pages),
	};

	return cmocka_run_group_tests_name("trace_cut", tests, NULL, NULL);
}
