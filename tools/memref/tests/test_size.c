// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Memory limits from idle ages, against exact LRU. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "age_sim.h"
#include "memref/model/size.h"
#include "memref/view/size.h"

static struct model m;
static struct age_sim sim;
static struct size_step *steps;
static size_t nr_steps;
static struct size size;

static int begin(void **state)
{
	(void)state;
	model_init(&m);
	m.ages.by = AGES_CGROUP;
	memset(&sim, 0, sizeof(sim));
	sim.random = 1;
	steps = NULL;
	return 0;
}

static int end(void **state)
{
	(void)state;
	model_free(&m);
	free(steps);
	return 0;
}

static void scan(uint32_t seq)
{
	const struct scan_row row = {
		.seq = seq, .begin_ns = seq * 1000000000ULL, .scan_ns = (seq + 1) * 1000000000ULL,
		.end_ns = (seq + 1) * 1000000000ULL,
	};

	assert_int_equal(model_add_scan(&m, &row), 0);
}

/* The interval ends; all last a second. */
static void interval_end(const char *path)
{
	const struct age_row row = sim_end(&sim, path);

	assert_int_equal(model_add_age(&m, &row), 0);
	scan(sim.interval);
}

static void limit(const char *cgroup, double rate)
{
	free(steps);
	model_end(&m);
	assert_int_equal(size_steps(&m, cgroup, &(struct window){ }, &steps, &nr_steps), 0);
	assert_true(nr_steps >= SIZE_MIN_STEPS);
	assert_int_equal(size_limit(steps, nr_steps, &(struct size_price){ .refault = 1, .allowed = rate }, &size), 0);
	print_message("# low %g estimate %g high %g\n", size.low, size.estimate, size.high);
}

/* The exact limit is in the interval; return it. */
static uint32_t holds_truth(double rate)
{
	const uint32_t truth = sim_limit(&sim, rate * nr_steps);

	print_message("# exact %u\n", truth);
	assert_true(size.low <= truth);
	assert_true(truth <= size.high);
	return truth;
}

/* Of 100 pages of age 0 and 100 of age 1, 40 and 20 are referenced, and 50 are fresh. */
static void assumptions(void **state)
{
	const struct size_step step = {
		.seconds = 2, .before = { 100, 100 }, .again = { 40, 20 }, .fresh = 50, .total = 250,
	};

	(void)state;
	assert_float_equal(size_rate(&step, 1, 0, SIZE_LOW), 30, 1e-9);
	assert_float_equal(size_rate(&step, 1, 0, SIZE_HIGH), 30, 1e-9);
	/* The youngest: 40 and 10 of these stay. */
	assert_float_equal(size_rate(&step, 1, 110, SIZE_LOW), 5, 1e-9);
	/* 35 are added above those of age 0, so that 75 of 100 stay, and none of age 1. */
	assert_float_equal(size_rate(&step, 1, 110, SIZE_ESTIMATE), (40 * 0.25 + 20) / 2, 1e-9);
	/* 70 are added above those of age 0, and 50 above those of age 1. */
	assert_float_equal(size_rate(&step, 1, 169, SIZE_HIGH), 30, 1e-9);
	assert_float_equal(size_rate(&step, 1, 170, SIZE_HIGH), 10, 1e-9);
	assert_float_equal(size_rate(&step, 1, 249, SIZE_HIGH), 10, 1e-9);
	assert_float_equal(size_rate(&step, 1, 250, SIZE_HIGH), 0, 1e-9);
}

static void many_steps(const struct size_step *step, const struct size_price *price)
{
	struct size_step many[SIZE_MIN_STEPS];
	int i;

	for (i = 0; i < SIZE_MIN_STEPS; i++)
		many[i] = *step;
	assert_int_equal(size_limit(many, SIZE_MIN_STEPS, price, &size), 0);
	print_message("# low %g estimate %g high %g\n", size.low, size.estimate, size.high);
}

