// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Blocks of 2 MiB by how much of them was referenced. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "memref/model/thp.h"

#define GROUP (64 << 10)

static void steps(void **state)
{
	static const struct { uint32_t pages; int step; } blocks[] = {
		{ 1, 0 }, { 51, 0 }, { 52, 1 }, { 102, 1 }, { 103, 2 }, { 256, 4 }, { 257, 5 },
		{ 460, 8 }, { 461, 9 }, { 512, 9 }, { 513, 9 },
	};
	struct thp t;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
		t = (struct thp){ .collect = 1 };
		assert_int_equal(thp_add(&t, 7 * THP_SIZE, blocks[i].pages), 0);
		thp_close(&t);
		assert_int_equal(t.steps[blocks[i].step].blocks, 1);
		assert_true(t.steps[blocks[i].step].pages <= THP_PAGES);
	}
}

/* Small groups add up to blocks, and intervals to sums. */
static void groups(void **state)
{
	struct thp t = { .collect = 1 };
	uint64_t addr;

	(void)state;
	for (addr = 0; addr < THP_SIZE; addr += GROUP)
		assert_int_equal(thp_add(&t, addr, 16), 0);
	assert_int_equal(thp_add(&t, THP_SIZE, 10), 0);
	assert_int_equal(thp_add(&t, 2 * THP_SIZE, 0), 0);
	thp_close(&t);
	assert_null(t.blocks);
	assert_int_equal(t.steps[9].blocks, 1);
	assert_int_equal(t.steps[9].pages, 512);
	assert_int_equal(t.steps[0].blocks, 1);
	assert_int_equal(t.peak.pages, 522);

	assert_int_equal(thp_add(&t, THP_SIZE, 10), 0);
	thp_close(&t);
	assert_int_equal(t.steps[0].blocks, 2);
	assert_int_equal(t.steps[0].pages, 20);
	assert_int_equal(t.peak.blocks, 2);
	assert_int_equal(t.peak.pages, 522);
}

static void unselected(void **state)
{
	struct thp t = { };

	(void)state;
	assert_int_equal(thp_add(&t, 0, 512), 0);
	assert_null(t.blocks);
	thp_close(&t);
	assert_int_equal(t.peak.pages, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps), cmocka_unit_test(groups), cmocka_unit_test(unselected),
	};

	return cmocka_run_group_tests_name("thp", tests, NULL, NULL);
}
