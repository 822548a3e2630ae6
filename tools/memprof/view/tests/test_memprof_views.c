// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Views by the library: rows of described columns, of what is chosen; or an error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "memprof/diagnose/tests/two_nodes.h"

static const char *text_of(const struct memprof_view *v, size_t row, const char *column)
{
	const int c = memprof_view_find(v, column);

	assert_true(c >= 0);
	return memprof_view_cell(v, row, c).text;
}

static double real_of(const struct memprof_view *v, size_t row, const char *column)
{
	const int c = memprof_view_find(v, column);

	assert_true(c >= 0);
	return memprof_view_cell(v, row, c).real;
}

/* Two sites, of one and of two objects, that both nodes use. */
static struct memprof *two_sites(struct findings *f)
{
	struct data *d = data_new(data_path);
	uint32_t s;

	now = DATA_START;
	srandom(1);
	s = process(d, 10);
	use(d, 10, object(d, s, 1, 0), 2000, 1);
	use(d, 10, object(d, s, 2, 1), 500, 1);
	use(d, 10, object(d, s, 2, 2), 500, 1);
	return diagnose(d, f);
}

static void views_are_rows_of_described_columns(void **unused)
{
	struct memprof_view_options o = MEMPROF_VIEW_OPTIONS;
	struct memprof_view *v;
	struct findings f;
	struct memprof *m = two_sites(&f);
	const char *name, *about;
	size_t i, c;

	(void)unused;
	for (i = 0; (name = memprof_view_name(i, &about)); i++) {
		assert_true(*about);
		v = memprof_view(m, name, NULL);
		assert_non_null(v);
		assert_true(memprof_view_rows(v) > 0);
		for (c = 0; c < memprof_view_columns(v); c++) {
			const struct memprof_column *column = memprof_view_column(v, c);

			assert_true(*column->name && *column->meaning && column->unit);
			assert_int_not_equal(column->type, MEMPROF_CELL_UNKNOWN);
			assert_int_equal(memprof_view_find(v, column->name), c);
		}
		assert_null(memprof_view_column(v, c));
		assert_int_equal(memprof_view_find(v, "no such column"), -1);
		assert_int_equal(memprof_view_cell(v, 0, c).type, MEMPROF_CELL_UNKNOWN);
		assert_int_equal(memprof_view_cell(v, memprof_view_rows(v), 0).type, MEMPROF_CELL_UNKNOWN);
		memprof_view_free(v);
	}
	assert_int_equal(i, 9);
	v = memprof_view(m, "objects", NULL);
	assert_int_equal(memprof_view_rows(v), 2);
	assert_true(real_of(v, 0, "accesses") == 2000 && real_of(v, 1, "accesses") == 1000);
	assert_true(real_of(v, 0, "objects") == 1 && real_of(v, 1, "objects") == 2);
	assert_true(fabs(real_of(v, 0, "memory_share_pct") - 200 / 3.) < 1e-9);
	assert_string_equal(text_of(v, 0, "from_nodes"), "0,1");
	assert_string_equal(text_of(v, 0, "on_nodes"), "0");
	memprof_view_free(v);
	o.instances = true;
	v = memprof_view(m, "objects", &o);
	assert_int_equal(memprof_view_rows(v), 3);
	memprof_view_free(v);
	o.top = 1;
	v = memprof_view(m, "objects", &o);
	assert_int_equal(memprof_view_rows(v), 1);
	memprof_view_free(v);
	v = memprof_view(m, "findings", NULL);
	assert_string_equal(text_of(v, 0, "pattern"), pattern_name(f.all[0].pattern));
	assert_true(real_of(v, 0, "accesses") == f.all[0].accesses);
	memprof_view_free(v);
	patterns_free(&f);
	memprof_close(m);
}

/* Without a choice, of the object that is diagnosed first; else of what is chosen. */
static void a_flow_is_of_what_is_chosen(void **unused)
{
	struct memprof_view_options o = MEMPROF_VIEW_OPTIONS;
	struct memprof_view *v;
	struct findings f;
	struct memprof *m = two_sites(&f);
	size_t i, n[2] = { 0, 0 };

	(void)unused;
	v = memprof_view(m, "flow", NULL);
	assert_int_equal(memprof_view_rows(v), memprof_object(m, f.all[0].object)->accesses);
	assert_true(real_of(v, 0, "object") == f.all[0].object);
	memprof_view_free(v);
	o.object = !f.all[0].object;
	v = memprof_view(m, "flow", &o);
	assert_true(real_of(v, 0, "object") == o.object);
	memprof_view_free(v);
	o.object = MEMPROF_NO_OBJECT;
	for (o.thread = 0; o.thread < 2; o.thread++) {
		v = memprof_view(m, "flow", &o);
		n[o.thread] = memprof_view_rows(v);
		for (i = 0; i < n[o.thread]; i++)
			assert_true(real_of(v, i, "thread") == o.thread);
		memprof_view_free(v);
	}
	assert_int_equal(n[0] + n[1], 3000);
	patterns_free(&f);
	memprof_close(m);
}

static void ignore(const struct memprof_access *a, void *arg)
{
	(void)a, (void)arg;
}

static void is_refused(struct memprof *m, const char *name, const struct memprof_view_options *o, int why)
{
	errno = 0;
	assert_null(memprof_view(m, name, o));
	assert_int_equal(errno, why);
}

static void views_that_cannot_be_are_refused(void **unused)
{
	struct memprof_view_options o = MEMPROF_VIEW_OPTIONS;
	struct memprof_options each = { .size = sizeof(each), .each = ignore };
	struct findings f;
	struct memprof *m = two_sites(&f);
	char error[256];

	(void)unused;
	patterns_free(&f);
	is_refused(m, "heap", NULL, ENOENT);
	o.object = memprof_nr_objects(m);
	is_refused(m, "flow", &o, ERANGE);
	o = (struct memprof_view_options)MEMPROF_VIEW_OPTIONS;
	o.thread = memprof_nr_threads(m);
	is_refused(m, "flow", &o, ERANGE);
	o = (struct memprof_view_options)MEMPROF_VIEW_OPTIONS;
	o.size = 0;
	is_refused(m, "objects", &o, EINVAL);
	memprof_close(m);
	m = memprof_open(data_path, &each, error, sizeof(error));
	assert_non_null(m);
	is_refused(m, "objects", NULL, EINVAL);
	memprof_close(m);
	memprof_view_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(views_are_rows_of_described_columns),
		cmocka_unit_test(a_flow_is_of_what_is_chosen),
		cmocka_unit_test(views_that_cannot_be_are_refused),
	};

	return cmocka_run_group_tests(tests, data_make_path, data_remove_path);
}
