// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Jitdumps of compiled code: the function and line at each address and time, and which files are jitdumps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "memprof/names/tests/made_jit.h"

static void which_files_are_jitdumps(void **unused)
{
	(void)unused;
	assert_true(jit_is_dump("/jit-1.dump"));
	assert_true(jit_is_dump("/a/jit-2/b.c/jit-4194304.dump"));
	assert_false(jit_is_dump("jit-1.dump"));
	assert_false(jit_is_dump("/jit-1.dump/"));
	assert_false(jit_is_dump("/jit-1.dump/x"));
	assert_false(jit_is_dump("/jit-1.dumps"));
	assert_false(jit_is_dump("/jit-1.du"));
	assert_false(jit_is_dump("/jit-1"));
	assert_false(jit_is_dump("/jit-.dump"));
	assert_false(jit_is_dump("/jit-x.dump"));
	assert_false(jit_is_dump("/ajit-1.dump"));
	assert_false(jit_is_dump("/"));
	assert_false(jit_is_dump(""));
}

/* Of what was at an address: that of the time; before all of them, the first. */
static void functions_by_time(void **unused)
{
	struct jit *j;

	(void)unused;
	for (uint64_t flags = 0; flags < 4; flags++) {
		put_header(40 + 7 * (flags / 2), flags);
		put_load(300, 0x1000, 0x100, "third");
		put_load(100, 0x1000, 0x100, "first");
		put_load(200, 0x1000, 0x80, "second");
		put_load(200, 0x1000, 0x40, "second again");
		j = of_dump();
		/* The first flag is of times of another clock: the last one counts. */
		if (flags & 1)
			CODE_IS(j, { 0x1010, 150, "second again", 16 }, { 0x1050, 0, "second", 0x50 },
				{ 0x1090, 350, "first", 0x90 });
		else
			CODE_IS(j, { 0x1010, 0, "first", 16 }, { 0x1010, 99, "first", 16 }, { 0x1010, 100, "first", 16 },
				{ 0x1010, 199, "first", 16 }, { 0x1010, 200, "second again", 16 },
				{ 0x1050, 200, "second", 0x50 }, { 0x1090, 250, "first", 0x90 },
				{ 0x1010, 299, "second again", 16 }, { 0x1010, 300, "third", 16 },
				{ 0x10ff, UINT64_MAX, "third", 0xff }, { 0x1100, 350, NULL }, { 0x1001000, 350, NULL });
		jit_free(j);
	}
	/* All are later, of which two are of the same time. */
	put_header(40, 0);
	put_load(300, 0x1000, 0x100, "later");
	put_load(200, 0x1000, 0x100, "sooner");
	put_load(200, 0x1000, 0x100, "sooner again");
	put_load(400, 0x1000, 0x100, "latest");
	j = of_dump();
	CODE_IS(j, { 0x1000, 100, "sooner again", 0 }, { 0x1000, 250, "sooner again", 0 }, { 0x1000, 300, "later", 0 });
	jit_free(j);
}

static void functions_that_are_no_code(void **unused)
{
	struct jit *j;

	(void)unused;
	put_header(40, 0);
	put_load(1, 0x1000, 0, "empty");
	put_load(1, 0xffffffffffffff00, 0xff, "last");
	put_load(1, 0xfffffffffffffe00, 0x200, "beyond");
	put_load_bytes(1, 0x2000, 0x10, "", 0);
	put_load_bytes(1, 0x3000, 0x10, "x", 1);
	put_head(0x33333303, 16, 1);
	put_load_bytes(1, 0x4000, 0x10, "name\0\x90\xc3", 7);
	put_load_bytes(1, 0x5000, 0x10, "", 1);
	/* Records of other types, as of the end. */
	put_head(3, 16, 1);
	put_head(4, 24, 1);
	put(8, 0x6000);
	put_head(0, 55, 1);
	put_text("0123456789012345678901234567890123456789", 39);
	put_load(1, 0x7000, 0x10, "behind them");
	j = of_dump();
	CODE_IS(j, { 0x1000, 1, NULL }, { 0xffffffffffffff00, 1, "last", 0 }, { 0xfffffffffffffffe, 1, "last", 0xfe },
		{ 0xfffffffffffffe00, 1, NULL }, { 0x2000, 1, NULL }, { 0x3000, 1, "x", 0 }, { 0x4000, 1, "name", 0 },
		{ 0x5000, 1, "", 0 }, { 0x6000, 1, NULL }, { 0x700f, 1, "behind them", 15 });
	jit_free(j);
}

