// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memprof record: when the ring of a preloaded thread is read, and what it counts: losses, waits, and
 * what had no memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <limits.h>

#include "memprof/record/tests/thread_ring.h"

/* Of losses, those with a record where they are missing are not reported again at the end. */
static void losses_that_have_a_record_are_not_reported_again(void **unused)
{
	static const struct { uint64_t here[2], lost, rest; } in[] = {
		{ { 5, 2 }, 7, 0 }, { { 5, 2 }, 8, 1 }, { { 5, 2 }, 20, 13 }, { { 0, 2 }, 9, 7 }, { { 0, 0 }, 4, 4 },
		{ { 5, 2 }, 6, 0 },
	};
	const struct event_record *e;
	struct written all;
	struct ring *ring;
	uint64_t n, i, k;

	(void)unused;
	for (i = 0; i < sizeof(in) / sizeof(*in); i++) {
		begin();
		ring = new_ring("42.43.1", 16);
		put_events(ring, 0, 1);
		for (k = 0, n = 1; k < 2; k++)
			if (in[i].here[k]) {
				put(ring, (struct event_record){ .delta = 200 + k, .type = EVENT_LOST, .size = in[i].here[k] });
				n++;
			}
		put_events(ring, 50, 1);
		n++;
		ring->lost = in[i].lost;
		ring->done = 1;
		rings_drain(rings, false);
		assert_false(is_there("42.43.1"));
		assert_int_equal(recording.events, n);
		assert_int_equal(recording.lost[LOST_EVENTS], in[i].lost);
		all = written_read(&recording.writer);
		e = next_chunk(&all, 1, base, base + 250, n);
		for (k = 0; k < n; k++)
			if (e[k].type == EVENT_LOST)
				assert_int_equal(e[k].size, in[i].here[e[k].delta - 200]);
		if (in[i].rest) {
			e = next_chunk(&all, 1, base + 250, base + 250, 1);
			event_is(e, (struct event_record){ .type = EVENT_LOST, .size = in[i].rest }, 0);
		}
		no_chunk(&all);
		munmap(ring, bytes_of(16));
		end();
	}
}

/* Of a thread without records they are at the ring's beginning, which is a time as those of records. */
static void losses_without_records_are_at_the_beginning(void **unused)
{
	const struct event_record same = { .type = EVENT_LOST, .size = 3 };
	const struct event_record *e;
	const struct chunk_header *h;
	struct written all;
	struct ring *ring;
	uint64_t time;
	int tsc;

	(void)unused;
	for (tsc = 0; tsc < 2; tsc++) {
		if (tsc)
			begin_tsc();
		else
			begin();
		ring = new_ring("42.43.1", 16);
		ring->base = 3000003000 + 600;
		time = tsc ? tsc_ns(ring->base) : ring->base;
		ring->lost = 3;
		rings_drain(rings, true);
		all = written_read(&recording.writer);
		h = written_next(&all, CHUNK_STREAM);
		assert_int_equal(h->base_ns, time);
		assert_int_equal(h->last_ns, time);
		e = next_chunk(&all, 1, time, time, 1);
		event_is(e, same, 0);
		no_chunk(&all);
		munmap(ring, bytes_of(16));
		end();
	}
}

/* What the ring counts is reported when it grows, by as much; waits and what had no memory at the end. */
static void counts_of_a_ring_are_taken_once(void **unused)
{
	struct lost_record lost;
	struct source_ring *s;
	struct written all;
	struct ring *ring;

	(void)unused;
	begin();
	ring = new_ring("42.43.1", 16);
	s = found_ring("42.43.1");
	assert_non_null(s);
	ring->lost = 3;
	ring->waits = 4;
	ring->no_space = 2;
	read_at(s, base + QUIET_NS);
	assert_int_equal(recording.lost[LOST_EVENTS], 3);
	assert_int_equal(s->lost, 3);
	read_at(s, base + 2 * QUIET_NS);
	ring->lost = 10;
	read_at(s, base + 3UL * QUIET_NS);
	assert_int_equal(recording.waits, 0);
	assert_int_equal(recording.no_space, 0);
	rings_drain(rings, true);
	assert_int_equal(recording.lost[LOST_EVENTS], 10);
	assert_int_equal(recording.waits, 4);
	assert_int_equal(recording.no_space, 2);
	all = written_read(&recording.writer);
	written_lost(&all, &lost);
	assert_int_equal(lost.time_ns, base + QUIET_NS);
	assert_int_equal(lost.count, 3);
	assert_int_equal(lost.kind, LOST_EVENTS);
	assert_int_equal(lost.stream, 1);
	written_lost(&all, &lost);
	assert_int_equal(lost.time_ns, base + 3UL * QUIET_NS);
	assert_int_equal(lost.count, 7);
	assert_null(written_next(&all, CHUNK_LOST));
	written_end(&all);
	munmap(ring, bytes_of(16));
	end();
}

