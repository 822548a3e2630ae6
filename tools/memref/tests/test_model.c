// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Events become intervals and groups. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "memref/model/model.h"

static void add(struct model *m, uint32_t seq, uint64_t addr, uint32_t kernel,
		uint32_t user, uint32_t page_cache, uint32_t written)
{
	const struct group_row row = {
		.seq = seq, .phys_addr = addr, .pages = { kernel, user, page_cache },
		.written = written,
	};

	assert_int_equal(model_add_group(m, &row), 0);
}

static void scan(struct model *m, uint32_t seq, uint32_t groups, uint64_t user)
{
	const struct scan_row row = {
		.seq = seq, .groups = groups, .pages = { 0, user, 0 }, .group_kb = 64,
		.begin_ns = seq * 1000000000ULL, .scan_ns = seq * 1000000000ULL + 900000000,
		.end_ns = (seq + 1) * 1000000000ULL,
	};

	assert_int_equal(model_add_scan(m, &row), 0);
}

static struct group *group(struct model *m, uint64_t addr)
{
	struct group *g;

	HASH_FIND(hh, m->groups, &addr, sizeof(addr), g);
	return g;
}

static void sums(void **state)
{
	struct model m;

	(void)state;
	model_init(&m);
	add(&m, 1, 0, 3, 0, 0, 0);
	add(&m, 1, 65536, 1, 16, 0, 1);
	scan(&m, 1, 2, 16);
	add(&m, 2, 65536, 0, 4, 2, 0);
	scan(&m, 2, 1, 4);
	model_end(&m);

	assert_int_equal(m.nr_intervals, 2);
	assert_int_equal(m.incomplete, 0);
	assert_int_equal(m.intervals[0].groups, 2);
	assert_int_equal(m.intervals[0].class_groups[KERNEL], 2);
	assert_int_equal(m.intervals[0].class_groups[USER], 1);
	assert_int_equal(m.intervals[0].written_groups, 1);
	assert_int_equal(m.intervals[1].class_groups[PAGE_CACHE], 1);
	assert_int_equal(HASH_COUNT(m.groups), 2);
	assert_int_equal(group(&m, 65536)->intervals, 2);
	assert_int_equal(group(&m, 65536)->pages[USER], 20);
	assert_int_equal(group(&m, 65536)->written_intervals, 1);
	assert_int_equal(group(&m, 0)->class_intervals[USER], 0);
	assert_true(interval_time(&m, 1) > 1.89 && interval_time(&m, 1) < 1.91);
	model_free(&m);
}

/* The paper's Figure 2 prints groups that were not referenced. */
static void zero_rows(void **state)
{
	struct model m;

	(void)state;
	model_init(&m);
	add(&m, 1, 0, 0, 0, 0, 0);
	add(&m, 1, 65536, 0, 1, 0, 0);
	scan(&m, 1, 1, 1);
	assert_int_equal(m.intervals[0].groups, 1);
	assert_null(group(&m, 0));
	model_free(&m);
}

static void incomplete(void **state)
{
	struct model m;

	(void)state;
	model_init(&m);
	add(&m, 1, 0, 1, 0, 0, 0);		/* its memref_scan was lost */
	add(&m, 2, 0, 1, 0, 0, 0);
	scan(&m, 2, 1, 0);
	add(&m, 3, 0, 1, 0, 0, 0);		/* a row of it was lost */
	scan(&m, 3, 2, 0);
	add(&m, 6, 0, 1, 0, 0, 0);		/* 4 and 5 are missing; the recording ends before its memref_scan */
	model_end(&m);
	assert_int_equal(m.nr_intervals, 2);
	assert_int_equal(m.incomplete, 1);
	assert_int_equal(m.missing, 4);
	assert_int_equal(m.intervals[0].groups, 1);
	model_free(&m);
}

/* A restarted sampler counts from 1; a sampler that already ran may begin with more. */
static void restart(void **state)
{
	struct model m;

	(void)state;
	model_init(&m);
	scan(&m, 500, 0, 0);
	scan(&m, 501, 0, 0);
	scan(&m, 1, 0, 0);
	scan(&m, 2, 0, 0);
	model_end(&m);
	assert_int_equal(m.nr_intervals, 4);
	assert_int_equal(m.missing, 0);
	model_free(&m);
}

