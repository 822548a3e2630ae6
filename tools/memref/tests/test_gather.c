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
		end += sprintf(end, "%s%x", i ? " " : "", (unsigned int)g->groups[i].phys_addr);
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
	gather_add(g, &none);
	gather_add(g, &task);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(order, begin, end),
		cmocka_unit_test_setup_teardown(late, begin, end),
		cmocka_unit_test_setup_teardown(gaps, begin, end),
		cmocka_unit_test_setup_teardown(stops, begin, end),
	};

	return cmocka_run_group_tests_name("gather", tests, NULL, NULL);
}
