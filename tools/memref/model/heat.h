/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * Pages referenced by time and address, as fine as some number of cells
 * allows: recordings that are longer or wider get larger cells.
 */
#ifndef MEMREF_HEAT_H
#define MEMREF_HEAT_H

#include <stddef.h>
#include <stdint.h>

#include "lib/hash.h"
#include "memref/read/events.h"

struct heat_key {
	uint64_t row;			/* address >> shift */
	uint64_t column;		/* number of the interval / per_column */
};

struct heat_cell {
	struct heat_key key;
	uint64_t pages[NR_CLASSES];	/* sum over the intervals of the column */
	uint64_t written;		/* what was written, summed */
	UT_hash_handle hh;
};

/**
 * struct heat - a heat map that is filled in the order of time
 * @cells: a hash of those that are not zero
 * @max_cells: coarsens beyond as many; 0: nothing is collected
 * @per_column: intervals in a column
 * @shift: a row has 1 << shift bytes
 */
struct heat {
	struct heat_cell *cells;
	size_t max_cells;
	uint32_t per_column;
	int shift;
};

/* Rows with no long gap between them; drawn from place on, counted in rows. */
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
