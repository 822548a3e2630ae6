// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* dprof: events as text, from histories to paths, from paths to path traces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "dprof/rules.h"
#include "dprof/watchpoint.h"
#include "dprof/model/choose.h"
#include "dprof/model/paths.h"

/* The symbol functions of the test begin at these. */
enum { ALLOC = 0x1000, FREE = 0x2000, A = 0x3000, B = 0x4000, C = 0x5000, D = 0x6000 };

static uint64_t next_id;

static void add(struct model *m, const char *text)
{
	char line[512];
	const char *wrong;
	struct event e;

	snprintf(line, sizeof(line), "%s", text);
	assert_int_equal(event_parse(&e, line, &wrong), 0);
	assert_int_equal(model_add(m, &e), 0);
}

/* An access: where, what, on which CPU. */
struct step {
	int ip, offset, cpu;
};

/* A history of an object with two offsets watched: steps end with an ip of 0. */
static void history(struct model *m, int a, int b, const struct step *steps)
{
	uint64_t id = ++next_id, begin = 1000000 * id, since = 0;
	char line[512];
	int n;

	snprintf(line, sizeof(line), "%lu 0 1 dprof_history id=%lu type=20 size=64 ip=%d "
		 "offset=%d,%d,0,0 len=8,8,0,0 slots=2", begin, id, ALLOC, a, b);
	add(m, line);
	for (n = 0; steps[n].ip; n++) {
		/* When depends on what, not on what is watched. */
		since = steps[n].ip / 16 + steps[n].offset;
		snprintf(line, sizeof(line), "%lu %d 1 dprof_access id=%lu ip=%d since=%lu "
			 "type=20 offset=%d len=8 op=2", begin + since, steps[n].cpu, id,
			 steps[n].ip, since, steps[n].offset);
		add(m, line);
	}
	snprintf(line, sizeof(line), "%lu 0 1 dprof_history_end id=%lu ip=%d lifetime=5000 "
		 "accesses=%d how=0", begin + 5000, id, FREE, n);
	add(m, line);
}

static void text(void **state)
{
	static const char * const wrong_lines[] = {
		"", "1 2 3", "x 0 0 dprof_free", "1 0 0 dprof_frees", "1 0 0 dprof_free base",
		"1 0 0 dprof_free nonsense=1", "1 0 0 dprof_free type=4294967296",
		"1 0 0 dprof_free type=-1", "1 0 0 dprof_history offset=1,2,x",
		"1 0 0 dprof_history offset=", "1 0 0 dprof_history offset=1,",
		"1 0 0 dprof_free type=1,2", "1 0 0 dprof_free base=1x",
		"1 0 0 dprof_access offset=2147483648",
	};
	const char *wrong;
	char line[512], *printed;
	struct event e, again;
	size_t i, size;
	FILE *f;

	(void)state;
	strcpy(line, "123 1 42 dprof_history id=7 base=0xffff888000000040 type=20 size=200 "
	       "ip=0xffffffff81000000 offset=0,-8,64,0 len=8,8,4,0 slots=3");
	assert_int_equal(event_parse(&e, line, &wrong), 0);
	assert_int_equal(e.kind, EVENT_HISTORY);
	assert_int_equal(e.ts, 123);
	assert_int_equal(e.cpu, 1);
	assert_int_equal(e.pid, 42);
	assert_int_equal(e.history.base, 0xffff888000000040);
	assert_int_equal(e.history.offset[1], -8);
	assert_int_equal(e.history.offset[2], 64);
	assert_int_equal(e.history.len[2], 4);
	assert_int_equal(e.history.slots, 3);
	f = open_memstream(&printed, &size);
	event_print(&e, f);
	fclose(f);
	printed[strlen(printed) - 1] = '\0';
	assert_int_equal(event_parse(&again, printed, &wrong), 0);
	assert_memory_equal(&e, &again, sizeof(e));
	free(printed);
	/* Arrays have any length: what is missing is 0, what is too much is left out. */
	strcpy(line, "1 0 0 dprof_history offset=1,-2 len=8 slots=2");
	assert_int_equal(event_parse(&e, line, &wrong), 0);
	assert_int_equal(e.history.offset[1], -2);
	assert_int_equal(e.history.offset[2], 0);
	strcpy(line, "1 0 0 dprof_history offset=1,2,3,4,5 len=1,2,3,4,5 slots=5");
	assert_int_equal(event_parse(&e, line, &wrong), 0);
	assert_int_equal(e.history.offset[3], 4);
	assert_int_equal(e.history.len[0], 1);
	assert_int_equal(e.history.slots, 5);
	for (i = 0; i < sizeof(wrong_lines) / sizeof(wrong_lines[0]); i++) {
		strcpy(line, wrong_lines[i]);
		wrong = NULL;
		assert_int_equal(event_parse(&e, line, &wrong), -1);
		assert_non_null(wrong);
	}
}