/* A few records of a quiet thread wait, but not long, nor where they fill the ring. */
static void a_ring_is_read_when_it_is_worth_it(void **unused)
{
	static const struct { uint64_t capacity, records, after; bool done; enum rings_found found; bool read; } in[] = {
		{ 10000, 0, 0, false, RINGS_QUIET, false }, { 10000, 1, 0, false, RINGS_BUSY, false },
		{ 10000, 2047, QUIET_NS - 1, false, RINGS_BUSY, false }, { 10000, 2047, QUIET_NS, false, RINGS_BUSY, true },
		{ 10000, 2048, 0, false, RINGS_BUSY, true }, { 10000, 2500, 0, false, RINGS_BUSY, true },
		{ 10000, 2501, 0, false, RINGS_FULL, true }, { 100, 25, 0, false, RINGS_BUSY, false },
		{ 100, 26, 0, false, RINGS_FULL, true }, { 100, 25, 0, true, RINGS_BUSY, true },
		{ 100, 100, 0, false, RINGS_FULL, true },
	};
	struct source_ring *s;
	struct ring *ring;
	uint64_t i;

	(void)unused;
	for (i = 0; i < sizeof(in) / sizeof(*in); i++) {
		begin();
		ring = new_ring("42.43.1", in[i].capacity);
		s = found_ring("42.43.1");
		assert_non_null(s);
		s->read_ns = base;
		put_events(ring, 0, in[i].records);
		ring->done = in[i].done;
		assert_int_equal(read_at(s, base + in[i].after), in[i].found);
		assert_int_equal(recording.events, in[i].read ? in[i].records : 0);
		assert_int_equal(ring->tail, in[i].read ? in[i].records : 0);
		assert_int_equal(s->read_ns, in[i].read ? base + in[i].after : base);
		munmap(ring, in[i].capacity * sizeof(struct event_record) + RING_HEADER);
		end();
	}
}

/* More records than it has: not what the library writes. */
static void a_ring_has_no_more_records_than_its_capacity(void **unused)
{
	struct source_ring *s;
	struct ring *ring;

	(void)unused;
	begin();
	ring = new_ring("42.43.1", 16);
	s = found_ring("42.43.1");
	ring->head = 17;
	assert_int_equal(read_at(s, base + QUIET_NS), RINGS_QUIET);
	assert_int_equal(recording.events, 0);
	assert_int_equal(ring->tail, 0);
	ring->head = 16;
	assert_int_equal(read_at(s, base + QUIET_NS), RINGS_FULL);
	assert_int_equal(recording.events, 16);
	assert_int_equal(ring->tail, 16);
	munmap(ring, bytes_of(16));
	end();
}

/* The busiest counts. */
static void of_several_rings_the_fullest_is_reported(void **unused)
{
	struct ring *ring[3];
	uint64_t i;

	(void)unused;
	begin();
	assert_int_equal(rings_drain(rings, false), RINGS_QUIET);
	ring[0] = new_ring("42.43.1", 16);
	put_events(ring[0], 0, 16);
	ring[1] = new_ring("42.44.2", 16);
	put_events(ring[1], 0, 1);
	ring[2] = new_ring("42.45.3", 16);
	assert_int_equal(rings_drain(rings, false), RINGS_FULL);
	usleep(QUIET_NS / 1000);
	put_events(ring[1], 1, 1);
	assert_int_equal(rings_drain(rings, false), RINGS_BUSY);
	assert_int_equal(rings_drain(rings, false), RINGS_QUIET);
	for (i = 0; i < 3; i++)
		munmap(ring[i], bytes_of(16));
	end();
}

/* Once a second at most, where there is nothing to read. */
static void a_quiet_process_is_asked_about_each_second(void **unused)
{
	static const struct { uint64_t asked; int records; pid_t pid; bool other_ns, gone; uint64_t asked_again; } in[] = {
		{ GONE_NS - 1, 0, INT_MAX, false, false, 0 }, { GONE_NS, 0, INT_MAX, false, true, GONE_NS },
		{ GONE_NS, 1, INT_MAX, false, false, 0 }, { GONE_NS, 0, 0, false, false, GONE_NS },
		{ GONE_NS, 0, INT_MAX, true, false, 0 },
	};
	struct source_ring *s;
	struct ring *ring;
	uint64_t i;

	(void)unused;
	for (i = 0; i < sizeof(in) / sizeof(*in); i++) {
		begin();
		ring = new_ring("42.43.1", 16);
		ring->pid_ns = rings->pid_ns + in[i].other_ns;
		ring->pid = in[i].pid ? in[i].pid : getpid();
		put_events(ring, 0, in[i].records);
		s = found_ring("42.43.1");
		assert_non_null(s);
		s->asked_ns = base;
		read_at(s, base + in[i].asked);
		assert_int_equal(s->gone, in[i].gone);
		assert_int_equal(s->asked_ns, base + in[i].asked_again);
		/* What it wrote last is read before the ring goes. */
		if (in[i].gone) {
			assert_true(is_there("42.43.1"));
			put_events(ring, 5, 2);
			rings_drain(rings, false);
			assert_false(is_there("42.43.1"));
			assert_int_equal(recording.events, 2);
		}
		munmap(ring, bytes_of(16));
		end();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(losses_that_have_a_record_are_not_reported_again),
		cmocka_unit_test(losses_without_records_are_at_the_beginning),
		cmocka_unit_test(counts_of_a_ring_are_taken_once),
		cmocka_unit_test(a_ring_is_read_when_it_is_worth_it),
		cmocka_unit_test(a_ring_has_no_more_records_than_its_capacity),
		cmocka_unit_test(of_several_rings_the_fullest_is_reported),
		cmocka_unit_test(a_quiet_process_is_asked_about_each_second),
	};

	return cmocka_run_group_tests_name("memprof ring reads", tests, NULL, NULL);
}
