// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * trace.dat files of both versions, each with bytes changed or cut off: all that is read of it,
 * and where it is found damaged, as text.
 */
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

#include "lib/trace/child.h"
#include "lib/trace/parts.h"
#define BYTES_ROOM (1 << 20)
#include "trace_bytes.h"

#define COUNT(a)	(sizeof(a) / sizeof(*(a)))

/* Which parts of a file of version 7 are compressed. */
enum { ZIP_DATA = 1, ZIP_TEXT = 2, ZIP_SYMBOLS = 4, ZIP_OPTIONS = 8 };
enum { V7, V7_ZIP, V7_ALL_ZIP, V6 };

/*
 * Places in the files that are changed.  Of options and sections, their headers; TABLE: the first
 * CPU's offset and size; FLY: the word before it.
 */
enum place {
	NOWHERE, START, ZIP_NAME, FIRST_OPTIONS, TEXT, SYMBOLS, BUFFER, DATA, DATA_1, INDEX, UNAME, OPTION_TEXT,
	OPTION_SYMBOLS, OPTION_CPUS, TABLE, OPTION_END, FTRACE, SYSTEMS, CMDLINES, CPUS, KIND, FLY, END, NR_PLACES
};

struct change {
	enum place place;
	int at, bytes;
	uint64_t value;
};

struct file_case {
	const char *name;
	int base;
	struct change change[8];
	enum place cut;		/* NOWHERE: the file is whole */
	int cut_at;
	const char *expected;
};

static struct bytes file;
static uint32_t place[NR_PLACES];
static const char *const formats[] = { FORMAT_VALUE };
static char path[64], error[256], got[8192];
static const char *uname = "box";		/* in files of version 7 */
static int is_copy;		/* how well it compresses is the library's */
static struct trace_dat dat;

/* Version 7: two CPUs, each with a page at 100 and one at 300; compressed, each page is a chunk. */
static void put_contents(const struct bytes *contents, int zip)
{
	static unsigned char packed[BYTES_ROOM + 32];
	uint32_t n;

	if (!zip) {
		put_data(&file, contents->b, contents->size);
		return;
	}
	n = zstd(packed, contents);
	put(&file, n, 4);
	put(&file, contents->size, 4);
	put_data(&file, packed, n);
}

static void put_index(struct bytes *f, const uint32_t *offset, const uint32_t *size, uint32_t base)
{
	int cpu;

	place[UNAME] = base + f->size;
	put_option(f, 5, strlen(uname) + 1);
	put_string(f, uname);
	place[OPTION_TEXT] = base + f->size;
	put_option(f, 18, 8);
	put(f, place[TEXT], 8);
	place[OPTION_SYMBOLS] = base + f->size;
	put_option(f, 19, 8);
	put(f, place[SYMBOLS], 8);
	place[OPTION_CPUS] = base + f->size;
	put_option(f, 3, 8 + 2 + 8 + 2 * 20);
	put(f, place[BUFFER], 8);
	put_string(f, "");
	put_string(f, "");
	put(f, PAGE_BYTES, 4);
	put(f, 2, 4);
	place[TABLE] = base + f->size;
	for (cpu = 0; cpu < 2; cpu++) {
		put(f, 4 + cpu, 4);
		put(f, offset[cpu], 8);
		put(f, size[cpu], 8);
	}
	place[OPTION_END] = base + f->size;
	put_option(f, 0, 8);
	put(f, 0, 8);
}

