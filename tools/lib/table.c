// SPDX-License-Identifier: GPL-2.0
/* A table that prints itself as text, CSV or JSON, with the same columns. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "html.h"
#include "table.h"

/**
 * table_init() - begin an empty table
 * @t: the table; free it with table_free()
 * @columns: its columns; they must outlive it
 * @nr_columns: how many
 */
void table_init(struct table *t, const struct column *columns, int nr_columns)
{
	memset(t, 0, sizeof(*t));
	t->columns = columns;
	t->nr_columns = nr_columns;
}

/**
 * table_add() - add a row
 * @t: the table
 * @row: a cell for each column; texts are copied.  A cell may be of another
 *	type than its column.
 *
 * Return: 0, or -1 without memory.
 */
int table_add(struct table *t, const struct cell *row)
{
	int i;

	if (t->nr_cells + t->nr_columns > t->room) {
		size_t room = (t->room ? t->room * 2 : 64) + t->nr_columns;
		struct cell *cells = realloc(t->cells, room * sizeof(*cells));

		if (!cells)
			return -1;
		t->cells = cells;
		t->room = room;
	}
	for (i = 0; i < t->nr_columns; i++) {
		struct cell cell = row[i];

		if (cell.type == CELL_TEXT) {
			cell.text = strdup(cell.text);
			if (!cell.text)
				return -1;
		}
		t->cells[t->nr_cells++] = cell;
	}
	return 0;
}

static int format_real(int digits, double real, char *buf, size_t size)
{
	return digits < 0 ? snprintf(buf, size, "%.*g", -digits, real) :
			    snprintf(buf, size, "%.*f", digits, real);
}

static int format_cell(const struct table *t, size_t i, char *buf, size_t size)
{
	const struct cell *cell = &t->cells[i];

	switch (cell->type) {
	case CELL_INT:
		return snprintf(buf, size, "%" PRIu64, cell->integer);
	case CELL_REAL:
		return format_real(t->columns[i % t->nr_columns].digits, cell->real, buf, size);
	case CELL_NONE:
		return snprintf(buf, size, "-");
	default:
		return snprintf(buf, size, "%s", cell->text);
	}
}

static void print_text(const struct table *t, FILE *out)
{
	int *width = calloc(t->nr_columns, sizeof(*width));
	char buf[256];
	size_t i;
	int c;

	if (!width)
		return;
	for (c = 0; c < t->nr_columns; c++)
		width[c] = strlen(t->columns[c].name);
	for (i = 0; i < t->nr_cells; i++) {
		int len = format_cell(t, i, buf, sizeof(buf));

		c = i % t->nr_columns;
		if (len > width[c])
			width[c] = len;
	}
	for (c = 0; c < t->nr_columns; c++)
		fprintf(out, "%s%*s", c ? "  " : "",
			t->columns[c].type == CELL_TEXT ? -width[c] : width[c],
			t->columns[c].name);
	fputc('\n', out);
	for (i = 0; i < t->nr_cells; i++) {
		c = i % t->nr_columns;
		format_cell(t, i, buf, sizeof(buf));
		fprintf(out, "%s%*s", c ? "  " : "",
			t->columns[c].type == CELL_TEXT ? -width[c] : width[c], buf);
		if (c == t->nr_columns - 1)
			fputc('\n', out);
	}
	free(width);
}

