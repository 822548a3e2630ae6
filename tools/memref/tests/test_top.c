// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memref top's display and lines, made from rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "memref/view/top.h"

static int scan(struct top *t, uint32_t seq, uint64_t user, uint32_t flags)
{
	const struct row row = { .type = ROW_SCAN, .scan = {
		.seq = seq, .pages = { 256, user, 0 }, .group_kb = 64, .flags = flags,
		.begin_ns = seq * 1000000000ULL, .scan_ns = seq * 1000000000ULL + 900000000,
		.end_ns = (seq + 1) * 1000000000ULL,
	} };

	return top_add(t, &row);
}

static void task(struct top *t, uint32_t seq, uint32_t pid, const char *comm, uint64_t pages)
{
	struct row row = { .type = ROW_TASK, .task = { .seq = seq, .pid = pid, .pages = pages } };

	strcpy(row.task.comm, comm);
	assert_int_equal(top_add(t, &row), 0);
}

static char text[1 << 17];

static const char *line(struct top *t)
{
	FILE *f = fmemopen(text, sizeof(text), "w");

	top_print_line(t, f);
	fclose(f);
	return text;
}

static const char *screen(struct top *t, int width, int height, int utf8)
{
	FILE *f = fmemopen(text, sizeof(text), "w");

	top_draw(t, f, width, height, utf8);
	fclose(f);
	return text;
}

static void lines(void **state)
{
	struct top t;

	(void)state;
	top_init(&t);
	assert_int_equal(scan(&t, 7, 512, 0), 1);
	assert_string_equal(line(&t), "7 0.900 0.900 1.000 2.000 0.000 3.000 - 100.000 none - -\n");
	assert_int_equal(scan(&t, 8, 256, 1 | 4 | 0x100000), 1);
	assert_string_equal(line(&t), "8 1.900 0.900 1.000 1.000 0.000 2.000 - 100.000 "
				  "reclaim,late,0x100000 - -\n");
	top_free(&t);
}

/* The rows of an interval are shown with it, and not with the next. */
static void tasks_and_nodes(void **state)
{
	struct row node = { .type = ROW_NODE, .node = { .start = 0, .end = 65536, .seq = 1 } };
	struct row group = { .type = ROW_GROUP, .group = {
		.phys_addr = 65536, .seq = 1, .pages = { 0, 16, 0 },
	} };
	struct top t;

	(void)state;
	top_init(&t);
	assert_int_equal(top_add(&t, &node), 0);
	node.node.start = 65536;
	node.node.end = 1 << 20;
	node.node.node = 1;
	assert_int_equal(top_add(&t, &node), 0);
	assert_int_equal(top_add(&t, &group), 0);
	task(&t, 1, 12, "little", 1);
	task(&t, 1, 13, "two words\033", 512);
	task(&t, 1, 14, "idle", 0);
	assert_int_equal(scan(&t, 1, 16, 0), 1);
	assert_non_null(strstr(line(&t), " none 0:0.000,1:0.062 two_words?[13]:2.000,little[12]:0.004\n"));
	screen(&t, 80, 24, 0);
	assert_non_null(strstr(text, "node 1"));
	assert_non_null(strstr(text, "13 two words?"));
	assert_int_equal(scan(&t, 2, 16, 0), 1);
	assert_non_null(strstr(line(&t), " none - -\n"));
	top_free(&t);
}

/* Measure a frame: columns of its widest row, and number of rows. */
static void measure(const char *text, int *columns, int *rows)
{
	int n = 0;

	*columns = 0;
	*rows = 1;
	for (; *text; text++) {
		if (*text == '\033') {
			text += strcspn(text, "HJK");
		} else if (*text == '\r') {
			n = 0;
		} else if (*text == '\n') {
			++*rows;
		} else if ((*text & 0xc0) != 0x80 && ++n > *columns) {
			*columns = n;
		}
	}
}

static void sizes(void **state)
{
	int width, height, utf8, columns, rows, i;
	struct top t;

	(void)state;
	top_init(&t);
	screen(&t, 20, 5, 0);
	measure(text, &columns, &rows);
	assert_true(columns <= 20 && rows <= 5);
	for (i = 0; i < 1000; i++)
		assert_int_equal(scan(&t, i + 1, i * 100, 0x7ff), 1);
	for (i = 0; i < 40; i++)
		task(&t, 1001, i, "program", i);
	scan(&t, 1001, 5, 0);
	for (width = 1; width < 400; width += 7) {
		for (height = 1; height < 60; height += 5) {
			for (utf8 = 0; utf8 < 2; utf8++) {
				screen(&t, width, height, utf8);
				measure(text, &columns, &rows);
				assert_true(columns <= width && rows <= height);
			}
		}
	}
	top_free(&t);
}

/* The history of three minutes: a rising figure is higher at the right. */
static void spark(void **state)
{
	const char *row, *end;
	struct top t;
	int i, rises = 0;

	(void)state;
	top_init(&t);
	for (i = 0; i < 400; i++)
		assert_int_equal(scan(&t, i + 1, i * 1000, 0), 1);
	screen(&t, 120, 30, 0);
	row = strstr(text, "user ");
	assert_non_null(row);
	end = strstr(row, "\033");
	assert_int_equal(end[-1], '#');
	for (row = end - 50; row < end - 1; row++)
		rises += row[0] != row[1];
	/* From 220 of 400 seconds on: the upper half of eight levels. */
	assert_in_range(rises, 2, 5);
	top_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines), cmocka_unit_test(tasks_and_nodes),
		cmocka_unit_test(sizes), cmocka_unit_test(spark),
	};

	return cmocka_run_group_tests_name("top", tests, NULL, NULL);
}