static void make_v7(int zip)
{
	struct bytes *raw = calloc(1, sizeof(*raw));
	uint32_t offset[2], size[2], cpu, i, page;

	put_magic(&file, "7");
	place[ZIP_NAME] = file.size;
	put_string(&file, zip ? "zstd" : "none");
	put_string(&file, zip ? "1.5.4" : "");
	place[FIRST_OPTIONS] = file.size;
	put(&file, 0, 8);
	place[TEXT] = section_begin(&file, 18, !!(zip & ZIP_TEXT));
	raw->size = 0;
	put_formats(raw, "test", formats, 1);
	put_contents(raw, zip & ZIP_TEXT);
	section_end(&file, place[TEXT]);
	place[SYMBOLS] = section_begin(&file, 19, !!(zip & ZIP_SYMBOLS));
	raw->size = 0;
	put(raw, 4, 4);
	put_data(raw, "symb", 4);
	put_contents(raw, zip & ZIP_SYMBOLS);
	section_end(&file, place[SYMBOLS]);
	place[BUFFER] = section_begin(&file, 3, zip & ZIP_DATA);
	put_align(&file, PAGE_BYTES);
	for (cpu = 0; cpu < 2; cpu++) {
		place[DATA + cpu] = offset[cpu] = file.size;
		if (zip & ZIP_DATA)
			put(&file, 2, 4);
		for (i = 0; i < 2; i++) {
			raw->size = 0;
			page = page_begin(raw, 100 + 200 * i + cpu);
			put_event(raw, 0, 1 + 2 * i + cpu);
			page_end(raw, page, 0, 0);
			put_contents(raw, zip & ZIP_DATA);
		}
		size[cpu] = file.size - offset[cpu];
		put_align(&file, PAGE_BYTES);
	}
	section_end(&file, place[BUFFER]);
	place[INDEX] = file.size;
	put_at(&file, place[FIRST_OPTIONS], file.size, 8);
	section_begin(&file, 0, !!(zip & ZIP_OPTIONS));
	raw->size = 0;
	put_index(raw, offset, size, file.size);
	put_contents(raw, zip & ZIP_OPTIONS);
	section_end(&file, place[INDEX]);
	free(raw);
}

/* Version 6: the same pages, on CPUs 0 and 1. */
static void make_v6(void)
{
	uint32_t cpu, i, page;

	place[TABLE] = put_v6(&file, "test", formats, 1, 2);
	place[FLY] = place[TABLE] - 10;
	place[UNAME] = place[FLY] - 16;
	place[KIND] = place[UNAME] - 10;
	place[CPUS] = place[KIND] - 4;
	place[CMDLINES] = place[CPUS] - 8;
	place[SYMBOLS] = place[CMDLINES] - 4 - 12 - 4;
	place[FTRACE] = 18 + 12 + 8 + strlen(HEADER_PAGE) + 13 + 8 + 2;
	place[SYSTEMS] = place[FTRACE] + 4 + 8 + 4;
	for (cpu = 0; cpu < 2; cpu++) {
		place[DATA + cpu] = file.size;
		for (i = 0; i < 2; i++) {
			page = page_begin(&file, 100 + 200 * i + cpu);
			put_event(&file, 0, 1 + 2 * i + cpu);
			page_end(&file, page, 0, 0);
		}
		put_cpu(&file, place[TABLE], cpu, place[DATA + cpu]);
	}
}

static void make(int base)
{
	static const int zip[] = { 0, ZIP_DATA, ZIP_DATA | ZIP_TEXT | ZIP_SYMBOLS | ZIP_OPTIONS };

	memset(place, 0, sizeof(place));
	if (base == V6)
		make_v6();
	else
		make_v7(zip[base]);
	place[END] = file.size;
}

static void change(const struct change *c)
{
	const uint32_t at = place[c->place] + c->at;

	put_at(&file, at, c->value, c->bytes);
	if (at + c->bytes > file.size)
		file.size = at + c->bytes;
}

/* Makes the first @size bytes a file, of which trace_dat_open() is given the path. */
static int write_file(uint32_t size)
{
	const int fd = memfd_create("trace.dat", 0);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, file.b, size), size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	*error = '\0';
	return fd;
}

static char *end_of(char *text)
{
	return text + strlen(text);
}

/* Offsets are from the first page or chunk on, hexadecimal; "end": the size of the file. */
static void print_offset(const char *before, uint64_t offset)
{
	const int64_t from_data = offset - place[DATA];

	if (offset == dat.size)
		sprintf(end_of(got), "%send", before);
	else
		sprintf(end_of(got), "%s%s%" PRIx64, before, from_data < 0 ? "-" : "",
			from_data < 0 ? -from_data : from_data);
}

