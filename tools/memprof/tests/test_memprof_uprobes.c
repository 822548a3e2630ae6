// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memprof record --allocator: calls and returns in perf's rings become events of objects. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "memprof/record/uprobes.c"
#include "made/mutate.h"
#include "made_ring.h"
#include "written.h"

enum { CALL_MALLOC = 1, RETURN_MALLOC, CALL_FREE };

static struct recording recording;
static struct perf_event_mmap_page *ring;
/* A moment ago: what is older than a second is written at once. */
static uint64_t start;

static void add_number(struct uprobes *u, uint64_t id, const struct probe *p, bool returns)
{
	struct number *n = calloc(1, sizeof(*n));

	n->id = id;
	n->probe = p;
	n->returns = returns;
	HASH_ADD(hh, u->numbers, id, sizeof(n->id), n);
}

static struct uprobes *make(bool callchain)
{
	struct uprobes *u;

	memset(&recording, 0, sizeof(recording));
	recording.cgroup = -1;
	recording.request.callchain = callchain;
	written_begin(&recording.writer);
	u = uprobes_new(&recording);
	u->nr_probes = 2;
	u->probes[0] = (struct probe){ NULL, ALLOC, 0, 1, { 1, 2 } };
	u->probes[1] = (struct probe){ NULL, FREE, 0, 2, { 3, 0 } };
	add_number(u, CALL_MALLOC, &u->probes[0], false);
	add_number(u, RETURN_MALLOC, &u->probes[0], true);
	add_number(u, CALL_FREE, &u->probes[1], false);
	u->nr_cpus = 1;
	u->cpus = calloc(1, sizeof(*u->cpus));
	if (!ring)
		ring = made_ring(RING);
	ring->data_head = ring->data_tail = 0;
	u->cpus->ring = ring;
	start = now_ns() - 100000000;
	return u;
}

static void end(struct uprobes *u)
{
	close(recording.writer.fd);
	u->cpus->ring = NULL;
	uprobes_close(u);
}

/* ABI and registers: ax, cx, dx, si, di, sp; of a call, the return address. */
static void put_call(struct uprobes *u, uint64_t id, uint64_t time, uint64_t result, uint64_t argument,
		     uint64_t stack, uint64_t caller)
{
	const uint64_t body[] = { id, 42 | 43ULL << 32, start + time, 3, 2, result, 0, 0, 0, argument, stack,
				  8, caller, 8 };

	made_record(u->cpus->ring, RING, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, body,
		    caller ? sizeof(body) : sizeof(body) - 24);
}

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

static void what_was_lost_is_in_each_thread(void **unused)
{
	const uint64_t lost[] = { 1, 5, 0, 0, 0, 0 };
	struct uprobes *u = make(false);

	(void)unused;
	put_call(u, CALL_FREE, 1200, 0, 0x5000, 0x7000, 0);
	made_record(u->cpus->ring, RING, PERF_RECORD_LOST, 0, lost, sizeof(lost));
	uprobes_drain(u, false);
	assert_int_equal(recording.lost[LOST_EVENTS], 5);
	assert_int_equal(u->threads->records[u->threads->nr - 1].type, EVENT_LOST);
	end(u);
}

/* ---- calls of any kind, of any thread, in any ring ---- */

/* One of perf's samples: registers by their names; @caller: 0 without a stack; @chain: as perf has it, NULL for none. */
struct made_call {
	uint64_t id, time, ax, cx, dx, si, di, sp, caller;
	uint32_t pid, tid, cpu;
	const uint64_t *chain;
	uint64_t nr_chain;
};

static struct perf_event_mmap_page *more_rings[2];

/* Calls of a probe have this number, and returns the next. */
static uint64_t add_probe(struct uprobes *u, enum kind kind, unsigned int argument)
{
	const int i = u->nr_probes++;
	const uint64_t id = 100 + 2 * i;

	u->probes[i] = (struct probe){ NULL, kind, argument, id, { id, id + 1 } };
	add_number(u, id, &u->probes[i], false);
	add_number(u, id + 1, &u->probes[i], true);
	return id;
}

