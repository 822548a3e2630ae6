// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Text of unknown origin becomes valid UTF-8, and is never longer than there is room for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistr.h>
#include <cmocka.h>

#include "lib/cells/utf8.h"

/* U+FFFD */
#define R "\357\277\275"

static void copies(void **state)
{
	static const struct { const char *from, *to; } cases[] = {
		{ "", "" }, { "plain", "plain" }, { "caf\303\251", "caf\303\251" },
		{ "caf\351", "caf" R },					/* Latin-1 */
		{ "\303", R }, { "\342\202|\360\237\230", R "|" R },	/* cut off */
		{ "\300\257", R R },					/* overlong */
		{ "\355\240\200", R R R },				/* a surrogate */
		{ "\364\220\200\200", R R R R },			/* beyond Unicode */
		/* The examples of the Unicode standard, tables 3-8 to 3-11. */
		{ "\300\257\340\200\277\360\201\202A", R R R R R R R R "A" },
		{ "\355\240\200\355\277\277\355\257A", R R R R R R R R "A" },
		{ "\364\221\222\223\377A\200\277B", R R R R R "A" R R "B" },
		{ "\341\200\342\360\221\222\361\277A", R R R R "A" },
		{ "\360\237\230\200", "\360\237\230\200" },		/* beyond 16 bits */
		{ "a\033b\177\302\233", "a" R "b" R R },		/* controls */
		{ "two\n\tlines", "two\n\tlines" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *got = utf8_clean(cases[i].from);

		assert_string_equal(got, cases[i].to);
		free(got);
	}
}

/* Any bytes, into buffers of any size: valid, and cut between characters. */
static void any_bytes(void **state)
{
	uint64_t random = 1;
	char from[24], to[40], *whole;
	int round;

	(void)state;
	for (round = 0; round < 100000; round++) {
		size_t n, size, i, used;

		random = random * 6364136223846793005 + 1442695040888963407;
		n = random >> 33 & 15;
		size = random >> 40 & 31;
		for (i = 0; i < n; i++) {
			random = random * 6364136223846793005 + 1442695040888963407;
			from[i] = random >> 33 | 1;
		}
		from[n] = 0;
		memset(to, 'x', sizeof(to));
		used = utf8_copy(to, size, from);
		assert_true(!size || used < size);
		assert_true(to[size] == 'x');
		assert_null(u8_check((uint8_t *)to, used));
		whole = utf8_clean(from);
		assert_null(u8_check((uint8_t *)whole, strlen(whole)));
		assert_memory_equal(to, whole, used);
		free(whole);
	}
}

/* A line of a terminal: what a text has is neither a command nor another line. */
static void prints(void **state)
{
	char line[64];
	FILE *f = fmemopen(line, sizeof(line), "w");

	(void)state;
	utf8_print(f, "caf\303\251\t\033[2J\n\302\233\377.");
	fclose(f);
	assert_string_equal(line, "caf\303\251 " R "[2J " R R ".");
}

static void widths(void **state)
{
	(void)state;
	assert_int_equal(utf8_width("plain"), 5);
	assert_int_equal(utf8_width("caf\303\251"), 4);
	assert_int_equal(utf8_width("\346\274\242\345\255\227"), 4);	/* two wide ones */
	assert_int_equal(utf8_width("e\314\201"), 1);			/* an accent on its own */
}

/* As much as fits, and no half of a wide character. */
static void fits(void **state)
{
	static const struct { const char *text; int width; size_t bytes; int columns; } cases[] = {
		{ "plain", 9, 5, 5 }, { "plain", 3, 3, 3 }, { "plain", 0, 0, 0 }, { "plain", -1, 0, 0 },
		{ "\346\274\242\345\255\227", 3, 3, 2 }, { "\346\274\242", 1, 0, 0 },
		{ "e\314\201x", 1, 3, 1 },
	};
	size_t i;
	int columns;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(utf8_fit(cases[i].text, cases[i].width, &columns), cases[i].bytes);
		assert_int_equal(columns, cases[i].columns);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies), cmocka_unit_test(any_bytes), cmocka_unit_test(prints), cmocka_unit_test(widths),
		cmocka_unit_test(fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