/* TIME/CPU/VALUE@OFFSET of each event. */
static void print_events(void)
{
	struct trace_event e;
	uint32_t value;

	while (trace_dat_next(&dat, &e) > 0) {
		memcpy(&value, (const char *)e.data + 8, 4);
		sprintf(end_of(got), "%s%" PRIu64 "/%d/%u", *got ? " " : "", e.ts, e.cpu, value);
		print_offset("@", e.offset);
		if (e.size != 12)
			sprintf(end_of(got), "(%u)", e.size);
	}
}

/* All that is in the file, twice: "again" follows if it is not the same the second time. */
static void print_file(void)
{
	char *symbols, first[sizeof(got)];

	*got = '\0';
	if (trace_dat_open(&dat, path, "test", error, sizeof(error))) {
		sprintf(got, "%s", error);
		trace_dat_close(&dat);
		return;
	}
	print_events();
	strcpy(first, got);
	*got = '\0';
	trace_dat_rewind(&dat);
	print_events();
	sprintf(end_of(got), "%s", strcmp(got, first) ? " again" : "");
	if (!is_copy || !dat.compression)
		sprintf(end_of(got), " read %" PRIx64, dat.read);
	if (dat.lost_events)
		sprintf(end_of(got), " lost %" PRIu64, dat.lost_events);
	if (dat.bad_offset)
		print_offset(" bad ", dat.bad_offset);
	symbols = trace_dat_symbols(&dat);
	sprintf(end_of(got), " %s %s", dat.uname, symbols ? symbols : "none");
	free(symbols);
	trace_dat_close(&dat);
}

static void check_case(const struct file_case *c)
{
	const struct change *change_at;
	int fd;

	make(c->base);
	for (change_at = c->change; change_at->place; change_at++)
		change(change_at);
	fd = write_file(c->cut ? place[c->cut] + c->cut_at : file.size);
	print_file();
	close(fd);
	if (strcmp(got, c->expected))
		print_error("%s:\n  expected \"%s\"\n  got      \"%s\"\n", c->name, c->expected, got);
}

#include "trace_corpus.h"

static void files(void **state)
{
	unsigned int i, wrong = 0;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		check_case(&cases[i]);
		wrong += !!strcmp(got, cases[i].expected);
	}
	assert_int_equal(wrong, 0);
}

/* Parts of version 6 whose lengths do not fit in 16 bits; @gap more zeros in one of them. */
static uint32_t long_parts(uint32_t gap_in, uint32_t gap)
{
	uint32_t n, i, page, last;

	put_magic(&file, "6");
	put_string(&file, "header_page");
	put(&file, 70001, 8);
	for (i = 0; i < 70001; i++)
		put(&file, 'p', 1);
	put_string(&file, "header_event");
	put(&file, 70002, 8);
	for (i = 0; i < 70002; i++)
		put(&file, 'e', 1);
	put(&file, 300, 4);
	for (i = 0; i < 300; i++) {
		put(&file, i ? 1 : 70003, 8);
		for (n = i ? 1 : 70003; n--; )
			put(&file, 'f', 1);
	}
	put(&file, 1, 4);
	put_string(&file, "test");
	put(&file, 1, 4);
	put(&file, strlen(FORMAT_VALUE) + (gap_in == 0 ? gap : 0), 8);
	put_data(&file, FORMAT_VALUE, strlen(FORMAT_VALUE));
	last = file.size;
	put(&file, 70004 + (gap_in == 1 ? gap : 0), 4);
	for (i = 0; i < 70004; i++)
		put(&file, 's', 1);
	if (gap_in == 1)
		last = file.size;
	put(&file, 70005, 4);
	for (i = 0; i < 70005; i++)
		put(&file, 'k', 1);
	put(&file, 70006, 8);
	for (i = 0; i < 70006; i++)
		put(&file, 'c', 1);
	put(&file, 1, 4);
	put_string(&file, "flyrecord");
	place[TABLE] = file.size;
	put(&file, 0, 8);
	put(&file, 0, 8);
	place[END] = file.size;
	put_align(&file, PAGE_BYTES);
	place[DATA] = file.size;
	page = page_begin(&file, 100);
	put_event(&file, 0, 1);
	page_end(&file, page, 0, 0);
	put_at(&file, place[TABLE], place[DATA] + gap, 8);
	put_at(&file, place[TABLE] + 8, PAGE_BYTES, 8);
	return last;
}

