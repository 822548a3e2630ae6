// SPDX-License-Identifier: GPL-2.0
/* Views of models that are filled by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "../memref/view.h"

static struct model m;
static struct table t;
static char error[512];

static int begin(void **state)
{
	(void)state;
	model_init(&m);
	memset(&t, 0, sizeof(t));
	return 0;
}

static int end(void **state)
{
	(void)state;
	table_free(&t);
	model_free(&m);
	return 0;
}

static void make(const char *name)
{
	table_free(&t);
	assert_int_equal(view_make(view_find(name), &m, &t, error, sizeof(error)), 0);
}

static void group(uint32_t seq, uint64_t addr, uint32_t kernel, uint32_t user)
{
	const struct group_row row = {
		.seq = seq, .phys_addr = addr, .pages = { kernel, user, 0 },
	};

	assert_int_equal(model_add_group(&m, &row), 0);
}

/* Intervals last from seq - 1 to seq seconds; groups have 2 MiB. */
static struct scan_row scan_row(uint32_t seq, uint32_t groups, uint64_t kernel, uint64_t user)
{
	return (struct scan_row){
		.seq = seq, .groups = groups, .pages = { kernel, user, 0 }, .group_kb = 2048,
		.begin_ns = seq * 1000000000ULL, .scan_ns = (seq + 1) * 1000000000ULL,
		.end_ns = (seq + 1) * 1000000000ULL,
	};
}

static void scan(uint32_t seq, uint32_t groups, uint64_t kernel, uint64_t user)
{
	const struct scan_row row = scan_row(seq, groups, kernel, user);

	assert_int_equal(model_add_scan(&m, &row), 0);
}

static size_t rows(void)
{
	return t.nr_cells / t.nr_columns;
}

static const struct cell *cell(size_t row, const char *column)
{
	int c;

	for (c = 0; c < t.nr_columns && strcmp(t.columns[c].name, column); c++)
		;
	assert_true(c < t.nr_columns && row < rows());
	return &t.cells[row * t.nr_columns + c];
}

static double number(const struct cell *c)
{
	assert_true(c->type == CELL_INT || c->type == CELL_REAL);
	return c->type == CELL_INT ? (double)c->integer : c->real;
}

static void is(size_t row, const char *column, double value)
{
	double got = number(cell(row, column));

	if (fabs(got - value) > 1e-6 * fabs(value))
		fail_msg("row %zu, %s: %g, not %g", row, column, got, value);
}

/* The row of the summary that has an item. */
static size_t item(const char *name)
{
	size_t row;

	for (row = 0; row < rows(); row++)
		if (!strcmp(cell(row, "item")->text, name))
			return row;
	fail_msg("no item %s", name);
	return 0;
}

static void summary(void **state)
{
	uint32_t seq;

	(void)state;
	for (seq = 1; seq <= 5; seq++) {
		struct scan_row row = scan_row(seq, 0, 256, 256 * seq);

		row.flags = seq == 2 ? SCAN_DAMON | SCAN_STRETCHED : SCAN_DAMON;
		row.rss = 512 * seq;
		row.tables = 30;
		row.tables_cold = 10;
		assert_int_equal(model_add_scan(&m, &row), 0);
	}
	model_end(&m);
	make("summary");
	is(item("wss_user_min"), "value", 1);
	is(item("wss_user_p25"), "value", 2);
	is(item("wss_user_median"), "value", 3);
	is(item("wss_user_p75"), "value", 4);
	is(item("wss_user_max"), "value", 5);
	is(item("wss_kernel_p99"), "value", 1);
	is(item("wss_total_max"), "value", 6);
	is(item("rss_max"), "value", 10);
	is(item("tables_read"), "value", 150);
	is(item("tables_cold_share"), "value", 25);
	is(item("intervals_with_damon"), "value", 5);
	is(item("intervals_stretched"), "value", 1);
	is(item("intervals_with_hotplug"), "value", 0);
}

/* Kernels that do not tell are not taken for ones that tell of nothing. */
static void not_recorded(void **state)
{
	(void)state;
	group(1, 0, 1, 0);
	scan(1, 1, 1, 0);
	model_end(&m);
	make("summary");
	assert_int_equal(cell(item("rss_max"), "value")->type, CELL_NONE);
	assert_int_equal(cell(item("tables_cold_share"), "value")->type, CELL_NONE);
	make("wss");
	assert_int_equal(cell(0, "rss_mib")->type, CELL_NONE);
}

static void rss(void **state)
{
	struct scan_row row = scan_row(1, 0, 0, 0);

	(void)state;
	assert_int_equal(model_add_scan(&m, &row), 0);
	row.seq = 2;
	row.rss = 1024;
	assert_int_equal(model_add_scan(&m, &row), 0);
	make("wss");
	is(0, "rss_mib", 0);
	is(1, "rss_mib", 4);
}

static void lacking(void **state)
{
	const struct window process = { .pid = 7 };

	(void)state;
	scan(1, 0, 0, 0);
	m.window.from = 0.5;
	assert_int_equal(view_make(view_find("spatial"), &m, &t, error, sizeof(error)), -1);
	assert_string_equal(error, "no memory was referenced from 0.5 s");
	assert_int_equal(view_window(view_find("wss"), &process, error, sizeof(error)), -1);
	assert_string_equal(error, "--pid 7: the view wss does not tell processes apart");
	assert_null(view_find("nonsense"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(summary, begin, end),
		cmocka_unit_test_setup_teardown(not_recorded, begin, end),
		cmocka_unit_test_setup_teardown(rss, begin, end),
		cmocka_unit_test_setup_teardown(lacking, begin, end),
	};

	return cmocka_run_group_tests_name("view", tests, NULL, NULL);
}
