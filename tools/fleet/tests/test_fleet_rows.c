// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Rows of hosts: what is refused, and that what is written is one row whatever is in it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fleet/rows.h"

#define NOW	UINT64_C(1000000)

static enum verdict check_bytes(int table, const void *bytes, size_t length, struct row *row)
{
	static char line[1 << 16];

	memcpy(line, bytes, length);
	line[length] = '\0';
	return row_check(table, line, length, "h", NOW, row);
}

static enum verdict check(int table, const char *text)
{
	struct row row;

	return check_bytes(table, text, strlen(text), &row);
}

/* The row as ClickHouse gets it. */
static char *written(int table, const char *text)
{
	char *rows;
	size_t size;
	FILE *f = open_memstream(&rows, &size);
	struct row row;

	assert_int_equal(check_bytes(table, text, strlen(text), &row), ROW_ACCEPTED);
	row_write(table, &row, 7, f);
	fclose(f);
	return rows;
}

static void assert_written(int table, const char *text, const char *expected)
{
	char *rows = written(table, text);

	assert_string_equal(rows, expected);
	free(rows);
}

#define SERVICE(name)	"1,h,,1000,1,0," name ",1,2,3,4"
#define INTERVAL(rest)	"1,h,,1000,1,0," rest

static void test_limits(void **state __attribute__((unused)))
{
	assert_int_equal(check(0, INTERVAL("4194304,4503599627370496,1099511627776,0,0,0,0,0,0")), ROW_ACCEPTED);
	assert_int_equal(check(0, INTERVAL("4194305,,1,0,0,0,0,0,0")), ROW_NUMBER);
	assert_int_equal(check(0, INTERVAL(",4503599627370497,1,0,0,0,0,0,0")), ROW_NUMBER);
	assert_int_equal(check(0, INTERVAL(",,1099511627777,0,0,0,0,0,0")), ROW_NUMBER);
	assert_int_equal(check(0, INTERVAL(",8191,2,0,0,0,0,0,0")), ROW_MEMORY);
	assert_int_equal(check(0, INTERVAL(",8192,2,0,0,0,0,0,0")), ROW_ACCEPTED);
	assert_int_equal(check(0, INTERVAL(",,,0,0,0,0,0,0")), ROW_NUMBER);
	assert_int_equal(check(0, "1,h,,1000000,1,0,,,0,0,0,0,0,0,0"), ROW_ACCEPTED);
	assert_int_equal(check(0, "1,h,,1000001,1,0,,,0,0,0,0,0,0,0"), ROW_FUTURE);
	assert_int_equal(check(0, "1,h,,0,1,0,,,0,0,0,0,0,0,0"), ROW_TIME);
	assert_int_equal(check(0, "1,h,,1,86400000000000,0,,,0,0,0,0,0,0,0"), ROW_ACCEPTED);
	assert_int_equal(check(0, "1,h,,1,86400000000001,0,,,0,0,0,0,0,0,0"), ROW_TIME);
	/* The largest numbers of 64 bits, and one more. */
	assert_int_equal(check(0, "1,h,,9223372036854775807,1,0,,,0,0,0,0,0,0,0"), ROW_FUTURE);
	assert_int_equal(check(0, "1,h,,9223372036854775808,1,0,,,0,0,0,0,0,0,0"), ROW_TIME);
	assert_int_equal(check(0, "1,h,,-9223372036854775808,1,0,,,0,0,0,0,0,0,0"), ROW_TIME);
	assert_int_equal(check(0, "1,h,,18446744073709551617,1,0,,,0,0,0,0,0,0,0"), ROW_TIME);
}

static void test_numbers(void **state __attribute__((unused)))
{
	static const char * const none[] = { "", " 1", "1 ", "+1", "1.0", "1e3", "0x1", "-", "one", "1-", "NaN", "\\N" };
	char line[128];
	size_t i;

	for (i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		snprintf(line, sizeof(line), "1,h,,1000,1,0,s,1,%s,0,0", none[i]);
		assert_int_equal(check(1, line), ROW_NUMBER);
		snprintf(line, sizeof(line), "%s,h,,1000,1,0,s,1,1,0,0", none[i]);
		assert_int_equal(check(1, line), ROW_SCHEMA);
	}
}

static void test_no_rows(void **state __attribute__((unused)))
{
	static const char zero[] = SERVICE("s") "\0,5";
	struct row row;
	char many[4096];

	assert_int_equal(check(1, ""), ROW_NONE);
	assert_int_equal(check(1, "1,h,,1000,1,0,s,1,2,3"), ROW_NONE);
	assert_int_equal(check(1, SERVICE("s") ",5"), ROW_NONE);
	assert_int_equal(check(1, SERVICE("\"s")), ROW_NONE);
	assert_int_equal(check(1, SERVICE("s\"")), ROW_NONE);
	assert_int_equal(check(1, SERVICE("\xff")), ROW_NONE);
	assert_int_equal(check_bytes(1, zero, sizeof(zero) - 1, &row), ROW_NONE);
	memset(many, ',', sizeof(many) - 1);
	many[sizeof(many) - 1] = '\0';
	assert_int_equal(check(0, many), ROW_NONE);
}

static void test_written(void **state __attribute__((unused)))
{
	assert_written(0, INTERVAL(",,1,2,3,4,5,,"), "7\th\t\t1000\t1\t\\N\t\\N\t1\t2\t3\t4\t5\t\\N\t\\N\n");
	assert_written(0, INTERVAL("1,40960,1,2,3,4,5,6,x"), "7\th\t\t1000\t1\t1\t40960\t1\t2\t3\t4\t5\t6\t\\N\n");
	assert_written(1, SERVICE("s"), "7\th\t\t1000\t1\ts\t1\t2\t3\t4\n");
	assert_written(1, SERVICE("\"a\"\"b,\""), "7\th\t\t1000\t1\ta\"b,\t1\t2\t3\t4\n");
	assert_written(1, SERVICE("\\N\t\n\\"), "7\th\t\t1000\t1\t\\\\N\\t\\n\\\\\t1\t2\t3\t4\n");
}

/* Of any bytes, what is accepted is one row of as many fields. */
static void test_mutated_rows(void **state __attribute__((unused)))
{
	static const char characters[] = "\t\n\\N\",0159-+hs'`\xc3\xa4\xff";
	const char *lines[] = { INTERVAL("1,40960,1,2,3,4,5,6,0"), SERVICE("s") };
	const int tabs[] = { 13, 9 };
	unsigned int i, n, accepted = 0;

	srand(26);
	for (i = 0; i < 200000; i++) {
		const int table = i % 2;
		char line[128], *rows;
		struct row row;
		size_t size, length = strlen(lines[table]), j, seen = 0;
		FILE *f;

		strcpy(line, lines[table]);
		for (n = 1 + rand() % 3; n; n--)
			line[rand() % length] = characters[rand() % sizeof(characters)];
		if (check_bytes(table, line, length, &row) != ROW_ACCEPTED)
			continue;
		accepted++;
		f = open_memstream(&rows, &size);
		row_write(table, &row, 7, f);
		fclose(f);
		assert_ptr_equal(strchr(rows, '\n'), rows + size - 1);
		for (j = 0; j < size; j++)
			seen += rows[j] == '\t';
		assert_int_equal(seen, tabs[table]);
		free(rows);
	}
	assert_in_range(accepted, 1000, 199000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_limits), cmocka_unit_test(test_numbers), cmocka_unit_test(test_no_rows),
		cmocka_unit_test(test_written), cmocka_unit_test(test_mutated_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
