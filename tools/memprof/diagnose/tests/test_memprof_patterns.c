// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memprof diagnose and the views: patterns of made-up accesses.  Two nodes with two CPUs each; threads
 * on both have objects at once, on node 0.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memprof/diagnose/patterns.h"
#include "memprof/view/enough.h"
#include "memprof/memprof_cli.h"
#include "memprof/tests/memprof_data.h"

#define HEAP	0x100000
#define PAGE	4096

static char path[] = "/tmp/memprof-patterns.XXXXXX";
static uint64_t now;

/* A process with two threads, PID on node 0 and PID + 1 on node 1.  Returns its stream. */
static uint32_t process(struct data *d, uint32_t pid)
{
	now += 1000;
	data_task(d, now, &(struct task_record){ .type = TASK_FORK, .pid = pid, .tid = pid, .other = 1 }, NULL);
	data_task(d, now + 1, &(struct task_record){ .type = TASK_EXEC, .pid = pid, .tid = pid }, "prog");
	data_task(d, now + 2, &(struct task_record){ .type = TASK_FORK, .pid = pid, .tid = pid + 1,
		  .other = pid }, NULL);
	data_task(d, now + 3, &(struct task_record){ .type = TASK_MMAP, .pid = pid, .tid = pid, .start = HEAP,
		  .length = 0x1000000, .flags = TASK_WRITABLE }, "[heap]");
	/* Sites are distinguished by their offset in a binary. */
	data_task(d, now + 4, &(struct task_record){ .type = TASK_MMAP, .pid = pid, .tid = pid, .start = 0x400000,
		  .length = 0x100000, .flags = TASK_EXECUTABLE }, "/nowhere/prog");
	now += 1000;
	return data_stream(d, pid, pid, pid);
}

/* An object of a site, of 16 pages.  Returns its address. */
static uint64_t object(struct data *d, uint32_t stream, uint32_t site, uint32_t number)
{
	const uint64_t frame = 0x400000 + 16 * site, addr = HEAP + 16 * PAGE * number;

	now += 10000;
	data_chain(d, stream, now, site, &frame, 1);
	data_event(d, stream, now + 1, (struct event_record){ .type = EVENT_ALLOC, .addr = addr,
		   .size = 16 * PAGE, .chain = site });
	now += 10000;
	return addr;
}

/*
 * Accesses by both threads in turn, all over the object, first by one of them alone: every
 * other one a write.  Latency is that of local memory, times something; of remote memory,
 * twice.
 */
static void use(struct data *d, uint32_t pid, uint64_t addr, unsigned int n, double slow)
{
	for (unsigned int i = 0; i < n; i++) {
		const unsigned int node = i < n / 20 ? 0 : random() % 2;
		/* One in ten comes while no other thread accesses the object. */
		const double latency = 200 * (1 + node) * (random() % 10 ? slow : 1);

		now += 1000;
		data_sample(d, 2 * node, now, pid, pid + node, addr + random() % (16 * PAGE) / 8 * 8,
			    (struct sample_record){ .op = 1 + random() % 2, .level = LEVEL_RAM,
						    .latency = latency, .pfn = 1, .node = 0 }, 0x500000);
	}
}

static struct memprof *diagnose(struct data *d, struct findings *f)
{
	char error[256];
	struct memprof *m;

	data_end(d, 1);
	m = memprof_open(path, NULL, error, sizeof(error));
	if (!m)
		fail_msg("%s", error);
	assert_null(memprof_damage(m));
	assert_int_equal(patterns_find(m, f), 0);
	return m;
}

static const struct finding *find(const struct findings *f, enum pattern pattern)
{
	for (size_t i = 0; i < f->nr; i++)
		if (f->all[i].pattern == pattern)
			return &f->all[i];
	return NULL;
}

