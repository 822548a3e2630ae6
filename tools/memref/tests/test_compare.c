// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Two recordings side by side. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "memref/view/compare.h"

#define GROUP	(1 << 20)

static struct model m[2];
static struct table t;

static void group(struct model *to, uint32_t seq, uint64_t addr, uint32_t kernel, uint32_t user)
{
	const struct group_row row = {
		.seq = seq, .phys_addr = addr, .pages = { kernel, user, 0 },
	};

	assert_int_equal(model_add_group(to, &row), 0);
}

static void scan(struct model *to, uint32_t seq, uint64_t kernel, uint64_t user)
{
	const struct scan_row row = {
		.seq = seq, .pages = { kernel, user, 0 }, .group_kb = GROUP >> 10,
		.begin_ns = seq * 1000000000ULL, .scan_ns = (seq + 1) * 1000000000ULL,
		.end_ns = (seq + 1) * 1000000000ULL,
	};

	assert_int_equal(model_add_scan(to, &row), 0);
}

/* Two intervals, and one. */
static int begin(void **state)
{
	(void)state;
	model_init(&m[0]);
	model_init(&m[1]);
	group(&m[0], 1, 0, 100, 0);
	group(&m[0], 1, GROUP, 10, 100);
	scan(&m[0], 1, 110, 100);
	group(&m[0], 2, 0, 100, 0);
	scan(&m[0], 2, 100, 0);
	group(&m[1], 1, 0, 101, 0);
	group(&m[1], 1, 2 * GROUP, 0, 200);
	scan(&m[1], 1, 101, 200);
	model_end(&m[0]);
	model_end(&m[1]);
	return 0;
}

static int end(void **state)
{
	(void)state;
	table_free(&t);
	model_free(&m[0]);
	model_free(&m[1]);
	return 0;
}

static const struct cell *cell(size_t row, const char *column)
{
	int c;

	for (c = 0; c < t.nr_columns && strcmp(t.columns[c].name, column); c++)
		;
	assert_true(c < t.nr_columns && row * t.nr_columns < t.nr_cells);
	return &t.cells[row * t.nr_columns + c];
}

static void is(size_t row, const char *column, double value)
{
	const struct cell *c = cell(row, column);
	double got = c->type == CELL_INT ? (double)c->integer : c->real;

	assert_true(c->type == CELL_INT || c->type == CELL_REAL);
	if (got != value)
		fail_msg("row %zu, %s: %g, not %g", row, column, got, value);
}

static size_t item(const char *name)
{
	size_t row;

	for (row = 0; row * t.nr_columns < t.nr_cells; row++)
		if (!strcmp(cell(row, "item")->text, name))
			return row;
	fail_msg("no item %s", name);
	return 0;
}

static void summaries(void **state)
{
	const char * const names[] = { "one.dat", "two.dat" };
	size_t row;

	(void)state;
	assert_int_equal(compare_summaries(m, names, &t), 0);
	assert_string_equal(cell(0, "b")->text, "two.dat");
	row = item("pages_user_max");
	is(row, "a", 100);
	is(row, "b", 200);
	is(row, "difference", 100);
	is(row, "ratio", 2);
	assert_string_equal(cell(row, "unit")->text, "pages");
	row = item("intervals");
	is(row, "difference", -1);
	is(row, "ratio", 0.5);
	/* There is no ratio to 0, to text, or to a figure that is not recorded. */
	row = item("pages_user_min");
	is(row, "difference", 200);
	assert_int_equal(cell(row, "ratio")->type, CELL_NONE);
	assert_int_equal(cell(item("host"), "difference")->type, CELL_NONE);
	assert_int_equal(cell(item("rss_max"), "difference")->type, CELL_NONE);
}

static void groups(void **state)
{
	(void)state;
	assert_int_equal(compare_groups(m, 20, &t), 0);
	assert_int_equal(t.nr_cells / t.nr_columns, 3);
	is(0, "phys_addr", 2 * GROUP);
	is(0, "intervals_a_pct", 0);
	is(0, "intervals_b_pct", 100);
	is(0, "difference_pages", 200);
	assert_int_equal(cell(0, "ratio")->type, CELL_NONE);
	is(1, "phys_addr", GROUP);
	is(1, "intervals_a_pct", 50);
	is(1, "mean_pages_a", 55);
	is(1, "mean_pages_b", 0);
	is(1, "difference_pages", -55);
	is(1, "ratio", 0);
	is(2, "difference_pages", 1);
	is(2, "ratio", 1.01);
}

static void most(void **state)
{
	(void)state;
	assert_int_equal(compare_groups(m, 1, &t), 0);
	assert_int_equal(t.nr_cells / t.nr_columns, 1);
	is(0, "phys_addr", 2 * GROUP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(summaries, begin, end),
		cmocka_unit_test_setup_teardown(groups, begin, end),
		cmocka_unit_test_setup_teardown(most, begin, end),
	};

	return cmocka_run_group_tests_name("compare", tests, NULL, NULL);
}
