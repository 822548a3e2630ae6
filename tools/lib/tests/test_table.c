// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* A table says the same in text, CSV, JSON and HTML. */
#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "lib/table.h"

static const struct column columns[] = {
	{ "name", CELL_TEXT, 0 }, { "pages", CELL_INT, 0 }, { "time_s", CELL_REAL, 3 },
};

static char *print(enum table_format format)
{
	const struct cell rows[][3] = {
		{ TEXT_CELL("a"), INT_CELL(18446744073709551615ULL), REAL_CELL(0.5) },
		{ TEXT_CELL("b, \"c\""), INT_CELL(7), REAL_CELL(12.34567) },
		{ TEXT_CELL("none"), NONE_CELL, NONE_CELL },
	};
	struct table t;
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	table_init(&t, columns, 3);
	assert_int_equal(table_add(&t, rows[0]), 0);
	assert_int_equal(table_add(&t, rows[1]), 0);
	assert_int_equal(table_add(&t, rows[2]), 0);
	assert_int_equal(table_print(&t, format, f), 0);
	fclose(f);
	table_free(&t);
	return text;
}

static void text(void **state)
{
	char *got = print(TABLE_TEXT);

	(void)state;
	assert_string_equal(got,
			    "name                   pages  time_s\n"
			    "a       18446744073709551615   0.500\n"
			    "b, \"c\"                     7  12.346\n"
			    "none                       -       -\n");
	free(got);
}

/* A long text in the last column of one row does not make every line as long. */
static void lines_end_with_their_text(void **state)
{
	static const struct column two[] = { { "name", CELL_TEXT, 0 }, { "about", CELL_TEXT, 0 } };
	struct table t;
	char *got;
	size_t size;
	FILE *f = open_memstream(&got, &size);

	(void)state;
	table_init(&t, two, 2);
	assert_int_equal(table_add(&t, (struct cell[]){ TEXT_CELL("\303\274"), TEXT_CELL("a longer text") }), 0);
	assert_int_equal(table_add(&t, (struct cell[]){ TEXT_CELL("nodes"), TEXT_CELL("short") }), 0);
	assert_int_equal(table_add(&t, (struct cell[]){ NONE_CELL, NONE_CELL }), 0);
	assert_int_equal(table_print(&t, TABLE_TEXT, f), 0);
	fclose(f);
	assert_string_equal(got, "name   about\n"
				 "\303\274      a longer text\n"
				 "nodes  short\n"
				 "-      -\n");
	free(got);
	table_free(&t);
}

static void csv(void **state)
{
	char *got = print(TABLE_CSV);

	(void)state;
	assert_string_equal(got, "name,pages,time_s\n"
				 "a,18446744073709551615,0.500\n"
				 "\"b, \"\"c\"\"\",7,12.346\n"
				 "none,,\n");
	free(got);
}

static void json(void **state)
{
	char *got = print(TABLE_JSON);
	/* jansson has no integer for the largest. */
	json_t *whole = json_loads(got, JSON_DECODE_INT_AS_REAL, NULL), *rows = json_object_get(whole, "rows"), *row;

	(void)state;
	assert_non_null(rows);
	assert_true(json_real_value(json_object_get(whole, "schema_version")) == JSON_SCHEMA_VERSION);
	assert_int_equal(json_array_size(rows), 3);
	row = json_array_get(rows, 1);
	assert_string_equal(json_string_value(json_object_get(row, "name")), "b, \"c\"");
	assert_true(json_real_value(json_object_get(row, "pages")) == 7);
	assert_true(json_real_value(json_object_get(row, "time_s")) == 12.346);
	assert_true(json_is_null(json_object_get(json_array_get(rows, 2), "time_s")));
	json_decref(whole);
	free(got);
}

static void html(void **state)
{
	const struct cell row[3] = { TEXT_CELL("<b>"), INT_CELL(1), REAL_CELL(0.5) };
	char got[512] = "";
	FILE *f = fmemopen(got, sizeof(got), "w");
	struct table t;

	(void)state;
	table_init(&t, columns, 3);
	assert_int_equal(table_add(&t, row), 0);
	assert_int_equal(table_add(&t, row), 0);
	assert_int_equal(table_print_html(&t, 1, NULL, f), 0);
	fclose(f);
	assert_string_equal(got, "<table>\n<thead><tr><th scope=\"col\" class=\"text\">name</th><th scope=\"col\">pages</th>"
				 "<th scope=\"col\">time_s</th></tr></thead>\n<tbody>\n"
				 "<tr><td class=\"text\">&lt;b&gt;<td>1<td>0.500\n</tbody></table>\n");
	table_free(&t);
}

