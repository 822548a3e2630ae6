// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Which pattern accesses have: which object, page or line, used by which nodes, processes and threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "memprof/diagnose/tests/two_nodes.h"

static void one_object(double slow, struct findings *f)
{
	struct data *d = data_new(data_path);
	uint32_t s;

	now = DATA_START;
	srandom(1);
	s = process(d, 10);
	use(d, 10, object(d, s, 1, 0), 2000, slow);
	memprof_close(diagnose(d, f));
}

/*
 * Nodes that use an object in turn: none of it is remote if it moves when a turn begins, wherever in
 * a slice of its life that is.
 */
static void turns_end_within_slices(void **unused)
{
	const unsigned int accesses = 2000, turn = 150;
	const struct finding *x;
	struct findings f = { };
	struct memprof *m;
	struct data *d;
	uint64_t addr;
	uint32_t s;

	(void)unused;
	d = data_new(data_path);
	now = DATA_START;
	srandom(1);
	s = process(d, 10);
	addr = object(d, s, 1, 0);
	for (unsigned int i = 0; i < accesses; i++) {
		const unsigned int node = i / turn % 2;

		now += 1000;
		data_sample(d, 2 * node, now, 10, 10 + node, addr + random() % (16 * PAGE) / 8 * 8,
			    (struct sample_record){ .op = 1 + random() % 2, .level = LEVEL_RAM,
						    .latency = 200, .pfn = 1, .node = 0 }, 0x500000);
	}
	m = diagnose(d, &f);
	x = find(&f, PATTERN_ALTERNATE);
	assert_non_null(x);
	assert_int_equal(x->fix, FIX_MIGRATE);
	/* Each slice by one node, it would be 5 % and more. */
	assert_true(x->phase < 0.96);
	assert_true(x->predicted < 0.005 * accesses);
	patterns_free(&f);
	memprof_close(m);
}

static void a_node_that_answers_slowly_is_saturated(void **unused)
{
	const struct finding *x;
	struct findings f;

	(void)unused;
	one_object(3, &f);
	x = find(&f, PATTERN_SATURATED);
	assert_non_null(x);
	assert_int_equal(x->fix, FIX_INTERLEAVE);
	assert_int_equal(x->node, 0);
	/* Half of the pages are local then, wherever one is. */
	assert_int_equal(x->predicted, x->accesses / 2);
	assert_true(x->busy > 2 && x->busy < 3);
	patterns_free(&f);
}

static void a_node_that_answers_as_ever_is_not(void **unused)
{
	const struct finding *x;
	struct findings f;

	(void)unused;
	one_object(1.2, &f);
	assert_null(find(&f, PATTERN_SATURATED));
	x = find(&f, PATTERN_CONCURRENT_WRITE);
	assert_non_null(x);
	assert_int_equal(x->fix, FIX_PIN_THREADS);
	assert_true(x->busy < 1.5);
	patterns_free(&f);
}

/* Threads write words of their own in one line; the last one that of the first, if @overlap. */
static bool is_false_sharing(unsigned int threads, bool overlap)
{
	struct data *d = data_new(data_path);
	struct findings f;
	unsigned int i, t;
	uint64_t addr;
	uint32_t s;
	bool found;

	now = DATA_START;
	srandom(3);
	s = process(d, 10);
	for (t = 2; t < threads; t++)
		data_task(d, now, &(struct task_record){ .type = TASK_FORK, .pid = 10, .tid = 10 + t,
			  .other = 10 }, NULL);
	addr = object(d, s, 1, 0);
	for (i = 0; i < 2000; i++) {
		t = i < threads ? i : random() % threads;
		now += 1000;
		data_sample(d, 2 * (t % 2), now, 10, 10 + t, addr + 8 * (overlap && t == threads - 1 ? 0 : t),
			    (struct sample_record){ .op = 2, .level = LEVEL_RAM, .latency = 200, .pfn = 1 },
			    0x500000);
	}
	memprof_close(diagnose(d, &f));
	found = find(&f, PATTERN_FALSE_SHARING);
	patterns_free(&f);
	return found;
}

static void all_threads_of_a_line_count(void **unused)
{
	(void)unused;
	assert_true(is_false_sharing(3, false));
	assert_false(is_false_sharing(3, true));
	assert_true(is_false_sharing(8, false));
	/* The fifth and later ones, too. */
	assert_false(is_false_sharing(5, true));
	assert_false(is_false_sharing(8, true));
}

/* Processes 10, 20, ... have objects of each site. */
static void shared_in_processes(unsigned int processes, unsigned int sites, struct findings *f)
{
	struct data *d = data_new(data_path);
	unsigned int p, site;
	uint32_t s;

	now = DATA_START;
	srandom(2);
	for (p = 1; p <= processes; p++) {
		s = process(d, 10 * p);
		for (site = 1; site <= sites; site++)
			use(d, 10 * p, object(d, s, site, site), 400, 1);
	}
	memprof_close(diagnose(d, f));
}

static void several_processes_on_all_nodes_are_split(void **unused)
{
	const struct finding *x;
	struct findings f;

	(void)unused;
	shared_in_processes(4, 1, &f);
	x = find(&f, PATTERN_SPLIT);
	assert_non_null(x);
	assert_int_equal(x->fix, FIX_PIN_PROCESS);
	assert_int_equal(x->pid, 0);
	assert_int_equal(x->processes, 4);
	assert_int_equal(x->predicted, 0);
	assert_int_equal(x->remote, f.remote);
	patterns_free(&f);
}