static void functions_that_move(void **unused)
{
	struct jit *j;

	(void)unused;
	put_header(40, 0);
	put_lines_head(18, 1);
	put_line(0x1000, 7, "a");
	put_load(100, 0x1000, 0x100, "first");
	put_load(110, 0x1000, 0x80, "second");
	put_load(120, 0x2000, 0x10, "other");
	put_move(200, 0x1000, 0x3000, 0x80);
	put_move(300, 0x3000, 0x4000, 0x80);
	put_move(310, 0x1001, 0x5000, 0x80);
	put_move(320, 0x2000, 0xffffffffffffff00, 0xff);
	put_move(330, 0x2000, 0xffffffffffffff01, 0xff);
	/* A byte of it is missing. */
	put_move(340, 0x2000, 0x7000, 0x10);
	dump.bytes[--dump.n - 59] = 63;
	put_load(350, 0x6000, 0x10, "behind it");
	j = of_dump();
	CODE_IS(j, { 0x1010, 105, "first", 16, "a", 7 }, { 0x1010, 400, "second", 16 }, { 0x3010, 250, "second", 16 },
		{ 0x3010, 0, "second", 16 }, { 0x307f, 250, "second", 0x7f }, { 0x3080, 250, NULL },
		{ 0x4000, 300, "second", 0 }, { 0x5000, 400, NULL }, { 0xffffffffffffff0f, 400, "other", 15 },
		{ 0xffffffffffffff10, 400, NULL }, { 0x600f, 400, "behind it", 15 }, { 0x7000, 400, NULL });
	jit_free(j);
	/* Which of two is at an address is by the time of the move. */
	put_header(40, 0);
	put_load(100, 0x1000, 0x10, "moved");
	put_move(200, 0x1000, 0x3000, 0x10);
	put_load(150, 0x3000, 0x10, "before");
	put_load(250, 0x3000, 0x10, "behind");
	j = of_dump();
	CODE_IS(j, { 0x3000, 199, "before", 0 }, { 0x3000, 200, "moved", 0 }, { 0x3000, 250, "behind", 0 });
	jit_free(j);
	/* One with lines has none where it was not compiled for. */
	put_header(40, 0);
	put_lines_head(18, 1);
	put_line(0x1000, 7, "a");
	put_load(100, 0x1000, 0x100, "first");
	put_move(200, 0x1000, 0x3000, 0x100);
	j = of_dump();
	CODE_IS(j, { 0x1010, 105, "first", 16, "a", 7 }, { 0x3010, 205, "first", 16 });
	jit_free(j);
}