/* What is of all rows together comes first and is not cut, nor is a long text. */
static void html_summary_first(void **state)
{
	const struct cell rows[][3] = {
		{ TEXT_CELL("first"), INT_CELL(1), REAL_CELL(1) }, { TEXT_CELL("second"), INT_CELL(2), REAL_CELL(2) },
		{ TEXT_CELL("all"), INT_CELL(3), REAL_CELL(3) }, { TEXT_CELL("peak"), INT_CELL(2), NONE_CELL },
	};
	char got[2048] = "", name[1001];
	struct cell long_row[3] = { TEXT_CELL(name), NONE_CELL, NONE_CELL };
	FILE *f = fmemopen(got, sizeof(got), "w");
	struct table t;
	int i;

	(void)state;
	memset(name, 'x', 1000);
	name[1000] = '\0';
	table_init(&t, columns, 3);
	for (i = 0; i < 4; i++)
		assert_int_equal(table_add(&t, rows[i]), 0);
	t.nr_summary = 2;
	assert_int_equal(table_rows(&t), 2);
	assert_int_equal(table_print_html(&t, 1, NULL, f), 0);
	fclose(f);
	assert_string_equal(got, "<table>\n<thead><tr><th scope=\"col\" class=\"text\">name</th><th scope=\"col\">pages</th>"
				 "<th scope=\"col\">time_s</th></tr></thead>\n<tbody>\n"
				 "<tr><td class=\"text\">all<td>3<td>3.000\n"
				 "<tr><td class=\"text\">peak<td>2<td>-\n"
				 "<tr><td class=\"text\">first<td>1<td>1.000\n</tbody></table>\n");
	table_free(&t);
	f = fmemopen(got, sizeof(got), "w");
	table_init(&t, columns, 3);
	assert_int_equal(table_add(&t, long_row), 0);
	assert_int_equal(table_print_html(&t, 1, NULL, f), 0);
	fclose(f);
	assert_non_null(strstr(got, name));
	table_free(&t);
}

static const struct column ranked[] = {
	{ "name", CELL_TEXT, 0, "", "what <it> is" }, { "pages", CELL_INT, 0 },
};

/* "3 1 2 0": the pages of the rows, as a page has them. */
static void shown(size_t max_rows, size_t thin, const char *rank, const char *expected)
{
	const uint64_t pages[] = { 5, 40, 0, 40, 7 };
	char got[1024] = "", order[64] = "";
	FILE *f = fmemopen(got, sizeof(got), "w");
	const char *cell;
	struct table t;
	size_t i;

	table_init(&t, ranked, 2);
	for (i = 0; i < 5; i++)
		assert_int_equal(table_add(&t, (struct cell[]){ TEXT_CELL("name"), i == 2 ? NONE_CELL : INT_CELL(pages[i]) }), 0);
	assert_int_equal(table_add(&t, (struct cell[]){ TEXT_CELL("all"), INT_CELL(92) }), 0);
	t.nr_summary = 1;
	if (thin)
		assert_int_equal(table_thin(&t, thin), (5 + thin - 1) / thin);
	assert_int_equal(table_print_html(&t, max_rows, rank, f), 0);
	fclose(f);
	assert_non_null(strstr(got, "<th scope=\"col\" class=\"text\" title=\"what &lt;it&gt; is\">name</th>"));
	for (cell = got; (cell = strstr(cell, "<td>")); cell += 4)
		snprintf(order + strlen(order), sizeof(order) - strlen(order), "%.*s ", (int)strcspn(cell + 4, "\n"), cell + 4);
	assert_string_equal(order, expected);
	table_free(&t);
}

/* The largest first, equal ones in their order, unknown ones last; the summary is not ranked. */
static void html_ranked(void **state)
{
	(void)state;
	shown(5, 0, NULL, "92 5 40 - 40 7 ");
	shown(5, 0, "pages", "92 40 40 7 5 - ");
	shown(2, 0, "pages", "92 40 40 ");
	shown(5, 0, "no such column", "92 5 40 - 40 7 ");
}

/* Rows at equal distances are left, and the summary. */
static void thinned(void **state)
{
	(void)state;
	shown(5, 5, NULL, "92 5 40 - 40 7 ");
	shown(5, 3, NULL, "92 5 - 7 ");
	shown(5, 2, NULL, "92 5 40 ");
	shown(5, 1, NULL, "92 5 ");
}

/* Nothing is cut where the disk is full. */
static void full(void **state)
{
	const struct cell row[3] = { TEXT_CELL("a"), INT_CELL(1), REAL_CELL(1) };
	FILE *f = fopen("/dev/full", "w");
	struct table t;

	(void)state;
	assert_non_null(f);
	table_init(&t, columns, 3);
	assert_int_equal(table_add(&t, row), 0);
	assert_int_equal(table_print(&t, TABLE_CSV, f), -1);
	fclose(f);
	table_free(&t);
}

