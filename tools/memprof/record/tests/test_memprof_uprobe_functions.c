// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memprof record --allocator: how functions are named, and which of a file are followed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "memprof/record/tests/made_uprobes.h"

/* NAME, or NAME/N. */
static void functions_have_an_argument(void **unused)
{
	static const struct { const char *spec, *name; uint64_t argument; int ret; } in[] = {
		{ "f", "f", 1, 0 }, { "f/1", "f", 1, 0 }, { "f/4", "f", 4, 0 }, { "f/5", NULL, 0, -1 }, { "f/0", NULL, 0, -1 },
		{ "f/", NULL, 0, -1 }, { "/2", NULL, 0, -1 }, { "", NULL, 0, -1 }, { "f/x", NULL, 0, -1 },
		{ "seven77", "seven77", 1, 0 }, { "eight888", NULL, 0, -1 }, { "seven77/2", "seven77", 2, 0 },
	};
	char name[8];
	uint64_t argument;
	size_t i;

	(void)unused;
	for (i = 0; i < sizeof(in) / sizeof(*in); i++) {
		assert_int_equal(!!uprobes_parse(in[i].spec, name, sizeof(name), &argument), !!in[i].ret);
		if (in[i].ret)
			continue;
		assert_string_equal(name, in[i].name);
		assert_int_equal(argument, in[i].argument);
	}
}

/* Compiles functions of these names, and adds what is usual of them. */
static struct uprobes *add_file(const char *names)
{
	char path[] = "/tmp/memprof-uprobes.XXXXXX", command[1024];
	struct uprobes *u = uprobes_new(&recording, 8);
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	snprintf(command, sizeof(command), "for f in %s; do echo \"void *$f(void *p) { return p; }\"; done | "
		 "gcc -fno-builtin -fPIC -shared -nostdlib -x c -o %s -", names, path);
	assert_int_equal(system(command), 0);
	assert_int_equal(uprobes_add(u, &(struct allocator){ .file = path }), OK);
	unlink(path);
	return u;
}

static int count(const struct uprobes *u, enum kind kind)
{
	int i, n = 0;

	for (i = 0; i < u->nr_probes; i++)
		n += u->probes[i].kind == kind;
	return n;
}

/* A new is what its caller allocates; a delete that calls free() ends the object there. */
static void operators_of_cplusplus_are_followed(void **unused)
{
	const char *news = "malloc free _Znwm _ZnamSt11align_val_t _ZnwmRKSt9nothrow_t _ZdlPv _ZdaPvm _Zother";
	struct uprobes *u = add_file(news);
	char own[256];

	(void)unused;
	assert_int_equal(count(u, ALLOC), 4);
	assert_int_equal(count(u, FREE), 1);
	uprobes_close(u);
	snprintf(own, sizeof(own), "%s mi_free", news);
	u = add_file(own);
	assert_int_equal(count(u, ALLOC), 4);
	assert_int_equal(count(u, FREE), 3);
	uprobes_close(u);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_have_an_argument),
		cmocka_unit_test(operators_of_cplusplus_are_followed),
	};

	return cmocka_run_group_tests_name("memprof uprobe functions", tests, NULL, NULL);
}
