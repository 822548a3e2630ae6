/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 the memscope authors */
/* Rows of cells with defined columns, of tools and libraries. */
#ifndef MEMSCOPE_CELLS_H
#define MEMSCOPE_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* CELL_NONE is an unknown value: - in text, empty in CSV, null in JSON. */
enum cell_type { CELL_INT, CELL_REAL, CELL_TEXT, CELL_NONE };

/**
 * struct column - a column of a table
 * @name: its name, with the unit: time_s, pages_user, wss_user_mib
 * @type: type of its cells
 * @digits: digits behind the decimal point, for CELL_REAL; or SIGNIFICANT(n)
 * @unit: what it counts; "": nothing, or words
 * @meaning: what its cells mean, for --explain
 * @unknown: when a cell is unknown (CELL_NONE); NULL: never
 */
struct column {
	const char *name;
	enum cell_type type;
	int digits;
	const char *unit, *meaning, *unknown;
};

/* The columns of a table, where they are defined: COLUMNS({ "seq", CELL_INT, ... }, ...). */
struct columns {
	const struct column *all;
	int nr;
};

#define COLUMNS(...) { \
	(const struct column[]){ __VA_ARGS__ }, \
	sizeof((const struct column[]){ __VA_ARGS__ }) / sizeof(struct column), \
}

/* For columns whose cells differ by orders of magnitude: n significant digits, as by %g. */
#define SIGNIFICANT(n)	(-(n))

struct cell {
	enum cell_type type;
	uint64_t integer;
	double real;
	char *text;
};

/**
 * struct table - rows of cells
 * @nr_summary: number of rows at the end that summarize the others
 * @widths: widths of the columns in text, from the rows so far; NULL before printing
 * @printed: table_print_part() has printed rows
 * @warning: value of the JSON key "warning" beside the rows; "": null, NULL: no such key
 */
struct table {
	const struct column *columns;
	int nr_columns;
	struct cell *cells;
	size_t nr_cells, capacity, nr_summary;
	int *widths;
	bool printed;
	const char *warning;
};

#define INT_CELL(x)	((struct cell){ .type = CELL_INT, .integer = (x) })
#define REAL_CELL(x)	((struct cell){ .type = CELL_REAL, .real = (x) })
#define TEXT_CELL(x)	((struct cell){ .type = CELL_TEXT, .text = (char *)(x) })
#define NONE_CELL	((struct cell){ .type = CELL_NONE })

void table_init(struct table *t, const struct column *columns, int nr_columns);
void table_init_columns(struct table *t, const struct columns *columns);
int table_add(struct table *t, const struct cell *row);
size_t table_rows(const struct table *t);
size_t table_thin(struct table *t, size_t max_rows);
void table_clear(struct table *t);
void table_free(struct table *t);

#endif
