// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Map files of compiled code: the function at each address, and which files are read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>

#include "memprof/names/tests/made_jit.h"

static void lines_of_map_files(void **unused)
{
	static const char map[] =
		"1000 10 first\r\n"
		"0x2000 0x10 with spaces  and 0x\n"
		"\n"
		"3000 0 nothing\n"
		"4000 10\n"
		"4000 10 \n"
		"4000  \n"
		"4000 g named\n"
		"x 10 named\n"
		"5000 10   behind blanks\n"
		"6000 10 a\rb\n"
		/* The last byte of all is no function's, as those behind it would begin at 0 again. */
		"ffffffffffffff00 ff last\n"
		"fffffffffffffe00 200 beyond\n"
		"7000 10 without an end";
	struct jit *j = of_map(map, sizeof(map) - 1);
	struct place place;
	uint64_t in;

	(void)unused;
	CODE_IS(j, { 0xfff, 0, NULL }, { 0x1000, 0, "first", 0 }, { 0x100f, 0, "first", 15 }, { 0x1010, 0, NULL },
		{ 0x1000, UINT64_MAX, "first", 0 }, { 0x200f, 0, "with spaces  and 0x", 15 }, { 0x3000, 0, NULL },
		{ 0x4000, 0, NULL }, { 0x5000, 0, "behind blanks", 0 }, { 0x6000, 0, "a", 0 },
		{ 0x7001, 0, "without an end", 1 }, { 0xffffffffffffff00, 0, "last", 0 },
		{ 0xfffffffffffffffe, 0, "last", 0xfe }, { UINT64_MAX, 0, NULL }, { 0xfffffffffffffe00, 0, NULL }, { 0, 0, NULL });
	/* Of another process nothing is known. */
	assert_true(jit_known(j, 10));
	assert_false(jit_known(j, 11));
	assert_false(jit_code(j, 11, 0x1000, 0, &place, &in));
	assert_null(place.function);
	jit_free(j);
}

/* Functions within others, at the same address, and of one that is long before many that are short. */
static void functions_that_overlap(void **unused)
{
	static const char map[] =
		"2000 1000 outer\n"
		"2100 10 inner\n"
		"2100 20 inner again\n"
		"2200 8 other\n"
		"1000 10 before\n"
		"2100 10 inner at last\n"
		"4000 1000 as long\n";
	struct jit *j = of_map(map, sizeof(map) - 1);

	(void)unused;
	CODE_IS(j, { 0x2000, 0, "outer", 0 }, { 0x20ff, 0, "outer", 0xff }, { 0x2100, 0, "inner at last", 0 },
		{ 0x210f, 0, "inner at last", 15 }, { 0x2110, 0, "inner again", 16 }, { 0x211f, 0, "inner again", 31 },
		{ 0x2120, 0, "outer", 0x120 }, { 0x2207, 0, "other", 7 }, { 0x2208, 0, "outer", 0x208 },
		{ 0x2fff, 0, "outer", 0xfff }, { 0x3000, 0, NULL }, { 0x1000, 0, "before", 0 }, { 0x1010, 0, NULL },
		{ 0x4fff, 0, "as long", 0xfff }, { 0x5000, 0, NULL });
	jit_free(j);
}

/* More functions than there is memory for at first; a name that fills it. */
static void many_functions(void **unused)
{
	static char map[200000];
	struct jit *j;
	char name[64];
	size_t n = 0;
	int i;

	(void)unused;
	for (i = 0; i < 2000; i++)
		n += sprintf(map + n, "%x 10 function %0*d\n", 0x100000 + 16 * (i * 7 % 2000), i == 0 ? 54 : 5, i);
	j = of_map(map, n);
	for (i = 0; i < 2000; i++) {
		snprintf(name, sizeof(name), "function %0*d", i == 0 ? 54 : 5, i);
		CODE_IS(j, { 0x10000f + 16 * (i * 7 % 2000), 0, name, 15 });
	}
	CODE_IS(j, { 0xfffff, 0, NULL }, { 0x100000 + 16 * 2000, 0, NULL });
	jit_free(j);
}

/* A map file is of a process's number, and is read once; no link, pipe or folder is read. */
static void files_of_a_process(void **unused)
{
	static const char map[] = "1000 10 first\n";
	struct jit *j = jit_new(root);
	struct place place;
	char to[128];
	uint64_t in;
	int kind;

	(void)unused;
	assert_false(jit_known(j, 10));
	assert_int_equal(jit_add(j, 10, NULL), 0);
	assert_true(jit_known(j, 10));
	write_file(MAP, map, sizeof(map) - 1);
	assert_int_equal(jit_add(j, 10, NULL), 0);
	CODE_IS(j, { 0x1000, 0, NULL });
	assert_int_equal(jit_add(j, 1, NULL), 0);
	assert_false(jit_code(j, 1, 0x1000, 0, &place, &in));
	jit_free(j);

	jit_free(NULL);
	snprintf(to, sizeof(to), "%s", below("/tmp/elsewhere"));
	for (kind = 0; kind < 3; kind++) {
		int fd = -1;

		unlink(below(MAP));
		if (!kind) {
			write_file("/tmp/elsewhere", map, sizeof(map) - 1);
			assert_int_equal(symlink(to, below(MAP)), 0);
		} else {
			assert_int_equal(kind == 1 ? mkfifo(below(MAP), 0600) : mkdir(below(MAP), 0700), 0);
		}
		/* Not even one with something in it. */
		if (kind == 1) {
			fd = open(below(MAP), O_RDWR | O_NONBLOCK);
			assert_int_equal(write(fd, map, sizeof(map) - 1), sizeof(map) - 1);
		}
		j = jit_new(root);
		assert_int_equal(jit_add(j, 10, NULL), 0);
		CODE_IS(j, { 0x1000, 0, NULL });
		jit_free(j);
		if (fd >= 0)
			close(fd);
	}
	rmdir(below(MAP));
}

static void functions_of_a_map_file(void **unused)
{
	static const char map[] =
		"7f0000001000 100 Ljava/lang/String;::hashCode\n"
		"7f0000001200 40 interpreter loop\n"
		"no line of a function\n"
		"7f0000001240\n"
		"ffffffffffffffff 100 behind the last address\n"
		/* Compiled again: what was there before is gone. */
		"7f0000001000 80 LApp;::run\n";
	struct jit *j = jit_new(root);

	(void)unused;
	write_file(MAP, map, sizeof(map) - 1);
	assert_false(jit_known(j, 10));
	assert_int_equal(jit_add(j, 10, NULL), 0);
	assert_true(jit_known(j, 10));
	CODE_IS(j, { 0x7f0000001010, 5, "LApp;::run", 0x10 }, { 0x7f0000001090, 5, "Ljava/lang/String;::hashCode", 0x90 },
		{ 0x7f0000001100, 5, NULL }, { 0x7f000000123f, 5, "interpreter loop", 0x3f }, { 0x7f0000001240, 5, NULL },
		{ 0x7f0000000fff, 5, NULL }, { UINT64_MAX, 5, NULL });
	unlink(below(MAP));
	jit_free(j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_of_map_files),
		cmocka_unit_test(functions_that_overlap),
		cmocka_unit_test(many_functions),
		cmocka_unit_test(files_of_a_process),
		cmocka_unit_test(functions_of_a_map_file),
	};

	return cmocka_run_group_tests_name("memprof jit maps", tests, make_root, remove_root);
}