static void significant(void **state)
{
	static const struct column column = { "time_s", CELL_REAL, SIGNIFICANT(3) };
	const struct cell small = REAL_CELL(1.23456e-6), large = REAL_CELL(98765.4);
	char *text[2];
	size_t size;
	int i;

	(void)state;
	for (i = 0; i < 2; i++) {
		FILE *f = open_memstream(&text[i], &size);
		struct table t;

		table_init(&t, &column, 1);
		assert_int_equal(table_add(&t, &small), 0);
		assert_int_equal(table_add(&t, &large), 0);
		assert_int_equal(table_print(&t, i ? TABLE_JSON : TABLE_CSV, f), 0);
		fclose(f);
		table_free(&t);
	}
	assert_string_equal(text[0], "time_s\n1.23e-06\n9.88e+04\n");
	assert_non_null(strstr(text[1], "\"time_s\": 1.23e-6"));
	assert_non_null(strstr(text[1], "\"time_s\": 98800.0"));
	free(text[0]);
	free(text[1]);
}

/* A row of one cell, printed. */
static char *print_cell(struct cell cell, const struct column *column, enum table_format format)
{
	struct table t;
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	table_init(&t, column, 1);
	assert_int_equal(table_add(&t, &cell), 0);
	assert_int_equal(table_print(&t, format, f), 0);
	fclose(f);
	table_free(&t);
	return text;
}

static void expect(struct cell cell, enum table_format format, const char *expected)
{
	char *got = print_cell(cell, &columns[cell.type == CELL_TEXT ? 0 : cell.type == CELL_INT ? 1 : 2],
			       format);

	assert_string_equal(got, expected);
	free(got);
}

#define JSON(rows) "{\"schema_version\": 1, \"rows\": " rows "}\n"

/* Ties and what binary numbers make of them: the same last digit in all formats. */
static void json_has_the_digits_of_csv(void **state)
{
	const double reals[] = { 0.5, 1.5, 2.5, 248.5, -248.5, 0.125, 0.375, 1.005, 1.0005, 2.675, 0.0625, 1e12 + 0.5, 1e17 };
	struct column column = { "time_s", CELL_REAL, 0 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(reals) / sizeof(*reals); i++)
		for (column.digits = 0; column.digits < 4; column.digits++) {
			char *csv = print_cell(REAL_CELL(reals[i]), &column, TABLE_CSV);
			char *json = print_cell(REAL_CELL(reals[i]), &column, TABLE_JSON);
			const char *shown = strstr(json, "\"time_s\": ") + 10;

			assert_true(strtod(strchr(csv, '\n'), NULL) == strtod(shown, NULL));
			/* Without digits it is an integer in both. */
			if (!column.digits && reals[i] < 1e15)
				assert_int_equal(shown[strspn(shown, " -0123456789")], '\n');
			free(csv);
			free(json);
		}
}

static void names_that_are_not_utf8_stay_in_json(void **state)
{
	(void)state;
	expect(TEXT_CELL("Pr\374f"), TABLE_JSON, JSON("[\n {\n  \"name\": \"Pr\357\277\275f\"\n }\n]"));
	expect(TEXT_CELL("Pr\374f"), TABLE_CSV, "name\nPr\357\277\275f\n");
	/* As wide as its heading: padded by characters, not by bytes. */
	expect(TEXT_CELL("\303\274"), TABLE_TEXT, "name\n\303\274\n");
}

static void a_row_of_a_plot_is_a_line(void **state)
{
	static const struct column columns[] = { { "n", CELL_INT }, { "name", CELL_TEXT } };
	char *text = NULL;
	struct table t;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	(void)state;
	table_init(&t, columns, 2);
	assert_int_equal(table_add(&t, (struct cell[]){ INT_CELL(1), TEXT_CELL("two\n\"lines\"\n") }), 0);
	assert_int_equal(table_print_plot(&t, f), 0);
	fclose(f);
	assert_string_equal(text, "n,name\n1,two 'lines' \n");
	free(text);
	table_free(&t);
}

static void escapes_reach_no_terminal(void **state)
{
	(void)state;
	expect(TEXT_CELL("a\033[2Jb"), TABLE_TEXT, "name\na\357\277\275[2Jb\n");
}

static void addresses_above_2_63_stay_unsigned(void **state)
{
	(void)state;
	expect(INT_CELL(0xffff888012345000), TABLE_JSON, JSON("[\n {\n  \"pages\": 18446612682375450624\n }\n]"));
	expect(INT_CELL(0xffff888012345000), TABLE_CSV, "pages\n18446612682375450624\n");
}