/* Equal histories are one path; CPUs count in the order in which they come. */
static void equal_histories(void **state)
{
	static const struct step on1[] = { { A, 0, 0 }, { B, 8, 1 }, { } };
	static const struct step on3[] = { { A, 0, 0 }, { B, 8, 3 }, { } };
	static const struct step stays[] = { { A, 0, 0 }, { B, 8, 0 }, { } };
	struct traces t;
	struct model m;

	(void)state;
	model_init(&m);
	history(&m, 0, 8, on1);
	history(&m, 0, 8, on3);
	history(&m, 0, 8, on3);
	history(&m, 0, 8, stays);
	assert_int_equal(model_end(&m), 0);
	assert_int_equal(traces_make(&m, &t), 0);
	assert_int_equal(t.nr, 2);
	assert_int_equal(t.trace[0].count, 3);
	assert_true(t.trace[0].frequency > 0.749 && t.trace[0].frequency < 0.751);
	assert_int_equal(t.trace[0].nr, 2);
	assert_int_equal(t.trace[0].element[1].cpu, 1);
	assert_true(trace_bounces(&t.trace[0]));
	assert_false(trace_bounces(&t.trace[1]));
	assert_int_equal(m.by_index[0]->histories, 4);
	assert_int_equal(m.by_index[0]->bounced, 3);
	traces_free(&t);
	model_free(&m);
}

/* Three pairs of offsets give one trace in the order of all. */
static void pairs(void **state)
{
	static const struct step s01[] = { { A, 0, 0 }, { B, 8, 0 }, { C, 0, 1 }, { } };
	static const struct step s02[] = { { A, 0, 0 }, { D, 16, 1 }, { C, 0, 1 }, { } };
	static const struct step s12[] = { { B, 8, 0 }, { D, 16, 1 }, { } };
	static const int order[] = { A, B, D, C }, cpus[] = { 0, 0, 1, 1 };
	struct traces t;
	struct model m;
	int i;

	(void)state;
	model_init(&m);
	for (i = 0; i < 5; i++) {
		history(&m, 0, 8, s01);
		history(&m, 0, 16, s02);
		history(&m, 8, 16, s12);
	}
	assert_int_equal(model_end(&m), 0);
	assert_int_equal(traces_make(&m, &t), 0);
	assert_int_equal(t.nr, 1);
	assert_int_equal(t.trace[0].nr, 4);
	assert_true(t.trace[0].by_pairs);
	for (i = 0; i < 4; i++) {
		assert_int_equal(t.trace[0].element[i].ip, order[i]);
		assert_int_equal(t.trace[0].element[i].cpu, cpus[i]);
	}
	traces_free(&t);
	model_free(&m);
}

/* Two kinds of objects stay two traces: the shared state distinguishes them. */
static void two_kinds(void **state)
{
	static const struct step a01[] = { { A, 0, 0 }, { B, 8, 0 }, { } };
	static const struct step a02[] = { { A, 0, 0 }, { B, 16, 0 }, { } };
	static const struct step c01[] = { { C, 0, 0 }, { D, 8, 0 }, { } };
	static const struct step c02[] = { { C, 0, 0 }, { D, 16, 0 }, { } };
	struct traces t;
	struct model m;
	uint32_t k;
	int i;

	(void)state;
	model_init(&m);
	for (i = 0; i < 3; i++) {
		history(&m, 0, 8, a01);
		history(&m, 0, 16, a02);
	}
	history(&m, 0, 8, c01);
	history(&m, 0, 16, c02);
	assert_int_equal(model_end(&m), 0);
	assert_int_equal(traces_make(&m, &t), 0);
	assert_int_equal(t.nr, 2);
	for (k = 0; k < 2; k++) {
		int first = k ? C : A, then = k ? D : B;

		assert_int_equal(t.trace[k].nr, 3);
		assert_int_equal(t.trace[k].element[0].ip, first);
		assert_int_equal(t.trace[k].element[1].ip, then);
		assert_int_equal(t.trace[k].element[2].ip, then);
		/* Offsets 8 and 16 were never watched at once. */
		assert_false(t.trace[k].by_pairs);
	}
	assert_true(t.trace[0].frequency > 0.74 && t.trace[0].frequency < 0.76);
	traces_free(&t);
	model_free(&m);
}

