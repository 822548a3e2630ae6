// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* gather: rows become intervals, passed on one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "memref/read/gather.h"

/* The intervals passed on: "seq:address address;" */
static char given[1024];

static int take(void *ctx, const struct gather *g)
{
	char *end = given + strlen(given);
	size_t i;

	end += sprintf(end, "%u:", g->scan.seq);
	for (i = 0; i < g->nr_groups; i++)
		end += sprintf(end, "%s%lx", i ? " " : "", (unsigned long)g->groups[i].phys_addr);
	strcpy(end, ";");
	return ctx ? 7 : 0;
}

static int group(struct gather *g, uint32_t seq, uint64_t addr)
{
	const struct row row = { .type = ROW_GROUP, .group = {
		.seq = seq, .phys_addr = addr, .pages = { 0, 1, 0 },
	} };

	return gather_add(g, &row);
}

static int scan(struct gather *g, uint32_t seq, uint32_t groups)
{
	const struct row row = { .type = ROW_SCAN, .scan = {
		.seq = seq, .groups = groups, .begin_ns = seq * 1000,
	} };

	return gather_add(g, &row);
}

static int begin(void **state)
{
	static struct gather g;

	g = (struct gather){ .interval = take };
	given[0] = '\0';
	*state = &g;
	return 0;
}

static int end(void **state)
{
	gather_free(*state);
	return 0;
}

static void order(void **state)
{
	struct gather *g = *state;
	const struct row none = { .type = ROW_GROUP, .group = { .seq = 1, .phys_addr = 0x500 } };
	const struct row task = { .type = ROW_TASK, .task = { .seq = 9 } };

	group(g, 1, 0x200);
	group(g, 1, 0x100);
	assert_int_equal(gather_add(g, &none), 0);
	assert_int_equal(gather_add(g, &task), 0);
	scan(g, 1, 2);
	assert_string_equal(given, "");
	scan(g, 2, 0);
	group(g, 3, 0x100);
	scan(g, 3, 1);
	gather_end(g);
	assert_string_equal(given, "1:100 200;2:;3:100;");
	assert_int_equal(g->intervals, 3);
	assert_int_equal(g->begin_ns, 1000);
}

/* CPUs' clocks differ: a row comes after its scan, or even after the next's. */
static void late(void **state)
{
	struct gather *g = *state;

	group(g, 1, 0x100);
	scan(g, 1, 2);
	group(g, 1, 0x200);
	group(g, 2, 0x100);
	group(g, 1, 0x300);
	group(g, 2, 0x200);
	scan(g, 2, 2);
	gather_end(g);
	assert_string_equal(given, "1:100 200;2:100 200;");
}

/* Lost scans, and a sampler that starts again. */
static void gaps(void **state)
{
	struct gather *g = *state;

	group(g, 1, 0x100);
	group(g, 2, 0x200);
	scan(g, 2, 1);
	group(g, 3, 0x300);
	scan(g, 4, 1);
	group(g, 1, 0x400);
	scan(g, 1, 1);
	group(g, 1, 0x500);
	scan(g, 1, 1);
	group(g, 2, 0x600);
	gather_end(g);
	assert_string_equal(given, "2:200;4:;1:400;1:500;");
	assert_int_equal(g->intervals, 4);
}

static void stops(void **state)
{
	struct gather *g = *state;

	g->ctx = g;
	scan(g, 1, 0);
	assert_int_equal(scan(g, 2, 0), 7);
}

