/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Intervals as tables with typed columns, for databases of many machines. */
#ifndef MEMREF_COLUMNS_H
#define MEMREF_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "memref/model/events.h"

/* Incremented when a column is removed, or changes its unit or meaning. */
#define COLUMNS_SCHEMA	1

enum columns_table { COLUMNS_GROUPS, COLUMNS_INTERVALS, COLUMNS_SERVICES, COLUMNS_AGES };

/**
 * struct columns_options - what is written
 * @table: the table
 * @host: name of the machine; NULL: as the recording has it
 * @boot: its boot_id; NULL: not known
 * @begin_ns: when the recording began, in ns since 1970; 0: its last interval ended when the
 *	file was last modified
 */
struct columns_options {
	enum columns_table table;
	const char *host, *boot;
	uint64_t begin_ns;
};

uint64_t columns_offset(const struct columns_options *o, const char *path, uint64_t begin_ns, uint64_t end_ns);
int columns_export(const struct columns_options *o, const char *path, const char *output);

struct columns;

struct columns *columns_new(enum columns_table table, const char *host, const char *boot);
void columns_free(struct columns *x);
void columns_print_header(enum columns_table table, FILE *f);
int columns_add(struct columns *x, const struct row *row, uint64_t offset_ns, FILE *f);
int columns_flush(struct columns *x, uint64_t offset_ns, FILE *f, bool end);

#endif
