// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Tables that can be printed as text, CSV, JSON or HTML, with the same columns. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "html.h"
#include "table.h"
#include "lib/cells/utf8.h"

static void format_real(int digits, double real, char *buf, size_t size)
{
	if (digits < 0)
		snprintf(buf, size, "%.*g", -digits, real);
	else
		snprintf(buf, size, "%.*f", digits, real);
	/* What rounds to nothing has no sign: -0.00 would be read as a loss. */
	if (*buf == '-' && !buf[strspn(buf, "-0.")])
		memmove(buf, buf + 1, strlen(buf));
}

/* A number of up to 308 digits fits. */
#define NUMBER_SIZE	512

/* The text of a cell: formatted in @buf, or the cell's own. */
static const char *cell_text(const struct table *t, size_t i, char buf[NUMBER_SIZE])
{
	const struct cell *cell = &t->cells[i];

	switch (cell->type) {
	case CELL_INT:
		snprintf(buf, NUMBER_SIZE, "%" PRIu64, cell->integer);
		break;
	case CELL_REAL:
		format_real(t->columns[i % t->nr_columns].digits, cell->real, buf, NUMBER_SIZE);
		break;
	case CELL_NONE:
		return "-";
	default:
		return cell->text;
	}
	return buf;
}

/* Print the text of a cell, padded to the width of its column: none follows a text in the last. */
static void print_padded(const struct table *t, int column, const char *text, FILE *out)
{
	const int blanks = t->widths[column] - utf8_width(text), last = t->nr_columns - 1;
	const bool left = t->columns[column].type == CELL_TEXT;

	fputs(column ? "  " : "", out);
	if (!left)
		fprintf(out, "%*s", blanks, "");
	utf8_print(out, text);
	if (left && column < last)
		fprintf(out, "%*s", blanks, "");
	if (column == last)
		fputc('\n', out);
}

/* Widths never shrink: earlier parts were printed with them.  Return: 0, or -1 if out of memory. */
static int measure_columns(struct table *t)
{
	char buf[NUMBER_SIZE];
	size_t i;
	int c, len;

	if (!t->widths) {
		t->widths = calloc(t->nr_columns, sizeof(*t->widths));
		if (!t->widths)
			return -1;
		for (c = 0; c < t->nr_columns; c++)
			t->widths[c] = strlen(t->columns[c].name);
	}
	for (i = 0; i < t->nr_cells; i++) {
		c = i % t->nr_columns;
		len = utf8_width(cell_text(t, i, buf));
		if (len > t->widths[c])
			t->widths[c] = len;
	}
	return 0;
}

static int print_text(struct table *t, FILE *out)
{
	char buf[NUMBER_SIZE];
	size_t i;
	int c;

	if (measure_columns(t))
		return -1;
	for (c = 0; c < t->nr_columns && !t->printed; c++)
		print_padded(t, c, t->columns[c].name, out);
	for (i = 0; i < t->nr_cells; i++)
		print_padded(t, i % t->nr_columns, cell_text(t, i, buf), out);
	return 0;
}

/* RFC 4180: quote a field if needed, and double quotes inside it. */
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
	char buf[NUMBER_SIZE];
	size_t i;
	int c;

	for (c = 0; c < t->nr_columns && !t->printed; c++)
		fprintf(out, "%s%s%s", c ? "," : "", t->columns[c].name, c == t->nr_columns - 1 ? "\n" : "");
	for (i = 0; i < t->nr_cells; i++) {
		c = i % t->nr_columns;
		if (c)
			fputc(',', out);
		if (t->cells[i].type == CELL_TEXT) {
			print_csv_text(t->cells[i].text, out);
		} else if (t->cells[i].type != CELL_NONE) {
			fputs(cell_text(t, i, buf), out);
		}
		if (c == t->nr_columns - 1)
			fputc('\n', out);
	}
}

/* Print integers directly: jansson's are signed. */
static int print_json_cell(const struct table *t, size_t i, FILE *out)
{
	const struct cell *cell = &t->cells[i];
	int digits = t->columns[i % t->nr_columns].digits, ret;
	json_t *value = NULL;
	char buf[NUMBER_SIZE];
	double real;

	switch (cell->type) {
	case CELL_INT:
		return fputs(cell_text(t, i, buf), out) < 0 ? -1 : 0;
	case CELL_REAL:
		/* The number that text and CSV show, digit by digit. */
		format_real(digits, cell->real, buf, sizeof(buf));
		if (!digits && fabs(cell->real) < 1e15)
			return fputs(buf, out) < 0 ? -1 : 0;
		real = strtod(buf, NULL);
		value = json_real(isfinite(real) ? real : cell->real);
		break;
	case CELL_NONE:
		value = json_null();
		break;
	case CELL_TEXT:
		value = json_string(cell->text);
		break;
	}
	ret = value ? json_dumpf(value, out, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15)) : -1;
	json_decref(value);
	return ret;
}

/* Print rows as objects of a JSON list, without its end; t->printed: the list has objects. */
static int print_objects(const struct table *t, FILE *out)
{
	bool any = t->printed;
	size_t i;
	int c;

	fputs(any ? "" : "[", out);
	for (i = 0; i < t->nr_cells; i++) {
		c = i % t->nr_columns;
		fprintf(out, "%s\n  \"%s\": ", !c && any ? ",\n {" : !c ? "\n {" : ",", t->columns[c].name);
		any = true;
		if (print_json_cell(t, i, out))
			return -1;
		if (c == t->nr_columns - 1)
			fputs("\n }", out);
	}
	return 0;
}

/**
 * table_print_rows() - print a table as a JSON list of objects
 * @t: the table
 * @out: output
 *
 * Return: 0, or -1 if writing failed.
 */
