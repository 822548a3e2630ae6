// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memprof record --allocator: calls and returns of functions become events of objects, each field compared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "memprof/record/tests/made_uprobes.h"

static void an_object_lives_from_its_return_to_its_free(void **unused)
{
	struct uprobes *u = make(false);
	const struct event_record *e;
	struct thread *t;

	(void)unused;
	put_call(u, CALL_MALLOC, 1000, 0, 100, 0x7000, 0x401234);
	put_call(u, RETURN_MALLOC, 1100, 0x5000, 0, 0x7008, 0);
	put_call(u, CALL_FREE, 1200, 0, 0x5000, 0x7000, 0);
	assert_true(uprobes_drain(u, false));
	t = u->threads;
	assert_non_null(t);
	assert_int_equal(t->key, 42ULL << 32 | 43);
	assert_int_equal(t->nr, 4);
	e = t->records;
	assert_int_equal(e[0].type, EVENT_CHAIN);
	assert_int_equal(*(const uint64_t *)&e[1], 0x401234);
	assert_int_equal(e[2].type, EVENT_ALLOC);
	assert_int_equal(e[2].addr, 0x5000);
	assert_int_equal(e[2].size, 100);
	assert_int_equal(e[2].cpu, 3);
	assert_int_equal(t->base_ns + e[2].delta, start + 1100);
	assert_int_equal(e[3].type, EVENT_FREE);
	assert_int_equal(e[3].addr, 0x5000);
	end(u);
}

static void calls_without_an_end_and_returns_without_a_call_are_none(void **unused)
{
	struct uprobes *u = make(false);

	(void)unused;
	put_call(u, RETURN_MALLOC, 1100, 0x5000, 0, 0x7008, 0);
	put_call(u, CALL_MALLOC, 1200, 0, 100, 0x7000, 0x401234);
	/* It failed. */
	put_call(u, RETURN_MALLOC, 1300, 0, 0, 0x7008, 0);
	/* longjmp() left this one: the next is not called by it. */
	put_call(u, CALL_MALLOC, 1400, 0, 100, 0x7000, 0x401234);
	put_call(u, CALL_FREE, 1500, 0, 0x6000, 0x7100, 0);
	uprobes_drain(u, false);
	assert_int_equal(u->threads->records[u->threads->nr - 1].type, EVENT_FREE);
	assert_int_equal(u->threads->records[u->threads->nr - 1].addr, 0x6000);
	end(u);
}

/* new[] jumps to new, which returns to the kernel's trampoline: the caller is new[]'s. */
static void a_jump_is_a_call_of_the_first(void **unused)
{
	struct uprobes *u = make(false);
	const struct event_record *e;

	(void)unused;
	u->nr_probes = 3;
	u->probes[2] = (struct probe){ NULL, ALLOC, 0, 3, { 4, 5 } };
	add_number(u, 4, &u->probes[2], false);
	add_number(u, 5, &u->probes[2], true);
	put_call(u, 4, 1000, 0, 100, 0x7000, 0x401234);
	put_call(u, CALL_MALLOC, 1010, 0, 100, 0x7000, 0x7fffffffe000);
	put_call(u, RETURN_MALLOC, 1100, 0x5000, 0, 0x7008, 0);
	put_call(u, 5, 1110, 0x5000, 0, 0x7008, 0);
	uprobes_drain(u, false);
	assert_int_equal(u->threads->nr, 3);
	e = u->threads->records;
	assert_int_equal(*(const uint64_t *)&e[1], 0x401234);
	assert_int_equal(e[2].type, EVENT_ALLOC);
	assert_int_equal(e[2].addr, 0x5000);
	end(u);
}

