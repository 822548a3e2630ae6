// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* What perf.data files from pipes say in records: events, and features. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
#include <stdlib.h>
#include <cmocka.h>

#include "perf_bytes.h"

static void check_damaged(uint32_t type, const uint64_t *words, size_t size, bool damaged, size_t events)
{
	struct bytes b = begin_pipe();
	struct perf_data *d;

	put_record(&b, type, words, size);
	d = read_pipe(&b, 0, !damaged ? "" : type == PERF_HEADER_ATTR ? "x: damaged event at 0x10" :
		      "x: damaged feature at 0x10");
	assert_int_equal(d->nr_events, events);
	close_file(d, &b);
}

static void an_attr_in_a_pipe_has_its_size(void **unused)
{
	uint64_t words[12] = { 64ULL << 32 };

	(void)unused;
	check_damaged(PERF_HEADER_ATTR, words, 64, false, 1);
	check_damaged(PERF_HEADER_ATTR, words, 63, true, 0);
	words[0] = 63ULL << 32;
	check_damaged(PERF_HEADER_ATTR, words, 72, true, 0);
	words[0] = 56ULL << 32;
	check_damaged(PERF_HEADER_ATTR, words, 72, true, 0);
	words[0] = 72ULL << 32;
	check_damaged(PERF_HEADER_ATTR, words, 72, false, 1);
	check_damaged(PERF_HEADER_ATTR, words, 71, true, 0);
	words[0] = 68ULL << 32;
	check_damaged(PERF_HEADER_ATTR, words, 80, true, 0);
	words[0] = 80ULL << 32;
	check_damaged(PERF_HEADER_ATTR, words, 72, true, 0);
	words[0] = 3;
	check_damaged(PERF_HEADER_FEATURE, words, 8, false, 0);
	check_damaged(PERF_HEADER_FEATURE, words, 7, true, 0);
	words[0] = 255;
	check_damaged(PERF_HEADER_FEATURE, words, 8, false, 0);
}

static void features_in_a_pipe_take_the_place_of_those_before(void **unused)
{
	const uint64_t two[] = { 1, MIB, 1, 0, 8, 8, 0x5 }, one[] = { 1, MIB, 1, 0, 8, 8, 0x8 };
	struct bytes b = begin_pipe(), f = { 0 };
	struct perf_data *d;

	(void)unused;
	put_event(&b, 4, PERF_SAMPLE_IP, ID_ALL, (uint64_t[]){ 8, 9 }, 2);
	put_text(&f, "host");
	put_pipe_feature(&b, 3, &f);
	/* No feature has so high a number. */
	f.at[4] = 'm';
	put_pipe_feature(&b, 3 + (1ULL << 32), &f);
	put_pipe_feature(&b, 256 + 3, &f);
	f.size = 0;
	put32(&f, 12);
	put_pipe_feature(&b, 7, &f);
	f.size = 0;
	put32(&f, 11);
	put_pipe_feature(&b, 7, &f);
	f.size = 0;
	put(&f, two, sizeof(two));
	put_pipe_feature(&b, 22, &f);
	f.size = 0;
	put(&f, one, sizeof(one));
	put_pipe_feature(&b, 22, &f);
	d = read_pipe(&b, 0, "");
	assert_string_equal(d->machine.host, "host");
	assert_int_equal(d->machine.nr_cpus, 12);
	assert_int_equal(d->machine.nr_memory, 1);
	assert_int_equal(d->machine.memory[0].first, 3 * MIB);
	assert_int_equal(d->machine.memory[0].end, 4 * MIB);
	assert_ptr_equal(perf_events_by_id(d, 8), d->events);
	assert_ptr_equal(perf_events_by_id(d, 9), d->events);
	assert_null(perf_events_by_id(d, 64));
	free(f.at);
	close_file(d, &b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_attr_in_a_pipe_has_its_size),
		cmocka_unit_test(features_in_a_pipe_take_the_place_of_those_before),
	};

	return cmocka_run_group_tests_name("perf.data from pipes", tests, NULL, NULL);
}
