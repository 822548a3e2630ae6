// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memprof record --allocator: calls of all CPUs are in order of time, and are written in chunks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "memprof/record/tests/made_uprobes.h"

static struct perf_event_mmap_page *more_rings[2];

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

/* Calls while some uprobes are on and some are not: of both bounds, the time itself is inside. */
static void events_are_of_the_time_when_all_were_on(void **unused)
{
	struct uprobes *u = make(false);
	const uint64_t times[] = { 999, 1000, 1500, 2000, 2001 };
	const uint64_t before = now_ns();
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
	put_lost(u, 5);
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
		stream = written_stream(h);
		assert_int_equal(h->stream, 5);
		assert_int_equal(h->base_ns, start);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_of_all_cpus_are_in_order_of_time),
		cmocka_unit_test(events_are_of_the_time_when_all_were_on),
		cmocka_unit_test(calls_of_the_last_moment_wait),
		cmocka_unit_test(many_calls_are_kept),
		cmocka_unit_test(chunks_of_events_are_whole),
		cmocka_unit_test(a_chunk_ends_before_its_deltas_do),
		cmocka_unit_test(what_is_a_second_old_is_written),
	};

	return cmocka_run_group_tests_name("memprof uprobe chunks", tests, NULL, NULL);
}
