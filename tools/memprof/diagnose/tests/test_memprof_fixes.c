// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Fixes: which are advised, in which words, and what they are predicted to change. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memprof/memprof_cli.h"
#include "memprof/diagnose/tests/two_nodes.h"

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
	x.capacity = answers_capacity(loads, taken);
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
static void memory_is_judged_by_site(void **unused)
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
		x->capacity = answers_capacity(x->answers, 0);
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

static void what_is_read_from_a_saturated_node_gets_both_answers(void **unused)
{
	struct data *d = data_new(data_path);
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
	struct data *d = data_new(data_path);
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
	struct data *d = data_new(data_path);
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
	struct data *d = data_new(data_path);
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
	struct data *d = data_new(data_path);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fixes_change_where_loads_find_their_data),
		cmocka_unit_test(lines_that_others_write_are_taken),
		cmocka_unit_test(memory_is_judged_by_site),
		cmocka_unit_test(what_is_read_from_a_saturated_node_gets_both_answers),
		cmocka_unit_test(code_is_not_to_be_copied),
		cmocka_unit_test(stacks_are_reported_by_thread),
		cmocka_unit_test(a_fix_that_gains_nothing_is_not_advised),
		cmocka_unit_test(no_gain_is_below_zero),
		cmocka_unit_test(fixes_are_predicted_together),
	};

	return cmocka_run_group_tests(tests, data_make_path, data_remove_path);
}