static void lines_of_functions(void **unused)
{
	struct jit *j;

	(void)unused;
	put_header(40, 0);
	/* That of an address is the last one before it, whatever their order; of two, the later. */
	put_lines_head(5 * 16 + 6 + 2 + 2 + 6 + 2, 5);
	put_line(0x1010, 10, "one.c");
	put_line(0x1020, 20, "\xff");
	put_line(0x1008, 30, "\xff");
	put_line(0x1020, 40, "two.c");
	put_line(0x1004, 50, "\xff");
	put_load(1, 0x1000, 0x100, "first");
	/* The lines before were that one's. */
	put_load(1, 0x1800, 0x100, "none");
	put_lines_head(18, 1);
	put_line(0x2000, 60, "x");
	put_lines_head(18, 1);
	put_line(0x2000, 70, "y");
	put_load(1, 0x2000, 0x100, "the latter");
	put_lines_head(18, 1);
	put_line(0x2008, 75, "w");
	put_load(1, 0x2800, 0x100, "elsewhere");
	/* Of a file that is not named. */
	put_lines_head(2 * 16 + 2 + 2, 2);
	put_line(0x3000, 80, "\xff");
	put_line(0x3010, 81, "z");
	put_load(1, 0x3000, 0x100, "unnamed");
	/* Fewer lines than it says, and more. */
	put_lines_head(18, 2);
	put_line(0x4000, 90, "f");
	put_load(1, 0x4000, 0x100, "fewer");
	put_lines_head(36, 1);
	put_line(0x5000, 100, "g");
	put_line(0x5010, 101, "g");
	put_load(1, 0x5000, 0x100, "more");
	/* The last one's name has no end; has no byte; is a line's that is cut off. */
	put_lines_head(18 + 18, 2);
	put_line(0x6000, 110, "h");
	put_line(0x6010, 111, "i");
	dump.bytes[dump.n - 1] = 'j';
	put_load(1, 0x6000, 0x100, "no end");
	put_lines_head(18 + 16, 2);
	put_line(0x7000, 120, "k");
	put_line(0x7010, 121, "");
	dump.n--;
	put_load(1, 0x7000, 0x100, "no byte");
	put_lines_head(2 * 17, 2);
	put_line(0x8000, 130, "");
	put_line(0x8010, 131, "");
	put_load(1, 0x8000, 0x100, "no name");
	/* Too short for any: that before it counts.  Of none, there are none. */
	put_lines_head(18, 1);
	put_line(0x9000, 140, "l");
	put_head(2, 31, 1);
	put_text("\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0", 15);
	put_head(2, 16, 1);
	put_load(1, 0x9000, 0x100, "short");
	put_lines_head(18, 1);
	put_line(0xa000, 150, "m");
	put_lines_head(0, 0);
	put_load(1, 0xa000, 0x100, "of none");
	j = of_dump();
	CODE_IS(j, { 0x1003, 1, "first", 3 }, { 0x1004, 1, "first", 4, "two.c", 50 },
		{ 0x1007, 1, "first", 7, "two.c", 50 }, { 0x1008, 1, "first", 8, "one.c", 30 },
		{ 0x100f, 1, "first", 15, "one.c", 30 }, { 0x1010, 1, "first", 16, "one.c", 10 },
		{ 0x101f, 1, "first", 31, "one.c", 10 }, { 0x1020, 1, "first", 32, "two.c", 40 },
		{ 0x10ff, 1, "first", 255, "two.c", 40 }, { 0x1810, 1, "none", 16 },
		{ 0x2010, 1, "the latter", 16, "y", 70 }, { 0x3008, 1, "unnamed", 8 }, { 0x3010, 1, "unnamed", 16, "z", 81 },
		{ 0x4010, 1, "fewer", 16, "f", 90 }, { 0x5010, 1, "more", 16, "g", 100 },
		{ 0x6010, 1, "no end", 16, "h", 110 }, { 0x7010, 1, "no byte", 16, "k", 120 },
		{ 0x8008, 1, "no name", 8, "", 130 }, { 0x8010, 1, "no name", 16, "", 131 }, { 0x9000, 1, "short", 0, "l", 140 },
		{ 0xa000, 1, "of none", 0 });
	jit_free(j);
}

/* More lines than there is memory for at first, of functions one after another. */
static void many_lines(void **unused)
{
	struct jit *j;
	uint32_t i, k;

	(void)unused;
	put_header(40, 0);
	for (i = 0; i < 100; i++) {
		put_lines_head(3 * 18, 3);
		for (k = 0; k < 3; k++)
			put_line(0x1000 + 16 * i + k, 10 * i + k + 1, k ? "\xff" : (char[2]){ ' ' + i % 90 });
		put_load(1, 0x1000 + 16 * i, 16, "f");
	}
	j = of_dump();
	for (i = 0; i < 100; i++)
		for (k = 0; k < 16; k++)
			CODE_IS(j, { 0x1000 + 16 * i + k, 1, "f", k, (char[2]){ ' ' + i % 90 },
				     10 * i + (k < 2 ? k : 2) + 1 });
	jit_free(j);
}