/* Clocks differ between CPUs: a row after its memref_scan still counts. */
static void late_row(void **state)
{
	struct model m;

	(void)state;
	model_init(&m);
	add(&m, 1, 0, 0, 1, 0, 0);
	scan(&m, 1, 2, 2);
	add(&m, 1, 65536, 0, 1, 0, 0);
	add(&m, 2, 0, 0, 1, 0, 0);
	scan(&m, 2, 1, 1);
	model_end(&m);
	assert_int_equal(m.nr_intervals, 2);
	assert_int_equal(m.intervals[0].groups, 2);
	assert_int_equal(m.intervals[1].groups, 1);
	assert_int_equal(m.incomplete, 0);
	assert_int_equal(m.missing, 0);
	model_free(&m);
}

/* A row of an interval that was dropped because its memref_scan is missing. */
static void lost_scan(void **state)
{
	struct model m;

	(void)state;
	model_init(&m);
	add(&m, 1, 0, 0, 1, 0, 0);
	add(&m, 2, 0, 0, 1, 0, 0);
	model_end(&m);
	add(&m, 2, 65536, 0, 1, 0, 0);
	assert_int_equal(m.nr_intervals, 0);
	model_free(&m);

	model_init(&m);
	add(&m, 1, 0, 0, 1, 0, 0);
	scan(&m, 1, 1, 1);
	add(&m, 2, 0, 0, 1, 0, 0);
	model_end(&m);
	add(&m, 2, 65536, 0, 1, 0, 0);
	assert_int_equal(m.intervals[0].groups, 1);
	model_free(&m);
}

/* What the model keeps grows with groups, not with events. */
static void bounded(void **state)
{
	struct model m;
	unsigned int seq, g;

	(void)state;
	model_init(&m);
	for (seq = 1; seq <= 2000; seq++) {
		for (g = 0; g < 64; g++)
			add(&m, seq, g * 65536ULL, 0, 1, 0, 0);
		scan(&m, seq, 64, 64);
	}
	assert_int_equal(HASH_COUNT(m.groups), 64);
	assert_int_equal(m.nr_intervals, 2000);
	assert_true(m.capacity <= 4096);
	assert_int_equal(group(&m, 0)->intervals, 2000);
	model_free(&m);
}

/* Only what is in the window counts; times stay those of the recording. */
static void window(void **state)
{
	struct model m;
	uint32_t seq;

	(void)state;
	model_init(&m);
	m.window = (struct window){ .from = 2.5, .to = 4.5, .addr = 65536, .addr_end = 131072 };
	for (seq = 1; seq <= 8; seq++) {
		add(&m, seq, 0, 0, 1, 0, 0);
		add(&m, seq, 65536, 0, 2, 0, 1);
		add(&m, seq, 131072, 0, 4, 0, 0);
		scan(&m, seq, 3, 7);
	}
	model_end(&m);
	/* Intervals last from seq - 1 to seq - 0.1 s. */
	assert_int_equal(m.nr_intervals, 3);
	assert_int_equal(m.intervals[0].scan.seq, 3);
	assert_int_equal(m.intervals[0].pages[USER], 2);
	assert_int_equal(m.intervals[0].groups, 1);
	assert_int_equal(m.missing, 0);
	assert_int_equal(m.incomplete, 0);
	assert_int_equal((int)(interval_time(&m, 0) * 10 + 0.5), 29);
	assert_int_equal(HASH_COUNT(m.groups), 1);
	assert_int_equal(group(&m, 65536)->intervals, 3);
	model_free(&m);
}

