// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Options that select a part of a recording. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "memref/model/window.h"

static struct window w;

/* options_parse() exits on a wrong option: call it in a child. */
static int parse(const char *option, const char *value)
{
	const struct verb_usage usage = { "test_window", "", "" };
	const struct opt options[] = { WINDOW_OPTIONS(&w), WINDOW_PID_OPTION(&w), { } };
	char *argv[] = { "test_window", (char *)option, (char *)value, NULL };
	int status;

	if (!fork()) {
		options_parse(&usage, options, 3, argv);
		_exit(window_check(&w));
	}
	wait(&status);
	if (!WEXITSTATUS(status))
		options_parse(&usage, options, 3, argv);
	return WEXITSTATUS(status);
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
	assert_int_equal(parse("--from", "0.5"), 0);
	assert_int_equal(parse("--until", "10000ms"), 0);
	assert_int_equal(parse("--addr", "1G-0x80000000"), 0);
	assert_int_equal(parse("--pid", "4194304"), 0);
	assert_true(w.from == 0.5 && w.to == 10);
	assert_int_equal(w.addr, 1 << 30);
	assert_int_equal(w.addr_end, 1ULL << 31);
	assert_int_equal(w.pids.nr, 1);
	assert_int_equal(w.pids.id[0], 4194304);
	window_describe(&w, text, sizeof(text));
	assert_string_equal(text, "from 0.5 s to 10 s at 0x40000000-0x80000000 of process 4194304");
}

/* A list, and the option once more: all of them, each once. */
static void several_processes(void **state)
{
	char text[128];

	(void)state;
	assert_int_equal(parse("--pid", "9,7"), 0);
	assert_int_equal(parse("--pid", "7,8"), 0);
	window_describe(&w, text, sizeof(text));
	assert_string_equal(text, "of processes 7,8,9");
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
	static const struct { const char *option, *arg; } args[] = {
		{ "--from", "" }, { "--from", "-1" }, { "--from", "nan" }, { "--from", "1e3" },
		{ "--from", "1.2.3" }, { "--from", "1x" }, { "--until", "0" }, { "--until", "inf" },
		{ "--until", "0x10" }, { "--addr", "1G" }, { "--addr", "2G-1G" }, { "--pid", "0" },
		{ "--pid", "4194305" }, { "--pid", "1x" }, { "--pid", "-1" }, { "--pid", "" },
		{ "--pid", "1,,2" }, { "--pid", "1," }, { "--pid", "1-3" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(args) / sizeof(args[0]); i++)
		assert_int_equal(parse(args[i].option, args[i].arg), 2);
}

static void no_time(void **state)
{
	(void)state;
	assert_int_equal(parse("--until", "3"), 0);
	assert_int_equal(parse("--from", "5"), 2);
	/* The same time: nothing is between; just before it something is. */
	assert_int_equal(parse("--from", "3"), 2);
	assert_int_equal(parse("--from", "2.999999999"), 0);
	assert_int_equal(parse("--until", "0.5"), 2);
	w.to = 0;
	assert_int_equal(parse("--from", "5"), 0);
}

/* Each part is described alone, too. */
static void parts(void **state)
{
	static const struct {
		struct window w;
		const char *text;
	} cases[] = {
		{ { .from = 0.001 }, "from 0.001 s" }, { { .to = 7 }, "to 7 s" }, { { .to = 0.5 }, "to 0.5 s" },
		{ { .addr_end = 4096 }, "at 0x0-0x1000" }, { { .addr = 4096 }, "at 0x1000-0x0" },
		{ { .mapping = "libc" }, "of mappings named *libc*" },
		{ { .from = 1, .mapping = "" }, "from 1 s of mappings named **" },
	};
	char text[128];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		window_describe(&cases[i].w, text, sizeof(text));
		assert_string_equal(text, cases[i].text);
	}
	assert_int_equal(parse("--pid", "9"), 0);
	window_describe(&w, text, sizeof(text));
	assert_string_equal(text, "of process 9");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(good, clear), cmocka_unit_test_setup(nothing, clear),
		cmocka_unit_test_setup(bad, clear), cmocka_unit_test_setup(no_time, clear),
		cmocka_unit_test_setup(several_processes, clear), cmocka_unit_test_setup(parts, clear),
	};

	return cmocka_run_group_tests_name("window", tests, NULL, NULL);
}