static void an_argument_is_in_its_register(void **unused)
{
	/* di, si, dx, cx */
	static const uint64_t values[] = { 0x1d10, 0x2510, 0x3dd0, 0x4cc0 };
	struct uprobes *u;
	struct thread *t;
	uint64_t id;
	int i;

	(void)unused;
	for (i = 0; i < 4; i++) {
		u = make(false);
		id = add_probe(u, ALLOC, i);
		put_made(u, (struct made_call){ .id = id, .time = 10, .ax = 1, .di = values[0], .si = values[1],
						.dx = values[2], .cx = values[3], .cpu = 6 });
		put_made(u, (struct made_call){ .id = id + 1, .time = 20, .ax = 0x5000, .di = 2, .si = 3, .dx = 4,
						.cx = 5, .cpu = 7 });
		id = add_probe(u, FREE, i);
		put_made(u, (struct made_call){ .id = id, .time = 30, .ax = 1, .di = values[0], .si = values[1],
						.dx = values[2], .cx = values[3], .cpu = 4095 });
		assert_true(uprobes_drain(u, false));
		t = thread_of(u, 42, 43);
		assert_int_equal(t->nr, 2);
		assert_int_equal(t->base_ns, start + 20);
		assert_int_equal(t->last_ns, start + 30);
		record_is(t, 0, 20, (struct event_record){ .type = EVENT_ALLOC, .addr = 0x5000, .size = values[i], .cpu = 7 });
		record_is(t, 1, 30, (struct event_record){ .type = EVENT_FREE, .addr = values[i], .cpu = 4095 });
		end(u);
	}
}

/* Zeroed by the call, from its beginning on; as many as both arguments say. */
static void calloc_makes_objects(void **unused)
{
	struct uprobes *u = make(false);
	const uint64_t id = add_probe(u, CALLOC, 0);
	struct thread *t;

	(void)unused;
	put_made(u, (struct made_call){ .id = id, .time = 1000, .di = 12, .si = 100, .caller = 0x401000, .cpu = 1 });
	put_made(u, (struct made_call){ .id = id + 1, .time = 3500, .ax = 0x5000, .cpu = 2 });
	/* No memory, and no bytes. */
	put_made(u, (struct made_call){ .id = id, .time = 4000, .di = 1, .si = 1, .cpu = 1 });
	put_made(u, (struct made_call){ .id = id + 1, .time = 4100, .cpu = 1 });
	put_made(u, (struct made_call){ .id = id, .time = 5000, .di = 7, .si = 0, .cpu = 3 });
	put_made(u, (struct made_call){ .id = id + 1, .time = 5100, .ax = 0x6000, .cpu = 3 });
	uprobes_drain(u, false);
	t = thread_of(u, 42, 43);
	assert_int_equal(t->nr, 4);
	record_is(t, 0, 1000, (struct event_record){ .type = EVENT_CHAIN, .wait = 1, .chain = 1 });
	record_is(t, 2, 1000, (struct event_record){ .type = EVENT_ALLOC, .addr = 0x5000, .size = 1200, .wait = 3,
						     .flags = EVENT_ZEROED, .chain = 1, .cpu = 1 });
	record_is(t, 3, 5000, (struct event_record){ .type = EVENT_ALLOC, .addr = 0x6000, .wait = 1,
						     .flags = EVENT_ZEROED, .cpu = 3 });
	end(u);
}

/* By what it was given and what it returned: the object before ends, another one begins, or both. */
static void realloc_ends_and_makes_objects(void **unused)
{
	static const struct { uint64_t old, size, result; bool ends, makes; } in[] = {
		{ 0, 100, 0x6000, false, true }, { 0x5000, 100, 0x6000, true, true }, { 0x5000, 100, 0x5000, true, true },
		{ 0x5000, 100, 0, false, false }, { 0x5000, 0, 0, true, false }, { 0x5000, 0, 0x6000, true, true },
		{ 0, 0, 0, false, false }, { 0, 100, 0, false, false }, { 0, 0, 0x6000, false, true },
	};
	struct uprobes *u;
	struct thread *t;
	uint64_t id;
	size_t i;

	(void)unused;
	for (i = 0; i < sizeof(in) / sizeof(*in); i++) {
		u = make(false);
		id = add_probe(u, REALLOC, 0);
		put_made(u, (struct made_call){ .id = id, .time = 1000, .di = in[i].old, .si = in[i].size, .dx = 9, .cpu = 1 });
		put_made(u, (struct made_call){ .id = id + 1, .time = 2025, .ax = in[i].result, .cpu = 2 });
		uprobes_drain(u, false);
		t = thread_of(u, 42, 43);
		assert_int_equal(t->nr, in[i].ends + in[i].makes);
		if (in[i].ends)
			record_is(t, 0, 1000, (struct event_record){ .type = EVENT_FREE, .addr = in[i].old, .wait = 2,
								     .flags = EVENT_REALLOC, .cpu = 1 });
		if (in[i].makes)
			record_is(t, in[i].ends, 1000, (struct event_record){
				.type = EVENT_ALLOC, .addr = in[i].result, .size = in[i].size, .wait = 2,
				.flags = EVENT_REALLOC, .cpu = 1 });
		end(u);
	}
}

