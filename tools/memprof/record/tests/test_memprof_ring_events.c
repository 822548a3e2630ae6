// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memprof record: what the rings of preloaded threads have becomes chunks of events, each record
 * compared; chains are whole in a chunk; times of both clocks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "memprof/record/tests/thread_ring.h"

static void put_words(struct ring *ring, uint64_t a, uint64_t b, uint64_t c)
{
	const uint64_t words[] = { a, b, c };
	struct event_record e;

	memcpy(&e, words, sizeof(e));
	put(ring, e);
}

/* Of CLOCK_MONOTONIC nothing is converted; round the end of the ring, too. */
static void events_are_as_the_thread_wrote_them(void **unused)
{
	static const uint64_t counts[] = { 3, 6, 7, 0, 1 };
	uint64_t i, k, n = 0, total = 0;
	const struct event_record *e;
	const struct chunk_header *h;
	struct stream_record stream;
	struct written all;
	struct ring *ring;

	(void)unused;
	begin();
	ring = new_ring("42.43.1", 7);
	for (i = 0; i < 5; i++) {
		put_events(ring, total, counts[i]);
		total += counts[i];
		rings_drain(rings, i == 4);
		assert_int_equal(ring->tail, total);
	}
	assert_int_equal(recording.events, 17);
	munmap(ring, bytes_of(7));
	all = written_read(&recording.writer);
	h = written_next(&all, 0);
	stream = written_stream(h);
	assert_int_equal(h->stream, 1);
	assert_int_equal(h->base_ns, base);
	assert_int_equal(h->last_ns, base);
	assert_int_equal(h->records, 1);
	assert_int_equal(h->bytes, sizeof(stream));
	assert_int_equal(stream.stream, 1);
	assert_int_equal(stream.pid, 42);
	assert_int_equal(stream.tid, 43);
	assert_int_equal(stream.reserved, 0);
	assert_int_equal(stream.image, 9);
	for (i = 0; i < 5; i++) {
		if (!counts[i])
			continue;
		e = next_chunk(&all, 1, base, base + 100 + 3 * (n + counts[i] - 1), counts[i]);
		for (k = 0; k < counts[i]; k++, n++)
			event_is(&e[k], event(n), k);
	}
	no_chunk(&all);
	end();
}

/* Waits, and no other field, are in units of their own; the chain's are its frames. */
static void times_of_the_tsc_become_monotonic(void **unused)
{
	static const struct { uint64_t delta; unsigned int wait, ns_units; } in[] = {
		/* 3 ticks are a ns: a unit of 4,096 ticks is 1.33 of 1,024 ns. */
		{ 0, 0, 0 }, { 1, 1, 2 }, { 3, 3, 4 }, { 4, 4, 6 }, { 6, 6, 8 }, { 7, 6, 8 }, { 9, 49151, 65535 },
		{ 12, 49152, 65535 }, { 12, 65535, 65535 },
		/* 3 ticks are 2 ns, of which a unit is 2.67. */
		{ 3000000000, 3, 8 }, { 3000000001, 4, 11 }, { 3000000003, 24000, 64000 },
		/* It begins before the rate changes, where 3 units of 4,096 ticks are 4, and ends behind, where they are 8. */
		{ 3000000000 - 3 * 4096, 6, 12 },
	};
	const size_t n = sizeof(in) / sizeof(*in);
	const uint64_t from = 3000;
	const struct event_record *e;
	struct event_record same;
	struct written all;
	struct ring *ring;
	size_t i;

	(void)unused;
	begin_tsc();
	ring = new_ring("42.43.1", 64);
	ring->base = from;
	for (i = 0; i < n; i++) {
		same = event(i);
		same.delta = in[i].delta;
		same.wait = in[i].wait;
		put(ring, same);
	}
	rings_drain(rings, true);
	munmap(ring, bytes_of(64));
	all = written_read(&recording.writer);
	e = next_chunk(&all, 1, 10000, tsc_ns(from + in[n - 1].delta), n);
	for (i = 0; i < n; i++) {
		same = event(i);
		same.delta = tsc_ns(from + in[i].delta) - 10000;
		same.wait = in[i].ns_units;
		event_is(&e[i], same, i);
	}
	no_chunk(&all);
	end();
}

/* Only of the TSC's ring are waits in ticks. */
static void waits_of_the_monotonic_clock_stay(void **unused)
{
	struct event_record one = event(1);
	const struct event_record *e;
	struct written all;
	struct ring *ring;

	(void)unused;
	begin_tsc();
	ring = new_ring("42.43.1", 8);
	ring->clock = RING_MONOTONIC;
	one.wait = 77;
	put(ring, one);
	rings_drain(rings, true);
	munmap(ring, bytes_of(8));
	all = written_read(&recording.writer);
	e = next_chunk(&all, 1, base, base + one.delta, 1);
	event_is(e, one, 0);
	no_chunk(&all);
	end();
}

