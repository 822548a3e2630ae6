/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Options of verbs that print a table: its format and its destination. */
#ifndef MEMSCOPE_OUTPUT_H
#define MEMSCOPE_OUTPUT_H

#include <stdbool.h>

#include "options.h"
#include "table.h"

/**
 * struct output - format and destination of a table
 * @format: the format
 * @path: the file, or NULL for standard output
 * @explain: print the meanings of the columns instead, see output_explain()
 */
struct output {
	enum table_format format;
	const char *path;
	bool explain;
};

/* Rows for a verb's option table. */
#define OUTPUT_OPTIONS(output) \
	OPT_WORD('f', "format", "text|csv|json", &(output)->format, "default text"), \
	OPT_TEXT('o', "output", "FILE", &(output)->path, \
		 "output file, created when complete (default standard output)"), \
	OPT_INSTEAD(0, "explain", &(output)->explain, "print the meaning of each column instead"), \
	OPT_CHANGED('F', NULL, "-f, --format")

int output_explain(const struct output *o, const struct columns *columns);
int output_nothing(const struct output *o, struct table *t);
int output_table(const struct output *o, struct table *t, int failed);

#endif