static void loops(void **state)
{
	static const struct step repeated[] = {
		{ A, 0, 0 }, { A, 0, 0 }, { A, 0, 0 }, { B, 8, 0 },
		{ C, 0, 0 }, { D, 8, 1 }, { C, 0, 0 }, { D, 8, 1 }, { C, 0, 0 }, { D, 8, 1 }, { },
	};
	const struct element *e;
	struct traces t;
	struct model m;

	(void)state;
	model_init(&m);
	history(&m, 0, 8, repeated);
	assert_int_equal(model_end(&m), 0);
	assert_int_equal(traces_make(&m, &t), 0);
	assert_int_equal(t.nr, 1);
	assert_int_equal(t.trace[0].nr, 4);
	e = t.trace[0].element;
	assert_int_equal(e[0].ip, A);
	assert_int_equal(e[0].repeats, 3);
	assert_int_equal(e[1].repeats, 1);
	assert_int_equal(e[3].ip, D);
	assert_int_equal(e[3].loop, 2);
	assert_int_equal(e[3].turns, 3);
	assert_true(t.trace[0].accesses == 10);
	traces_free(&t);
	model_free(&m);
}

/* What lost accesses is counted, and part of no path; strays do no harm. */
static void lost(void **state)
{
	static const struct step good[] = { { A, 0, 0 }, { } };
	struct traces t;
	struct model m;

	(void)state;
	model_init(&m);
	history(&m, 0, 8, good);
	add(&m, "1 0 1 dprof_history id=900 type=20 size=64 ip=1 slots=1 len=8,0,0,0");
	add(&m, "2 0 1 dprof_access id=900 ip=5 offset=0 len=8");
	add(&m, "3 0 1 dprof_history_end id=900 ip=6 accesses=2 lost=1");
	add(&m, "4 0 1 dprof_access id=901 ip=5 offset=0 len=8");
	add(&m, "5 0 1 dprof_history_end id=901 ip=6");
	/* Never ends. */
	add(&m, "6 0 1 dprof_history id=902 type=20 size=64 ip=1 slots=1 len=8,0,0,0");
	add(&m, "7 0 1 dprof_access id=902 ip=5 offset=0 len=8");
	assert_int_equal(model_end(&m), 0);
	assert_int_equal(m.by_index[0]->lost, 1);
	assert_int_equal(m.by_index[0]->histories, 2);
	assert_int_equal(m.by_index[0]->unfinished, 1);
	assert_int_equal(m.stray, 2);
	assert_int_equal(traces_make(&m, &t), 0);
	assert_int_equal(t.nr, 2);
	traces_free(&t);
	model_free(&m);
}

/* Two ids of one cache and site are one type, even if the event of the second comes last. */
static void joined(void **state)
{
	struct model m;
	size_t i, nr = 0;

	(void)state;
	model_init(&m);
	add(&m, "1 0 0 dprof_sample ip=16 addr=4096 base=4096 type=20 offset=0 op=1");
	add(&m, "2 1 0 dprof_sample ip=16 addr=4096 base=4096 type=21 offset=0 op=1");
	add(&m, "3 1 0 dprof_sample ip=17 addr=4104 base=4096 type=21 offset=8 op=2");
	add(&m, "4 0 0 dprof_alloc base=4096 type=20 size=64");
	add(&m, "5 0 0 dprof_free base=4096 type=21");
	add(&m, "6 0 0 dprof_type id=21 class=1 size=64 cache=foo func=f file=f.c line=1");
	add(&m, "7 0 0 dprof_type id=20 class=1 size=64 cache=foo func=f file=f.c line=1");
	add(&m, "8 0 0 dprof_type id=22 class=1 size=64 cache=foo func=f file=f.c line=2");
	add(&m, "9 0 0 dprof_sample ip=17 addr=8192 base=8192 type=22 offset=0 op=1");
	assert_int_equal(model_end(&m), 0);
	for (i = 0; i < m.nr_types; i++)
		nr += m.by_index[i]->sum.n != 0;
	assert_int_equal(nr, 2);
	assert_non_null(model_find_type(&m, "foo:f@1"));
	assert_int_equal(model_find_type(&m, "foo:f@1")->sum.n, 3);
	assert_int_equal(model_find_type(&m, "foo:f@2")->sum.n, 1);
	assert_int_equal(m.nr_sites, 3);
	assert_int_equal(m.by_site[0]->sum.n, 2);
	model_free(&m);
}

