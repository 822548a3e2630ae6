// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memprof record --allocator: call chains of functions: which frames they have, and their numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "memprof/record/tests/made_uprobes.h"

/* What of perf's chain, and of the stack, the callers are. */
static void callers_are_those_of_the_function(void **unused)
{
	/* The function is at 0x1000, who called it is on the stack: 0x2000. */
	static const struct { uint64_t chain[16], nr, frames[UPROBES_DEPTH], depth; } in[] = {
		{ { USER, 0x1000, 0x3000, 0x4000 }, 4, { 0x2000, 0x3000, 0x4000 }, 3 },
		/* The kernel has seen that it has just begun. */
		{ { USER, 0x1000, 0x2000, 0x3000, 0x4000 }, 5, { 0x2000, 0x3000, 0x4000 }, 3 },
		{ { USER, 0x1000, 0x2000 }, 3, { 0x2000 }, 1 },
		{ { USER, 0x1000 }, 2, { 0x2000 }, 1 }, { { USER }, 1, { 0x2000 }, 1 }, { { 0 }, 0, { 0x2000 }, 1 },
		/* It calls itself; only the first may be there twice. */
		{ { USER, 0x1000, 0x3000, 0x2000, 0x2000 }, 5, { 0x2000, 0x3000, 0x2000, 0x2000 }, 4 },
		{ { USER, 0x1000, 0x3000, (uint64_t)PERF_CONTEXT_GUEST, 0x4000 }, 5, { 0x2000, 0x3000, 0x4000 }, 3 },
		{ { USER, 0x1000, 0x3000, (uint64_t)PERF_CONTEXT_MAX, 0x4000 }, 5, { 0x2000, 0x3000, 0x4000 }, 3 },
		{ { USER, 0x1000, 0x3000, (uint64_t)PERF_CONTEXT_MAX - 1 }, 4, { 0x2000, 0x3000, (uint64_t)PERF_CONTEXT_MAX - 1 }, 3 },
		{ { USER, 0x1000, 3, 4, 5, 6, 7, 8 }, 8, { 0x2000, 3, 4, 5, 6, 7, 8 }, 7 },
		{ { USER, 0x1000, 3, 4, 5, 6, 7, 8, 9 }, 9, { 0x2000, 3, 4, 5, 6, 7, 8, 9 }, 8 },
		{ { USER, 0x1000, 3, 4, 5, 6, 7, 8, 9, 10, 11 }, 11, { 0x2000, 3, 4, 5, 6, 7, 8, 9 }, 8 },
		{ { USER, 0x1000, 0x2000, 4, 5, 6, 7, 8, 9, 10, 11 }, 11, { 0x2000, 4, 5, 6, 7, 8, 9 }, 7 },
	};
	uint64_t frames[9], words;
	struct uprobes *u;
	struct thread *t;
	size_t i;

	(void)unused;
	for (i = 0; i < sizeof(in) / sizeof(*in); i++) {
		u = make(true);
		put_made(u, (struct made_call){ .id = CALL_MALLOC, .time = 1000, .di = 100, .caller = 0x2000,
						.chain = in[i].chain, .nr_chain = in[i].nr });
		put_made(u, (struct made_call){ .id = RETURN_MALLOC, .time = 1100, .ax = 0x5000 });
		uprobes_drain(u, false);
		t = thread_of(u, 42, 43);
		words = (in[i].depth + 2) / 3;
		assert_int_equal(t->nr, 1 + words + 1);
		assert_int_equal(t->base_ns, start + 1000);
		record_is(t, 0, 1000, (struct event_record){ .type = EVENT_CHAIN, .wait = in[i].depth, .chain = 1 });
		memset(frames, 0, sizeof(frames));
		memcpy(frames, in[i].frames, sizeof(in[i].frames));
		assert_memory_equal(&t->records[1], frames, words * sizeof(*t->records));
		record_is(t, 1 + words, 1100, (struct event_record){ .type = EVENT_ALLOC, .addr = 0x5000, .size = 100, .chain = 1 });
		end(u);
	}
}

/* --depth. */
static void chains_have_at_most_the_depth(void **unused)
{
	static const uint64_t chain[] = { USER, 0x1000, 3, 4, 5, 6 };
	uint64_t frames[3] = { 0x2000, 3, 4 };
	struct uprobes *u;
	struct thread *t;
	uint32_t depth;

	(void)unused;
	for (depth = 1; depth <= 3; depth++) {
		u = make(true);
		u->depth = depth;
		put_made(u, (struct made_call){ .id = CALL_MALLOC, .time = 1000, .di = 100, .caller = 0x2000, .chain = chain, .nr_chain = 6 });
		put_made(u, (struct made_call){ .id = RETURN_MALLOC, .time = 1100, .ax = 0x5000 });
		uprobes_drain(u, false);
		t = thread_of(u, 42, 43);
		record_is(t, 0, 1000, (struct event_record){ .type = EVENT_CHAIN, .wait = depth, .chain = 1 });
		assert_memory_equal(&t->records[1], frames, depth * sizeof(*frames));
		end(u);
	}
	u = uprobes_new(&recording, 3);
	assert_int_equal(u->depth, 3);
	uprobes_close(u);
	u = uprobes_new(&recording, 100);
	assert_int_equal(u->depth, UPROBES_DEPTH);
	uprobes_close(u);
}