/* The file, of which @gap bytes that are 0 come at @last. */
static int write_gap(uint32_t last, uint32_t gap)
{
	const int fd = memfd_create("trace.dat", 0);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, file.b, last, 0), last);
	assert_int_equal(pwrite(fd, file.b + last, file.size - last, last + (off_t)gap), file.size - last);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	place[DATA] += gap;
	return fd;
}

static void expect_file(const char *expected)
{
	print_file();
	assert_string_equal(got, expected);
}

static void long_parts_of_version_6(void **state)
{
	char *symbols;
	int fd;

	(void)state;
	fd = write_gap(long_parts(2, 0), 0);
	assert_int_equal(trace_dat_open(&dat, path, "test", error, sizeof(error)), 0);
	assert_int_equal(dat.version, 6);
	assert_int_equal(dat.table, place[TABLE]);
	assert_int_equal(dat.cpus, 1);
	assert_int_equal(dat.instances, 0);
	symbols = trace_dat_symbols(&dat);
	assert_int_equal(strlen(symbols), 70004);
	assert_int_equal(strspn(symbols, "s"), 70004);
	free(symbols);
	*got = '\0';
	print_events();
	assert_string_equal(got, "100/0/1@0");
	assert_int_equal(dat.bad_offset, 0);
	trace_dat_close(&dat);
	close(fd);
}

/* The first 32 MiB of version 6 are its header; a format has at most 1 MiB. */
static void limits_of_version_6(void **state)
{
	const uint32_t format = (1 << 20) - strlen(FORMAT_VALUE);
	uint32_t most, last;
	int fd;

	(void)state;
	long_parts(1, 0);
	most = (32 << 20) - place[END];
	last = long_parts(1, most);
	fd = write_gap(last, most);
	/* The rest of 64 MiB is zeros. */
	assert_int_equal(ftruncate(fd, 64 << 20), 0);
	assert_int_equal(trace_dat_open(&dat, path, "test", error, sizeof(error)), 0);
	*got = '\0';
	print_events();
	assert_string_equal(got, "100/0/1@0");
	assert_int_equal(dat.bad_offset, 0);
	trace_dat_close(&dat);
	close(fd);
	last = long_parts(1, most + 1);
	fd = write_gap(last, most + 1);
	assert_int_equal(trace_dat_open(&dat, path, "test", error, sizeof(error)), 0);
	*got = '\0';
	print_events();
	assert_string_equal(got, "");
	assert_int_equal(dat.bad_offset, dat.size);
	trace_dat_close(&dat);
	close(fd);

	last = long_parts(0, format);
	fd = write_gap(last, format);
	assert_int_equal(trace_dat_open(&dat, path, "test", error, sizeof(error)), 0);
	trace_dat_close(&dat);
	close(fd);
	last = long_parts(0, format + 1);
	fd = write_gap(last, format + 1);
	expect_file("no test events (record with: trace-cmd record -e test)");
	close(fd);
}

/* Names of a compression as long as the header may be, which has 4096 bytes. */
static void long_headers(void **state)
{
	static const char *const expected[] = {
		"compressed by xxxxxxxxxxxxxxxx: not supported by libtracecmd",
		"damaged or truncated in its header",
	};
	int longer, fd;

	(void)state;
	for (longer = 0; longer < 2; longer++) {
		put_magic(&file, "7");
		while (file.size < 4096 - 8 - 1 - 1 + (uint32_t)longer)
			put(&file, 'x', 1);
		put(&file, 0, 2);
		put(&file, 0, 8);
		put_align(&file, 8192);
		fd = write_file(file.size);
		expect_file(expected[longer]);
		close(fd);
	}
}