/* What is new takes place: that of pages that were freed, or that are evicted. */
static void evictions(void **state)
{
	const struct size_step grows = { .seconds = 2, .before = { 600, 400 }, .fresh = 50, .total = 1050 };
	const struct size_step changes = { .seconds = 2, .before = { 600, 400 }, .fresh = 50, .total = 1000 };
	const struct size_step first = { .seconds = 2, .fresh = 50, .total = 50 };
	const struct size_price price = { .refault = 70, .evict = 9, .allowed = 150 };

	(void)state;
	assert_float_equal(size_evictions(&grows, 1, 0), 25, 1e-9);
	assert_float_equal(size_evictions(&grows, 1, 1000), 25, 1e-9);
	assert_float_equal(size_evictions(&grows, 1, 1020), 15, 1e-9);
	assert_float_equal(size_evictions(&grows, 1, 1050), 0, 1e-9);
	/* Of 50 that are freed, half were evicted before. */
	assert_float_equal(size_evictions(&changes, 1, 500), 12.5, 1e-9);
	assert_float_equal(size_evictions(&changes, 1, 1000), 0, 1e-9);
	assert_float_equal(size_evictions(&first, 1, 20), 15, 1e-9);
	/* 300 in 2 s are allowed; for 32 evictions, each takes 9 and a look at 1018 / 968 pages. */
	many_steps(&grows, &price);
	assert_float_equal(size.low, 1019, 0.5);
	assert_float_equal(size.estimate, 1019, 0);
	assert_float_equal(size.high, 1019, 0.5);
}

/* Towards the memory that is referenced all the time, reclaim looks at more and more pages. */
static void looks(void **state)
{
	const struct size_step busy = { .seconds = 1, .before = { 900, 100 }, .again = { 900 }, .fresh = 20, .total = 1020 };
	const struct size_price price = { .refault = 70, .evict = 10 };

	(void)state;
	assert_float_equal(size_cost(&busy, 1, 1000, &price), 20 * 10 * 1000 / 80., 1e-6);
	assert_float_equal(size_cost(&busy, 1, 960, &price), 20 * 10 * 960 / 40., 1e-6);
	/* At most MOST_LOOKS. */
	assert_float_equal(size_cost(&busy, 1, 930, &price), 20 * 10 * 32, 1e-6);
}

/* 1000 pages of 4000 are in use: all of these stay, but as many as may be refaults. */
static void hot_and_cold(void **state)
{
	uint32_t i;

	(void)state;
	sim.counted_from = 21;
	for (i = 0; i < 80; i++) {
		sim_begin(&sim);
		sim_hot_and_loop(&sim, 1000, 0, 1, 3000);
		interval_end("/web");
	}
	limit("/web", 0);
	assert_int_equal(nr_steps, 59);
	assert_float_equal(size.low, 1000, 0);
	assert_float_equal(size.estimate, 1000, 0);
	assert_float_equal(size.high, 1000, 0);
	limit("/web", 20);
	assert_float_equal(size.low, 980, 0);
	assert_float_equal(size.estimate, 980, 0);
	assert_float_equal(size.high, 1000, 0);
	holds_truth(20);
	assert_float_equal(size_rate(steps, nr_steps, 900, SIZE_ESTIMATE), 100, 1e-9);
	/* With as many refaults as there are references, nothing needs to stay. */
	limit("/web", 1000);
	assert_float_equal(size.estimate, 0, 0);
}

/*
 * A process each 8 intervals reads 800 pages of files, then fills 1600 of its own, which are freed when
 * it ends: the files' pages are not back then, though there is room for them.
 */
static void processes(void **state)
{
	uint32_t i, k;

	(void)state;
	sim.counted_from = 1 + 1 + 160 / 4;
	for (i = 0; i < 160; i++) {
		sim_begin(&sim);
		if (i % 8 == 6)
			sim_free(&sim, 1000);
		for (k = 0; k < 400 && i % 8 < 2; k++)
			sim_reference(&sim, i % 8 * 400 + k);
		for (k = 0; k < 400 && i % 8 >= 2 && i % 8 < 6; k++)
			sim_reference(&sim, 1000 + (i % 8 - 2) * 400 + k);
		interval_end("/build");
	}
	limit("/build", 1);
	assert_true(holds_truth(1) > 2300);
	assert_true(size.estimate > 2000);
}

