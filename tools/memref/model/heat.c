// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Heat map: referenced pages by time and address, in a bounded number of cells. */
#include <stdlib.h>
#include <string.h>

#include "heat.h"

/**
 * heat_init() - initialize an empty heat map
 * @h: the heat map; free it with heat_free()
 * @max_cells: maximal number of cells; 0: collect nothing
 */
void heat_init(struct heat *h, size_t max_cells)
{
	memset(h, 0, sizeof(*h));
	h->max_cells = max_cells;
	h->per_column = 1;
}

/**
 * heat_free() - free what a heat map holds
 * @h: the heat map; empty afterwards
 */
void heat_free(struct heat *h)
{
	struct heat_cell *c, *next;

	HASH_ITER(hh, h->cells, c, next) {
		HASH_DEL(h->cells, c);
		free(c);
	}
}

static struct heat_cell *find_cell(struct heat *h, uint64_t row, uint64_t column)
{
	struct heat_key key = { row, column };
	struct heat_cell *c;

	HASH_FIND(hh, h->cells, &key, sizeof(key), c);
	if (c)
		return c;
	c = calloc(1, sizeof(*c));
	if (!c)
		return NULL;
	c->key = key;
	HASH_ADD(hh, h->cells, key, sizeof(key), c);
	return c;
}

/* Halve the number of rows or of columns, whichever is larger. */
static int coarsen(struct heat *h)
{
	struct heat_cell *c, *next, *old = h->cells, *into;
	uint64_t columns = 0, *used;
	size_t nr_used;
	int rows, i;

	/* Count used rows only: an address space is mostly empty. */
	used = heat_rows(h, &nr_used);
	if (!used)
		return -1;
	free(used);
	HASH_ITER(hh, old, c, next)
		columns = c->key.column > columns ? c->key.column : columns;
	rows = nr_used > columns + 1;
	h->shift += rows;
	h->per_column <<= !rows;
	h->cells = NULL;
	HASH_ITER(hh, old, c, next) {
		into = find_cell(h, c->key.row >> rows, c->key.column >> !rows);
		if (!into) {
			/* Restore the old cells, so that heat_free() frees them. */
			HASH_ITER(hh, h->cells, into, next) {
				HASH_DEL(h->cells, into);
				free(into);
			}
			h->cells = old;
			return -1;
		}
		for (i = 0; i < NR_CLASSES; i++)
			into->pages[i] += c->pages[i];
		into->written += c->written;
	}
	HASH_ITER(hh, old, c, next) {
		HASH_DEL(old, c);
		free(c);
	}
	return 0;
}

/**
 * heat_add() - count referenced pages
 * @h: the heat map
 * @interval: index of the interval
 * @addr: address of the group or block, a multiple of @size
 * @size: size of the group or block, a power of two
 * @pages: number of referenced pages, per class
 * @written: amount written, in groups or pages
 *
 * Return: 0, or -1 without memory.
 */
int heat_add(struct heat *h, uint64_t interval, uint64_t addr, uint64_t size,
	     const uint32_t pages[NR_CLASSES], uint32_t written)
{
	struct heat_cell *c;
	int i;

	if (!h->max_cells)
		return 0;
	if (!h->shift)
		while (h->shift < 62 && 1ULL << h->shift < size)
			h->shift++;
	c = find_cell(h, addr >> h->shift, interval / h->per_column);
	if (!c)
		return -1;
	for (i = 0; i < NR_CLASSES; i++)
		c->pages[i] += pages[i];
	c->written += written;
	while (HASH_COUNT(h->cells) > h->max_cells && h->shift < 63)
		if (coarsen(h))
			return -1;
	return 0;
}

static int by_place(const struct heat_cell *a, const struct heat_cell *b)
{
	if (a->key.column != b->key.column)
		return a->key.column < b->key.column ? -1 : 1;
	return a->key.row < b->key.row ? -1 : a->key.row > b->key.row;
}

/**
 * heat_sort() - sort the cells by time, then by address
 * @h: the heat map
 */
void heat_sort(struct heat *h)
{
	HASH_SORT(h->cells, by_place);
}

static int by_number(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/**
 * heat_rows() - list the rows that have cells
 * @h: the heat map
 * @nr_rows: set to their number
 *
 * Return: the rows in ascending order, to be freed; NULL if out of memory.
 */
uint64_t *heat_rows(const struct heat *h, size_t *nr_rows)
{
	uint64_t *rows = malloc((HASH_COUNT(h->cells) + 1) * sizeof(*rows));
	const struct heat_cell *c;
	size_t i, n = 0;

	if (!rows)
		return NULL;
	for (c = h->cells; c; c = c->hh.next)
		rows[n++] = c->key.row;
	qsort(rows, n, sizeof(*rows), by_number);
	*nr_rows = 0;
	for (i = 0; i < n; i++)
		if (!i || rows[i] != rows[i - 1])
			rows[(*nr_rows)++] = rows[i];
	return rows;
}

/**
 * heat_areas() - where to draw rows that are far apart
 * @h: the heat map
 * @nr_areas: set to the number of areas
 *
 * A gap of more than a fiftieth of the used rows ends an area, and is drawn as
 * that fiftieth, so that used rows fill most of the picture.
 *
 * Return: the areas in ascending order, to be freed; NULL if out of memory.
 */
struct heat_area *heat_areas(const struct heat *h, size_t *nr_areas)
{
	struct heat_area *areas, *a;
	size_t nr_rows, i, gap;
	uint64_t *rows;

	rows = heat_rows(h, &nr_rows);
	areas = malloc((nr_rows + 1) * sizeof(*areas));
	*nr_areas = 0;
	if (!rows || !areas) {
		free(rows);
		free(areas);
		return NULL;
	}
	gap = nr_rows < 50 ? 1 : nr_rows / 50;
	for (i = 0; i < nr_rows; i++) {
		a = &areas[*nr_areas];
		if (i && rows[i] - a[-1].last - 1 <= gap) {
			a[-1].last = rows[i];
			continue;
		}
		a->first = a->last = rows[i];
		a->place = i ? a[-1].place + a[-1].last - a[-1].first + 1 + gap : 0;
		++*nr_areas;
	}
	free(rows);
	return areas;
}
