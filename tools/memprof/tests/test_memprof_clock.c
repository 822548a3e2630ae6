// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memprof record: times of events, from the TSC to CLOCK_MONOTONIC. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "memprof/record/clock.h"

static struct clock *new_clock(void)
{
	struct clock *c = calloc(1, sizeof(*c));

	assert_non_null(c);
	return c;
}

static void between_pairs_time_is_on_the_line(void **state)
{
	struct clock *c = new_clock();
	uint64_t hint = 0;

	(void)state;
	clock_add(c, 1000, 5000);
	assert_int_equal(clock_ns(c, 1000, &hint), 0);
	clock_add(c, 3000, 6000);
	clock_add(c, 4000, 8000);
	assert_int_equal(clock_ns(c, 1000, &hint), 5000);
	assert_int_equal(clock_ns(c, 2000, &hint), 5500);
	assert_int_equal(clock_ns(c, 3500, &hint), 7000);
	/* Behind the last, before the first; the hint is no bound. */
	assert_int_equal(clock_ns(c, 5000, &hint), 10000);
	assert_int_equal(clock_ns(c, 600, &hint), 4800);
	assert_int_equal(clock_ns(c, 2999, &hint), 5999);
	free(c);
}

/* A clock whose rate changes, as NTP has it: 2.9 GHz, 500 ppm more or less each second. */
static uint64_t true_ns(uint64_t tsc)
{
	const uint64_t second = 2900000000;
	const uint64_t n = tsc / second, rest = tsc % second;
	const uint64_t odd = n / 2 * (999500000 + 1000500000) + n % 2 * 1000500000;

	return odd + (unsigned __int128)rest * (n % 2 ? 999500000 : 1000500000) / second;
}

static void order_is_kept_and_errors_are_small(void **state)
{
	struct clock *c = new_clock();
	uint64_t tsc, before = 0, ns, hint = 0, worst = 0, i;

	(void)state;
	/* A pair each 5 ms; more than there is room for. */
	for (i = 0; i < CLOCK_PAIRS + 1000; i++)
		clock_add(c, i * 14500000 + i % 7, true_ns(i * 14500000 + i % 7));
	/* From the oldest that is still there. */
	for (tsc = UINT64_C(1001) * 14500000; tsc < i * 14500000; tsc += 999983) {
		ns = clock_ns(c, tsc, &hint);
		assert_true(ns >= before);
		before = ns;
		if (llabs((long long)(ns - true_ns(tsc))) > (long long)worst)
			worst = llabs((long long)(ns - true_ns(tsc)));
	}
	/* 1,000 ppm in 5 ms, at most a quarter of it. */
	assert_in_range(worst, 0, 1250);
	/* Neighbors. */
	for (tsc = UINT64_C(30000) * 14500000 - 5000; tsc < UINT64_C(30000) * 14500000 + 5000; tsc++) {
		ns = clock_ns(c, tsc, &hint);
		assert_in_range(ns - clock_ns(c, tsc - 1, &hint), 0, 1);
	}
	free(c);
}

static void pairs_out_of_order_are_mended(void **state)
{
	struct clock *c = new_clock();
	uint64_t hint = 0;

	(void)state;
	clock_add(c, 1000, 5000);
	clock_add(c, 1000, 9000);
	assert_int_equal(c->nr, 1);
	clock_add(c, 1100, 4990);
	clock_add(c, 1200, 5100);
	assert_int_equal(clock_ns(c, 1050, &hint), 5000);
	assert_int_equal(clock_ns(c, 1150, &hint), 5050);
	free(c);
}

#if defined(__x86_64__)
static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * UINT64_C(1000000000) + t.tv_nsec;
}

/* The real ones: a time between two of CLOCK_MONOTONIC is converted to one between them. */
static void this_machines_clocks(void **state)
{
	enum { TIMES = 20000 };
	struct { uint64_t before, tsc, after; } *t = calloc(TIMES, sizeof(*t));
	struct clock *c = new_clock();
	uint64_t hint = 0, ns, error;
	unsigned int cpu;
	int i, wrong = 0;

	(void)state;
	if (!clock_trusts_tsc(""))
		skip();
	assert_non_null(t);
	clock_read(c);
	for (i = 0; i < TIMES; i++) {
		t[i].before = now();
		t[i].tsc = __rdtscp(&cpu);
		t[i].after = now();
		if (i % 100 == 99)
			clock_read(c);
	}
	/* What it says of itself; and what the rate may change between two pairs. */
	error = c->error_ns + 50;
	for (i = 0; i < TIMES; i++) {
		ns = clock_ns(c, t[i].tsc, &hint);
		wrong += ns + error < t[i].before || ns > t[i].after + error;
	}
	print_message("# pairs are at most %lu ns off\n", (unsigned long)c->error_ns);
	assert_int_equal(wrong, 0);
	assert_true(c->error_ns > 0);
	free(c);
	free(t);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(between_pairs_time_is_on_the_line),
		cmocka_unit_test(order_is_kept_and_errors_are_small),
		cmocka_unit_test(pairs_out_of_order_are_mended),
#if defined(__x86_64__)
		cmocka_unit_test(this_machines_clocks),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