/* A loop of 8 intervals over 1600 pages, which LRU keeps as a whole or not at all. */
static void loop(void **state)
{
	uint32_t i;

	(void)state;
	sim.counted_from = 21;
	for (i = 0; i < 80; i++) {
		sim_begin(&sim);
		sim_hot_and_loop(&sim, 500, 1600, 8, 2000);
		interval_end("/web");
	}
	limit("/web", 10);
	assert_true(holds_truth(10) >= 2100);
	assert_true(size.high <= 2100 + 200);
	/* More refaults than the loop has are allowed: it need not stay. */
	limit("/web", 250);
	assert_true(holds_truth(250) < 1000);
	assert_true(size.high < 1000);
}

/* The longer a page was idle, the less probable is its next reference. */
static void skewed(void **state)
{
	static const double rates[] = { 5, 20, 100 };
	uint32_t i, j;

	(void)state;
	sim.counted_from = 51;
	for (i = 0; i < 200; i++) {
		sim_begin(&sim);
		for (j = 0; j < 1000; j++)
			sim_reference(&sim, 3000 * pow((sim_random(&sim, 100000) + 0.5) / 100000, 3));
		interval_end("/web");
	}
	for (i = 0; i < 3; i++) {
		limit("/web", rates[i]);
		const uint32_t truth = holds_truth(rates[i]);

		assert_true(fabs(size.estimate / truth - 1) < 0.1);
	}
}

/*
 * Few of many pages are referenced in an interval, any of them: most get older, so that the
 * limit need not hold all that are as old as those that are referenced again.
 */
static void seldom(void **state)
{
	uint32_t i, j;

	(void)state;
	sim.counted_from = 76;
	for (i = 0; i < 300; i++) {
		sim_begin(&sim);
		sim_hot_and_loop(&sim, 300, 0, 1, 5700);
		for (j = 0; j < 40; j++)
			sim_reference(&sim, 300 + sim_random(&sim, 5700));
		interval_end("/web");
	}
	limit("/web", 10);
	assert_true(6000 - size.high >= 0.5 * (6000 - holds_truth(10)));
}

/* Memory that is used once passes through, and takes the place of the other in between. */
static void stream(void **state)
{
	uint32_t i, j;

	(void)state;
	sim.counted_from = 21;
	for (i = 0; i < 80; i++) {
		sim_begin(&sim);
		for (j = 0; j < 800; j++) {
			if (j % 8 < 5)
				sim_reference(&sim, j / 8 * 5 + j % 8);
			else
				sim_reference(&sim, 500 + (300 * i + j / 8 * 3 + j % 8 - 5) % 2400);
		}
		while (sim.nr > 1100)
			sim_free_oldest(&sim);
		interval_end("/web");
	}
	limit("/web", 5);
	holds_truth(5);
}

/*
 * Each fourth interval begins with 400 other pages, which may be refaults, but not those of
 * the 500 that are referenced in each interval, whose place they take.
 */
static void others_first(void **state)
{
	uint32_t i, j;

	(void)state;
	sim.counted_from = 21;
	for (i = 0; i < 80; i++) {
		sim_begin(&sim);
		for (j = 0; i % 4 == 0 && j < 400; j++)
			sim_reference(&sim, 500 + j);
		for (j = 0; j < 500; j++)
			sim_reference(&sim, j);
		interval_end("/web");
	}
	limit("/web", 150);
	assert_int_equal(holds_truth(150), 900);
	assert_float_equal(size.high, 900, 0);
}

