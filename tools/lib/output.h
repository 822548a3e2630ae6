/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The options of verbs that print a table: in which format, and where to. */
#ifndef MEMSCOPE_OUTPUT_H
#define MEMSCOPE_OUTPUT_H

#include "options.h"
#include "table.h"

/**
 * struct output - what the options said
 * @format: of a table
 * @path: of the file, or NULL for standard output
 */
struct output {
	enum table_format format;
	const char *path;
};

/* Rows of a table of options. */
#define OUTPUT_OPTIONS(output) \
	OPT_WORD('f', "format", "text|csv|json", &(output)->format, "default text"), \
	OPT_TEXT('o', "output", "FILE", &(output)->path, \
		 "default standard output; appears when it is whole"), \
	OPT_CHANGED('F', NULL, "-f, --format")

int output_table(const struct output *o, struct table *t, int failed);

#endif