static void what_is_no_number_is_not_known(void **state)
{
	(void)state;
	expect(REAL_CELL(NAN), TABLE_JSON, JSON("[\n {\n  \"time_s\": null\n }\n]"));
	expect(REAL_CELL(-INFINITY), TABLE_TEXT, "time_s\n     -\n");
	expect(REAL_CELL(NAN), TABLE_CSV, "time_s\n\n");
}

static void nothing_has_no_sign(void **state)
{
	(void)state;
	expect(REAL_CELL(-0.0004), TABLE_CSV, "time_s\n0.000\n");
	expect(REAL_CELL(-0.0), TABLE_TEXT, "time_s\n 0.000\n");
	expect(REAL_CELL(-0.0004), TABLE_JSON, JSON("[\n {\n  \"time_s\": 0.0\n }\n]"));
	expect(REAL_CELL(-0.0006), TABLE_CSV, "time_s\n-0.001\n");
}

static void long_cells_are_whole(void **state)
{
	char advice[2001], *text, *csv;

	(void)state;
	memset(advice, 'x', sizeof(advice) - 1);
	advice[sizeof(advice) - 1] = 0;
	text = print_cell(TEXT_CELL(advice), columns, TABLE_TEXT);
	csv = print_cell(TEXT_CELL(advice), columns, TABLE_CSV);
	assert_int_equal(strspn(strchr(text, '\n') + 1, "x"), sizeof(advice) - 1);
	assert_int_equal(strspn(strchr(csv, '\n') + 1, "x"), sizeof(advice) - 1);
	free(text);
	free(csv);
}

static void empty_json(void **state)
{
	struct table t;
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	(void)state;
	table_init(&t, columns, 3);
	assert_int_equal(table_print(&t, TABLE_JSON, f), 0);
	fclose(f);
	assert_string_equal(text, JSON("[]"));
	free(text);
}

/* In as many parts as there are rows. */
static char *print_parts(enum table_format format, int rows)
{
	struct table t;
	char *got;
	size_t size;
	FILE *f = open_memstream(&got, &size);
	int i;

	table_init(&t, columns, 3);
	for (i = 0; i < rows; i++) {
		assert_int_equal(table_add(&t, (struct cell[]){ TEXT_CELL("name"), INT_CELL(i), REAL_CELL(i) }), 0);
		assert_int_equal(table_print_part(&t, format, f, false), 0);
		assert_int_equal(t.nr_cells, 0);
	}
	assert_int_equal(table_print_part(&t, format, f, true), 0);
	fclose(f);
	table_free(&t);
	return got;
}

static char *print_whole(enum table_format format, int rows)
{
	struct table t;
	char *got;
	size_t size;
	FILE *f = open_memstream(&got, &size);
	int i;

	table_init(&t, columns, 3);
	for (i = 0; i < rows; i++)
		assert_int_equal(table_add(&t, (struct cell[]){ TEXT_CELL("name"), INT_CELL(i), REAL_CELL(i) }), 0);
	assert_int_equal(table_print(&t, format, f), 0);
	fclose(f);
	table_free(&t);
	return got;
}

/* A long table needs no memory for all of its rows. */
static void parts_are_the_whole(void **state)
{
	int format, rows;

	(void)state;
	for (format = TABLE_TEXT; format <= TABLE_JSON; format++)
		for (rows = 0; rows < 4; rows++) {
			char *parts = print_parts(format, rows), *whole = print_whole(format, rows);

			assert_string_equal(parts, whole);
			free(parts);
			free(whole);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_has_the_digits_of_csv),
		cmocka_unit_test(names_that_are_not_utf8_stay_in_json),
		cmocka_unit_test(a_row_of_a_plot_is_a_line),
		cmocka_unit_test(escapes_reach_no_terminal),
		cmocka_unit_test(addresses_above_2_63_stay_unsigned),
		cmocka_unit_test(what_is_no_number_is_not_known),
		cmocka_unit_test(nothing_has_no_sign),
		cmocka_unit_test(long_cells_are_whole),
		cmocka_unit_test(empty_json),
		cmocka_unit_test(parts_are_the_whole),
		cmocka_unit_test(significant), cmocka_unit_test(lines_end_with_their_text), cmocka_unit_test(text), cmocka_unit_test(csv), cmocka_unit_test(json),
		cmocka_unit_test(html), cmocka_unit_test(html_summary_first), cmocka_unit_test(html_ranked),
		cmocka_unit_test(thinned), cmocka_unit_test(full),
	};

	return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
