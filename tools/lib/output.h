/* SPDX-License-Identifier: GPL-2.0 */
/* The options of verbs that print a table: in which format, and where to. */
#ifndef MEMSCOPE_OUTPUT_H
#define MEMSCOPE_OUTPUT_H

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

/* For getopt_long(); its cases are 'F' and 'o'. */
#define OUTPUT_LETTERS	"F:o:"
#define OUTPUT_OPTIONS	{ "format", 1, NULL, 'F' }, { "output", 1, NULL, 'o' }

extern const char output_usage[];

int output_option(struct output *o, int c, const char *arg);
int output_table(const struct output *o, struct table *t, int failed);

#endif
