// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The rows of a tool's view: the tool prints them as JSON. */
#include <stdio.h>
#include <string.h>

#include "program.h"
#include "rows.h"

/**
 * rows_read() - run a tool that prints a table as JSON
 * @argv: its name and arguments, with -f json, ended by NULL
 * @error: set to what went wrong, in the tool's own words if it has any
 * @size: size of @error
 *
 * Return: the rows, to be freed by json_decref(); or NULL with @error set.
 */
json_t *rows_read(const char *const *argv, char *error, size_t size)
{
	json_t *all = NULL, *rows = NULL;
	struct output_text text;
	json_error_t what;
	const char *line;

	program_capture(argv, &text);
	if (text.status) {
		line = last_line(text.err);
		/* The tool's name is on its messages. */
		snprintf(error, size, "%s%s", *line ? line : argv[0], *line ? "" : ": failed");
	} else {
		all = json_loads(text.out ? text.out : "", 0, &what);
		rows = json_incref(json_object_get(all, "rows"));
		if (!rows)
			snprintf(error, size, "%s %s %s: no rows", argv[0], argv[1], argv[2] ? argv[2] : "");
	}
	json_decref(all);
	output_text_free(&text);
	return rows;
}

/**
 * rows_none() - tell a recording in which there is nothing of a view from one that cannot be read
 * @error: of rows_read()
 *
 * A command of a run may be too short for an interval, or access no kernel memory while sampled:
 * what the other recorders have stands.
 *
 * Return: true if that is what @error says.
 */
bool rows_none(const char *error)
{
	static const char * const texts[] = {
		"no samples (dprof_sample) in", "no complete memref interval", "no user pages were referenced",
		"no virtual memory was referenced", "no sample says where its data were found", "no access matches",
	};
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (strstr(error, texts[i]))
			return true;
	return false;
}

/**
 * rows_item() - the row with a text in a column
 * @rows: the rows
 * @key: the column
 * @name: the text
 *
 * Return: the row, or NULL.
 */
json_t *rows_item(json_t *rows, const char *key, const char *name)
{
	json_t *row;
	size_t i;

	json_array_foreach(rows, i, row)
		if (!strcmp(row_text(row, key), name))
			return row;
	return NULL;
}

/**
 * row_number() - a number of a row
 * @row: the row; may be NULL
 * @column: the column
 *
 * Return: the number; 0 if it is unknown.
 */
double row_number(const json_t *row, const char *column)
{
	return json_number_value(json_object_get(row, column));
}

/**
 * row_text() - a text of a row
 * @row: the row; may be NULL
 * @column: the column
 *
 * Return: the text; "" if it is unknown.
 */
const char *row_text(const json_t *row, const char *column)
{
	const char *text = json_string_value(json_object_get(row, column));

	return text ? text : "";
}
