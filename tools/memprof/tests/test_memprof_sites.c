// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Names of sites: what a statement assigns to, which functions allocate for others, and
 * variables of C++.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "memprof/names/names.h"

static void what_a_statement_assigns_to(void **unused)
{
	static const struct { const char *text, *left; } cases[] = {
		{ "\ts->basis = makeMatrix(n);\n", "s->basis" },
		{ "\tif ((p = malloc(n)) == NULL)\n", "p" },
		{ "\tif (!p)\n\t\tp = malloc(n);\n", "p" },
		{ "\tfor (i = 0; i < n; i++) rows[i] = malloc(n);\n", "rows[i]" },
		{ "\t*get(a, b)->slot =\n\t\tmalloc(n);\n", "*get(a, b)->slot" },
		{ "\t(*list)[n] = (struct item *)\n\t\tmalloc(sizeof(struct item));\n", "(*list)[n]" },
		{ "\telse table = new int[n];\n", "table" },
		{ "\tstatic const char *text = strdup(\"a = b\");\n", "char *text" },
		{ "\tcase 1: /* x = y */ p = q; f(malloc(n));\n", "p" },
		{ "\tif (a == b) f(malloc(n));\n", NULL },
		{ "\tf(\"a = b\", malloc(n));\n", NULL },
		{ "\treturn malloc(n);\n", NULL },
		{ "\tm[\n\t  key\n\t] = malloc(n);\n", "m[    key  ]" },
	};
	char text[256], *left;
	size_t i;

	(void)unused;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		strcpy(text, cases[i].text);
		left = left_of_assignment(text);
		if (!cases[i].left)
			assert_null(left);
		else if (!left)
			fail_msg("%s: nothing", cases[i].text);
		else
			assert_string_equal(left, cases[i].left);
	}
}

static void where_statements_end(void **unused)
{
	(void)unused;
	assert_true(ends_statement("\tx = 1;\n"));
	assert_true(ends_statement("\tx = 1; // and more\n"));
	assert_true(ends_statement("{\n"));
	assert_true(ends_statement("\n"));
	assert_true(ends_statement("#define X 1\n"));
	assert_true(ends_statement("\t/* of all */\n"));
	assert_true(ends_statement("default:\n"));
	assert_false(ends_statement("\tx =\n"));
	assert_false(ends_statement("\tx = malloc(n *\n"));
}

static void functions_that_allocate_for_others(void **unused)
{
	struct wrappers w = { };

	(void)unused;
	assert_true(wrappers_have(&w, "numa_alloc_onnode"));
	assert_true(wrappers_have(&w, "g_malloc0_n"));
	assert_true(wrappers_have(&w, "MemoryContextAllocZero"));
	assert_true(wrappers_have(&w, "_PyObject_GC_NewVar"));
	assert_true(wrappers_have(&w, "operator new[]"));
	assert_true(wrappers_have(&w, "os::malloc"));
	assert_true(wrappers_have(&w, "Arena::grow"));
	assert_false(wrappers_have(&w, "Node_Array::grow"));
	assert_false(wrappers_have(&w, "main"));
	assert_false(wrappers_have(&w, "xmalloced"));
	assert_true(wrappers_have_file(&w, "/usr/lib/x86_64-linux-gnu/libnuma.so.1.0.0"));
	assert_false(wrappers_have_file(&w, "/usr/lib/x86_64-linux-gnu/libm.so.6"));
	assert_int_equal(wrappers_add(&w, "pool_*"), 0);
	assert_int_equal(wrappers_add(&w, "libm.so*"), 0);
	assert_true(wrappers_have(&w, "pool_get"));
	assert_false(wrappers_have(&w, "the_pool_get"));
	assert_true(wrappers_have_file(&w, "/usr/lib/x86_64-linux-gnu/libm.so.6"));
	assert_true(is_system_header("/usr/include/c++/12/bits/new_allocator.h"));
	assert_false(is_system_header("/home/me/include/pool.h"));
	wrappers_free(&w);
}

/* As a compiler of C++ names them. */
#define VARIABLE(name, symbol)	static long name[8] __asm__(symbol) = { 1 }

VARIABLE(table, "_ZTV3Foo");
VARIABLE(type, "_ZTI3Foo");
VARIABLE(of_int, "_Z7counterISt8functionIFviEEE");
VARIABLE(of_char, "_Z7counterISt8functionIFvcEEE");
VARIABLE(local, "_ZZ4fillIiEvT_E5cache");
VARIABLE(guard, "_ZGVZ4fillIiEvT_E5cache");

struct expected {
	const long *variable;
	const char *name;
	int found;
};

/* In the file that has the variable, as the kernel maps it. */
static int look_in(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct expected *w = arg;
	const uint64_t at = (uintptr_t)w->variable - info->dlpi_addr;
	struct names *n = names_new(NULL);
	uint64_t bytes = 0;
	const char *name;
	int64_t back;
	int i;

	(void)size;
	assert_non_null(n);
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type != PT_LOAD || at < p->p_vaddr || at >= p->p_vaddr + p->p_filesz)
			continue;
		assert_true(names_data(n, "/proc/self/exe", p->p_offset + at - p->p_vaddr, 0, &name, &back, &bytes));
		assert_string_equal(name, w->name);
		assert_int_equal(back, 0);
		w->found++;
	}
	names_free(n);
	/* The program is the first one. */
	return 1;
}

static void variables_have_their_whole_names(void **unused)
{
	struct expected expected[] = {
		{ table, "vtable for Foo" },
		{ type, "typeinfo for Foo" },
		{ of_int, "counter<std::function<void (int)> >" },
		{ of_char, "counter<std::function<void (char)> >" },
		{ local, "fill<int>(int)::cache" },
		{ guard, "guard variable for fill<int>(int)::cache" },
	};
	size_t i;

	(void)unused;
	for (i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
		dl_iterate_phdr(look_in, &expected[i]);
		assert_int_equal(expected[i].found, 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_statement_assigns_to),
		cmocka_unit_test(where_statements_end),
		cmocka_unit_test(functions_that_allocate_for_others),
		cmocka_unit_test(variables_have_their_whole_names),
	};

	return cmocka_run_group_tests_name("memprof sites", tests, NULL, NULL);
}
