// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/* Rows of cells; table.c prints them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cells.h"
#include "utf8.h"

/**
 * table_init() - initialize an empty table
 * @t: the table; free it with table_free()
 * @columns: its columns; they must outlive it
 * @nr_columns: number of @columns
 */
void table_init(struct table *t, const struct column *columns, int nr_columns)
{
	memset(t, 0, sizeof(*t));
	t->columns = columns;
	t->nr_columns = nr_columns;
}

/**
 * table_init_columns() - initialize an empty table of columns that --explain knows
 * @t: the table; free it with table_free()
 * @columns: its columns
 */
void table_init_columns(struct table *t, const struct columns *columns)
{
	table_init(t, columns->all, columns->nr);
}

/**
 * table_add() - add a row
 * @t: the table
 * @row: a cell for each column; text is copied as valid UTF-8.  A cell's type may differ
 *	from its column's.  NaN and infinity become CELL_NONE.
 *
 * Return: 0, or -1 without memory.
 */
int table_add(struct table *t, const struct cell *row)
{
	int i;

	if (t->nr_cells + t->nr_columns > t->capacity) {
		size_t capacity = (t->capacity ? t->capacity * 2 : 64) + t->nr_columns;
		struct cell *cells = realloc(t->cells, capacity * sizeof(*cells));

		if (!cells)
			return -1;
		t->cells = cells;
		t->capacity = capacity;
	}
	for (i = 0; i < t->nr_columns; i++) {
		struct cell cell = row[i];

		if (cell.type == CELL_TEXT) {
			cell.text = utf8_clean(cell.text);
			if (!cell.text)
				return -1;
		} else if (cell.type == CELL_REAL && !isfinite(cell.real)) {
			cell = NONE_CELL;
		}
		t->cells[t->nr_cells++] = cell;
	}
	return 0;
}

/** table_rows() - number of rows without the summary rows */
size_t table_rows(const struct table *t)
{
	return t->nr_cells / t->nr_columns - t->nr_summary;
}

/**
 * table_thin() - keep rows at equal distances, so that no more than a number are left
 * @t: the table; summary rows are all kept
 * @max_rows: how many others may be left, at least 1
 *
 * Return: each how many of the rows was kept; 1: all.
 */
size_t table_thin(struct table *t, size_t max_rows)
{
	const size_t rows = table_rows(t), all = rows + t->nr_summary, n = t->nr_columns;
	const size_t step = rows ? (rows + max_rows - 1) / max_rows : 1;
	size_t i, c, kept = 0;

	for (i = 0; step > 1 && i < all; i++) {
		const bool keep = i >= rows || i % step == 0;

		for (c = 0; c < n; c++) {
			if (keep)
				t->cells[kept * n + c] = t->cells[i * n + c];
			else if (t->cells[i * n + c].type == CELL_TEXT)
				free(t->cells[i * n + c].text);
		}
		kept += keep;
	}
	if (step > 1)
		t->nr_cells = kept * n;
	return step;
}

/** table_clear() - remove the rows of a table */
void table_clear(struct table *t)
{
	size_t i;

	for (i = 0; i < t->nr_cells; i++)
		if (t->cells[i].type == CELL_TEXT)
			free(t->cells[i].text);
	t->nr_cells = 0;
}

/**
 * table_free() - free the rows of a table
 * @t: the table
 */
void table_free(struct table *t)
{
	table_clear(t);
	free(t->cells);
	free(t->widths);
}