/* Lists of sections of options, the last of which says where the data are. */
static void lists_of_options(void **state)
{
	static const struct { int sections; const char *expected; } lists[] = {
		{ 1, "100/4/1@0 101/5/2@2000 300/4/3@1000 301/5/4@3000 read 4000 box symb" },
		{ 256, "100/4/1@0 101/5/2@2000 300/4/3@1000 301/5/4@3000 read 4000 box symb" },
		/* It is no part of the list, and found where it is. */
		{ 257, "100/4/1@0 101/5/2@2000 300/4/3@1000 301/5/4@3000 read 4000 bad end box symb" },
	};
	uint32_t index, before;
	unsigned int i;
	int n, fd;

	(void)state;
	for (i = 0; i < COUNT(lists); i++) {
		make(V7);
		index = place[INDEX];
		/* The sections before the last one have only the place of the next one. */
		for (n = 1; n < lists[i].sections; n++) {
			before = section_begin(&file, 0, 0);
			put_option(&file, 0, 8);
			put(&file, n == 1 ? index : before - 30, 8);
			section_end(&file, before);
			put_at(&file, place[FIRST_OPTIONS], before, 8);
		}
		fd = write_file(file.size);
		expect_file(lists[i].expected);
		close(fd);
	}
}

/* A file of 256 sections is looked through; what is behind them is not. */
static void many_sections(void **state)
{
	int sections, fd;
	uint32_t at = 0, i;

	(void)state;
	for (sections = 256; sections <= 257; sections++) {
		make(V7);
		for (i = 4; i < (uint32_t)sections; i++) {
			at = section_begin(&file, 99, 0);
			section_end(&file, at);
		}
		put_at(&file, at + 8, 1, 8);		/* one byte behind the end */
		fd = write_file(file.size);
		print_file();
		close(fd);
		assert_string_equal(got, sections == 256 ?
			"100/4/1@0 101/5/2@2000 300/4/3@1000 301/5/4@3000 read 4000 bad end box symb" :
			"100/4/1@0 101/5/2@2000 300/4/3@1000 301/5/4@3000 read 4000 box symb");
	}
}

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