static void one_object(double slow, struct findings *f)
{
	struct data *d = data_new(path);
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
	d = data_new(path);
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
	struct data *d = data_new(path);
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
	struct data *d = data_new(path);
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
	struct data *d = data_new(path);
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
	struct data *d = data_new(path);
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
	struct data *d = data_new(path);
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

/* Of 1,000 loads, all of one site; expected in percent. */
static void expect_answers(enum fix fix, double predicted, double lines, const uint64_t *loads,
			   double taken, const double *expected)
{
	struct finding x = { .fix = fix, .accesses = 100, .remote = 50, .predicted = predicted, .lines = lines };
	struct findings f = { .accesses = 100, .remote = 50 };
	double pct[ANSWERS];
	int i;

	memcpy(f.answers, loads, sizeof(f.answers));
	memcpy(x.answers, loads, sizeof(x.answers));
	x.room = answers_room(loads, taken);
	assert_true(answers_with_fix(&f, &x, pct));
	for (i = 0; i < ANSWERS; i++)
		if (pct[i] < expected[i] - 0.01 || pct[i] > expected[i] + 0.01)
			fail_msg("fix %d, answer %d: %.2f, not %.2f", fix, i, pct[i], expected[i]);
}

static void fixes_change_where_loads_find_their_data(void **unused)
{
	/* L1, L2, L3, remote cache, local memory, remote memory */
	const uint64_t loads[ANSWERS] = { 400, 100, 100, 100, 100, 200 };
	const uint64_t roomy[ANSWERS] = { 400, 100, 100, 400, 0, 0 };
	const uint64_t fits[ANSWERS] = { 400, 100, 300, 100, 60, 40 };
	const uint64_t cold[ANSWERS] = { 400, 100, 300, 50, 100, 50 };
	struct findings none = { 0 };
	double pct[ANSWERS];

	(void)unused;
	expect_answers(FIX_NONE, 50, 0, loads, 0, (double []){ 40, 10, 10, 10, 10, 20 });
	expect_answers(FIX_ALLOCATE, 0, 0, loads, 0, (double []){ 40, 10, 10, 10, 30, 0 });
	expect_answers(FIX_INTERLEAVE, 50, 0, loads, 0, (double []){ 40, 10, 10, 10, 15, 15 });
	expect_answers(FIX_PAD, 50, 0.5, loads, 0, (double []){ 55, 5, 5, 5, 10, 20 });
	/* Memory is asked: the node's caches are full. */
	expect_answers(FIX_PIN_THREADS, 0, 0, loads, 0, (double []){ 40, 10, 10, 0, 40, 0 });
	/* It is not: they have room for what was taken from them. */
	expect_answers(FIX_PIN_PROCESS, 0, 0, roomy, 0, (double []){ 40, 10, 50, 0, 0, 0 });
	/* Each line that is missed was taken away: what had been written back fits, too. */
	expect_answers(FIX_PIN_PROCESS, 0, 0, fits, 0.21, (double []){ 40, 10, 50, 0, 0, 0 });
	expect_answers(FIX_PIN_PROCESS, 0, 0, fits, 0.19, (double []){ 40, 10, 30, 0, 20, 0 });
	/* But not what memory alone was asked for. */
	expect_answers(FIX_PIN_PROCESS, 0, 0, cold, 0.21, (double []){ 40, 10, 40, 0, 10, 0 });
	assert_false(answers_with_fix(&none, NULL, pct));
}

static void lines_that_others_write_are_taken(void **unused)
{
	const uint64_t equal[2][2] = { { 400, 400 }, { 100, 100 } };
	const uint64_t reader[2][2] = { { 300, 100 }, { 0, 100 } };
	const uint64_t alone[2][2] = { { 300 }, { 300 } };
	const uint64_t none[2][2] = { { 0 }, { 0 } };

	(void)unused;
	assert_true(fabs(answers_taken(equal[0], equal[1], 2) - 0.2) < 1e-9);
	/* Three in four accesses read, each fourth of them after a write; the writer loses nothing. */
	assert_true(fabs(answers_taken(reader[0], reader[1], 2) - 0.75 * 0.25) < 1e-9);
	assert_true(answers_taken(alone[0], alone[1], 2) == 0);
	assert_true(answers_taken(none[0], none[1], 2) == 0);
}

/* What a thread asks of memory for itself takes no room from what it shares with others. */
static void room_is_judged_by_site(void **unused)
{
	const uint64_t shared[ANSWERS] = { 500, 200, 200, 60, 10, 10 }, own[ANSWERS] = { 500, 0, 0, 0, 400, 0 };
	struct findings f = { .accesses = 1400, .remote = 400 };
	const struct finding *split;
	struct finding *x;
	double pct[ANSWERS];
	int i, k;

	(void)unused;
	for (i = 0; i < 5; i++) {
		x = findings_add(&f);
		*x = (struct finding){ .pattern = i ? PATTERN_CONCURRENT_WRITE : PATTERN_NONE, .pid = 10, .nodes = 2,
				       .accesses = 200, .remote = i ? 100 : 0, .processes = 1 };
		memcpy(x->answers, i ? shared : own, sizeof(own));
		x->room = answers_room(x->answers, 0);
		for (k = 0; k < ANSWERS; k++)
			f.answers[k] += x->answers[k];
	}
	assert_int_equal(patterns_find_split(&f), 0);
	split = find(&f, PATTERN_SPLIT);
	assert_non_null(split);
	assert_true(answers_with_fix(&f, split, pct));
	/* Of 4,820 loads: four times 60 of 80 are in the L3 then, but those that fill what 20 leave. */
	assert_true(pct[ANSWER_L3] > 100 * 960 / 4820. - 0.01 && pct[ANSWER_L3] < 100 * 960 / 4820. + 0.01);
	assert_true(pct[ANSWER_LOCAL] > 100 * 560 / 4820. - 0.01 && pct[ANSWER_LOCAL] < 100 * 560 / 4820. + 0.01);
	patterns_free(&f);
}

/* The numbers are R's: 1 - pbinom(19, n, q). */
static void an_all_clear_needs_enough_samples(void **unused)
{
	char text[1024];

	(void)unused;
	assert_true(fabs(enough_probability(1390, 0.02) - 0.9501854) < 1e-7);
	assert_true(fabs(enough_probability(1389, 0.02) - 0.9498114) < 1e-7);
	assert_int_equal(enough_needed(), 1390);
	assert_true(fabs(enough_share(62) - 0.4164775) < 1e-7);
	assert_true(fabs(enough_share(1000) - 0.0277553) < 1e-7);
	assert_true(enough_share(19) > 1);
	/* With many, the sites' least share counts, and the terms of the sum begin below the least double. */
	assert_true(fabs(enough_probability(10000, 0.01) - 0.5134993) < 1e-6);
	assert_true(enough_probability(1000000, 0.02) > 0.999999);
	assert_false(enough_text(62, 0, text, sizeof(text)));
	assert_non_null(strstr(text, "62 are of known objects, and 1390 are needed"));
	assert_null(strstr(text, "Nothing found"));
	assert_false(enough_text(0, 0, text, sizeof(text)));
	assert_null(strstr(text, "Nothing found"));
	assert_false(enough_text(1389, 0, text, sizeof(text)));
	assert_true(enough_text(1390, 0, text, sizeof(text)));
	assert_non_null(strstr(text, "Nothing found that would be worth a change."));
}

/* Unknown objects cannot be reported: their samples do not count. */
static void samples_of_unknown_objects_are_not_enough(void **unused)
{
	struct data *d = data_new(path);
	struct findings f;
	uint32_t s;
	int i;

	(void)unused;
	now = DATA_START;
	s = process(d, 10);
	object(d, s, 1, 0);
	for (i = 0; i < 300; i++) {
		now += 1000;
		/* Two of three where no object is. */
		data_sample(d, 0, now, 10, 10, HEAP + (i % 3 ? 2048 * PAGE : 8 * i), (struct sample_record){
			    .op = 1, .level = LEVEL_RAM, .latency = 200, .pfn = 1, .node = 0 }, 0x500000);
	}
	memprof_close(diagnose(d, &f));
	assert_int_equal(f.accesses, 300);
	assert_int_equal(f.judged, 100);
	patterns_free(&f);
}

/* As use(), by both nodes at once, and hardly ever writing. */
static void look_at(struct data *d, uint32_t pid, uint64_t addr, unsigned int n, double slow)
{
	for (unsigned int i = 0; i < n; i++) {
		const unsigned int node = i < n / 20 ? 0 : random() % 2;
		const double latency = 200 * (1 + node) * (random() % 10 ? slow : 1);

		now += 1000;
		data_sample(d, 2 * node, now, pid, pid + node, addr + random() % (16 * PAGE) / 8 * 8,
			    (struct sample_record){ .op = 1, .level = LEVEL_RAM, .latency = latency, .pfn = 1,
						    .node = 0 }, 0x500000);
	}
}

static void what_is_read_from_a_saturated_node_gets_both_answers(void **unused)
{
	struct data *d = data_new(path);
	const struct finding *x;
	struct findings f;
	struct memprof *m;
	char text[2048];
	uint32_t s;

	(void)unused;
	now = DATA_START;
	srandom(1);
	s = process(d, 10);
	look_at(d, 10, object(d, s, 1, 0), 2000, 4);
	m = diagnose(d, &f);
	x = find(&f, PATTERN_CONCURRENT_READ);
	assert_non_null(x);
	assert_int_equal(x->fix, FIX_REPLICATE);
	assert_true(x->saturated);
	fix_text(m, x, text, sizeof(text));
	assert_non_null(strstr(text, "a copy of"));
	assert_non_null(strstr(text, "65536 bytes each"));
	assert_non_null(strstr(text, "node 0 is saturated"));
	assert_non_null(strstr(text, "leaves 50.0 %"));
	/* Nodes differ by twice: local ones take half. */
	assert_true(joint_latency(&f, x->remote - x->predicted) > 0.2);
	memprof_close(m);
	patterns_free(&f);
}

/* A file of which there is one copy, whatever the accesses would suggest. */
static void code_is_not_to_be_copied(void **unused)
{
	struct data *d = data_new(path);
	const struct finding *x;
	struct findings f;
	struct memprof *m;
	char text[2048];

	(void)unused;
	now = DATA_START;
	srandom(1);
	process(d, 10);
	look_at(d, 10, 0x400000, 2000, 1);
	m = diagnose(d, &f);
	x = find(&f, PATTERN_CONCURRENT_READ);
	assert_non_null(x);
	assert_int_equal(x->type, MEMPROF_CODE);
	assert_int_equal(x->fix, FIX_NONE);
	assert_true(x->refused);
	assert_true(x->predicted == x->remote);
	assert_true(f.joint == f.remote);
	fix_text(m, x, text, sizeof(text));
	assert_non_null(strstr(text, "nothing: it is code"));
	memprof_close(m);
	patterns_free(&f);
}

/* A thread runs away from its stack: it is named, with the node to run it on. */
static void stacks_are_reported_by_thread(void **unused)
{
	struct data *d = data_new(path);
	const struct finding *x;
	struct findings f;
	struct memprof *m;
	char text[2048];
	int i;

	(void)unused;
	now = DATA_START;
	process(d, 10);
	data_task(d, now, &(struct task_record){ .type = TASK_MMAP, .pid = 10, .tid = 10, .start = 0x7000000,
		  .length = 0x100000, .flags = TASK_WRITABLE }, "[stack]");
	for (i = 0; i < 400; i++) {
		now += 1000;
		data_sample(d, i % 2 ? 2 : 0, now, 10, 10 + i % 2, 0x7000000 + 8 * i, (struct sample_record){
			    .op = 1, .level = LEVEL_RAM, .latency = 200, .pfn = 1, .node = 0 }, 0x500000);
	}
	m = diagnose(d, &f);
	x = find(&f, PATTERN_STACKS);
	assert_non_null(x);
	assert_int_equal(x->fix, FIX_PIN_EACH);
	assert_int_equal(x->remote, 200);
	assert_true(x->predicted == 0);
	fix_text(m, x, text, sizeof(text));
	assert_non_null(strstr(text, "thread 11 (prog) on node 0: 200 of its 200 are remote"));
	assert_null(strstr(text, "thread 10 "));
	memprof_close(m);
	patterns_free(&f);
}

/*
 * Filled in from another node than the one that has it and uses it: moved to where it is, it would be
 * as remote.
 */
static void a_fix_that_gains_nothing_is_not_advised(void **unused)
{
	struct data *d = data_new(path);
	const struct finding *x;
	struct findings f;
	uint64_t addr;
	uint32_t s;

	(void)unused;
	now = DATA_START;
	s = process(d, 10);
	addr = object(d, s, 1, 0);
	for (unsigned int i = 0; i < 1000; i++) {
		const unsigned int node = i < 300;

		now += 1000;
		data_sample(d, 2 * node, now, 10, 10 + node, addr + 64 * i, (struct sample_record){
			    .op = 2, .level = LEVEL_RAM, .latency = 200, .pfn = 1, .node = 0 }, 0x500000);
	}
	memprof_close(diagnose(d, &f));
	assert_int_equal(f.remote, 300);
	assert_null(find(&f, PATTERN_AFTER_ALLOCATION));
	assert_null(find(&f, PATTERN_WRONG_NODE));
	x = find(&f, PATTERN_UNCLEAR);
	assert_non_null(x);
	assert_int_equal(x->fix, FIX_NONE);
	assert_true(x->predicted == 300);
	assert_int_equal(f.fixes, 0);
	patterns_free(&f);
}

/* Of 1000 accesses each, local ones at 300 cycles, @gain of the remote ones become local. */
static void expect_expected(double remote_cycles, double gain, const char *expected)
{
	const struct findings f = { .accesses = 2000, .remote = 1000, .latencies = { 1000, 1000 },
				    .latency = { 300e3, remote_cycles * 1000 } };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	print_expected(&f, -1, gain, out);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

static void no_gain_is_below_zero(void **unused)
{
	(void)unused;
	expect_expected(500, 500, "    expected: 25.0 % of all accesses remote; 12.5 % less of the sampled latency of memory\n");
	expect_expected(299.9, 500, "    expected: 25.0 % of all accesses remote\n");
	expect_expected(300.1, 500, "    expected: 25.0 % of all accesses remote\n");
	expect_expected(200, 500, "    expected: 25.0 % of all accesses remote; 10.0 % more of the sampled latency of memory\n");
	expect_expected(300, 1000 + 1e-10, "    expected: 0.0 % of all accesses remote\n");
}

/* Of several sites: what each gains adds up; a process in their place gains no less. */
static void fixes_are_predicted_together(void **unused)
{
	struct data *d = data_new(path);
	struct findings f;
	double left;
	uint32_t s;
	size_t i;

	(void)unused;
	now = DATA_START;
	srandom(1);
	s = process(d, 10);
	for (i = 0; i < 3; i++)
		look_at(d, 10, object(d, s, 1 + i, i), 2000 * (i + 1), 1);
	memprof_close(diagnose(d, &f));
	assert_int_equal(f.fixes, 3);
	for (left = f.remote, i = 0; i < f.nr; i++)
		left -= f.all[i].joint ? f.all[i].remote - f.all[i].predicted : 0;
	assert_true(fabs(f.joint - left) < 1e-6);
	assert_true(f.joint < 0.2 * f.remote);
	patterns_free(&f);
}

static const char *text_of(const struct memprof_view *v, size_t row, const char *column)
{
	const int c = memprof_view_find(v, column);

	assert_true(c >= 0);
	return memprof_view_cell(v, row, c).text;
}

static double real_of(const struct memprof_view *v, size_t row, const char *column)
{
	const int c = memprof_view_find(v, column);

	assert_true(c >= 0);
	return memprof_view_cell(v, row, c).real;
}

/* Two sites, of one and of two objects, that both nodes use. */
static struct memprof *two_sites(struct findings *f)
{
	struct data *d = data_new(path);
	uint32_t s;

	now = DATA_START;
	srandom(1);
	s = process(d, 10);
	use(d, 10, object(d, s, 1, 0), 2000, 1);
	use(d, 10, object(d, s, 2, 1), 500, 1);
	use(d, 10, object(d, s, 2, 2), 500, 1);
	return diagnose(d, f);
}

static void views_are_rows_of_described_columns(void **unused)
{
	struct memprof_view_options o = MEMPROF_VIEW_OPTIONS;
	struct memprof_view *v;
	struct findings f;
	struct memprof *m = two_sites(&f);
	const char *name, *about;
	size_t i, c;

	(void)unused;
	for (i = 0; (name = memprof_view_name(i, &about)); i++) {
		assert_true(*about);
		v = memprof_view(m, name, NULL);
		assert_non_null(v);
		assert_true(memprof_view_rows(v) > 0);
		for (c = 0; c < memprof_view_columns(v); c++) {
			const struct memprof_column *column = memprof_view_column(v, c);

			assert_true(*column->name && *column->meaning && column->unit);
			assert_int_not_equal(column->type, MEMPROF_CELL_UNKNOWN);
			assert_int_equal(memprof_view_find(v, column->name), c);
		}
		assert_null(memprof_view_column(v, c));
		assert_int_equal(memprof_view_find(v, "no such column"), -1);
		assert_int_equal(memprof_view_cell(v, 0, c).type, MEMPROF_CELL_UNKNOWN);
		assert_int_equal(memprof_view_cell(v, memprof_view_rows(v), 0).type, MEMPROF_CELL_UNKNOWN);
		memprof_view_free(v);
	}
	assert_int_equal(i, 9);
	v = memprof_view(m, "objects", NULL);
	assert_int_equal(memprof_view_rows(v), 2);
	assert_true(real_of(v, 0, "accesses") == 2000 && real_of(v, 1, "accesses") == 1000);
	assert_true(real_of(v, 0, "objects") == 1 && real_of(v, 1, "objects") == 2);
	assert_true(fabs(real_of(v, 0, "memory_share_pct") - 200 / 3.) < 1e-9);
	assert_string_equal(text_of(v, 0, "from_nodes"), "0,1");
	assert_string_equal(text_of(v, 0, "on_nodes"), "0");
	memprof_view_free(v);
	o.instances = true;
	v = memprof_view(m, "objects", &o);
	assert_int_equal(memprof_view_rows(v), 3);
	memprof_view_free(v);
	o.top = 1;
	v = memprof_view(m, "objects", &o);
	assert_int_equal(memprof_view_rows(v), 1);
	memprof_view_free(v);
	v = memprof_view(m, "findings", NULL);
	assert_string_equal(text_of(v, 0, "pattern"), pattern_name(f.all[0].pattern));
	assert_true(real_of(v, 0, "accesses") == f.all[0].accesses);
	memprof_view_free(v);
	patterns_free(&f);
	memprof_close(m);
}

/* Without a choice, of the object that is diagnosed first; else of what is chosen. */
static void a_flow_is_of_what_is_chosen(void **unused)
{
	struct memprof_view_options o = MEMPROF_VIEW_OPTIONS;
	struct memprof_view *v;
	struct findings f;
	struct memprof *m = two_sites(&f);
	size_t i, n[2] = { 0, 0 };

	(void)unused;
	v = memprof_view(m, "flow", NULL);
	assert_int_equal(memprof_view_rows(v), memprof_object(m, f.all[0].object)->accesses);
	assert_true(real_of(v, 0, "object") == f.all[0].object);
	memprof_view_free(v);
	o.object = !f.all[0].object;
	v = memprof_view(m, "flow", &o);
	assert_true(real_of(v, 0, "object") == o.object);
	memprof_view_free(v);
	o.object = MEMPROF_NO_OBJECT;
	for (o.thread = 0; o.thread < 2; o.thread++) {
		v = memprof_view(m, "flow", &o);
		n[o.thread] = memprof_view_rows(v);
		for (i = 0; i < n[o.thread]; i++)
			assert_true(real_of(v, i, "thread") == o.thread);
		memprof_view_free(v);
	}
	assert_int_equal(n[0] + n[1], 3000);
	patterns_free(&f);
	memprof_close(m);
}

static void ignore(const struct memprof_access *a, void *arg)
{
	(void)a, (void)arg;
}

static void is_refused(struct memprof *m, const char *name, const struct memprof_view_options *o, int why)
{
	errno = 0;
	assert_null(memprof_view(m, name, o));
	assert_int_equal(errno, why);
}

static void views_that_cannot_be_are_refused(void **unused)
{
	struct memprof_view_options o = MEMPROF_VIEW_OPTIONS;
	struct memprof_options each = { .size = sizeof(each), .each = ignore };
	struct findings f;
	struct memprof *m = two_sites(&f);
	char error[256];

	(void)unused;
	patterns_free(&f);
	is_refused(m, "heap", NULL, ENOENT);
	o.object = memprof_nr_objects(m);
	is_refused(m, "flow", &o, ERANGE);
	o = (struct memprof_view_options)MEMPROF_VIEW_OPTIONS;
	o.thread = memprof_nr_threads(m);
	is_refused(m, "flow", &o, ERANGE);
	o = (struct memprof_view_options)MEMPROF_VIEW_OPTIONS;
	o.size = 0;
	is_refused(m, "objects", &o, EINVAL);
	memprof_close(m);
	m = memprof_open(path, &each, error, sizeof(error));
	assert_non_null(m);
	is_refused(m, "objects", NULL, EINVAL);
	memprof_close(m);
	memprof_view_free(NULL);
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
		cmocka_unit_test(fixes_change_where_loads_find_their_data),
		cmocka_unit_test(lines_that_others_write_are_taken),
		cmocka_unit_test(room_is_judged_by_site),
		cmocka_unit_test(what_is_read_from_a_saturated_node_gets_both_answers),
		cmocka_unit_test(code_is_not_to_be_copied),
		cmocka_unit_test(stacks_are_reported_by_thread),
		cmocka_unit_test(a_fix_that_gains_nothing_is_not_advised),
		cmocka_unit_test(no_gain_is_below_zero),
		cmocka_unit_test(fixes_are_predicted_together),
		cmocka_unit_test(an_all_clear_needs_enough_samples),
		cmocka_unit_test(samples_of_unknown_objects_are_not_enough),
		cmocka_unit_test(views_are_rows_of_described_columns),
		cmocka_unit_test(a_flow_is_of_what_is_chosen),
		cmocka_unit_test(views_that_cannot_be_are_refused),
	};
	int fd = mkstemp(path), ret;

	if (fd < 0)
		return 1;
	close(fd);
	ret = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return ret;
}
