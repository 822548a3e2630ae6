// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memref_batch: groups packed into bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* Bytes, and all groups that they are: GROUP:KERNEL,USER,PAGE_CACHE, w if written; what ends them. */
static void bytes(void **state)
{
	static const struct {
		uint8_t data[24];
		int size;
		uint32_t group_kb;
		const char *groups;
	} cases[] = {
		{ { 0 }, 0, 4, "0" },
		/* No pages at all; written. */
		{ { 0x00 }, 1, 4, "100:0,0,0 0" },
		{ { 0x08 }, 1, 4, "100:0,0,0w 0" },
		/* Each class, alone. */
		{ { 0x01, 9, 0x02, 8, 0x04, 7 }, 6, 4, "100:9,0,0 101:0,8,0 102:0,0,7 0" },
		/* All pages of a group. */
		{ { 0x07, 0, 0, 0 }, 4, 2048, "100:512,512,512 0" },
		{ { 0x0f, 0, 1, 127 }, 4, 64, "100:16,1,127w 0" },
		/* Groups that are left out: 14 at most without a number, then 15 and more. */
		{ { 0x10, 0x20, 0xe0 }, 3, 4, "101:0,0,0 104:0,0,0 119:0,0,0 0" },
		{ { 0xf0, 0, 0xf0, 1 }, 4, 4, "115:0,0,0 132:0,0,0 0" },
		{ { 0xf1, 0x80, 0x01, 5 }, 4, 4, "243:5,0,0 0" },
		/* Numbers of more bytes: 7 bits in each. */
		{ { 0x02, 0x7f }, 2, 4, "100:0,127,0 0" },
		{ { 0x02, 0xff, 0x7f }, 3, 4, "100:0,16383,0 0" },
		{ { 0x02, 0x81, 0x82, 0x03 }, 4, 4, "100:0,49409,0 0" },
		{ { 0x02, 0xff, 0xff, 0xff, 0xff, 0x0f }, 6, 4, "100:0,4294967295,0 0" },
		/* Of 9 bytes, and of 10. */
		{ { 0xf0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00 }, 10, 4, "115:0,0,0 0" },
		{ { 0xf0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00 }, 11, 4, "-1" },
		/* A number that ends early: behind the tag, and within it. */
		{ { 0x01, 1, 0x01 }, 3, 4, "100:1,0,0 -1" },
		{ { 0x01, 1, 0xf0 }, 3, 4, "100:1,0,0 -1" },
		{ { 0x07, 1, 2, 0x83 }, 4, 4, "-1" },
	};
	char got[256];
	unsigned int i;
	int ret;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint8_t *data = malloc(cases[i].size + 1);
		struct batch b = { data, data + cases[i].size, 100, 42, cases[i].group_kb };
		struct group_row row;

		memcpy(data, cases[i].data, cases[i].size);
		for (*got = '\0'; ; ) {
			memset(&row, 0x55, sizeof(row));
			ret = batch_next(&b, &row);
			if (ret <= 0)
				break;
			assert_int_equal(row.seq, 42);
			assert_int_equal(row.phys_addr % (cases[i].group_kb << 10), 0);
			sprintf(got + strlen(got), "%u:%u,%u,%u%s ", (unsigned int)(row.phys_addr / (cases[i].group_kb << 10)),
				row.pages[KERNEL], row.pages[USER], row.pages[PAGE_CACHE], row.written == 1 ? "w" : "");
			assert_true(row.written <= 1);
		}
		sprintf(got + strlen(got), "%d", ret);
		assert_string_equal(got, cases[i].groups);
		assert_true(b.data <= b.end);
		free(data);
	}
}

/* A group far up: its address has more than 32 bits. */
static void high_group(void **state)
{
	static const uint8_t data[] = { 0xf1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 1 };
	struct batch b = { data, data + sizeof(data), 1, 1, 4 };
	struct group_row row;

	(void)state;
	assert_int_equal(batch_next(&b, &row), 1);
	assert_int_equal(row.phys_addr, (1 + 15 + (1ULL << 50) - 1) << 12);
	assert_int_equal(b.group, 1 + 15 + (1ULL << 50));
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
		cmocka_unit_test(known), cmocka_unit_test(cut_off), cmocka_unit_test(bytes),
		cmocka_unit_test(high_group), cmocka_unit_test(noise),
	};

	return cmocka_run_group_tests_name("batch", tests, NULL, NULL);
}
