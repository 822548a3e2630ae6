// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memref_batch: groups packed into bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "memref/read/batch.h"

/* Packed by hand after the description in batch.c. */
static void known(void **state)
{
	static const uint8_t data[] = {
		0x02, 5,			/* group 7: 5 user pages */
		0x0f, 1, 0x80, 0x01, 0,		/* group 8: 1, 128, all; written */
		0x31, 2,			/* 3 left out: group 12 */
		0xf4, 0x85, 0x01, 9,		/* 15 + 133 left out: group 161 */
	};
	struct batch b = { data, data + sizeof(data), 7, 42, 1024 };
	struct group_row row;

	(void)state;
	assert_int_equal(batch_next(&b, &row), 1);
	assert_int_equal(row.seq, 42);
	assert_int_equal(row.phys_addr, 7 << 20);
	assert_int_equal(row.pages[KERNEL], 0);
	assert_int_equal(row.pages[USER], 5);
	assert_int_equal(row.written, 0);
	assert_int_equal(batch_next(&b, &row), 1);
	assert_int_equal(row.phys_addr, 8 << 20);
	assert_int_equal(row.pages[KERNEL], 1);
	assert_int_equal(row.pages[USER], 128);
	assert_int_equal(row.pages[PAGE_CACHE], 256);
	assert_int_equal(row.written, 1);
	assert_int_equal(batch_next(&b, &row), 1);
	assert_int_equal(row.phys_addr, 12 << 20);
	assert_int_equal(row.pages[KERNEL], 2);
	assert_int_equal(batch_next(&b, &row), 1);
	assert_int_equal(row.phys_addr, 161 << 20);
	assert_int_equal(row.pages[PAGE_CACHE], 9);
	assert_int_equal(batch_next(&b, &row), 0);
}

static void cut_off(void **state)
{
	static const uint8_t data[] = { 0x02, 0x85 };
	struct batch b = { data, data + 1, 0, 1, 64 };
	struct group_row row;

	(void)state;
	assert_int_equal(batch_next(&b, &row), -1);
	b = (struct batch){ data, data + 2, 0, 1, 64 };
	assert_int_equal(batch_next(&b, &row), -1);
}

/* Any bytes come to an end, within them. */
static void noise(void **state)
{
	uint8_t data[64];
	int i, round;

	(void)state;
	srand(1);
	for (round = 0; round < 10000; round++) {
		struct batch b = { data, data + sizeof(data), 0, 1, 64 };
		struct group_row row;

		for (i = 0; i < (int)sizeof(data); i++)
			data[i] = rand();
		for (i = 0; batch_next(&b, &row) > 0; i++)
			assert_true(b.data <= b.end);
		assert_true(i <= (int)sizeof(data));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known), cmocka_unit_test(cut_off), cmocka_unit_test(noise),
	};

	return cmocka_run_group_tests_name("batch", tests, NULL, NULL);
}