/* Rows, and the intervals of which they are: "2g300" is a group, "2s1" a scan that has seen one. */
static void sequences(void **state)
{
	static const struct { const char *rows, *given, *complete; } cases[] = {
		/* Of as many groups as the scan says, the next one is of a sampler that began again. */
		{ "1g100 1g200 1s2", "1:100 200;", "001" },
		{ "1s2 1g100 1g200", "1:100 200;", "001" },
		{ "1s2 1g100 1g200 1g300", "1:100 200;", "0010" },
		{ "1s2 1g100 1g200 1g300 1s1", "1:100 200;1:300;", "00101" },
		/* One too many before its scan is of it. */
		{ "1g100 1g200 1g300 1s2", "1:100 200 300;", "0001" },
		{ "1s0", "1:;", "1" }, { "1s0 1s0", "1:;1:;", "11" }, { "1s0 1g100 1s1", "1:;1:100;", "101" },
		/* Addresses in order, and twice the same. */
		{ "1g300 1g100 1g200 1g100 1s4", "1:100 100 200 300;", "00001" },
		{ "1gff00000000 1g100 1s2", "1:100 ff00000000;", "001" },
		/* A group of the interval before is late; one of that before it begins another. */
		{ "1s0 2s1 1g100 2g200", "1:;2:200;", "1001" },
		{ "1s0 2s0 3s1 1g100 3g300", "1:;2:;3:;", "11000" },
		{ "1s0 2g100 1g200 2s1", "1:;2:100;", "1001" },
		/* A late scan is none: only a group may be. */
		{ "1s0 2s0 1s0", "1:;2:;1:;", "111" },
		/* A scan of more groups than there are. */
		{ "1g100 1s9 2s0", "1:100;2:;", "001" },
		/* An interval without a scan is dropped, with its groups. */
		{ "1g100 2g200 2s1 3g300", "2:200;", "0010" },
	};
	struct gather *g = *state;
	char rows[128], complete[16], *row, *save, kind;
	unsigned int i, seq, n;
	unsigned long number;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		*g = (struct gather){ .interval = take };
		given[0] = '\0';
		strcpy(rows, cases[i].rows);
		for (n = 0, row = strtok_r(rows, " ", &save); row; row = strtok_r(NULL, " ", &save)) {
			assert_int_equal(sscanf(row, "%u%c%lx", &seq, &kind, &number), 3);
			assert_int_equal(kind == 'g' ? group(g, seq, number) : scan(g, seq, number), 0);
			complete[n++] = '0' + gather_complete(g);
		}
		complete[n] = '\0';
		assert_int_equal(gather_end(g), 0);
		assert_int_equal(g->nr_groups, 0);
		assert_string_equal(given, cases[i].given);
		assert_string_equal(complete, cases[i].complete);
		/* Nothing more at its end. */
		assert_int_equal(gather_end(g), 0);
		assert_string_equal(given, cases[i].given);
		gather_free(g);
	}
	*g = (struct gather){ .interval = take };
}

/* Pages of any class make a group; groups that are many. */
static void pages(void **state)
{
	struct gather *g = *state;
	struct row row = { .type = ROW_GROUP, .group = { .seq = 1 } };
	int c;

	for (c = 0; c < NR_CLASSES; c++) {
		memset(row.group.pages, 0, sizeof(row.group.pages));
		row.group.pages[c] = 1;
		assert_int_equal(gather_add(g, &row), 0);
		assert_int_equal(g->nr_groups, c + 1);
		assert_int_equal(g->groups[c].pages[c], 1);
	}
	for (c = 3; c < 10000; c++)
		group(g, 1, 20000 - c);
	assert_int_equal(g->nr_groups, 10000);
	assert_int_equal(g->groups[9999].phys_addr, 20000 - 9999);
	/* The begin is that of the first scan. */
	g->interval = NULL;
	g->nr_groups = 0;
	scan(g, 1, 0);
	assert_int_equal(g->begin_ns, 1000);
	g->interval = take;
	scan(g, 5, 0);
	assert_int_equal(g->begin_ns, 1000);
	assert_int_equal(g->intervals, 1);
	assert_int_equal(g->scan.begin_ns, 5000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(order, begin, end),
		cmocka_unit_test_setup_teardown(late, begin, end),
		cmocka_unit_test_setup_teardown(gaps, begin, end),
		cmocka_unit_test_setup_teardown(stops, begin, end),
		cmocka_unit_test_setup_teardown(sequences, begin, end),
		cmocka_unit_test_setup_teardown(pages, begin, end),
	};

	return cmocka_run_group_tests_name("gather", tests, NULL, NULL);
}