/* At least a unit, rounded up, at most what a record has. */
static void calls_wait_in_units(void **unused)
{
	static const struct { uint64_t ns; unsigned int wait; } in[] = {
		{ 0, 1 }, { 1, 1 }, { 1024, 1 }, { 1025, 2 }, { 2048, 2 }, { 65534UL * 1024 + 1, 65535 },
		{ 65535UL * 1024, 65535 }, { 65535UL * 1024 + 1, 65535 }, { 90000000, 65535 },
	};
	struct uprobes *u;
	uint64_t id;
	size_t i;

	(void)unused;
	for (i = 0; i < sizeof(in) / sizeof(*in); i++) {
		u = make(false);
		id = add_probe(u, CALLOC, 0);
		put_made(u, (struct made_call){ .id = id, .time = 1000, .di = 1, .si = 1 });
		put_made(u, (struct made_call){ .id = id + 1, .time = 1000 + in[i].ns, .ax = 0x5000 });
		uprobes_drain(u, false);
		record_is(thread_of(u, 42, 43), 0, 1000, (struct event_record){
			.type = EVENT_ALLOC, .addr = 0x5000, .size = 1, .wait = in[i].wait, .flags = EVENT_ZEROED });
		end(u);
	}
}

enum { CALL = 1, BACK };

/* Which calls are of the program, as one sequence: what is made of the last is expected. */
static void what_the_program_called_counts(void **unused)
{
	static const struct {
		const char *name;
		struct { int probe, what; uint64_t stack; } calls[8];
		int events;
		uint64_t size;
	} in[] = {
		{ "a call in a call", { { 0, CALL, 0x7000 }, { 1, CALL, 0x6ff8 }, { 1, BACK, 0x7000 }, { 0, BACK, 0x7008 } }, 1, 100 },
		{ "of the same function", { { 0, CALL, 0x7000 }, { 0, CALL, 0x6ff8 }, { 0, BACK, 0x7000 }, { 0, BACK, 0x7008 } }, 1, 100 },
		{ "the inner return is not seen", { { 0, CALL, 0x7000 }, { 1, CALL, 0x6ff8 }, { 0, BACK, 0x7008 } }, 1, 100 },
		{ "the outer return is not seen", { { 0, CALL, 0x7000 }, { 1, CALL, 0x6ff8 }, { 1, BACK, 0x7000 } }, 0, 0 },
		{ "left by longjmp", { { 0, CALL, 0x6f00 }, { 1, CALL, 0x7000 }, { 1, BACK, 0x7008 } }, 1, 101 },
		{ "and called again", { { 0, CALL, 0x7000 }, { 1, CALL, 0x7000 }, { 1, BACK, 0x7008 } }, 1, 101 },
		{ "both left", { { 0, CALL, 0x7000 }, { 0, CALL, 0x6f00 }, { 1, CALL, 0x7000 }, { 1, BACK, 0x7008 } }, 1, 102 },
		{ "a return of another", { { 0, CALL, 0x7000 }, { 1, BACK, 0x7008 }, { 0, BACK, 0x7008 } }, 1, 100 },
		{ "free in a call", { { 0, CALL, 0x7000 }, { 2, CALL, 0x6ff8 }, { 0, BACK, 0x7008 } }, 1, 100 },
		{ "free behind a call that was left", { { 0, CALL, 0x7000 }, { 2, CALL, 0x7000 } }, 1, 0 },
	};
	struct uprobes *u;
	struct thread *t;
	size_t i, k;

	(void)unused;
	for (i = 0; i < sizeof(in) / sizeof(*in); i++) {
		uint64_t ids[3];

		u = make(false);
		ids[0] = add_probe(u, ALLOC, 0);
		ids[1] = add_probe(u, ALLOC, 0);
		ids[2] = add_probe(u, FREE, 0);
		for (k = 0; in[i].calls[k].what; k++)
			put_made(u, (struct made_call){
				.id = ids[in[i].calls[k].probe] + (in[i].calls[k].what == BACK), .time = 1000 + k,
				.ax = in[i].calls[k].what == BACK ? 0x5000 : 0, .di = 100 + k, .sp = in[i].calls[k].stack });
		uprobes_drain(u, false);
		t = thread_of(u, 42, 43);
		if (t->nr != (uint32_t)in[i].events)
			fail_msg("%s: %u events", in[i].name, t->nr);
		if (in[i].size)
			record_is(t, 0, 1000 + k - 1, (struct event_record){ .type = EVENT_ALLOC, .addr = 0x5000, .size = in[i].size });
		else if (in[i].events)
			assert_int_equal(t->records[0].type, EVENT_FREE);
		end(u);
	}
}