/* RFC 4180: quotes around what needs them, doubled inside. */
static void print_csv_text(const char *text, FILE *out)
{
	if (!strpbrk(text, ",\"\n\r")) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static void print_csv(const struct table *t, FILE *out)
{
	char buf[256];
	size_t i;
	int c;

	for (c = 0; c < t->nr_columns; c++)
		fprintf(out, "%s%s", c ? "," : "", t->columns[c].name);
	fputc('\n', out);
	for (i = 0; i < t->nr_cells; i++) {
		c = i % t->nr_columns;
		if (c)
			fputc(',', out);
		if (t->cells[i].type == CELL_TEXT) {
			print_csv_text(t->cells[i].text, out);
		} else if (t->cells[i].type != CELL_NONE) {
			format_cell(t, i, buf, sizeof(buf));
			fputs(buf, out);
		}
		if (c == t->nr_columns - 1)
			fputc('\n', out);
	}
}

static json_t *json_cell(const struct table *t, size_t i)
{
	const struct cell *cell = &t->cells[i];
	int digits = t->columns[i % t->nr_columns].digits;
	char buf[64];
	double scale;

	switch (cell->type) {
	case CELL_INT:
		return json_integer(cell->integer);
	case CELL_REAL:
		/* The digits that text and CSV show, not more. */
		if (digits < 0) {
			format_real(digits, cell->real, buf, sizeof(buf));
			return json_real(strtod(buf, NULL));
		}
		scale = pow(10, digits);
		return json_real(round(cell->real * scale) / scale);
	case CELL_NONE:
		return json_null();
	default:
		return json_string(cell->text);
	}
}

static int print_json(const struct table *t, FILE *out)
{
	json_t *rows = json_array();
	json_t *row = NULL;
	size_t i;
	int ret;

	for (i = 0; i < t->nr_cells; i++) {
		if (i % t->nr_columns == 0) {
			row = json_object();
			json_array_append_new(rows, row);
		}
		json_object_set_new(row, t->columns[i % t->nr_columns].name, json_cell(t, i));
	}
	ret = json_dumpf(rows, out, JSON_INDENT(1) | JSON_REAL_PRECISION(15));
	fputc('\n', out);
	json_decref(rows);
	return ret;
}

/**
 * table_print() - print a table
 * @t: the table
 * @format: how
 * @out: where to
 *
 * Return: 0, or -1 if it could not be written.
 */
int table_print(const struct table *t, enum table_format format, FILE *out)
{
	int ret = 0;

	switch (format) {
	case TABLE_TEXT: print_text(t, out); break;
	case TABLE_CSV: print_csv(t, out); break;
	case TABLE_JSON: ret = print_json(t, out); break;
	}
	return ret || fflush(out) || ferror(out) ? -1 : 0;
}

/** table_rows() - rows, but those that are of the others together */
size_t table_rows(const struct table *t)
{
	return t->nr_cells / t->nr_columns - t->nr_summary;
}

static void print_html_row(const struct table *t, size_t row, FILE *out)
{
	char buf[64];
	size_t i;
	int c;

	fputs("\n<tr>", out);
	for (c = 0; c < t->nr_columns; c++) {
		i = row * t->nr_columns + c;
		if (t->cells[i].type == CELL_TEXT) {
			fputs("<td class=\"text\">", out);
			html_text(out, t->cells[i].text);
			continue;
		}
		format_cell(t, i, buf, sizeof(buf));
		fprintf(out, "<td>%s", buf);
	}
}

/**
 * table_print_html() - print a table as a part of a page
 * @t: the table
 * @max_rows: how many of its rows, from the first, behind those of all rows together
 * @out: the page
 *
 * Return: 0, or -1 if it could not be written.
 */
int table_print_html(const struct table *t, size_t max_rows, FILE *out)
{
	const size_t rows = table_rows(t);
	size_t i;
	int c;

	fputs("<table>\n<tr>", out);
	for (c = 0; c < t->nr_columns; c++) {
		fputs("<th>", out);
		html_text(out, t->columns[c].name);
	}
	for (i = 0; i < t->nr_summary; i++)
		print_html_row(t, rows + i, out);
	for (i = 0; i < rows && i < max_rows; i++)
		print_html_row(t, i, out);
	fputs("\n</table>\n", out);
	return ferror(out) ? -1 : 0;
}

/**
 * table_free() - free the rows of a table
 * @t: the table
 */
void table_free(struct table *t)
{
	size_t i;

	for (i = 0; i < t->nr_cells; i++)
		if (t->cells[i].type == CELL_TEXT)
			free(t->cells[i].text);
	free(t->cells);
}

/**
 * table_format_parse() - a format by its name
 * @name: text, csv or json
 * @format: where to put it
 *
 * Return: 0, or -1 for another name.
 */
int table_format_parse(const char *name, enum table_format *format)
{
	static const char * const names[] = { "text", "csv", "json" };
	int i;

	for (i = 0; i < 3; i++) {
		if (!strcmp(name, names[i])) {
			*format = i;
			return 0;
		}
	}
	return -1;
}
