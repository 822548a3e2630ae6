// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * trace.dat files of both versions, each with bytes changed or cut off: all that is read of it,
 * and where it is found damaged, as text.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>
#include <cmocka.h>

#include "small_trace.h"

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

static void change(const struct change *c)
{
	const uint32_t at = place[c->place] + c->at;

	put_at(&file, at, c->value, c->bytes);
	if (at + c->bytes > file.size)
		file.size = at + c->bytes;
}

static void check_case(const struct file_case *c)
{
	const struct change *change_at;
	int fd;

	make(c->base);
	for (change_at = c->change; change_at->place; change_at++)
		change(change_at);
	fd = write_file(c->cut ? place[c->cut] + c->cut_at : file.size);
	print_file(false);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files),
	};

	return cmocka_run_group_tests_name("trace_corpus", tests, NULL, NULL);
}