/* A thread is in no more calls than are kept: the ninth is taken for the first. */
static void calls_are_as_deep_as_they_are_kept(void **unused)
{
	struct uprobes *u;
	int depth, i;

	(void)unused;
	for (depth = MAX_CALLS; depth <= MAX_CALLS + 1; depth++) {
		u = make(false);
		for (i = 0; i < depth; i++)
			put_made(u, (struct made_call){ .id = CALL_MALLOC, .time = 1000 + i, .di = 100 + i, .sp = 0x7000 - 16 * i });
		uprobes_drain(u, false);
		assert_int_equal(u->threads->depth, depth == MAX_CALLS ? MAX_CALLS : 1);
		for (i = depth; i--;)
			put_made(u, (struct made_call){ .id = RETURN_MALLOC, .time = 2000 - i, .ax = 0x5000 + i, .sp = 0x7008 - 16 * i });
		uprobes_drain(u, false);
		assert_int_equal(u->threads->depth, 0);
		assert_int_equal(u->threads->nr, 1);
		i = depth == MAX_CALLS ? 0 : MAX_CALLS;
		record_is(u->threads, 0, 2000 - i, (struct event_record){ .type = EVENT_ALLOC, .addr = 0x5000 + i, .size = 100 + i });
		end(u);
	}
}

/* The same place on the stack, and the kernel's trampoline there: each alone is another call. */
static void only_a_jump_finds_the_trampoline(void **unused)
{
	static const struct { uint64_t stack, caller, size; } in[] = {
		{ 0x7000, 0x7fffffffe000, 100 }, { 0x7000, 0x7fff00000000, 100 }, { 0x7000, 0x7ffeffffffff, 101 },
		{ 0x7000, 0x800000000000, 101 }, { 0x7000, 0x401234, 101 }, { 0x7008, 0x7fffffffe000, 101 },
		{ 0x7000, 0, 101 },
	};
	struct uprobes *u;
	struct thread *t;
	uint64_t id;
	size_t i;

	(void)unused;
	for (i = 0; i < sizeof(in) / sizeof(*in); i++) {
		u = make(false);
		id = add_probe(u, ALLOC, 0);
		put_made(u, (struct made_call){ .id = id, .time = 1000, .di = 100, .sp = 0x7000 });
		put_made(u, (struct made_call){ .id = CALL_MALLOC, .time = 1010, .di = 101, .sp = in[i].stack, .caller = in[i].caller });
		put_made(u, (struct made_call){ .id = RETURN_MALLOC, .time = 1020, .ax = 0x5000 });
		put_made(u, (struct made_call){ .id = id + 1, .time = 1030, .ax = 0x6000 });
		uprobes_drain(u, false);
		t = thread_of(u, 42, 43);
		assert_int_equal(t->records[t->nr - 1].type, EVENT_ALLOC);
		assert_int_equal(t->records[t->nr - 1].size, in[i].size);
		assert_int_equal(t->records[t->nr - 1].addr, in[i].size == 100 ? 0x6000 : 0x5000);
		end(u);
	}
}

