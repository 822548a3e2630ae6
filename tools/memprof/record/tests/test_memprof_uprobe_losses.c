// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memprof record --allocator: calls that perf's rings lost are counted, and are in the streams of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "memprof/record/tests/made_uprobes.h"

static void what_was_lost_is_in_each_thread(void **unused)
{
	struct uprobes *u = make(false);

	(void)unused;
	put_call(u, CALL_FREE, 1200, 0, 0x5000, 0x7000, 0);
	put_lost(u, 5);
	uprobes_drain(u, false);
	assert_int_equal(recording.lost[LOST_EVENTS], 5);
	assert_int_equal(u->threads->records[u->threads->nr - 1].type, EVENT_LOST);
	end(u);
}

/* Whose they were is not known: the count is in one thread, and no call that was begun goes on. */
static void a_loss_is_reported_once(void **unused)
{
	struct uprobes *u = make(false);
	uint64_t before, after, sum = 0;
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
	written_lost(&all, &lost);
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
		for (k = 0; k < 2; k++)
			u->fds[k] = made_counts(in[i].counted[k]);
		if (in[i].in_ring)
			put_lost(u, in[i].in_ring);
		uprobes_drain(u, false);
		assert_int_equal(recording.lost[LOST_EVENTS], in[i].in_ring);
		uprobes_drain(u, true);
		assert_int_equal(recording.lost[LOST_EVENTS], in[i].lost);
		end(u);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_lost_is_in_each_thread),
		cmocka_unit_test(a_loss_is_reported_once),
		cmocka_unit_test(a_loss_has_its_place),
		cmocka_unit_test(the_last_losses_are_in_counts_only),
	};

	return cmocka_run_group_tests_name("memprof uprobe losses", tests, NULL, NULL);
}
