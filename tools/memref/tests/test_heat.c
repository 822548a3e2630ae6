// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* A heat map keeps its sums however coarse it becomes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "memref/model/heat.h"

#define GROUP (1ULL << 20)

static void exact(void **state)
{
	const uint32_t pages[NR_CLASSES] = { 1, 2, 3 };
	struct heat_cell *c;
	struct heat h;

	(void)state;
	heat_init(&h, 100);
	assert_int_equal(heat_add(&h, 0, 5 * GROUP, GROUP, pages, 1), 0);
	assert_int_equal(heat_add(&h, 0, 5 * GROUP, GROUP, pages, 0), 0);
	assert_int_equal(heat_add(&h, 1, 4 * GROUP, GROUP, pages, 0), 0);
	heat_sort(&h);
	assert_int_equal(h.shift, 20);
	assert_int_equal(h.per_column, 1);
	c = h.cells;
	assert_int_equal(c->key.column, 0);
	assert_int_equal(c->key.row, 5);
	assert_int_equal(c->pages[USER], 4);
	assert_int_equal(c->written, 1);
	c = c->hh.next;
	assert_int_equal(c->key.row, 4);
	assert_null(c->hh.next);
	heat_free(&h);
}

static void coarse(void **state)
{
	const uint32_t pages[NR_CLASSES] = { 0, 7, 1 };
	uint64_t user = 0, written = 0;
	struct heat_cell *c;
	struct heat h;
	int i, g;

	(void)state;
	heat_init(&h, 500);
	for (i = 0; i < 300; i++)
		for (g = 0; g < 200; g++)
			assert_int_equal(heat_add(&h, i, g * GROUP, GROUP, pages, g % 2), 0);
	assert_true(HASH_COUNT(h.cells) <= 500);
	for (c = h.cells; c; c = c->hh.next) {
		user += c->pages[USER];
		written += c->written;
	}
	assert_int_equal(user, 300 * 200 * 7);
	assert_int_equal(written, 300 * 100);
	/* Columns and rows are coarsened alike. */
	assert_true(h.per_column >= 8 && h.shift >= 22);
	heat_free(&h);
}

/* Only used rows count: a few rows far apart are few rows. */
static void sparse(void **state)
{
	const uint32_t pages[NR_CLASSES] = { 0, 1, 0 };
	struct heat h;
	int i, g;

	(void)state;
	heat_init(&h, 500);
	for (i = 0; i < 1000; i++)
		for (g = 0; g < 4; g++)
			assert_int_equal(heat_add(&h, i, g * (GROUP << 20), GROUP, pages, 0), 0);
	assert_int_equal(h.shift, 20);
	assert_int_equal(h.per_column, 8);
	heat_free(&h);
}

static void add_row(struct heat *h, uint64_t row)
{
	const uint32_t pages[NR_CLASSES] = { 0, 1, 0 };

	assert_int_equal(heat_add(h, row % 3, row * GROUP, GROUP, pages, 0), 0);
}

/* A heap, a stack, and a terabyte between them. */
static void areas(void **state)
{
	struct heat_area *a;
	struct heat h;
	uint64_t row;
	size_t n;

	(void)state;
	heat_init(&h, 10000);
	for (row = 1000; row < 1200; row++)
		if (row != 1100 && row != 1101)
			add_row(&h, row);
	add_row(&h, 1 << 20);
	add_row(&h, (1 << 20) + 1);
	add_row(&h, (1 << 20) + 7);
	a = heat_areas(&h, &n);
	/* 201 rows: gaps of more than 4 are short. */
	assert_int_equal(n, 3);
	assert_int_equal(a[0].first, 1000);
	assert_int_equal(a[0].last, 1199);
	assert_int_equal(a[0].place, 0);
	assert_int_equal(a[1].first, 1 << 20);
	assert_int_equal(a[1].last, (1 << 20) + 1);
	assert_int_equal(a[1].place, 204);
	assert_int_equal(a[2].place, 210);
	free(a);
	heat_free(&h);
}

static void no_areas(void **state)
{
	struct heat_area *a;
	struct heat h;
	size_t n;

	(void)state;
	heat_init(&h, 10);
	a = heat_areas(&h, &n);
	assert_non_null(a);
	assert_int_equal(n, 0);
	free(a);
}

static void none(void **state)
{
	const uint32_t pages[NR_CLASSES] = { 1, 1, 1 };
	struct heat h;

	(void)state;
	heat_init(&h, 0);
	assert_int_equal(heat_add(&h, 0, 0, GROUP, pages, 0), 0);
	assert_null(h.cells);
	heat_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exact), cmocka_unit_test(coarse), cmocka_unit_test(none),
		cmocka_unit_test(sparse), cmocka_unit_test(areas), cmocka_unit_test(no_areas),
	};

	return cmocka_run_group_tests_name("heat", tests, NULL, NULL);
}