static void headers_of_dumps(void **unused)
{
	static const struct { unsigned int at; uint8_t value; const char *function; } cases[] = {
		{ 0, 0x44, "f" }, { 0, 0x45, NULL }, { 3, 0x4b, NULL }, { 4, 0, NULL }, { 4, 2, NULL }, { 5, 1, NULL },
		{ 8, 39, NULL }, { 8, 0, NULL }, { 9, 1, NULL }, { 11, 0x80, NULL },
		/* All of the file is the header; a byte more. */
		{ 8, 40 + 58, NULL }, { 8, 40 + 59, NULL },
		/* What is not looked at. */
		{ 12, 3, "f" }, { 20, 11, "f" }, { 24, 1, "f" }, { 32, 2, "f" },
		/* The record's size. */
		{ 44, 57, "f" }, { 44, 56, NULL }, { 44, 59, NULL }, { 47, 0x80, NULL }, { 44, 15, NULL }, { 44, 0, NULL },
		/* What it is. */
		{ 40, 1, NULL }, { 40, 2, NULL }, { 40, 3, NULL }, { 41, 1, NULL },
	};
	struct jit *j;

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		put_header(40, 0);
		put_load(1, 0x1000, 0x10, "f");
		dump.bytes[cases[i].at] = cases[i].value;
		j = of_dump();
		CODE_IS(j, { 0x1000, 1, cases[i].function, 0 });
		jit_free(j);
	}
	/* A header that is too short, with a record in it, or in its last byte. */
	for (unsigned int bytes = 24; bytes < 40; bytes += 15) {
		put_header(40, 0);
		dump.bytes[8] = bytes;
		dump.n = bytes;
		put_head(3, 16, 2);
		put_load(1, 0x1000, 0x10, "f");
		j = of_dump();
		CODE_IS(j, { 0x1000, 1, NULL });
		jit_free(j);
	}
	/* One of 2 GiB is not read. */
	put_header(40, 0);
	put_load(1, 0x1000, 0x10, "f");
	write_file(DUMP, dump.bytes, dump.n);
	assert_int_equal(truncate(below(DUMP), INT64_C(1) << 31), 0);
	j = jit_new(root);
	assert_int_equal(jit_add(j, 10, DUMP), 0);
	CODE_IS(j, { 0x1000, 1, NULL });
	jit_free(j);
	unlink(below(DUMP));
}

/* Cut off in each place; records without anything but a head; one that ends them all. */
static void dumps_that_are_cut_off(void **unused)
{
	size_t n, ends[3], whole;
	struct jit *j;
	uint64_t i;

	(void)unused;
	put_header(40, 0);
	put_head(3, 16, 1);
	put_load(1, 0x1000, 0x10, "1");
	ends[0] = dump.n;
	put_load_bytes(1, 0x2000, 0x10, "2\0\x90\x90\xc3", 5);
	ends[1] = dump.n;
	put_head(4, 16, 1);
	put_load_bytes(1, 0x3000, 0x10, "3\0", 2);
	ends[2] = whole = dump.n;
	for (n = 0; n <= whole; n++) {
		dump.n = n;
		j = of_dump();
		for (i = 0; i < 3; i++)
			CODE_IS(j, { 0x1000 * (i + 1), 1, n < ends[i] ? NULL : (char[2]){ '1' + i }, 0 });
		jit_free(j);
	}
	put_head(3, 15, 1);
	dump.n--;
	put_load(1, 0x4000, 0x10, "4");
	j = of_dump();
	CODE_IS(j, { 0x3000, 1, "3", 0 }, { 0x4000, 1, NULL });
	jit_free(j);
}

