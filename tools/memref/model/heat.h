/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * Heat map: referenced pages by time and address, in a bounded number of cells.
 * Longer recordings and larger address ranges get larger cells.
 */
#ifndef MEMREF_HEAT_H
#define MEMREF_HEAT_H

#include <stddef.h>
#include <stdint.h>

#include "lib/hash.h"
#include "events.h"

struct heat_key {
	uint64_t row;			/* address >> shift */
	uint64_t column;		/* index of the interval / per_column */
};

struct heat_cell {
	struct heat_key key;
	uint64_t pages[NR_CLASSES];	/* sum over the intervals of the column */
	uint64_t written;		/* sum of heat_add()'s @written */
	UT_hash_handle hh;
};

/**
 * struct heat - a heat map
 * @cells: hash of the cells with pages
 * @max_cells: coarsen when there are more; 0: collect nothing
 * @per_column: intervals per column
 * @shift: log2 of the bytes per row
 */
struct heat {
	struct heat_cell *cells;
	size_t max_cells;
	uint32_t per_column;
	int shift;
};

/* Rows without a long gap between them, and where to draw the first one, in rows. */
struct heat_area {
	uint64_t first, last, place;
};

void heat_init(struct heat *h, size_t max_cells);
int heat_add(struct heat *h, uint64_t interval, uint64_t addr, uint64_t size,
	     const uint32_t pages[NR_CLASSES], uint32_t written);
void heat_sort(struct heat *h);
uint64_t *heat_rows(const struct heat *h, size_t *nr_rows);
struct heat_area *heat_areas(const struct heat *h, size_t *nr_areas);
void heat_free(struct heat *h);

#endif
