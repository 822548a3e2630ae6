/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* What the lists of memref top share: names of columns, the filter, rows that do not fit. */
#ifndef MEMREF_LIST_H
#define MEMREF_LIST_H

#include "controls.h"
#include "frame.h"

/**
 * struct list_column - a column that a list can be sorted by
 * @name: its name
 * @rises: its smallest value is first, unless reversed
 * @left: it is aligned to the left
 */
struct list_column {
	const char *name;
	bool rises, left;
};

bool list_matches(const char *name, const char *filter);
void list_filter(const struct frame *s, const struct controls *c, char filter[3 * FILTER_SIZE]);
size_t list_begin(struct frame *s, struct controls *c, size_t nr, size_t all, const char *what);
void list_name(struct frame *s, const struct controls *c, const struct list_column *columns, int column, int width);
void list_end(struct frame *s, const struct controls *c, size_t nr, size_t rows, const char *hidden);

#endif