/* Each chain of a process once, whichever of its threads calls. */
static void a_chain_has_a_number_in_its_process(void **unused)
{
	static const uint64_t one[] = { USER, 0x1000, 0x3000 }, other[] = { USER, 0x1000, 0x4000 },
			      longer[] = { USER, 0x1000, 0x3000, 0x4000 }, zero[] = { USER, 0x1000, 0 };
	static const struct { const uint64_t *chain; uint64_t nr; uint32_t pid, tid, number; bool new; } in[] = {
		{ one, 3, 42, 43, 1, true }, { one, 3, 42, 43, 1, false }, { other, 3, 42, 43, 2, true },
		{ longer, 4, 42, 43, 3, true }, { one, 3, 42, 44, 1, false }, { one, 3, 50, 43, 4, true },
		{ other, 3, 42, 43, 2, false }, { one, 3, 50, 43, 4, false }, { zero, 3, 42, 43, 5, true },
		{ zero, 2, 42, 43, 6, true }, { zero, 3, 42, 43, 5, false },
	};
	struct uprobes *u = make(true);
	struct thread *t;
	uint32_t nr;
	size_t i;

	(void)unused;
	for (i = 0; i < sizeof(in) / sizeof(*in); i++) {
		put_made(u, (struct made_call){ .id = CALL_MALLOC, .time = 1000 * i, .di = 100 + i, .caller = 0x2000,
						.chain = in[i].chain, .nr_chain = in[i].nr, .pid = in[i].pid, .tid = in[i].tid });
		put_made(u, (struct made_call){ .id = RETURN_MALLOC, .time = 1000 * i + 1, .ax = 0x5000,
						.pid = in[i].pid, .tid = in[i].tid });
		HASH_FIND(hh, u->threads, &(uint64_t){ (uint64_t)in[i].pid << 32 | in[i].tid }, sizeof(uint64_t), t);
		nr = t ? t->nr : 0;
		uprobes_drain(u, false);
		t = thread_of(u, in[i].pid, in[i].tid);
		assert_int_equal(t->nr, nr + (in[i].new ? 3 : 1));
		if (in[i].new)
			record_is(t, nr, 1000 * i, (struct event_record){ .type = EVENT_CHAIN, .wait = in[i].nr - 1,
									  .chain = in[i].number });
		record_is(t, t->nr - 1, 1000 * i + 1, (struct event_record){ .type = EVENT_ALLOC, .addr = 0x5000,
									     .size = 100 + i, .chain = in[i].number });
	}
	assert_int_equal(recording.streams, 3);
	end(u);
}

static void chains_end_with_the_last_number(void **unused)
{
	struct uprobes *u = make(false);
	struct thread *t;
	int i;

	(void)unused;
	u->nr_chains = EVENT_MAX_CHAIN - 1;
	for (i = 0; i < 2; i++) {
		put_made(u, (struct made_call){ .id = CALL_MALLOC, .time = 100 * i, .di = 100, .caller = 0x2000 + i });
		put_made(u, (struct made_call){ .id = RETURN_MALLOC, .time = 100 * i + 1, .ax = 0x5000 });
	}
	uprobes_drain(u, false);
	t = thread_of(u, 42, 43);
	assert_int_equal(t->nr, 4);
	record_is(t, 2, 1, (struct event_record){ .type = EVENT_ALLOC, .addr = 0x5000, .size = 100, .chain = EVENT_MAX_CHAIN });
	record_is(t, 3, 101, (struct event_record){ .type = EVENT_ALLOC, .addr = 0x5000, .size = 100 });
	end(u);
}

static void a_call_goes_round_the_end_of_the_ring(void **unused)
{
	const uint64_t chain[] = { USER, 0x1000, 0x3000, 0x4000 };
	const uint64_t frames[] = { 0x2000, 0x3000, 0x4000 };
	struct uprobes *u;
	struct thread *t;
	uint64_t before;

	(void)unused;
	for (before = 0; before <= 240; before += 8) {
		u = make(true);
		u->cpus->ring->data_head = u->cpus->ring->data_tail = 3 * RING - before;
		put_made(u, (struct made_call){ .id = CALL_MALLOC, .time = 1000, .di = 100, .caller = 0x2000,
						.chain = chain, .nr_chain = 4 });
		put_made(u, (struct made_call){ .id = RETURN_MALLOC, .time = 1100, .ax = 0x5000, .cpu = 9 });
		uprobes_drain(u, false);
		t = thread_of(u, 42, 43);
		assert_int_equal(t->nr, 3);
		assert_memory_equal(&t->records[1], frames, sizeof(frames));
		record_is(t, 2, 1100, (struct event_record){ .type = EVENT_ALLOC, .addr = 0x5000, .size = 100, .chain = 1, .cpu = 9 });
		end(u);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(callers_are_those_of_the_function), cmocka_unit_test(chains_have_at_most_the_depth),
		cmocka_unit_test(a_chain_has_a_number_in_its_process),
		cmocka_unit_test(chains_end_with_the_last_number),
		cmocka_unit_test(a_call_goes_round_the_end_of_the_ring),
	};

	return cmocka_run_group_tests_name("memprof uprobe chains", tests, NULL, NULL);
}
