// SPDX-License-Identifier: GPL-2.0
/* Sizes as people write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/size.h"

static void sizes(void **state)
{
	static const struct { const char *text; uint64_t bytes; } good[] = {
		{ "0", 0 }, { "4096", 4096 }, { "64K", 65536 }, { "64k", 65536 },
		{ "3G", 3ULL << 30 }, { "1GiB", 1ULL << 30 }, { "2MB", 2 << 20 },
		{ "1T", 1ULL << 40 }, { "12B", 12 }, { "16777215T", 16777215ULL << 40 },
	};
	uint64_t bytes;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(parse_size(good[i].text, &bytes), 0);
		assert_int_equal(bytes, good[i].bytes);
	}
}

static void no_sizes(void **state)
{
	static const char * const bad[] = {
		"", "K", "-1", "+1", " 1", "1X", "1KK", "1 K", "0x10", "16777216T",
		"99999999999999999999", "1iB",
	};
	uint64_t bytes = 42;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(parse_size(bad[i], &bytes), -1);
	assert_int_equal(bytes, 42);
}

static void addresses(void **state)
{
	static const char * const bad[] = { "", "0x", "0xg", "0x1K", "0x10000000000000000", "x1" };
	uint64_t address = 42;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(parse_address(bad[i], &address), -1);
	assert_int_equal(address, 42);
	assert_int_equal(parse_address("0x7fFF00000000", &address), 0);
	assert_int_equal(address, 0x7fff00000000);
	assert_int_equal(parse_address("2M", &address), 0);
	assert_int_equal(address, 2 << 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes), cmocka_unit_test(no_sizes),
		cmocka_unit_test(addresses),
	};

	return cmocka_run_group_tests_name("size", tests, NULL, NULL);
}
