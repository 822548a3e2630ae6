// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The longest parts and lists that trace.dat files may have: those are read, longer ones are not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "small_trace.h"

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

static void long_parts_of_version_6(void **state)
{
	char *symbols;
	int fd;

	(void)state;
	fd = write_gap(long_parts(2, 0), 0);
	assert_int_equal(trace_dat_open(&dat, path, "test", dat_error, sizeof(dat_error)), 0);
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
	assert_int_equal(trace_dat_open(&dat, path, "test", dat_error, sizeof(dat_error)), 0);
	*got = '\0';
	print_events();
	assert_string_equal(got, "100/0/1@0");
	assert_int_equal(dat.bad_offset, 0);
	trace_dat_close(&dat);
	close(fd);
	last = long_parts(1, most + 1);
	fd = write_gap(last, most + 1);
	assert_int_equal(trace_dat_open(&dat, path, "test", dat_error, sizeof(dat_error)), 0);
	*got = '\0';
	print_events();
	assert_string_equal(got, "");
	assert_int_equal(dat.bad_offset, dat.size);
	trace_dat_close(&dat);
	close(fd);

	last = long_parts(0, format);
	fd = write_gap(last, format);
	assert_int_equal(trace_dat_open(&dat, path, "test", dat_error, sizeof(dat_error)), 0);
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
		print_file(false);
		close(fd);
		assert_string_equal(got, sections == 256 ?
			"100/4/1@0 101/5/2@2000 300/4/3@1000 301/5/4@3000 read 4000 bad end box symb" :
			"100/4/1@0 101/5/2@2000 300/4/3@1000 301/5/4@3000 read 4000 box symb");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(long_parts_of_version_6), cmocka_unit_test(limits_of_version_6),
		cmocka_unit_test(long_headers), cmocka_unit_test(lists_of_options),
		cmocka_unit_test(many_sections),
	};

	return cmocka_run_group_tests_name("trace_limits", tests, NULL, NULL);
}