/* A process may map one after another; its map file is read with the first. */
static void dumps_of_a_process(void **unused)
{
	static const char map[] = "1000 20 of the map\n";
	struct jit *j = jit_new(root);
	struct place place;
	uint64_t in = 0;

	(void)unused;
	write_file(MAP, map, sizeof(map) - 1);
	put_header(40, 0);
	put_load(50, 0x3000, 0x10, "first");
	write_file(DUMP, dump.bytes, dump.n);
	assert_int_equal(jit_add(j, 10, DUMP), 0);
	put_header(40, 0);
	put_load(60, 0x1000, 0x10, "second");
	put_load(60, 0x2000, 0x10, "second, too");
	write_file(DUMP, dump.bytes, dump.n);
	assert_int_equal(jit_add(j, 10, DUMP), 0);
	CODE_IS(j, { 0x1000, 10, "of the map", 0 }, { 0x1000, 60, "second", 0 }, { 0x1010, 60, "of the map", 16 },
		{ 0x2000, 60, "second, too", 0 }, { 0x3000, 60, "first", 0 });
	/* Another process has its own. */
	assert_int_equal(jit_add(j, 12, NULL), 0);
	assert_false(jit_code(j, 12, 0x1000, 60, &place, &in));
	jit_free(j);
	/* Without a folder for files, those of this machine. */
	j = jit_new(NULL);
	assert_int_equal(jit_add(j, UINT32_MAX, below(DUMP)), 0);
	assert_true(jit_code(j, UINT32_MAX, 0x200f, 60, &place, &in));
	assert_string_equal(place.function, "second, too");
	assert_int_equal(in, 15);
	jit_free(j);
	unlink(below(MAP));
	unlink(below(DUMP));
}

/* One that has lines; compiled again; moved. */
static void functions_of_a_jitdump_by_time(void **unused)
{
	struct place place;
	struct jit *j;
	uint64_t in;
	size_t whole;

	(void)unused;
	put_header(40, 0);
	put_lines_head(2 * 16 + 9 + 2, 2);
	put_line(0x1000, 7, "App.java");
	put_line(0x1008, 8, "\xff");
	/* Of the code itself 3 bytes, so that the next record is at an odd place. */
	put_load_bytes(100, 0x1000, 0x100, "App::first\0\x90\x90\xc3", 14);
	put_load_bytes(200, 0x1000, 0x80, "App::second\0\x90\x90\xc3", 15);
	put_move(300, 0x1000, 0x3000, 0x80);
	write_file(DUMP, dump.bytes, dump.n);
	j = jit_new(root);
	assert_int_equal(jit_add(j, 10, DUMP), 0);
	/* Before all that is known, the first is the best guess. */
	CODE_IS(j, { 0x1010, 150, "App::first", 0x10, "App.java", 8 }, { 0x1010, 250, "App::second", 0x10 },
		{ 0x3010, 350, "App::second", 0x10 }, { 0x1010, 50, "App::first", 0x10, "App.java", 8 });
	assert_true(jit_code(j, 10, 0x1009, 150, &place, &in));
	assert_string_equal(place.file, "App.java");
	assert_int_equal(place.line, 8);
	assert_true(jit_code(j, 10, 0x1009, 250, &place, &in));
	assert_null(place.file);
	jit_free(j);

	/* Cut off in each place: what is before it is there, and nothing is read behind the end. */
	whole = dump.n;
	for (dump.n = 0; dump.n < whole; dump.n++) {
		j = of_dump();
		if (dump.n >= 300)
			CODE_IS(j, { 0x1010, 150, "App::first", 0x10, "App.java", 8 });
		jit_free(j);
	}
	/* Times of another clock: the last one counts. */
	dump.bytes[32] = 1;
	j = of_dump();
	CODE_IS(j, { 0x1010, 150, "App::second", 0x10 });
	jit_free(j);
}

static void paths_of_jitdumps(void **unused)
{
	(void)unused;
	assert_true(jit_is_dump("/home/me/.debug/jit/java-jit-2/jit-1234.dump"));
	assert_false(jit_is_dump("/home/me/jit-1234.dump.old"));
	assert_false(jit_is_dump("/home/me/jit-x.dump"));
	assert_false(jit_is_dump("jit-1.dump"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(which_files_are_jitdumps),
		cmocka_unit_test(functions_by_time),
		cmocka_unit_test(functions_that_are_no_code),
		cmocka_unit_test(functions_that_move),
		cmocka_unit_test(lines_of_functions),
		cmocka_unit_test(many_lines),
		cmocka_unit_test(headers_of_dumps),
		cmocka_unit_test(dumps_that_are_cut_off),
		cmocka_unit_test(dumps_of_a_process),
		cmocka_unit_test(functions_of_a_jitdump_by_time),
		cmocka_unit_test(paths_of_jitdumps),
	};

	return cmocka_run_group_tests_name("memprof jit dumps", tests, make_root, remove_root);
}
