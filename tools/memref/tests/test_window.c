// SPDX-License-Identifier: GPL-2.0
/* The options that choose a part of a recording. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "memref/model/window.h"

static struct window w;
static char error[256];

static int take(int option, const char *arg)
{
	return window_option(&w, option, arg, error, sizeof(error));
}

static int clear(void **state)
{
	(void)state;
	memset(&w, 0, sizeof(w));
	return 0;
}

static void good(void **state)
{
	char text[128];

	(void)state;
	assert_int_equal(take(WINDOW_FROM, "0.5"), 0);
	assert_int_equal(take(WINDOW_TO, "10"), 0);
	assert_int_equal(take(WINDOW_ADDR, "1G-0x80000000"), 0);
	assert_int_equal(take(WINDOW_PID, "4194304"), 0);
	assert_true(w.from == 0.5 && w.to == 10);
	assert_int_equal(w.addr, 1 << 30);
	assert_int_equal(w.addr_end, 1ULL << 31);
	assert_int_equal(w.pid, 4194304);
	window_describe(&w, text, sizeof(text));
	assert_string_equal(text, "from 0.5 s to 10 s at 0x40000000-0x80000000 of process 4194304");
}

static void nothing(void **state)
{
	char text[128];

	(void)state;
	window_describe(&w, text, sizeof(text));
	assert_string_equal(text, "");
}

static void bad(void **state)
{
	static const struct { int option; const char *arg; } args[] = {
		{ WINDOW_FROM, "" }, { WINDOW_FROM, "-1" }, { WINDOW_FROM, "nan" },
		{ WINDOW_FROM, "1e3" }, { WINDOW_FROM, "1.2.3" }, { WINDOW_FROM, "1s" },
		{ WINDOW_TO, "0" }, { WINDOW_TO, "inf" }, { WINDOW_TO, "0x10" },
		{ WINDOW_ADDR, "1G" }, { WINDOW_ADDR, "2G-1G" }, { WINDOW_ADDR, "1G-1G" },
		{ WINDOW_ADDR, "-1G" }, { WINDOW_ADDR, "1G-" }, { WINDOW_ADDR, "1G-2G-3G" },
		{ WINDOW_ADDR, "0x-0x10" }, { WINDOW_ADDR, "00000000000000000000000000000000001-2" },
		{ WINDOW_PID, "0" }, { WINDOW_PID, "4194305" }, { WINDOW_PID, "1x" },
		{ WINDOW_PID, "-1" }, { WINDOW_PID, "" },
	};
	const struct window none = { };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(args) / sizeof(args[0]); i++) {
		assert_int_equal(take(args[i].option, args[i].arg), -1);
		/* It names the value. */
		assert_non_null(strstr(error, args[i].arg));
		if (args[i].option != WINDOW_TO)
			assert_memory_equal(&w, &none, sizeof(w));
		clear(NULL);
	}
}

static void no_time(void **state)
{
	(void)state;
	assert_int_equal(take(WINDOW_TO, "3"), 0);
	assert_int_equal(take(WINDOW_FROM, "5"), -1);
	assert_string_equal(error, "--from 5 --to 3: no time is between them");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(good, clear), cmocka_unit_test_setup(nothing, clear),
		cmocka_unit_test_setup(bad, clear), cmocka_unit_test_setup(no_time, clear),
	};

	return cmocka_run_group_tests_name("window", tests, NULL, NULL);
}