static void nodes_and_tasks(void **state)
{
	const struct node_row low = { .start = 0, .end = 131072, .node = 0, .seq = 1 };
	const struct node_row high = { .start = 131072, .end = 1 << 20, .node = 1, .seq = 1 };
	struct task_row task = { .pid = 7, .pages = 5, .rss = 9, .seq = 1, .comm = "cat" };
	struct model m;

	(void)state;
	model_init(&m);
	assert_int_equal(model_add_node(&m, &low), 0);
	assert_int_equal(model_add_node(&m, &high), 0);
	assert_int_equal(model_add_task(&m, &task), 0);
	add(&m, 1, 65536, 0, 3, 0, 0);
	add(&m, 1, 131072, 1, 2, 0, 0);
	scan(&m, 1, 2, 5);
	assert_int_equal(model_add_node(&m, &low), 0);
	task.seq = 2;
	task.pages = 1;
	assert_int_equal(model_add_task(&m, &task), 0);
	scan(&m, 2, 0, 0);
	model_end(&m);
	assert_int_equal(m.nr_spans, 2);
	assert_int_equal(m.nr_nodes, 2);
	assert_int_equal(m.intervals[0].nodes[0].pages[USER], 3);
	assert_int_equal(m.intervals[0].nodes[1].pages[USER], 2);
	assert_int_equal(m.intervals[0].nodes[1].pages[KERNEL], 1);
	assert_int_equal(HASH_COUNT(m.tasks), 1);
	assert_int_equal(m.tasks->pages, 6);
	assert_int_equal(m.tasks->max_pages, 5);
	assert_int_equal(m.tasks->intervals, 2);
	assert_int_equal(model_node(&m, 1 << 20), -1);
	model_free(&m);
}

static void add_span(struct model *m, uint64_t start, uint64_t end, uint32_t node)
{
	const struct node_row row = { .start = start, .end = end, .node = node, .seq = 1 };

	assert_int_equal(model_add_node(m, &row), 0);
}

/* Compare with a table of the last reported node of each of 256 pieces of memory. */
static void the_latest_span_holds(void **state)
{
	uint64_t random = 1;
	unsigned int round, i, at;
	int node[256];
	struct model m;

	(void)state;
	for (round = 0; round < 200; round++) {
		model_init(&m);
		memset(node, -1, sizeof(node));
		for (i = 0; i < 40; i++) {
			unsigned int start, end, n;

			random = random * 6364136223846793005ULL + 1442695040888963407ULL;
			start = random >> 32 & 255;
			end = start + (random >> 40 & 63);
			n = random >> 48 & 3;
			add_span(&m, (uint64_t)start << 20, (uint64_t)end << 20, n);
			for (at = start; at < end && at < 256; at++)
				node[at] = n;
			for (at = 0; at < 256; at++) {
				assert_int_equal(model_node(&m, (uint64_t)at << 20), node[at]);
				assert_int_equal(model_node(&m, ((at + 1ULL) << 20) - 1), node[at]);
			}
			for (at = 1; at < m.nr_spans; at++)
				assert_true(m.spans[at].start >= m.spans[at - 1].end);
		}
		model_free(&m);
	}
}

/* CPU time to look up a million addresses among as many spans, in seconds. */
static double time_of_lookups(unsigned int spans)
{
	struct model m;
	clock_t begin;
	unsigned int i;
	double time;

	model_init(&m);
	for (i = 0; i < spans; i++)
		add_span(&m, (uint64_t)i << 20, (i + 1ULL) << 20, i % 1024);
	assert_int_equal(m.nr_spans, spans);
	begin = clock();
	for (i = 0; i < 1000000; i++) {
		unsigned int span = i * 2654435761U % spans;

		assert_true(model_node(&m, ((uint64_t)span << 20) + 7) == (int)(span % 1024));
	}
	time = (double)(clock() - begin) / CLOCKS_PER_SEC;
	model_free(&m);
	return time;
}

static void lookup_is_not_linear_in_spans(void **state)
{
	const double few = time_of_lookups(16), many = time_of_lookups(60000);

	(void)state;
	print_message("# a million lookups: %.3f s among 16 spans, %.3f s among 60,000\n", few, many);
	/* A linear search would take 3,750 times as long. */
	assert_true(many < 60 * few);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums), cmocka_unit_test(zero_rows),
		cmocka_unit_test(incomplete), cmocka_unit_test(restart),
		cmocka_unit_test(late_row), cmocka_unit_test(lost_scan),
		cmocka_unit_test(bounded),
		cmocka_unit_test(window), cmocka_unit_test(nodes_and_tasks),
		cmocka_unit_test(the_latest_span_holds), cmocka_unit_test(lookup_is_not_linear_in_spans),
	};

	return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
