// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* A small trace.dat file of either version, and what is read of it, as text. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "small_trace.h"

struct bytes file;
uint32_t place[NR_PLACES];
const char *const formats[1] = { FORMAT_VALUE };
const char *made_uname = "box";
char path[64], dat_error[256], got[8192];
struct trace_dat dat;

/* With @zip as a compressed chunk. */
void put_contents(const struct bytes *contents, int zip)
{
	static unsigned char packed[BYTES_CAPACITY + 32];
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
	put_option(f, 5, strlen(made_uname) + 1);
	put_string(f, made_uname);
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

/* Version 7: two CPUs, each with a page at 100 and one @apart; if compressed, in so many @chunks, 1 or 2. */
void make_sections(int zip, uint32_t chunks, uint32_t apart)
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
			put(&file, chunks, 4);
		raw->size = 0;
		for (i = 0; i < 2; i++) {
			page = page_begin(raw, 100 + apart * i + cpu);
			put_event(raw, 0, 1 + 2 * i + cpu);
			page_end(raw, page, 0, 0);
			if (i + 1 < 2 / chunks)
				continue;
			put_contents(raw, zip & ZIP_DATA);
			raw->size = 0;
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

void make(int base)
{
	static const int zip[] = { 0, ZIP_DATA, ZIP_DATA | ZIP_TEXT | ZIP_SYMBOLS | ZIP_OPTIONS };

	memset(place, 0, sizeof(place));
	if (base == V6)
		make_v6();
	else
		make_sections(zip[base], 2, 200);
	place[END] = file.size;
}

/* Makes the first @size bytes a file, to be opened by @path. */
int write_file(uint32_t size)
{
	const int fd = memfd_create("trace.dat", 0);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, file.b, size), size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	*dat_error = '\0';
	return fd;
}

/* Opens the first @size bytes of the file. */
int open_part(uint32_t size, const char *system)
{
	const int fd = write_file(size);
	const int ret = trace_dat_open(&dat, path, system, dat_error, sizeof(dat_error));

	close(fd);
	return ret;
}

void open_all(void)
{
	if (open_part(file.size, "test"))
		fail_msg("%s", dat_error);
}

/* Bytes that are no whole file, as an opened one. */
void open_bytes(const void *bytes, size_t size)
{
	memset(&dat, 0, sizeof(dat));
	dat.fd = memfd_create("bytes", 0);
	assert_true(dat.fd >= 0);
	assert_int_equal(write(dat.fd, bytes, size), size);
	dat.size = size;
	dat.page_size = PAGE_BYTES;
}

char *end_of(char *text)
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
void print_events(void)
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

/*
 * All that is in the file, twice: "again" follows if it is not the same the second time.  Of a compressed
 * @copy, not how much was read: how well it compresses is the library's.
 */
void print_file(bool copy)
{
	char *symbols, first[sizeof(got)];

	*got = '\0';
	if (trace_dat_open(&dat, path, "test", dat_error, sizeof(dat_error))) {
		sprintf(got, "%s", dat_error);
		trace_dat_close(&dat);
		return;
	}
	print_events();
	strcpy(first, got);
	*got = '\0';
	trace_dat_rewind(&dat);
	print_events();
	sprintf(end_of(got), "%s", strcmp(got, first) ? " again" : "");
	if (!copy || !dat.compression)
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

void expect_file(const char *expected)
{
	print_file(false);
	assert_string_equal(got, expected);
}
