/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Tables that can be printed as text, CSV, JSON or HTML, with the same columns. */
#ifndef MEMSCOPE_TABLE_H
#define MEMSCOPE_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "lib/cells/cells.h"

enum table_format { TABLE_TEXT, TABLE_CSV, TABLE_JSON };

/*
 * The value of "schema_version", the first key of all JSON that the tools write.  It is
 * incremented when a key or column is removed, or changes its unit or meaning; not
 * when one is added.
 */
#define JSON_SCHEMA_VERSION 1

int table_print(struct table *t, enum table_format format, FILE *out);
int table_print_plot(struct table *t, FILE *out);
int table_print_part(struct table *t, enum table_format format, FILE *out, bool last);
int table_print_rows(const struct table *t, FILE *out);
int table_print_html(const struct table *t, size_t max_rows, const char *rank, FILE *out);

#endif