static void open_bytes(const void *bytes, size_t size)
{
	memset(&dat, 0, sizeof(dat));
	dat.fd = memfd_create("bytes", 0);
	assert_true(dat.fd >= 0);
	assert_int_equal(write(dat.fd, bytes, size), size);
	dat.size = size;
	dat.page_size = PAGE_BYTES;
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
	assert_int_equal(trace_dat_open(&whole, path, "test", error, sizeof(error)), 0);
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
	assert_int_equal(trace_dat_open(&whole, path, "test", error, sizeof(error)), 0);
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

/* Cuts the file.  Return: the copy, or -1 with @error set. */
static int cut_file(uint64_t after, uint64_t until)
{
	const int fd = write_file(file.size), to = memfd_create("copy", 0);
	int ret;

	assert_int_equal(trace_dat_open(&dat, path, "test", error, sizeof(error)), 0);
	ret = trace_dat_cut(&dat, to, after, until, error, sizeof(error));
	trace_dat_close(&dat);
	close(fd);
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
		fail_msg("%s", error);
	if (sections) {
		print_copy(fd);
		if (strcmp(got, sections))
			print_error("expected %s\ngot      %s\n", sections, got);
		assert_string_equal(got, sections);
	}
	is_copy = 1;
	expect_file(events);
	is_copy = 0;
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
	assert_string_equal(error, message);
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
			assert_string_equal(error, "has too many sections");
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
			assert_string_equal(error, "damaged");
		else
			close(fd);
	}
	/* Into what is no file of its own. */
	make(V7);
	fd = write_file(file.size);
	assert_int_equal(trace_dat_open(&dat, path, "test", error, sizeof(error)), 0);
	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(trace_dat_cut(&dat, pipes[1], 0, UINT64_MAX, error, sizeof(error)), -1);
	assert_string_equal(error, "the copy must be a file, not a pipe");
	assert_int_equal(lseek(fd, 0, SEEK_END), file.size);
	assert_int_equal(trace_dat_cut(&dat, fd, 0, UINT64_MAX, error, sizeof(error)), -1);
	assert_int_equal(trace_dat_cut(&dat, open("/dev/null", O_RDONLY), 0, UINT64_MAX, error, sizeof(error)), -1);
	assert_string_equal(error, "the copy cannot be written: Bad file descriptor");
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
			fail_msg("%s", error);
		assert_int_equal(pread(fd, &chunks, 4, place[DATA]), 4);
		assert_int_equal(chunks, (i + 9) / 10);
		assert_int_equal(trace_dat_open(&dat, path, "test", error, sizeof(error)), 0);
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

/* What a child sends, and in what the parent takes it. */
struct sent {
	int records, returns, refuses;	/* which record @take ends with; read() returns this */
	size_t size;			/* of each, and one byte more of each later one */
	int taken, wrong;
	double share[64];
	int shares;
};

static struct sent sent;

static int send_records(void *ctx, struct trace_dat *d, FILE *to)
{
	const struct sent *s = ctx;
	unsigned char record[TRACE_CHILD_BYTES + 8];
	struct trace_event e;
	int i;

	for (i = 0; i < s->records; i++) {
		memset(record, 1 + i % 255, sizeof(record));
		trace_child_send(to, 40 + i, record, s->size + i);
	}
	while (trace_child_next(d, &e, to) > 0)
		;
	if (s->refuses)
		trace_child_refuse(to, "not like this");
	return s->returns;
}

static int take_record(void *ctx, unsigned int kind, const void *what, size_t size)
{
	struct sent *s = ctx;
	const unsigned char *p = what;
	size_t i;

	s->wrong += kind != 40 + (unsigned int)s->taken || size != s->size + s->taken || (uintptr_t)p % 8;
	for (i = 0; i < size; i++)
		s->wrong += p[i] != 1 + s->taken % 255;
	s->wrong += p[size] != 0;
	return ++s->taken == 100 ? 77 : 0;
}

static void take_share(double share)
{
	if (sent.shares < (int)COUNT(sent.share))
		sent.share[sent.shares++] = share;
}

static int read_by_child(struct trace_child *c)
{
	*c = (struct trace_child){ .system = "test", .read = send_records, .take = take_record, .ctx = &sent,
				   .progress = take_share };
	return trace_child_read(path, c, error, sizeof(error));
}

static void expect_child(int ret, int taken, const char *message)
{
	char expected[128];
	struct trace_child c;
	int got_ret;

	snprintf(expected, sizeof(expected), "%s%s%s", *message ? path : "", *message ? ": " : "", message);
	for (trace_child_forks = false; ; trace_child_forks = true) {
		sent.taken = sent.wrong = sent.shares = 0;
		got_ret = read_by_child(&c);
		assert_string_equal(error, expected);
		assert_int_equal(got_ret, ret);
		assert_int_equal(sent.taken, taken);
		assert_int_equal(sent.wrong, 0);
		if (trace_child_forks)
			return;
	}
}

static void records_of_a_child(void **state)
{
	int fd;

	(void)state;
	make(V7);
	fd = write_file(file.size);
	sent = (struct sent){ 0 };
	expect_child(0, 0, "");
	sent = (struct sent){ .records = 99, .size = 0 };
	expect_child(0, 99, "");
	sent = (struct sent){ .records = 101, .size = 1000 };
	expect_child(77, 100, "");
	/* The largest record, and one that is larger. */
	sent = (struct sent){ .records = 50, .size = TRACE_CHILD_BYTES - 49 };
	expect_child(0, 50, "");
	sent = (struct sent){ .records = 51, .size = TRACE_CHILD_BYTES - 49 };
	expect_child(-1, 50, "damaged or truncated: event formats cannot be read");
	sent = (struct sent){ .returns = -1 };
	expect_child(-1, 0, "damaged or truncated: event formats cannot be read");
	sent = (struct sent){ .records = 2, .size = 3, .refuses = 1 };
	expect_child(-1, 2, "not like this");
	assert_int_equal(sent.shares, 0);
	close(fd);
	snprintf(path, sizeof(path), "/nowhere/trace.dat");
	expect_child(-1, 0, "No such file or directory");
	make(V7);
	fd = write_file(20);
	expect_child(-1, 0, "damaged or truncated in its header");
	close(fd);
}

static void damage_by_a_child(void **state)
{
	struct trace_child c;
	char expected[128];
	int fd;

	(void)state;
	sent = (struct sent){ 0 };
	make(V6);
	put_at(&file, place[DATA] + 4096 + 8, 16 | LOST | LOST_STORED, 8);
	put_at(&file, place[DATA] + 4096 + 32, 1234567, 8);
	put_at(&file, place[DATA_1] + 8, 5000, 8);
	fd = write_file(file.size);
	sprintf(expected, "%s: damaged or truncated at 0x%x", path, place[DATA_1]);
	assert_int_equal(read_by_child(&c), -1);
	assert_string_equal(error, expected);
	assert_int_equal(c.lost_events, 1234567);
	assert_int_equal(c.bad_offset, place[DATA_1]);
	assert_string_equal(c.host, "machine");
	close(fd);
	/* Of the whole file, where is not said. */
	sent.refuses = 1;
	fd = write_file(file.size);
	assert_int_equal(read_by_child(&c), -1);
	assert_int_equal(c.lost_events, 1234567);
	assert_int_equal(c.bad_offset, 0);
	close(fd);
}

#define W64 "abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz01"

static void hosts(void **state)
{
	static const struct { const char *uname, *host; } hosts[] = {
		{ "Linux guest 6.12.117-memscope x86_64", "guest, Linux 6.12.117-memscope" },
		{ "Linux guest 6.12", "guest, Linux 6.12" }, { "Linux guest", "Linux guest" }, { "x", "x" },
		{ "", "unknown host" },
		/* Words of 64 letters, which are the longest. */
		{ "A " W64 " 6 x", W64 ", A 6" }, { W64 " b " W64 " x", "b, " W64 " " W64 },
	};
	struct trace_child c;
	unsigned int i;
	int fd;

	(void)state;
	sent = (struct sent){ 0 };
	for (i = 0; i < COUNT(hosts); i++) {
		uname = hosts[i].uname;
		make(V7);
		fd = write_file(file.size);
		assert_int_equal(read_by_child(&c), 0);
		assert_string_equal(c.host, hosts[i].host);
		close(fd);
	}
	uname = "box";
}

/* Each 4 MiB read: what share of the file that is. */
static void progress(void **state)
{
	const uint32_t size = 9 << 20;
	struct trace_child c;
	uint32_t page, pages;
	int fd, i;

	(void)state;
	place[TABLE] = put_v6(&file, "test", formats, 1, 1);
	put_at(&file, place[TABLE], file.size, 8);
	put_at(&file, place[TABLE] + 8, size, 8);
	place[DATA] = file.size;
	fd = write_file(file.size);
	pages = size / PAGE_BYTES;
	for (page = 0; page < pages; page++) {
		file.size = 0;
		page_begin(&file, page);
		put_event(&file, 0, page);
		page_end(&file, 0, 0, 0);
		assert_int_equal(write(fd, file.b, PAGE_BYTES), PAGE_BYTES);
	}
	sent = (struct sent){ 0 };
	assert_int_equal(read_by_child(&c), 0);
	assert_int_equal(sent.shares, 2);
	for (i = 0; i < 2; i++)
		assert_true(sent.share[i] == (double)((i + 1) * (4 << 20)) / (size + place[DATA]));
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files), cmocka_unit_test(long_parts_of_version_6),
		cmocka_unit_test(limits_of_version_6), cmocka_unit_test(long_headers),
		cmocka_unit_test(lists_of_options), cmocka_unit_test(many_sections), cmocka_unit_test(cursors),
		cmocka_unit_test(damage_is_the_first), cmocka_unit_test(pieces),
		cmocka_unit_test(headers_of_sections), cmocka_unit_test(contents_of_sections),
		cmocka_unit_test(sizes_of_chunks), cmocka_unit_test(many_streams), cmocka_unit_test(claims),
		cmocka_unit_test(copies), cmocka_unit_test(copies_of_options), cmocka_unit_test(compressed_copies),
		cmocka_unit_test(no_copies), cmocka_unit_test(copies_of_many_pages),
		cmocka_unit_test(records_of_a_child), cmocka_unit_test(damage_by_a_child), cmocka_unit_test(hosts),
		cmocka_unit_test(progress),
	};

	return cmocka_run_group_tests_name("trace_corpus", tests, NULL, NULL);
}
