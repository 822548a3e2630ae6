// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memprof export --to pprof: functions and files of frames, by their texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "memprof/export_profile.c"

static void frames_have_their_function_and_file(void **unused)
{
	static const struct { const char *text, *function, *file; unsigned int line; } cases[] = {
		{ "main (a.c:34)", "main", "a.c", 34 },
		{ "fill<std::function<void (int)> > (tmpl.cpp:7)", "fill<std::function<void (int)> >", "tmpl.cpp", 7 },
		{ "(anonymous namespace)::f (a.cc:1)", "(anonymous namespace)::f", "a.cc", 1 },
		{ "main (a (copy).c:34)", "main", "a (copy).c", 34 },
		/* Without lines: other versions of a function compare. */
		{ "main+0x12 (prog)", "main", "prog", 0 },
		{ "fill<std::function<void (int)> >+0x12 (lib (1).so)", "fill<std::function<void (int)> >", "lib (1).so", 0 },
		/* What a runtime compiled has any name. */
		{ "get (int, char)+0x8 ([jit])", "get (int, char)", "[jit]", 0 },
		{ "stub+0x10+0x8 ([jit])", "stub+0x10", "[jit]", 0 },
		/* Of no function. */
		{ "prog+0x1234", "prog+0x1234", NULL, 0 },
		{ "prog (deleted)+0x1234", "prog (deleted)+0x1234", NULL, 0 },
		{ "0x7f0012", "0x7f0012", NULL, 0 },
		{ "", "", NULL, 0 },
		{ ")", ")", NULL, 0 },
	};
	struct pprof_frame f;
	char text[128];
	size_t i;

	(void)unused;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		snprintf(text, sizeof(text), "%s", cases[i].text);
		f = parse_frame(text);
		assert_string_equal(f.function, cases[i].function);
		assert_string_equal(f.file ? f.file : "none", cases[i].file ? cases[i].file : "none");
		assert_int_equal(f.line, cases[i].line);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_have_their_function_and_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
