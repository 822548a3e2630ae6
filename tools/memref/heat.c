// SPDX-License-Identifier: GPL-2.0
/* Pages referenced by time and address, in a bounded number of cells. */
#include <stdlib.h>
#include <string.h>

#include "heat.h"

/**
 * heat_init() - an empty heat map
 * @h: the heat map; free it with heat_free()
 * @max_cells: how many it may have
 */
void heat_init(struct heat *h, size_t max_cells)
{
	memset(h, 0, sizeof(*h));
	h->max_cells = max_cells;
	h->per_column = 1;
}

/**
 * heat_free() - free what a heat map holds
 * @h: the heat map, which is empty then
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

/* Halve the rows, or the columns, whichever are more. */
static int coarsen(struct heat *h)
{
	uint64_t low = UINT64_MAX, high = 0, columns = 0;
	struct heat_cell *c, *next, *old = h->cells, *into;
	int rows, i;

	HASH_ITER(hh, old, c, next) {
		low = c->key.row < low ? c->key.row : low;
		high = c->key.row > high ? c->key.row : high;
		columns = c->key.column > columns ? c->key.column : columns;
	}
	rows = high - low > columns;
	h->shift += rows;
	h->per_column <<= !rows;
	h->cells = NULL;
	HASH_ITER(hh, old, c, next) {
		into = find_cell(h, c->key.row >> rows, c->key.column >> !rows);
		if (!into) {
			/* Give all back to be freed. */
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
 * heat_add() - pages were referenced
 * @h: the heat map
 * @interval: the number of the interval
 * @addr: where, a multiple of @size
 * @size: of the memory that was looked at together: a power of two
 * @pages: how many of them, per class
 * @written: whether any was written
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
	c->written += !!written;
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
 * heat_sort() - order the cells by time, then by address
 * @h: the heat map
 */
void heat_sort(struct heat *h)
{
	HASH_SORT(h->cells, by_place);
}
