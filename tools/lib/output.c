// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Options of verbs that print a table: its format, its destination, and its columns explained. */
#include <string.h>

#include "complain.h"
#include "outfile.h"
#include "output.h"

/* Where the meaning of a column begins. */
#define EXPLAIN_COLUMN 24

/**
 * output_table() - print a table and free it
 * @o: format and destination
 * @t: the table
 * @failed: the table is incomplete, out of memory: print an error instead
 *
 * Return: OK, or FAILED with a message printed.
 */
int output_table(const struct output *o, struct table *t, int failed)
{
	struct outfile out;

	if (failed)
		complain(FAILED, "no memory left");
	else if (outfile_open(&out, o->path))
		failed = 1;
	else
		failed = outfile_close(&out, table_print(t, o->format, out.f));
	table_free(t);
	return failed ? FAILED : OK;
}

/**
 * output_nothing() - print the columns of a table that has no rows because options match nothing
 * @o: format and destination; a file is left as it is
 * @t: the table, freed
 *
 * Return: FAILED: the caller has printed which options match nothing.
 */
int output_nothing(const struct output *o, struct table *t)
{
	if (!o->path || !strcmp(o->path, "-"))
		output_table(o, t, 0);
	else
		table_free(t);
	return FAILED;
}

/* As a list of definitions: a row of a table would be wider than a screen. */
static int print_definitions(const struct columns *columns, FILE *f)
{
	char text[1024];
	int i;

	for (i = 0; i < columns->nr; i++) {
		const struct column *c = &columns->all[i];

		snprintf(text, sizeof(text), "%s%s%s%s%s%s", c->meaning, *c->unit ? " (" : "", c->unit,
			 *c->unit ? ")" : "", c->unknown ? "; -: " : "", c->unknown ? c->unknown : "");
		help_row(f, c->name, text, EXPLAIN_COLUMN);
	}
	return ferror(f) ? -1 : 0;
}

static const struct columns about = COLUMNS(
	{ "column", CELL_TEXT, 0, "", "name of the column" },
	{ "unit", CELL_TEXT, 0, "", "what it counts; empty: nothing, or words" },
	{ "meaning", CELL_TEXT, 0, "", "what its cells mean" },
	{ "unknown", CELL_TEXT, 0, "", "when a cell is unknown: -, empty in CSV, null in JSON", "never" },
);

/**
 * output_explain() - print what the columns of a table mean
 * @o: format and destination; text is for people, CSV and JSON have a row for each column
 * @columns: the columns
 *
 * Return: OK, or FAILED with a message printed.
 */
int output_explain(const struct output *o, const struct columns *columns)
{
	struct outfile out;
	struct table t;
	int i, failed = 0;

	table_init_columns(&t, &about);
	for (i = 0; i < columns->nr && !failed; i++) {
		const struct column *c = &columns->all[i];

		failed = table_add(&t, (struct cell[]){ TEXT_CELL(c->name), TEXT_CELL(c->unit), TEXT_CELL(c->meaning),
					c->unknown ? TEXT_CELL(c->unknown) : NONE_CELL });
	}
	if (o->format != TABLE_TEXT || failed)
		return output_table(o, &t, failed);
	table_free(&t);
	if (outfile_open(&out, o->path))
		return FAILED;
	return outfile_close(&out, print_definitions(columns, out.f)) ? FAILED : OK;
}