/* One process would leave the other node with nothing to do. */
static void one_process_with_one_object_is_not(void **unused)
{
	struct findings f;

	(void)unused;
	shared_in_processes(1, 1, &f);
	assert_null(find(&f, PATTERN_SPLIT));
	patterns_free(&f);
}

static void one_process_of_which_no_object_stands_out_is(void **unused)
{
	const struct finding *x;
	struct findings f;

	(void)unused;
	shared_in_processes(1, 5, &f);
	x = find(&f, PATTERN_SPLIT);
	assert_non_null(x);
	assert_int_equal(x->pid, 10);
	assert_int_equal(x->objects, 5);
	patterns_free(&f);
}

/* Each process on a node of its own: nothing is shared. */
static void processes_on_one_node_each_are_not(void **unused)
{
	struct data *d = data_new(data_path);
	struct findings f;
	unsigned int p, i;
	uint64_t addr;
	uint32_t s;

	(void)unused;
	now = DATA_START;
	for (p = 1; p <= 4; p++) {
		s = process(d, 10 * p);
		addr = object(d, s, 1, 0);
		for (i = 0; i < 400; i++) {
			now += 1000;
			/* Of another node than its memory: but one thread's. */
			data_sample(d, 2, now, 10 * p, 10 * p + 1, addr + 8 * i, (struct sample_record){
				.op = 2, .level = LEVEL_RAM, .latency = 400, .pfn = 1, .node = 0 }, 0x500000);
		}
	}
	memprof_close(diagnose(d, &f));
	assert_null(find(&f, PATTERN_SPLIT));
	assert_non_null(find(&f, PATTERN_AFTER_ALLOCATION));
	patterns_free(&f);
}

/*
 * Each thread has half of an object on node 0: the pages of one are to be on node 1, but not the
 * first one, when the allocator's header is in it.
 */
static void each_page_to_its_thread(unsigned int offset, unsigned int mine, uint64_t left)
{
	const uint64_t frame = 0x400010, addr = HEAP + offset;
	struct data *d = data_new(data_path);
	const struct finding *x;
	struct findings f;
	uint32_t s;

	now = DATA_START;
	s = process(d, 10);
	data_chain(d, s, now, 1, &frame, 1);
	data_event(d, s, now + 1, (struct event_record){ .type = EVENT_ALLOC, .addr = addr, .size = 16 * PAGE,
		   .chain = 1 });
	now += 10000;
	for (unsigned int i = 0; i < 1600; i++) {
		const unsigned int node = i / 8 % 2;

		now += 1000;
		data_sample(d, 2 * node, now, 10, 10 + node, HEAP + (8 * (node ^ mine) + i % 8) * PAGE + 64 + i / 16,
			    (struct sample_record){ .op = 2, .level = LEVEL_RAM, .latency = 200, .pfn = 1 }, 0x500000);
	}
	memprof_close(diagnose(d, &f));
	x = find(&f, PATTERN_PARTITIONED);
	assert_non_null(x);
	assert_int_equal(x->fix, FIX_FIRST_TOUCH);
	assert_int_equal(x->remote, 800);
	assert_int_equal(x->predicted, left);
	patterns_free(&f);
}

static void the_page_of_an_object_s_header_stays(void **unused)
{
	(void)unused;
	each_page_to_its_thread(0, 1, 0);
	each_page_to_its_thread(16, 1, 100);
	/* Who allocated it uses it. */
	each_page_to_its_thread(16, 0, 0);
}

/*
 * Two nodes use a large object, each page once but for 10, which one node uses twice: of too few
 * pages is it known whose they are.
 */
static void pages_seen_once_belong_to_nobody(void **unused)
{
	const uint64_t frame = 0x400010;
	struct data *d = data_new(data_path);
	struct findings f;
	uint32_t s;

	(void)unused;
	now = DATA_START;
	s = process(d, 10);
	data_chain(d, s, now, 1, &frame, 1);
	data_event(d, s, now + 1, (struct event_record){ .type = EVENT_ALLOC, .addr = HEAP, .size = 2000 * PAGE,
		   .chain = 1 });
	now += 10000;
	for (unsigned int i = 0; i < 1610; i++) {
		const unsigned int page = i < 1600 ? i : 100 * (i - 1600), node = page % 8 < 4;

		now += 1000;
		data_sample(d, 2 * node, now, 10, 10 + node, HEAP + page * PAGE + 64,
			    (struct sample_record){ .op = 2, .level = LEVEL_RAM, .latency = 200, .pfn = 1 }, 0x500000);
	}
	memprof_close(diagnose(d, &f));
	assert_true(f.nr > 0);
	assert_null(find(&f, PATTERN_PARTITIONED));
	patterns_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(turns_end_within_slices),
		cmocka_unit_test(a_node_that_answers_slowly_is_saturated),
		cmocka_unit_test(a_node_that_answers_as_ever_is_not),
		cmocka_unit_test(all_threads_of_a_line_count),
		cmocka_unit_test(several_processes_on_all_nodes_are_split),
		cmocka_unit_test(one_process_with_one_object_is_not),
		cmocka_unit_test(one_process_of_which_no_object_stands_out_is),
		cmocka_unit_test(processes_on_one_node_each_are_not),
		cmocka_unit_test(the_page_of_an_object_s_header_stays),
		cmocka_unit_test(pages_seen_once_belong_to_nobody),
	};

	return cmocka_run_group_tests(tests, data_make_path, data_remove_path);
}