static void put_in(struct perf_event_mmap_page *in, struct made_call m)
{
	uint64_t body[64], n = 0, i;

	body[n++] = m.id;
	body[n++] = (m.pid ? m.pid : 42) | (uint64_t)(m.tid ? m.tid : 43) << 32;
	body[n++] = start + m.time;
	body[n++] = m.cpu;
	if (m.chain) {
		body[n++] = m.nr_chain;
		for (i = 0; i < m.nr_chain; i++)
			body[n++] = m.chain[i];
	}
	body[n++] = 2;
	body[n++] = m.ax;
	body[n++] = m.cx;
	body[n++] = m.dx;
	body[n++] = m.si;
	body[n++] = m.di;
	body[n++] = m.sp ? m.sp : 0x7000;
	if (m.caller) {
		body[n++] = 8;
		body[n++] = m.caller;
		body[n++] = 8;
	}
	made_record(in, RING, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, body, n * sizeof(*body));
}

static void put_made(struct uprobes *u, struct made_call m)
{
	put_in(u->cpus->ring, m);
}

static struct thread *thread_of(struct uprobes *u, uint32_t pid, uint32_t tid)
{
	const uint64_t key = (uint64_t)pid << 32 | tid;
	struct thread *t;

	HASH_FIND(hh, u->threads, &key, sizeof(key), t);
	assert_non_null(t);
	return t;
}

