// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Lines of text files: whole ones, the last one, those without end. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "lib/csv/line.h"

static void lines_are_given_with_their_newline(void **unused)
{
	char text[] = "first\n\nwith a \0\nlast", *line = NULL;
	FILE *f = fmemopen(text, sizeof(text) - 1, "r");

	(void)unused;
	assert_non_null(f);
	assert_int_equal(line_get(&line, f), 6);
	assert_string_equal(line, "first\n");
	assert_int_equal(line_get(&line, f), 1);
	assert_string_equal(line, "\n");
	assert_int_equal(line_get(&line, f), 9);
	assert_memory_equal(line, "with a \0\n", 10);
	assert_int_equal(line_get(&line, f), 4);
	assert_string_equal(line, "last");
	assert_int_equal(line_get(&line, f), 0);
	assert_int_equal(line_get(&line, f), 0);
	free(line);
	fclose(f);
}

static void a_line_without_end_comes_in_pieces(void **unused)
{
	const size_t size = 2 * LINE_BYTES + 3;
	char *text = malloc(size), *line = NULL;
	FILE *f;
	int i;

	(void)unused;
	assert_non_null(text);
	memset(text, 'x', size);
	text[size - 1] = '\n';
	f = fmemopen(text, size, "r");
	assert_non_null(f);
	for (i = 0; i < 2; i++) {
		assert_int_equal(line_get(&line, f), LINE_BYTES);
		assert_int_equal(line[LINE_BYTES - 1], 'x');
		assert_int_equal(line[LINE_BYTES], '\0');
	}
	assert_int_equal(line_get(&line, f), 3);
	assert_string_equal(line, "xx\n");
	assert_int_equal(line_get(&line, f), 0);
	free(line);
	free(text);
	fclose(f);
}

static void what_cannot_be_read_is_no_end_of_the_file(void **unused)
{
	FILE *f = fopen("/", "re");
	char *line = NULL;

	(void)unused;
	assert_non_null(f);
	errno = 0;
	assert_int_equal(line_get(&line, f), -1);
	assert_int_equal(errno, EISDIR);
	free(line);
	fclose(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_given_with_their_newline),
		cmocka_unit_test(a_line_without_end_comes_in_pieces),
		cmocka_unit_test(what_cannot_be_read_is_no_end_of_the_file),
	};

	return cmocka_run_group_tests_name("lines", tests, NULL, NULL);
}
