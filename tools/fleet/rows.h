/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Rows of columns that hosts sent: checks, and the form that ClickHouse reads. */
#ifndef FLEET_ROWS_H
#define FLEET_ROWS_H

#include <inttypes.h>
#include <stdio.h>

#include "fleet.h"

/* What becomes of a row: accepted, or why it is refused. */
enum verdict {
	ROW_ACCEPTED, ROW_SCHEMA, ROW_OTHER_HOST, ROW_FUTURE, ROW_TIME, ROW_BOOT, ROW_SERVICE, ROW_NUMBER,
	ROW_MEMORY, ROW_NONE, NR_VERDICTS,
};
extern const char * const verdict_name[NR_VERDICTS];

/* The columns of a row as row_write() writes them, behind the number of the import. */
extern const char * const row_columns[NR_TABLES];

#define MAX_FIELDS	16

/**
 * struct row - a row that was checked
 * @nr: number of fields
 * @text: fields as text
 * @value: fields as numbers
 * @known: the field is a number
 */
struct row {
	int nr;
	char *text[MAX_FIELDS];
	int64_t value[MAX_FIELDS];
	int known[MAX_FIELDS];
};

enum verdict row_check(int table, char *line, size_t length, const char *host, uint64_t now_ns, struct row *row);
void row_write(int table, const struct row *row, uint64_t import, FILE *f);

#endif