static void a_chunk_has_no_more_records_than_readers_keep(void **unused)
{
	static const uint64_t counts[] = { 2729, 2730, 2731, 6000 };
	const struct event_record *e;
	struct written all;
	struct ring *ring;
	uint64_t i, n, k, part;

	(void)unused;
	for (i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		begin();
		ring = new_ring("42.43.1", 6000);
		/* The ring's end is in the midst. */
		ring->head = ring->tail = 5000;
		put_events(ring, 0, counts[i]);
		found_ring("42.43.1")->tail = 5000;
		rings_drain(rings, true);
		munmap(ring, bytes_of(6000));
		assert_int_equal(recording.events, counts[i]);
		all = written_read(&recording.writer);
		for (n = 0; n < counts[i]; n += part) {
			part = counts[i] - n < 2730 ? counts[i] - n : 2730;
			e = next_chunk(&all, 1, base, base + 100 + 3 * (n + part - 1), part);
			for (k = 0; k < part; k++)
				event_is(&e[k], event(n + k), k);
		}
		no_chunk(&all);
		end();
	}
}

static void put_chain(struct ring *ring, uint64_t delta, uint32_t number, uint32_t frames)
{
	uint64_t i, frame[3], k;

	put(ring, (struct event_record){ .delta = delta, .type = EVENT_CHAIN, .wait = frames, .chain = number });
	for (i = 0; i < frames; i += 3) {
		/* As records they would be any type: of frames nothing is read. */
		for (k = 0; k < 3; k++)
			frame[k] = i + k < frames ? ((i + k + number) % 16) << 40 | (0xffff0000 + i + k) : 0;
		put_words(ring, frame[0], frame[1], frame[2]);
	}
}

/* Whole, at the end of a chunk or at the beginning of the next; words of frames are no records. */
static void a_chain_is_in_one_chunk(void **unused)
{
	/* How many records of the first chunk are before the chain, and its frames. */
	static const struct { uint64_t before; uint32_t frames, first; } in[] = {
		{ 2729, 1, 2729 }, { 2728, 1, 2730 }, { 2728, 3, 2730 }, { 2728, 4, 2728 }, { 2727, 4, 2730 },
		{ 2727, 6, 2730 }, { 2727, 7, 2727 }, { 2719, 30, 2730 }, { 2719, 31, 2719 }, { 2720, 30, 2720 },
		{ 2730, 32, 2730 }, { 2729, 0, 2730 }, { 0, 2, 2730 }, { 1, 32, 2730 },
	};
	const struct event_record *records, *e;
	uint64_t words, total, i, k;
	struct written all;
	struct ring *ring;

	(void)unused;
	for (i = 0; i < sizeof(in) / sizeof(*in); i++) {
		begin();
		ring = new_ring("42.43.1", 6000);
		records = (void *)((char *)ring + RING_HEADER);
		put_events(ring, 0, in[i].before);
		words = (in[i].frames + 2) / 3;
		put_chain(ring, 100 + 3 * in[i].before, i + 3, in[i].frames);
		put_events(ring, in[i].before + 1, 2800 - in[i].before);
		total = 2801 + words;
		assert_int_equal(ring->head, total);
		rings_drain(rings, true);
		/* Neither the chain nor its frames are events. */
		assert_int_equal(recording.events, 2800);
		assert_int_equal(recording.lost[LOST_EVENTS], 0);
		all = written_read(&recording.writer);
		k = in[i].first;
		e = next_chunk(&all, 1, base, base + (k > in[i].before + words ? 100 + 3 * (k - 1 - words) :
						      k > in[i].before ? 100 + 3 * in[i].before : 100 + 3 * (k - 1)), k);
		assert_memory_equal(e, records, k * sizeof(*e));
		e = next_chunk(&all, 1, base, base + 100 + 3 * 2800, total - k);
		assert_memory_equal(e, records + k, (total - k) * sizeof(*e));
		no_chunk(&all);
		munmap(ring, bytes_of(6000));
		end();
	}
}

/* The number of frames of a chain is no wait, its delta is a time, and its frames are neither. */
static void chains_of_the_tsc_keep_their_frames(void **unused)
{
	const struct event_record *records, *e;
	struct event_record same;
	struct written all;
	struct ring *ring;

	(void)unused;
	begin_tsc();
	ring = new_ring("42.43.1", 16);
	ring->base = 3000;
	put_chain(ring, 30, 1, 4);
	put(ring, (struct event_record){ .delta = 60, .type = EVENT_FREE, .addr = 0x5000, .wait = 3 });
	put_chain(ring, 90, 2, 3);
	rings_drain(rings, true);
	records = (void *)((char *)ring + RING_HEADER);
	assert_int_equal(recording.events, 1);
	all = written_read(&recording.writer);
	e = next_chunk(&all, 1, 10000, 10030, 6);
	same = records[0];
	same.delta = 10;
	event_is(&e[0], same, 0);
	assert_memory_equal(&e[1], &records[1], 2 * sizeof(*e));
	same = records[3];
	same.delta = 20;
	same.wait = 4;
	event_is(&e[3], same, 3);
	same = records[4];
	same.delta = 30;
	event_is(&e[4], same, 4);
	assert_memory_equal(&e[5], &records[5], sizeof(*e));
	no_chunk(&all);
	munmap(ring, bytes_of(16));
	end();
}

