/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The table that a view makes of a model, for tests of views: its cells by their columns. */
#ifndef MEMREF_ONE_VIEW_H
#define MEMREF_ONE_VIEW_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "memref/view/view.h"

static struct model m;
static struct table t;
static char error[512];

/* Setup and teardown of each test. */
static inline int begin(void **state)
{
	(void)state;
	model_init(&m);
	memset(&t, 0, sizeof(t));
	return 0;
}

static inline int end(void **state)
{
	(void)state;
	table_free(&t);
	model_free(&m);
	return 0;
}

static inline void virt(uint32_t seq, uint32_t pid, uint64_t addr, uint32_t pages, uint32_t written)
{
	const struct virt_row row = { .seq = seq, .pid = pid, .addr = addr, .pages = pages, .written = written };

	assert_int_equal(model_add_virt(&m, &row), 0);
}

static inline void make(const char *name)
{
	table_free(&t);
	assert_int_equal(view_make(view_find(name), &m, &t, error, sizeof(error)), 0);
}

static inline void lacks(const char *view, const char *why)
{
	table_free(&t);
	assert_int_equal(view_make(view_find(view), &m, &t, error, sizeof(error)), 1);
	if (!strstr(error, why))
		fail_msg("'%s' does not say '%s'", error, why);
}

static inline size_t rows(void)
{
	return t.nr_cells / t.nr_columns;
}

static inline const struct cell *cell(size_t row, const char *column)
{
	int c;

	for (c = 0; c < t.nr_columns && strcmp(t.columns[c].name, column); c++)
		;
	assert_true(c < t.nr_columns && row < rows());
	return &t.cells[row * t.nr_columns + c];
}

static inline double number(const struct cell *c)
{
	assert_true(c->type == CELL_INT || c->type == CELL_REAL);
	return c->type == CELL_INT ? (double)c->integer : c->real;
}

static inline void is(size_t row, const char *column, double value)
{
	const double got = number(cell(row, column));

	if (fabs(got - value) > 1e-6 * fabs(value))
		fail_msg("row %zu, %s: %g, not %g", row, column, got, value);
}

static inline void is_text(size_t row, const char *column, const char *text)
{
	assert_string_equal(cell(row, column)->text, text);
}

#endif