/* The types that miss most, and pairs of their busiest words. */
static void chosen(void **state)
{
	struct choice c;
	struct model m;
	char line[256];
	int i;

	(void)state;
	model_init(&m);
	add(&m, "0 0 0 dprof_type id=20 class=1 size=128 cache=foo func=new_foo line=3");
	add(&m, "0 0 0 dprof_type id=21 class=2 size=64 cache=kmalloc-64 func=new_bar line=4");
	for (i = 0; i < 30; i++) {
		snprintf(line, sizeof(line), "%d 0 0 dprof_sample ip=16 addr=%d base=4096 type=20 "
			 "offset=%d op=1", i, 4096 + (i % 3) * 12, (i % 3) * 12);
		add(&m, line);
	}
	add(&m, "40 0 0 dprof_sample ip=16 addr=4096 base=4096 type=21 offset=0 op=1");
	add(&m, "41 0 0 dprof_sample ip=16 addr=4096 type=9 offset=0 op=1");
	assert_int_equal(model_end(&m), 0);
	assert_int_equal(choose(&m, 1, 2, 8, 0, &c), 1);
	assert_string_equal(c.types, "foo:new_foo");
	assert_string_equal(c.offsets, "0,8");
	assert_int_equal(choose(&m, 8, 3, 8, 0, &c), 2);
	assert_string_equal(c.types, "foo:new_foo kmalloc-64:new_bar");
	assert_string_equal(c.offsets, "0,8 0,24 8,24 0");
	model_free(&m);
}

/* A history begins with an allocation: what is never allocated has none, whatever it costs. */
static void chosen_by_allocations(void **state)
{
	static const char * const types[] = { "task", "often", "also", "once" };
	const int costs[] = { 30, 20, 10, 5 }, allocs[] = { 1, 40, 9, 0 };
	struct choice c;
	struct model m;
	char line[256];
	int t, i;

	(void)state;
	model_init(&m);
	for (t = 0; t < 4; t++) {
		snprintf(line, sizeof(line), "0 0 0 dprof_type id=%d class=1 size=128 cache=%s func=f line=3", 20 + t, types[t]);
		add(&m, line);
		for (i = 0; i < costs[t]; i++) {
			snprintf(line, sizeof(line), "%d 0 0 dprof_sample ip=16 addr=%d base=%d type=%d offset=0 op=1",
				 100 * t + i, 4096 * (t + 1), 4096 * (t + 1), 20 + t);
			add(&m, line);
		}
		for (i = 0; i < allocs[t]; i++) {
			snprintf(line, sizeof(line), "%d 0 0 dprof_alloc base=%d type=%d size=128", 100 * t + 50 + i, 1 << 20 | t << 16 | i << 7, 20 + t);
			add(&m, line);
		}
	}
	assert_int_equal(model_end(&m), 0);
	assert_int_equal(choose(&m, 2, 2, 8, 0, &c), 2);
	assert_string_equal(c.types, "task:f often:f");
	assert_string_equal(c.rare, "");
	assert_int_equal(choose(&m, 2, 2, 8, 10, &c), 1);
	assert_string_equal(c.types, "often:f");
	assert_string_equal(c.rare, "task:f");
	assert_int_equal(choose(&m, 2, 2, 8, 9, &c), 2);
	assert_string_equal(c.types, "often:f also:f");
	/* Of none enough. */
	assert_int_equal(choose(&m, 2, 2, 8, 100, &c), 2);
	assert_string_equal(c.types, "task:f often:f");
	model_free(&m);
}

/*
 * Where samples have latencies, those decide, for all types: stores have neither level nor
 * latency, and many of them are no reason to watch a type.  The recorder's samples are none.
 */