int table_print_rows(const struct table *t, FILE *out)
{
	if (print_objects(t, out))
		return -1;
	fputs(t->nr_cells ? "\n]" : "]", out);
	return ferror(out) ? -1 : 0;
}

static int print_json(const struct table *t, FILE *out, bool last)
{
	if (!t->printed)
		fprintf(out, "{\"schema_version\": %d, ", JSON_SCHEMA_VERSION);
	/* Needs no escapes: plausible.c writes digits and plain words only. */
	if (!t->printed && t->warning && *t->warning)
		fprintf(out, "\"warning\": \"%s\", ", t->warning);
	else if (!t->printed && t->warning)
		fputs("\"warning\": null, ", out);
	if (!t->printed)
		fputs("\"rows\": ", out);
	if (print_objects(t, out))
		return -1;
	if (last)
		fputs(t->printed || t->nr_cells ? "\n]}\n" : "]}\n", out);
	return 0;
}

static int print_rows(struct table *t, enum table_format format, FILE *out, bool last)
{
	int ret = 0;

	switch (format) {
	case TABLE_TEXT: ret = print_text(t, out); break;
	case TABLE_CSV: print_csv(t, out); break;
	case TABLE_JSON: ret = print_json(t, out, last); break;
	}
	return ret || fflush(out) || ferror(out) ? -1 : 0;
}

/**
 * table_print() - print a table
 * @t: the table
 * @format: the format
 * @out: output
 *
 * Return: 0, or -1 if writing failed, or out of memory.
 */
int table_print(struct table *t, enum table_format format, FILE *out)
{
	return print_rows(t, format, out, true);
}

/**
 * table_print_plot() - print a table as CSV for gnuplot, which reads a line as a row
 * @t: the table; in its texts, newlines become blanks, and quotes, which split cells there, single ones
 * @out: output
 *
 * Return: 0, or -1 if writing failed.
 */
int table_print_plot(struct table *t, FILE *out)
{
	char *c;
	size_t i;

	for (i = 0; i < t->nr_cells; i++)
		for (c = t->cells[i].type == CELL_TEXT ? t->cells[i].text : ""; *c; c++)
			if (*c == '\n')
				*c = ' ';
			else if (*c == '"')
				*c = '\'';
	return table_print(t, TABLE_CSV, out);
}

/**
 * table_print_part() - print the rows of a long table so far, and remove them
 * @t: the table; more rows may be added afterwards
 * @format: the format; text columns are as wide as the rows so far need
 * @out: output
 * @last: no part follows
 *
 * Return: 0, or -1 if writing failed, or out of memory.
 */
int table_print_part(struct table *t, enum table_format format, FILE *out, bool last)
{
	int ret = t->nr_cells || last ? print_rows(t, format, out, last) : 0;

	t->printed |= t->nr_cells > 0;
	table_clear(t);
	return ret;
}

static void print_html_row(const struct table *t, size_t row, FILE *out)
{
	char buf[NUMBER_SIZE];
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
		fprintf(out, "<td>%s", cell_text(t, i, buf));
	}
}

static double cell_number(const struct cell *cell)
{
	switch (cell->type) {
	case CELL_INT: return cell->integer;
	case CELL_REAL: return cell->real;
	default: return -INFINITY;
	}
}

/* A row and what it is ranked by. */
struct ranked {
	size_t row;
	double value;
};

/* The largest first; equal ones as they are. */
static int by_value(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? 1 : -1;
	return x->row < y->row ? -1 : x->row > y->row;
}

/* The order in which a page shows the rows, to be freed; NULL if out of memory. */
static struct ranked *rank_rows(const struct table *t, const char *rank)
{
	const size_t rows = table_rows(t);
	struct ranked *order = malloc((rows + 1) * sizeof(*order));
	size_t i;
	int c = 0;

	while (rank && c < t->nr_columns && strcmp(t->columns[c].name, rank))
		c++;
	for (i = 0; order && i < rows; i++)
		order[i] = (struct ranked){ i, !rank || c == t->nr_columns ? 0 :
					    cell_number(&t->cells[i * t->nr_columns + c]) };
	if (order)
		qsort(order, rows, sizeof(*order), by_value);
	return order;
}

/**
 * table_print_html() - print a table as part of an HTML page
 * @t: the table; its summary rows are printed first
 * @max_rows: maximal number of other rows
 * @rank: column whose largest values come first; NULL: rows in their order
 * @out: the page
 *
 * Return: 0, or -1 if writing failed, or out of memory.
 */
int table_print_html(const struct table *t, size_t max_rows, const char *rank, FILE *out)
{
	const size_t rows = table_rows(t);
	struct ranked *order = rank_rows(t, rank);
	size_t i;
	int c;

	if (!order)
		return -1;
	fputs("<table>\n<thead><tr>", out);
	for (c = 0; c < t->nr_columns; c++) {
		fputs(t->columns[c].type == CELL_TEXT ? "<th scope=\"col\" class=\"text\"" : "<th scope=\"col\"", out);
		if (t->columns[c].meaning) {
			fputs(" title=\"", out);
			html_text(out, t->columns[c].meaning);
			fputc('"', out);
		}
		fputc('>', out);
		html_text(out, t->columns[c].name);
		fputs("</th>", out);
	}
	fputs("</tr></thead>\n<tbody>", out);
	for (i = 0; i < t->nr_summary; i++)
		print_html_row(t, rows + i, out);
	for (i = 0; i < rows && i < max_rows; i++)
		print_html_row(t, order[i].row, out);
	fputs("\n</tbody></table>\n", out);
	free(order);
	return ferror(out) ? -1 : 0;
}