/* Groups below a group are part of it; others whose names begin alike are not. */
static void groups_below(void **state)
{
	static const char * const paths[] = { "/web", "/web/a", "/web2", "" };
	uint32_t i, j;

	(void)state;
	for (i = 0; i < 80; i++) {
		sim_begin(&sim);
		sim_hot_and_loop(&sim, 100, 0, 1, 100);
		for (j = 0; j < 4; j++) {
			struct age_row row = sim_end(&sim, paths[j]);

			row.cgroup = 1 + j;
			assert_int_equal(model_add_age(&m, &row), 0);
		}
		scan(sim.interval);
	}
	limit("/web", 0);
	assert_float_equal(size.estimate, 200, 0);
	limit("/web/a", 0);
	assert_float_equal(size.estimate, 100, 0);
	limit("/", 0);
	assert_float_equal(size.estimate, 300, 0);
}

/* Ages before a lost interval are not those of the one before it. */
static void lost_intervals(void **state)
{
	uint32_t i;

	(void)state;
	for (i = 0; i < 80; i++) {
		sim_begin(&sim);
		sim_hot_and_loop(&sim, 100, 0, 1, 100);
		if (i != 60)
			interval_end("/web");
	}
	limit("/web", 0);
	/* 79 are there; of the 19 first and the one behind the lost one, none counts. */
	assert_int_equal(nr_steps, 79 - 1 - 19 - 1);
	assert_float_equal(size.high, 100, 0);
}

/* What the table has of a group, and of one with too few intervals. */
static void rows(void **state)
{
	struct size_question q = { .refaults = 0, .refault_us = 50, .extra = 1 << 20 };
	char error[512];
	struct table t;
	uint32_t i;

	(void)state;
	for (i = 0; i < 80; i++) {
		sim_begin(&sim);
		sim_hot_and_loop(&sim, 256, 0, 1, 768);
		struct age_row row = sim_end(&sim, "/late");

		row.cgroup = 8;
		if (i >= 60)
			assert_int_equal(model_add_age(&m, &row), 0);
		interval_end("/web");
	}
	model_end(&m);
	assert_int_equal(size_table(&m, &q, &t, error, sizeof(error)), 0);
	assert_int_equal(table_rows(&t), 2);
	assert_string_equal(t.cells[0].text, "/late");
	assert_int_equal(t.cells[5].type, CELL_NONE);
	const struct cell *web = t.cells + t.nr_columns;

	assert_string_equal(web[0].text, "/web");
	assert_int_equal(web[1].integer, 59);
	assert_float_equal(web[2].real, 59, 1e-6);	/* seconds */
	assert_float_equal(web[3].real, 4, 1e-9);	/* memory */
	assert_float_equal(web[6].real, 1, 1e-9);	/* high */
	assert_float_equal(web[7].real, 2, 1e-9);	/* with the extra */
	assert_float_equal(web[8].real, 3, 1e-9);	/* saved */
	assert_float_equal(web[9].real, 0, 1e-9);
	table_free(&t);

	q.cgroup = "/late";
	assert_int_equal(size_table(&m, &q, &t, error, sizeof(error)), 1);
	assert_non_null(strstr(error, "/late: 14 intervals"));
	table_free(&t);
	q.cgroup = "/we";
	assert_int_equal(size_table(&m, &q, &t, error, sizeof(error)), 1);
	assert_non_null(strstr(error, "/we has ages"));
	table_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(assumptions),
		cmocka_unit_test(evictions),
		cmocka_unit_test(looks),
		cmocka_unit_test_setup_teardown(hot_and_cold, begin, end),
		cmocka_unit_test_setup_teardown(processes, begin, end),
		cmocka_unit_test_setup_teardown(loop, begin, end),
		cmocka_unit_test_setup_teardown(skewed, begin, end),
		cmocka_unit_test_setup_teardown(seldom, begin, end),
		cmocka_unit_test_setup_teardown(stream, begin, end),
		cmocka_unit_test_setup_teardown(others_first, begin, end),
		cmocka_unit_test_setup_teardown(groups_below, begin, end),
		cmocka_unit_test_setup_teardown(lost_intervals, begin, end),
		cmocka_unit_test_setup_teardown(rows, begin, end),
	};

	return cmocka_run_group_tests_name("size", tests, NULL, NULL);
}
