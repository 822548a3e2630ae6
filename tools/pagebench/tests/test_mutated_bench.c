// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Suites and results damaged at random. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "made/mutate.h"
#include "pagebench/measure/suite.h"
#include "pagebench/results/results.h"
#include "bench_data.h"

static void parse_suite(void *ctx, char *data, size_t size)
{
	struct suite suite;
	char *text = malloc(size + 1);

	memcpy(text, data, size + 1);
	*(int *)ctx = suite_parse("suite", text, size, &suite);
	suite_free(&suite);
}

static void suites(void **unused)
{
	static const char text[] =
		"; made up\n[suite]\nname = small\nexecutions = 6\nmeasurements = 5\nwarmup = 1\nboots = 2\nseed = 1\n"
		"aging = 16M\ntimeout = 300\n\n[strategies]\ndefault = --no-aslr\ncoloring = --no-aslr -s coloring\n\n"
		"[program fft]\ncommand = pagealloc-programs fft \"a b\" --lines\nprotocol = lines\nmarks = program\n"
		"config.half = --size 128K\nconfig.one = --size 'c d'\n\n[program sort]\ncommand = sort\n";
	int ret = -1;
	const struct mutation m = {
		.name = "suites", .data = text, .size = sizeof(text) - 1, .read = parse_suite, .ctx = &ret };
	char copy[sizeof(text)];

	(void)unused;
	memcpy(copy, text, sizeof(text));
	parse_suite(&ret, copy, m.size);
	assert_int_equal(ret, 0);
	mutate(&m);
}

static void read_results(void *ctx, char *data, size_t size)
{
	struct results r = { 0 };
	char error[512] = "";
	int *ret = ctx;

	*ret = results_read(&r, mutate_file(data, size), error, sizeof(error));
	if (!*ret)
		*ret = results_finish(&r, error, sizeof(error));
	results_free(&r);
}

static void results(void **unused)
{
	struct bench_data d = BENCH_DATA;
	int ret = -1;
	struct mutation m = { .name = "raw.csv", .read = read_results, .ctx = &ret };
	char *text;
	FILE *f = open_memstream(&text, &m.size);

	(void)unused;
	d.benchmarks = 1;
	d.n = 2;
	d.m = 3;
	bench_data_write(f, &d);
	fclose(f);
	m.data = text;
	assert_in_range(m.size, 1000, MUTATE_BYTES);
	read_results(&ret, text, m.size);
	assert_int_equal(ret, 0);
	mutate(&m);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(suites), cmocka_unit_test(results) };

	stderr = fopen("/dev/null", "w");
	return cmocka_run_group_tests_name("mutated suites and results", tests, NULL, NULL);
}