static void free_of_nothing_is_none(void **unused)
{
	struct uprobes *u = make(false);

	(void)unused;
	put_made(u, (struct made_call){ .id = CALL_FREE, .time = 1000, .di = 0 });
	put_made(u, (struct made_call){ .id = 999, .time = 1001, .di = 0x5000 });
	assert_true(uprobes_drain(u, false));
	assert_int_equal(u->threads->nr, 0);
	end(u);
}

/* Cut anywhere: what is not there is not read; only the stack may be missing. */
static void short_records_are_no_calls(void **unused)
{
	/* Identifier, pid and tid, time, CPU; chain; ABI and six registers; stack. */
	const uint64_t whole[] = { CALL_MALLOC, 42 | 43ULL << 32, 1000, 3, 2, USER, 0x1000, 2, 1, 2, 3, 4, 5, 0x7000, 8, 0x2000, 8 };
	const size_t registers = 14, all = sizeof(whole) / sizeof(*whole);
	uint64_t body[32];
	struct uprobes *u;
	size_t n;

	(void)unused;
	for (n = 0; n <= all; n++) {
		u = make(true);
		/* Behind the record there are others' bytes. */
		made_record(u->cpus->ring, RING, PERF_RECORD_SAMPLE, 0, whole, n * sizeof(*whole));
		made_record(u->cpus->ring, RING, PERF_RECORD_AUX, 0, whole, sizeof(whole));
		perf_ring_read(u->cpus->ring, RING, take_record, u);
		assert_int_equal(u->nr_calls, n >= registers);
		if (u->nr_calls) {
			assert_int_equal(u->calls->depth, n == all);
			assert_int_equal(u->calls->stack, 0x7000);
			assert_int_equal(u->calls->result, 1);
		}
		end(u);
	}
	for (n = 0; n < 4; n++) {
		u = make(true);
		memcpy(body, whole, sizeof(whole));
		if (n == 0)
			body[4] = 13;		/* frames: 12 words follow */
		else if (n == 1)
			body[7] = 0;		/* no registers: a thread of the kernel */
		else if (n == 2)
			body[14] = 7;		/* no stack */
		else
			body[14] = 16;
		made_record(u->cpus->ring, RING, PERF_RECORD_SAMPLE, 0, body, sizeof(whole));
		perf_ring_read(u->cpus->ring, RING, take_record, u);
		assert_int_equal(u->nr_calls, n >= 2);
		if (n >= 2)
			assert_int_equal(u->calls->depth, n == 3);
		end(u);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_object_lives_from_its_return_to_its_free),
		cmocka_unit_test(calls_without_an_end_and_returns_without_a_call_are_none),
		cmocka_unit_test(a_jump_is_a_call_of_the_first),
		cmocka_unit_test(an_argument_is_in_its_register),
		cmocka_unit_test(calloc_makes_objects),
		cmocka_unit_test(realloc_ends_and_makes_objects),
		cmocka_unit_test(calls_wait_in_units),
		cmocka_unit_test(what_the_program_called_counts),
		cmocka_unit_test(calls_are_as_deep_as_they_are_kept),
		cmocka_unit_test(only_a_jump_finds_the_trampoline),
		cmocka_unit_test(free_of_nothing_is_none),
		cmocka_unit_test(short_records_are_no_calls),
	};

	return cmocka_run_group_tests_name("memprof uprobe calls", tests, NULL, NULL);
}
