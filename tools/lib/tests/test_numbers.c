// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Numbers, sizes and times as people write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "lib/numbers.h"

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

static int write_range(void *ctx, uint64_t first, uint64_t last)
{
	char *text = ctx;

	sprintf(text + strlen(text), "%d-%d ", (int)first, (int)last);
	return last == 7;
}

static void lists(void **state)
{
	static const char * const bad[] = {
		"", ",", "1,", ",1", "1,,2", "x", "1-", "-1", "1--2", "3-1", "+1", " 1", "1, 2", "0", "65", "1-65", "1e3",
		"00000000000000000000000000000000000000000000000001",
	};
	char text[64] = "";
	size_t i;

	(void)state;
	assert_int_equal(parse_list("1,4-6,0x10,64", 1, 64, write_range, text), 0);
	assert_string_equal(text, "1-1 4-6 16-16 64-64 ");
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		*text = '\0';
		assert_int_equal(parse_list(bad[i], 1, 64, write_range, text), -1);
	}
	*text = '\0';
	assert_int_equal(parse_list("7,8", 1, 64, write_range, text), 1);
	assert_string_equal(text, "7-7 ");
}

static void ranges(void **state)
{
	static const char * const bad[] = { "", "-", "1G", "1G-", "-1G", "1G-1G", "2G-1G", "1-2-3", "0x-1" };
	uint64_t start = 42, end = 43;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(parse_addresses(bad[i], &start, &end), -1);
	assert_int_equal(start, 42);
	assert_int_equal(parse_addresses("1M-0x200000", &start, &end), 0);
	assert_int_equal(start, 1 << 20);
	assert_int_equal(end, 2 << 20);
}

static void numbers(void **state)
{
	static const char * const bad[] = {
		"", "-1", "+1", " 1", "1 ", "1e3", "1.0", "0x", "0x0x1", "0xg", "x", "4", "101",
		"18446744073709551616",
	};
	uint64_t n = 42;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(parse_number(bad[i], 5, 100, &n), -1);
	assert_int_equal(n, 42);
	assert_int_equal(parse_number("5", 5, 100, &n), 0);
	assert_int_equal(n, 5);
	assert_int_equal(parse_number("0x40", 5, 100, &n), 0);
	assert_int_equal(n, 64);
	assert_int_equal(parse_number("18446744073709551615", 0, UINT64_MAX, &n), 0);
	assert_int_equal(n, UINT64_MAX);
}

static void reals(void **state)
{
	static const char * const bad[] = {
		"", ".", ".5", "-1", "+1", "1e3", "0x10", "inf", "nan", "1.2.3", "1s", "1 ",
	};
	double x = 42;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(parse_real(bad[i], &x), -1);
	assert_true(x == 42);
	assert_int_equal(parse_real("1.25", &x), 0);
	assert_true(x == 1.25);
}

static void scaled(void **state)
{
	static const struct { const char *text; uint64_t unit, value; } good[] = {
		{ "0", 1000000000, 0 }, { "1700000000123456789", 1, 1700000000123456789 },
		{ "1700000000.123456", 1000000000, 1700000000123456000 }, { "3.", 1000, 3000 },
		{ "0.000000001", 1000000000, 1 }, { "0.0000000015", 1000000000, 2 },
		{ "0.00000000149", 1000000000, 1 }, { "10.5", 1, 11 }, { "10.49", 1, 10 }, { "7.9999", 1000, 8000 },
		{ "18446744073709551615", 1, UINT64_MAX }, { "18446744073709551616", 1, UINT64_MAX },
		{ "18446744073709551615.5", 1, UINT64_MAX }, { "18446744073.709551616", 1000000000, UINT64_MAX },
		{ "18446744073.709551614", 1000000000, UINT64_MAX - 1 },
		{ "99999999999999999999999999999999999999999999999999999999999999999999.5", 1, UINT64_MAX },
	};
	static const char * const bad[] = { "", ".", ".5", "-1", "+1", " 1", "1 ", "1.5.", "1..5", "1e3", "0x1", "nan" };
	uint64_t value = 42;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(parse_scaled(bad[i], 1000, &value), -1);
	assert_int_equal(value, 42);
	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(parse_scaled(good[i].text, good[i].unit, &value), 0);
		assert_int_equal(value, good[i].value);
	}
}

static void times(void **state)
{
	static const struct { const char *text; double seconds; } good[] = {
		{ "0", 0 }, { "100", .1 }, { "100ms", .1 }, { "1.5s", 1.5 }, { "250us", 250e-6 },
		{ "3ns", 3e-9 }, { "2min", 120 }, { "1h", 3600 },
	};
	static const char * const bad[] = {
		"", "s", "-1s", "1m", "1 s", "1S", "1e3s", "0x10s", "1ss", "inf", "1000000000s",
	};
	double x = 42;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(parse_time(bad[i], "s", &x), -1);
	assert_int_equal(parse_time("5", NULL, &x), -1);
	assert_true(x == 42);
	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(parse_time(good[i].text, "ms", &x), 0);
		assert_true(x > good[i].seconds - 1e-12 && x < good[i].seconds + 1e-12);
	}
	assert_int_equal(parse_time("5s", NULL, &x), 0);
	assert_true(x == 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers), cmocka_unit_test(reals), cmocka_unit_test(scaled), cmocka_unit_test(times),
		cmocka_unit_test(ranges), cmocka_unit_test(lists),
		cmocka_unit_test(sizes), cmocka_unit_test(no_sizes),
		cmocka_unit_test(addresses),
	};

	return cmocka_run_group_tests_name("numbers", tests, NULL, NULL);
}