static void record_is(const struct thread *t, uint32_t i, uint64_t time, struct event_record e)
{
	assert_in_range(i, 0, t->nr - 1);
	e.delta = start + time - t->base_ns;
	if (memcmp(&t->records[i], &e, sizeof(e))) {
		const struct event_record *r = &t->records[i];

		fail_msg("record %u: type %u at %lu, addr %lx, size %lu, wait %u, flags %u, chain %u, cpu %u", i,
			 r->type, (uint64_t)r->delta + t->base_ns - start, (uint64_t)r->addr, (uint64_t)r->size,
			 r->wait, r->flags, r->chain, r->cpu);
	}
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

#define USER	((uint64_t)PERF_CONTEXT_USER)

/* What of perf's chain, and of the stack, the callers are. */
static void callers_are_those_of_the_function(void **unused)
{
	/* The function is at 0x1000, who called it is on the stack: 0x2000. */
	static const struct { uint64_t chain[16], nr, frames[FRAMES], depth; } in[] = {
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

/* A thread that changes CPUs: of all rings, what was first comes first. */
static void calls_of_all_cpus_are_in_order_of_time(void **unused)
{
	struct uprobes *u = make(false);
	struct cpu_ring *one = u->cpus;
	struct thread *t;
	int i;

	(void)unused;
	u->cpus = calloc(3, sizeof(*u->cpus));
	u->cpus[0] = *one;
	free(one);
	for (i = 0; i < 2; i++) {
		if (!more_rings[i])
			more_rings[i] = made_ring(RING);
		more_rings[i]->data_head = more_rings[i]->data_tail = 0;
	}
	/* The second CPU is off. */
	u->cpus[2].ring = more_rings[0];
	u->nr_cpus = 3;
	put_in(u->cpus[0].ring, (struct made_call){ .id = RETURN_MALLOC, .time = 200, .ax = 0x5000, .cpu = 0 });
	put_in(u->cpus[0].ring, (struct made_call){ .id = CALL_FREE, .time = 300, .di = 0x5000, .cpu = 0 });
	put_in(u->cpus[0].ring, (struct made_call){ .id = CALL_FREE, .time = 600, .di = 0x6000, .cpu = 0 });
	put_in(u->cpus[2].ring, (struct made_call){ .id = CALL_MALLOC, .time = 100, .di = 10, .cpu = 2 });
	put_in(u->cpus[2].ring, (struct made_call){ .id = CALL_MALLOC, .time = 400, .di = 20, .cpu = 2 });
	put_in(u->cpus[2].ring, (struct made_call){ .id = RETURN_MALLOC, .time = 500, .ax = 0x6000, .cpu = 2 });
	assert_true(uprobes_drain(u, false));
	assert_int_equal(u->cpus[2].ring->data_tail, u->cpus[2].ring->data_head);
	t = thread_of(u, 42, 43);
	assert_int_equal(t->nr, 4);
	record_is(t, 0, 200, (struct event_record){ .type = EVENT_ALLOC, .addr = 0x5000, .size = 10, .cpu = 0 });
	record_is(t, 1, 300, (struct event_record){ .type = EVENT_FREE, .addr = 0x5000, .cpu = 0 });
	record_is(t, 2, 500, (struct event_record){ .type = EVENT_ALLOC, .addr = 0x6000, .size = 20, .cpu = 2 });
	record_is(t, 3, 600, (struct event_record){ .type = EVENT_FREE, .addr = 0x6000, .cpu = 0 });
	assert_false(uprobes_drain(u, false));
	u->cpus[2].ring = NULL;
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

/* Calls while some uprobes are on and some are not: of both bounds, the time itself is inside. */
static void events_are_of_the_time_when_all_were_on(void **unused)
{
	struct uprobes *u = make(false);
	const uint64_t times[] = { 999, 1000, 1500, 2000, 2001 };
	const uint64_t lost[] = { 1, 5, 0, 0, 0, 0 }, before = now_ns();
	struct thread *t;
	int i;

	(void)unused;
	assert_int_equal(u->from_ns, 0);
	assert_int_equal(u->until_ns, UINT64_MAX);
	uprobes_enable(u, true);
	assert_in_range(u->from_ns, before, now_ns());
	assert_int_equal(u->until_ns, UINT64_MAX);
	uprobes_enable(u, false);
	assert_in_range(u->until_ns, u->from_ns, now_ns());
	u->from_ns = start + 1000;
	u->until_ns = start + 2000;
	for (i = 0; i < 5; i++)
		put_made(u, (struct made_call){ .id = CALL_FREE, .time = times[i], .di = 0x5000 + i });
	/* What is missing, at whatever time. */
	made_record(u->cpus->ring, RING, PERF_RECORD_LOST, 0, lost, sizeof(lost));
	uprobes_drain(u, false);
	t = thread_of(u, 42, 43);
	assert_int_equal(t->nr, 4);
	for (i = 0; i < 3; i++)
		record_is(t, i, times[1 + i], (struct event_record){ .type = EVENT_FREE, .addr = 0x5001 + i });
	assert_int_equal(t->records[3].type, EVENT_LOST);
	end(u);
}

/* Of the last two milliseconds, another CPU may still have some. */
static void calls_of_the_last_moment_wait(void **unused)
{
	const uint64_t second = 1000000000;
	struct uprobes *u = make(false);
	struct thread *t;

	(void)unused;
	put_made(u, (struct made_call){ .id = CALL_FREE, .time = 100 * second, .di = 0x5003 });
	put_made(u, (struct made_call){ .id = CALL_FREE, .time = 1000, .di = 0x5001 });
	put_made(u, (struct made_call){ .id = CALL_FREE, .time = 99 * second, .di = 0x5002 });
	assert_true(uprobes_drain(u, false));
	t = thread_of(u, 42, 43);
	assert_int_equal(t->nr, 1);
	assert_int_equal(u->nr_calls, 2);
	/* As long as some wait, there is something. */
	assert_true(uprobes_drain(u, false));
	assert_int_equal(u->nr_calls, 2);
	put_made(u, (struct made_call){ .id = CALL_FREE, .time = 98 * second, .di = 0x5004 });
	assert_true(uprobes_drain(u, true));
	assert_int_equal(u->nr_calls, 0);
	assert_int_equal(recording.events, 4);
	assert_int_equal(t->nr, 0);
	t->nr = 4;
	record_is(t, 0, 1000, (struct event_record){ .type = EVENT_FREE, .addr = 0x5001 });
	record_is(t, 1, 98 * second, (struct event_record){ .type = EVENT_FREE, .addr = 0x5004 });
	record_is(t, 2, 99 * second, (struct event_record){ .type = EVENT_FREE, .addr = 0x5002 });
	record_is(t, 3, 100 * second, (struct event_record){ .type = EVENT_FREE, .addr = 0x5003 });
	t->nr = 0;
	assert_false(uprobes_drain(u, true));
	end(u);
}

static void many_calls_are_kept(void **unused)
{
	struct uprobes *u = make(false);
	struct written all;
	const struct chunk_header *h;
	uint64_t i, n = 0;

	(void)unused;
	for (i = 0; i < 9000; i++)
		put_made(u, (struct made_call){ .id = CALL_FREE, .time = 10000 - i, .di = 0x5000 + 10000 - i });
	uprobes_drain(u, true);
	all = written_read(&recording.writer);
	while ((h = written_next(&all, CHUNK_EVENTS))) {
		const struct event_record *e = (const void *)(h + 1);

		assert_int_equal(h->records, n < 4 * 2048 ? 2048 : 9000 - 4 * 2048);
		assert_int_equal(h->base_ns, start + 1001 + n);
		for (i = 0; i < h->records; i++, n++) {
			assert_int_equal(e[i].delta + h->base_ns, start + 1001 + n);
			assert_int_equal(e[i].addr, 0x5000 + 1001 + n);
		}
		assert_int_equal(h->last_ns, start + 1000 + n);
	}
	assert_int_equal(n, 9000);
	assert_int_equal(recording.events, 9000);
	written_end(&all);
	end(u);
}

/* Of a stream, whose threads it is of is written first; chains are whole in a chunk, and no events. */
static void chunks_of_events_are_whole(void **unused)
{
	/* The third and fourth frame as events would be ones. */
	const uint64_t chain[] = { USER, 0x1000, 1UL << 40, 2UL << 40, 1UL << 40 };
	static const struct { int frees; uint32_t first; } in[] = { { 2045, 2048 }, { 2046, 2046 }, { 2044, 2048 } };
	const struct chunk_header *h;
	struct stream_record stream;
	struct written all;
	struct uprobes *u;
	int i, k;

	(void)unused;
	for (i = 0; i < 3; i++) {
		u = make(true);
		recording.streams = 4;
		for (k = 0; k < in[i].frees; k++)
			put_made(u, (struct made_call){ .id = CALL_FREE, .time = k, .di = 0x5000 });
		put_made(u, (struct made_call){ .id = CALL_MALLOC, .time = 3000, .di = 100, .caller = 0x2000,
						.chain = chain, .nr_chain = 5 });
		put_made(u, (struct made_call){ .id = RETURN_MALLOC, .time = 3100, .ax = 0x5000 });
		uprobes_drain(u, false);
		if (i < 2)
			assert_int_equal(u->threads->nr, in[i].frees + 4 - in[i].first);
		uprobes_drain(u, true);
		assert_int_equal(recording.events, in[i].frees + 1);
		all = written_read(&recording.writer);
		h = written_next(&all, 0);
		assert_int_equal(h->type, CHUNK_STREAM);
		assert_int_equal(h->stream, 5);
		assert_int_equal(h->base_ns, start);
		memcpy(&stream, h + 1, sizeof(stream));
		assert_int_equal(stream.stream, 5);
		assert_int_equal(stream.pid, 42);
		assert_int_equal(stream.tid, 43);
		assert_int_equal(stream.image, 0);
		h = written_next(&all, 0);
		assert_int_equal(h->type, CHUNK_EVENTS);
		assert_int_equal(h->stream, 5);
		assert_int_equal(h->records, in[i].first);
		assert_int_equal(h->base_ns, start);
		assert_int_equal(h->last_ns, start + (i == 0 ? 3000 : i == 1 ? 2045 : 3100));
		if (i < 2) {
			h = written_next(&all, 0);
			assert_int_equal(h->records, in[i].frees + 4 - in[i].first);
			assert_int_equal(h->base_ns, start + (i ? 3000 : 3100));
			assert_int_equal(h->last_ns, start + 3100);
		}
		assert_null(written_next(&all, 0));
		written_end(&all);
		end(u);
	}
}

/* A delta has 40 bits. */
static void a_chunk_ends_before_its_deltas_do(void **unused)
{
	static const uint64_t later[] = { MEMPROF_MAX_DELTA, MEMPROF_MAX_DELTA + 1 };
	const struct chunk_header *h;
	struct written all;
	struct uprobes *u;
	int i;

	(void)unused;
	for (i = 0; i < 2; i++) {
		u = make(false);
		put_made(u, (struct made_call){ .id = CALL_FREE, .time = 1000, .di = 0x5000 });
		put_made(u, (struct made_call){ .id = CALL_FREE, .time = 1000 + later[i], .di = 0x5000 });
		uprobes_drain(u, true);
		all = written_read(&recording.writer);
		h = written_next(&all, CHUNK_EVENTS);
		assert_int_equal(h->records, 2 - i);
		assert_int_equal(h->last_ns, start + 1000 + (i ? 0 : later[0]));
		h = written_next(&all, CHUNK_EVENTS);
		assert_int_equal(!!h, i);
		if (h)
			assert_int_equal(h->base_ns, start + 1000 + later[1]);
		written_end(&all);
		end(u);
	}
}

/* Within a second it is written. */
static void what_is_a_second_old_is_written(void **unused)
{
	static const struct { uint64_t age; bool written; } in[] = { { 1000000000, true }, { 500000000, false } };
	struct uprobes *u;
	int i;

	(void)unused;
	for (i = 0; i < 2; i++) {
		u = make(false);
		start = now_ns() - in[i].age;
		put_made(u, (struct made_call){ .id = CALL_FREE, .time = 0, .di = 0x5000 });
		uprobes_drain(u, false);
		/* On a slow machine half a second may have passed. */
		if (in[i].written || now_ns() - start < 1000000000)
			assert_int_equal(recording.events, in[i].written);
		end(u);
	}
}

/* ---- functions that call each other ---- */

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

/* ---- losses ---- */

static void put_lost(struct uprobes *u, uint64_t count)
{
	const uint64_t lost[] = { 1, count, 0, 0, 0, 0 };

	made_record(u->cpus->ring, RING, PERF_RECORD_LOST, 0, lost, sizeof(lost));
}

/* Whose they were is not known: the count is in one thread, and no call that was begun goes on. */
static void a_loss_is_reported_once(void **unused)
{
	struct uprobes *u = make(false);
	uint64_t before, after, sum = 0;
	const struct chunk_header *h;
	struct lost_record lost;
	struct thread *t, *next;
	struct written all;

	(void)unused;
	put_made(u, (struct made_call){ .id = CALL_FREE, .time = 1000, .di = 0x5000, .tid = 44 });
	put_made(u, (struct made_call){ .id = CALL_MALLOC, .time = 1100, .di = 100 });
	put_lost(u, 5);
	put_lost(u, 2);
	/* Cut in front of the count. */
	made_record(u->cpus->ring, RING, PERF_RECORD_LOST, 0, &(uint64_t){ 9 }, 8);
	made_record(u->cpus->ring, RING, PERF_RECORD_AUX, 0, &(uint64_t){ 9 }, 8);
	before = now_ns();
	assert_true(uprobes_drain(u, false));
	after = now_ns();
	assert_int_equal(recording.lost[LOST_EVENTS], 7);
	assert_int_equal(u->lost, 0);
	assert_int_equal(u->reported, 7);
	HASH_ITER(hh, u->threads, t, next) {
		assert_int_equal(t->depth, 0);
		assert_int_equal(t->records[t->nr - 1].type, EVENT_LOST);
		assert_int_equal(t->records[t->nr - 1].cpu, 0);
		assert_in_range(t->records[t->nr - 1].delta + t->base_ns, before, after);
		sum += t->records[t->nr - 1].size;
	}
	assert_int_equal(sum, 7);
	all = written_read(&recording.writer);
	h = written_next(&all, CHUNK_LOST);
	memcpy(&lost, h + 1, sizeof(lost));
	assert_int_equal(lost.count, 7);
	assert_int_equal(lost.kind, LOST_EVENTS);
	assert_int_equal(lost.stream, 0);
	assert_in_range(lost.time_ns, before, after);
	written_end(&all);
	/* Whatever returns now is of a call that may have been another. */
	put_made(u, (struct made_call){ .id = RETURN_MALLOC, .time = 1200, .ax = 0x5000 });
	assert_true(uprobes_drain(u, false));
	assert_int_equal(thread_of(u, 42, 43)->nr, 1);
	put_lost(u, 4);
	uprobes_drain(u, false);
	assert_int_equal(recording.lost[LOST_EVENTS], 11);
	assert_int_equal(u->reported, 11);
	assert_int_equal(thread_of(u, 42, 43)->records[1].type, EVENT_LOST);
	end(u);
}

/* Never before what the thread has, nor behind what waits. */
static void a_loss_has_its_place(void **unused)
{
	const uint64_t second = 1000000000;
	struct uprobes *u = make(false);
	uint64_t before, after;
	struct thread *t;

	(void)unused;
	put_made(u, (struct made_call){ .id = CALL_FREE, .time = 1000, .di = 0x5000 });
	put_made(u, (struct made_call){ .id = CALL_FREE, .time = 100 * second, .di = 0x5001 });
	put_lost(u, 5);
	before = now_ns();
	uprobes_drain(u, false);
	after = now_ns();
	t = thread_of(u, 42, 43);
	assert_int_equal(t->nr, 2);
	assert_in_range(t->records[1].delta + t->base_ns, before - LATE_NS, after - LATE_NS);
	put_lost(u, 3);
	uprobes_drain(u, true);
	t->nr = 4;
	record_is(t, 2, 100 * second, (struct event_record){ .type = EVENT_FREE, .addr = 0x5001 });
	record_is(t, 3, 100 * second, (struct event_record){ .type = EVENT_LOST, .size = 3 });
	t->nr = 0;
	end(u);
}

/* What the kernel counted and no ring reported, once, at the end. */
static void the_last_losses_are_in_counts_only(void **unused)
{
	static const struct { uint64_t counted[2], in_ring, lost; } in[] = {
		{ { 3, 5 }, 6, 8 }, { { 3, 5 }, 8, 8 }, { { 3, 5 }, 9, 9 }, { { 0, 0 }, 0, 0 }, { { 0, 1 }, 0, 1 },
	};
	struct uprobes *u;
	size_t i;
	int k;

	(void)unused;
	for (i = 0; i < sizeof(in) / sizeof(*in); i++) {
		u = make(false);
		u->fds = calloc(2, sizeof(*u->fds));
		u->nr_fds = 2;
		for (k = 0; k < 2; k++) {
			const uint64_t counts[] = { 1000, in[i].counted[k] };

			u->fds[k] = memfd_create("counts", MFD_CLOEXEC);
			assert_int_equal(pwrite(u->fds[k], counts, sizeof(counts), 0), sizeof(counts));
		}
		if (in[i].in_ring)
			put_lost(u, in[i].in_ring);
		uprobes_drain(u, false);
		assert_int_equal(recording.lost[LOST_EVENTS], in[i].in_ring);
		uprobes_drain(u, true);
		assert_int_equal(recording.lost[LOST_EVENTS], in[i].lost);
		end(u);
	}
}

/* NAME, or NAME/N. */
static void functions_have_an_argument(void **unused)
{
	static const struct { const char *spec, *name; uint64_t argument; int ret; } in[] = {
		{ "f", "f", 1, 0 }, { "f/1", "f", 1, 0 }, { "f/4", "f", 4, 0 }, { "f/5", NULL, 0, -1 }, { "f/0", NULL, 0, -1 },
		{ "f/", NULL, 0, -1 }, { "/2", NULL, 0, -1 }, { "", NULL, 0, -1 }, { "f/x", NULL, 0, -1 },
		{ "seven77", "seven77", 1, 0 }, { "eight888", NULL, 0, -1 }, { "seven77/2", "seven77", 2, 0 },
	};
	char name[8];
	uint64_t argument;
	size_t i;

	(void)unused;
	for (i = 0; i < sizeof(in) / sizeof(*in); i++) {
		assert_int_equal(!!uprobes_parse(in[i].spec, name, sizeof(name), &argument), !!in[i].ret);
		if (in[i].ret)
			continue;
		assert_string_equal(name, in[i].name);
		assert_int_equal(argument, in[i].argument);
	}
}

/* Compiles functions of these names, and adds what is usual of them. */
static struct uprobes *add_file(const char *names)
{
	char path[] = "/tmp/memprof-uprobes.XXXXXX", command[1024];
	struct uprobes *u = uprobes_new(&recording);
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	snprintf(command, sizeof(command), "for f in %s; do echo \"void *$f(void *p) { return p; }\"; done | "
		 "gcc -fno-builtin -fPIC -shared -nostdlib -x c -o %s -", names, path);
	assert_int_equal(system(command), 0);
	assert_int_equal(uprobes_add(u, &(struct allocator){ .file = path }), OK);
	unlink(path);
	return u;
}

static int count(const struct uprobes *u, enum kind kind)
{
	int i, n = 0;

	for (i = 0; i < u->nr_probes; i++)
		n += u->probes[i].kind == kind;
	return n;
}

/* A new is what its caller allocates; a delete that calls free() ends the object there. */
static void operators_of_cplusplus_are_followed(void **unused)
{
	const char *news = "malloc free _Znwm _ZnamSt11align_val_t _ZnwmRKSt9nothrow_t _ZdlPv _ZdaPvm _Zother";
	struct uprobes *u = add_file(news);
	char own[256];

	(void)unused;
	assert_int_equal(count(u, ALLOC), 4);
	assert_int_equal(count(u, FREE), 1);
	uprobes_close(u);
	snprintf(own, sizeof(own), "%s mi_free", news);
	u = add_file(own);
	assert_int_equal(count(u, ALLOC), 4);
	assert_int_equal(count(u, FREE), 3);
	uprobes_close(u);
}

static void drain_damaged(void *ctx, char *data, size_t size)
{
	struct uprobes *u = make(++*(int *)ctx & 1);

	u->cpus->ring->data_head = u->cpus->ring->data_tail = RING - 512;
	made_put(u->cpus->ring, RING, data, size - size % 8);
	uprobes_drain(u, true);
	assert_int_equal(u->cpus->ring->data_tail, u->cpus->ring->data_head);
	end(u);
}

static void mutated(void **unused)
{
	struct uprobes *u = make(false);
	struct mutation m = { .name = "uprobes' records", .read = drain_damaged };
	int rounds = 0, i;

	(void)unused;
	for (i = 0; i < 30; i++) {
		put_call(u, CALL_MALLOC, 1000 + 100 * i, 0, 100, 0x7000, 0x401234);
		put_call(u, RETURN_MALLOC, 1050 + 100 * i, 0x5000 + 16 * i, 0, 0x7008, 0);
		put_call(u, CALL_FREE, 1080 + 100 * i, 0, 0x5000 + 16 * i, 0x7000, 0);
	}
	m.data = (char *)u->cpus->ring + MADE_PAGE;
	m.size = u->cpus->ring->data_head;
	m.ctx = &rounds;
	mutate(&m);
	end(u);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_object_lives_from_its_return_to_its_free),
		cmocka_unit_test(calls_without_an_end_and_returns_without_a_call_are_none),
		cmocka_unit_test(a_jump_is_a_call_of_the_first), cmocka_unit_test(what_was_lost_is_in_each_thread),
		cmocka_unit_test(an_argument_is_in_its_register),
		cmocka_unit_test(calloc_makes_objects),
		cmocka_unit_test(realloc_ends_and_makes_objects),
		cmocka_unit_test(calls_wait_in_units),
		cmocka_unit_test(callers_are_those_of_the_function),
		cmocka_unit_test(a_chain_has_a_number_in_its_process),
		cmocka_unit_test(chains_end_with_the_last_number),
		cmocka_unit_test(calls_of_all_cpus_are_in_order_of_time),
		cmocka_unit_test(a_call_goes_round_the_end_of_the_ring),
		cmocka_unit_test(events_are_of_the_time_when_all_were_on),
		cmocka_unit_test(calls_of_the_last_moment_wait),
		cmocka_unit_test(many_calls_are_kept),
		cmocka_unit_test(chunks_of_events_are_whole),
		cmocka_unit_test(a_chunk_ends_before_its_deltas_do),
		cmocka_unit_test(what_is_a_second_old_is_written),
		cmocka_unit_test(what_the_program_called_counts),
		cmocka_unit_test(calls_are_as_deep_as_they_are_kept),
		cmocka_unit_test(only_a_jump_finds_the_trampoline),
		cmocka_unit_test(free_of_nothing_is_none),
		cmocka_unit_test(short_records_are_no_calls),
		cmocka_unit_test(a_loss_is_reported_once),
		cmocka_unit_test(a_loss_has_its_place),
		cmocka_unit_test(the_last_losses_are_in_counts_only),
		cmocka_unit_test(functions_have_an_argument),
		cmocka_unit_test(operators_of_cplusplus_are_followed), cmocka_unit_test(mutated),
	};

	return cmocka_run_group_tests_name("memprof uprobes", tests, NULL, NULL);
}