/* Nothing can be read behind it; what is before it is. */
static void a_chain_without_an_end_is_the_last(void **unused)
{
	const struct event_record *e;
	struct written all;
	struct ring *ring;
	uint64_t i;

	(void)unused;
	begin();
	ring = new_ring("42.43.1", 16);
	put_events(ring, 0, 2);
	put(ring, (struct event_record){ .delta = 110, .type = EVENT_CHAIN, .wait = 10, .chain = 1 });
	put_events(ring, 3, 3);
	rings_drain(rings, false);
	assert_int_equal(ring->tail, ring->head);
	put_events(ring, 6, 1);
	rings_drain(rings, true);
	assert_int_equal(recording.events, 3);
	all = written_read(&recording.writer);
	for (i = 0; i < 3; i += 2) {
		e = next_chunk(&all, 1, base, base + (i ? 118 : 103), i ? 1 : 2);
		event_is(e, event(i ? 6 : 0), 0);
	}
	no_chunk(&all);
	munmap(ring, bytes_of(16));
	end();
}

static void put_base(struct ring *ring, uint64_t time)
{
	const struct event_record e = { .type = EVENT_BASE, .cpu = 7 };
	uint64_t words[3];

	memcpy(words, &e, sizeof(words));
	put_words(ring, words[0], words[1], time);
}

/* One ring of each clock: a base begins a chunk, and its time is converted as that of events is. */
static void a_base_begins_a_chunk(void **unused)
{
	uint64_t first, second, times[2], words[3];
	const struct event_record *e;
	struct event_record same;
	struct written all;
	struct ring *ring;
	int tsc;

	(void)unused;
	for (tsc = 0; tsc < 2; tsc++) {
		if (tsc)
			begin_tsc();
		else
			begin();
		first = tsc ? 6000 : base;
		second = tsc ? 3000003000 + 600 : base + 12345;
		ring = new_ring("42.43.1", 16);
		ring->base = first;
		put_events(ring, 0, 2);
		put_base(ring, second);
		put_events(ring, 10, 2);
		put_base(ring, second + 3000);
		rings_drain(rings, false);
		assert_int_equal(ring->tail, 6);
		put_events(ring, 20, 1);
		rings_drain(rings, true);
		assert_int_equal(recording.events, 5);
		all = written_read(&recording.writer);
		times[0] = tsc ? tsc_ns(first) : first;
		e = next_chunk(&all, 1, times[0], tsc ? tsc_ns(first + 103) : first + 103, 2);
		same = event(1);
		same.delta = tsc ? tsc_ns(first + 103) - times[0] : 103;
		event_is(&e[1], same, 1);
		times[1] = tsc ? tsc_ns(second) : second;
		e = next_chunk(&all, 1, times[1], tsc ? tsc_ns(second + 133) : second + 133, 3);
		memcpy(words, e, sizeof(words));
		assert_int_equal(e[0].type, EVENT_BASE);
		assert_int_equal(e[0].cpu, 7);
		assert_int_equal(words[2], times[1]);
		same = event(11);
		same.delta = tsc ? tsc_ns(second + 133) - times[1] : 133;
		event_is(&e[2], same, 2);
		times[1] = tsc ? tsc_ns(second + 3000) : second + 3000;
		e = next_chunk(&all, 1, times[1], times[1], 1);
		memcpy(words, e, sizeof(words));
		assert_int_equal(words[2], times[1]);
		/* Of the next round, by the same base. */
		e = next_chunk(&all, 1, times[1], tsc ? tsc_ns(second + 3160) : second + 3160, 1);
		same = event(20);
		same.delta = tsc ? tsc_ns(second + 3160) - times[1] : 160;
		event_is(e, same, 0);
		no_chunk(&all);
		munmap(ring, bytes_of(16));
		end();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_are_as_the_thread_wrote_them),
		cmocka_unit_test(times_of_the_tsc_become_monotonic),
		cmocka_unit_test(waits_of_the_monotonic_clock_stay),
		cmocka_unit_test(a_chunk_has_no_more_records_than_readers_keep),
		cmocka_unit_test(a_chain_is_in_one_chunk),
		cmocka_unit_test(chains_of_the_tsc_keep_their_frames),
		cmocka_unit_test(a_chain_without_an_end_is_the_last),
		cmocka_unit_test(a_base_begins_a_chunk),
	};

	return cmocka_run_group_tests_name("memprof ring events", tests, NULL, NULL);
}