static void chosen_by_cost(void **state)
{
	struct filter f = { .without = true };
	struct choice c;
	struct model m;
	char line[256];
	int i;

	(void)state;
	model_init(&m);
	assert_int_equal(pids_add(&f.tasks, 7), 0);
	assert_int_equal(pids_add(&f.tasks, 9), 0);
	m.filter = f;
	add(&m, "0 0 0 dprof_type id=20 class=1 size=128 cache=stored func=f line=3");
	add(&m, "0 0 0 dprof_type id=21 class=1 size=128 cache=missed func=f line=4");
	add(&m, "0 0 0 dprof_type id=22 class=1 size=128 cache=recorder func=f line=5");
	for (i = 0; i < 30; i++) {
		snprintf(line, sizeof(line), "%d 0 5 dprof_sample ip=16 addr=4096 base=4096 type=20 offset=0 op=2", i);
		add(&m, line);
	}
	for (i = 0; i < 5; i++) {
		snprintf(line, sizeof(line), "%d 0 5 dprof_sample ip=16 addr=8192 base=8192 type=21 offset=8 op=1 "
			 "latency=200 data_src=%lu", 40 + i, 13UL << 33 | 2);
		add(&m, line);
		snprintf(line, sizeof(line), "%d 0 9 dprof_sample ip=16 addr=12288 base=12288 type=22 offset=8 op=1 "
			 "latency=900 data_src=%lu", 40 + i, 13UL << 33 | 2);
		add(&m, line);
	}
	assert_int_equal(model_end(&m), 0);
	assert_int_equal(m.samples, 35);
	assert_int_equal(choose(&m, 8, 2, 8, 0, &c), 1);
	assert_string_equal(c.types, "missed:f");
	model_free(&m);
}

static void rules(void **state)
{
	static const char known[] =
		"id=3 class=3 size=4096 cache=page func= file= line=0 module=\n"
		"id=20 class=1 size=256 cache=filp func=alloc_empty_file file=fs/file_table.c line=9 module=\n"
		"id=21 class=2 size=64 cache=kmalloc-64 func=make file=a.c line=1 module=";
	char unmatched[64];

	(void)state;
	assert_int_equal(rules_unmatched("filp kmalloc-* :alloc_empty_* kmalloc-64:make all", known, unmatched,
					 sizeof(unmatched)), 0);
	assert_string_equal(unmatched, "");
	assert_int_equal(rules_unmatched("flip filp\tfilp:make  page :nobody", known, unmatched, sizeof(unmatched)), 4);
	assert_string_equal(unmatched, "flip filp:make page :nobody");
	assert_int_equal(rules_unmatched("filp", "", unmatched, sizeof(unmatched)), 1);
	assert_int_equal(rules_unmatched("", known, unmatched, sizeof(unmatched)), 0);
}

/* Reports of two watchpoints: of a store above both, of one to both, of one beside them. */
static void watchpoints(void **state)
{
	static const struct { unsigned long long hits[3]; enum watchpoint is; } cases[] = {
		{ { 0, 2, 0 }, WATCHPOINT_RIGHT }, { { 2, 2, 0 }, WATCHPOINT_WRONG }, { { 1, 2, 0 }, WATCHPOINT_WRONG },
		{ { 0, 1, 0 }, WATCHPOINT_WRONG }, { { 0, 0, 0 }, WATCHPOINT_WRONG }, { { 0, 9, 0 }, WATCHPOINT_WRONG },
		{ { 0, 2, 1 }, WATCHPOINT_WRONG },
	};
	const char *what;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(watchpoint_judge(cases[i].hits, &what), cases[i].is);
		assert_true((cases[i].is == WATCHPOINT_WRONG) == (what != NULL));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text), cmocka_unit_test(equal_histories), cmocka_unit_test(pairs),
		cmocka_unit_test(two_kinds), cmocka_unit_test(loops), cmocka_unit_test(lost),
		cmocka_unit_test(chosen), cmocka_unit_test(joined), cmocka_unit_test(chosen_by_cost),
		cmocka_unit_test(chosen_by_allocations),
		cmocka_unit_test(rules), cmocka_unit_test(watchpoints),
	};

	return cmocka_run_group_tests_name("dprof_paths", tests, NULL, NULL);
}
