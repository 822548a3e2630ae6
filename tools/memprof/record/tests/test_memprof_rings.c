// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memprof record: what the rings of preloaded threads have becomes chunks of events, each record
 * compared; times of both clocks; which files are rings, and when a ring is read.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <limits.h>
#include <cmocka.h>

#include "memprof/record/rings.c"
#include "memprof/tests/written.h"

static struct recording recording;
static struct rings *rings;
/* Some time, of which rings and records are. */
static const uint64_t base = 5000000000;

static void begin(void)
{
	char error[256];

	memset(&recording, 0, sizeof(recording));
	recording.cgroup = -1;
	written_begin(&recording.writer);
	assert_int_equal(guard_begin("memprof", false), OK);
	rings = rings_new(&recording, error, sizeof(error));
	assert_non_null(rings);
	rings->tsc = false;
	memset(&rings->clock, 0, sizeof(rings->clock));
}

static void end(void)
{
	rings_close(rings);
	assert_int_equal(guard_undo(), OK);
	close(recording.writer.fd);
}

/* 3 ticks in 1 ns, then 3 in 2, then 3 in 1. */
static void begin_tsc(void)
{
	begin();
	rings->tsc = true;
	clock_add(&rings->clock, 3000, 10000);
	clock_add(&rings->clock, 3000003000, 1000010000);
	clock_add(&rings->clock, 6000003000, 3000010000);
	clock_add(&rings->clock, 9000003000, 4000010000);
}

static uint64_t tsc_ns(uint64_t tsc)
{
	if (tsc < 3000003000)
		return 10000 + (tsc - 3000) / 3;
	if (tsc < 6000003000)
		return 1000010000 + (tsc - 3000003000) * 2 / 3;
	return 3000010000 + (tsc - 6000003000) / 3;
}

static void name_path(char *path, size_t size, const char *name)
{
	snprintf(path, size, "%s/%s", rings_directory(rings), name);
}

static int make_file(const char *name, uint64_t bytes)
{
	char path[300];
	int fd;

	name_path(path, sizeof(path), name);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, bytes), 0);
	return fd;
}

static bool is_there(const char *name)
{
	char path[300];

	name_path(path, sizeof(path), name);
	return !access(path, F_OK);
}

static size_t bytes_of(uint64_t capacity)
{
	return RING_HEADER + capacity * sizeof(struct event_record);
}

static struct ring *map_ring(const char *name, uint64_t bytes)
{
	const int fd = make_file(name, bytes);
	struct ring *ring = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	assert_ptr_not_equal(ring, MAP_FAILED);
	close(fd);
	return ring;
}

/* A thread 43 of a process 42, which are not known to be gone: their namespace is another. */
static struct ring *new_ring(const char *name, uint64_t capacity)
{
	struct ring *ring = map_ring(name, bytes_of(capacity));

	*ring = (struct ring){ .magic = RING_MAGIC, .pid = 42, .tid = 43, .image = 9, .base = base,
			       .capacity = capacity, .clock = rings->tsc ? RING_TSC : RING_MONOTONIC };
	rings->reported_pid_ns = true;
	ring->pid_ns = rings->pid_ns + 1;
	return ring;
}

static void put(struct ring *ring, struct event_record e)
{
	struct event_record *records = (void *)((char *)ring + RING_HEADER);

	records[ring->head++ % ring->capacity] = e;
}

static void put_words(struct ring *ring, uint64_t a, uint64_t b, uint64_t c)
{
	const uint64_t words[] = { a, b, c };
	struct event_record e;

	memcpy(&e, words, sizeof(e));
	put(ring, e);
}

/* A record that says which it is in each field. */
static struct event_record event(uint64_t n)
{
	return (struct event_record){ .delta = 100 + 3 * n, .type = EVENT_ALLOC + n % 4, .cpu = n % 4096,
				      .flags = n % 16, .addr = 0x10000 + n * 64, .size = 64 + n, .chain = n % 5 };
}

static void put_events(struct ring *ring, uint64_t from, uint64_t n)
{
	uint64_t i;

	for (i = from; i < from + n; i++)
		put(ring, event(i));
}

static struct source_ring *found_ring(const char *name)
{
	struct source_ring *s;

	look_for_rings(rings);
	HASH_FIND_STR(rings->table, name, s);
	return s;
}

/* What of a ring is read at a time. */
static enum rings_found read_at(struct source_ring *s, uint64_t now)
{
	enum rings_found found;

	look_at_ring(s);
	shrinkable_begin(s->ring, s->bytes);
	found = read_ring(rings, s, now, false);
	assert_true(shrinkable_end());
	return found;
}

static const struct event_record *next_chunk(struct written *all, uint32_t stream, uint64_t base_ns, uint64_t last_ns,
					     uint32_t records)
{
	const struct chunk_header *h = written_next(all, CHUNK_EVENTS);

	assert_non_null(h);
	assert_int_equal(h->stream, stream);
	assert_int_equal(h->base_ns, base_ns);
	assert_int_equal(h->last_ns, last_ns);
	assert_int_equal(h->records, records);
	assert_int_equal(h->bytes, records * sizeof(struct event_record));
	return (const void *)(h + 1);
}

static void no_chunk(struct written *all)
{
	assert_null(written_next(all, CHUNK_EVENTS));
	written_end(all);
}

/* Of CLOCK_MONOTONIC nothing is converted; round the end of the ring, too. */
static void events_are_as_the_thread_wrote_them(void **unused)
{
	static const uint64_t counts[] = { 3, 6, 7, 0, 1 };
	uint64_t i, k, n = 0, total = 0;
	const struct event_record *e;
	const struct chunk_header *h;
	struct stream_record stream;
	struct event_record same;
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
	assert_int_equal(h->type, CHUNK_STREAM);
	assert_int_equal(h->stream, 1);
	assert_int_equal(h->base_ns, base);
	assert_int_equal(h->last_ns, base);
	assert_int_equal(h->records, 1);
	assert_int_equal(h->bytes, sizeof(stream));
	memcpy(&stream, h + 1, sizeof(stream));
	assert_int_equal(stream.stream, 1);
	assert_int_equal(stream.pid, 42);
	assert_int_equal(stream.tid, 43);
	assert_int_equal(stream.reserved, 0);
	assert_int_equal(stream.image, 9);
	for (i = 0; i < 5; i++) {
		if (!counts[i])
			continue;
		e = next_chunk(&all, 1, base, base + 100 + 3 * (n + counts[i] - 1), counts[i]);
		for (k = 0; k < counts[i]; k++, n++) {
			same = event(n);
			assert_memory_equal(&e[k], &same, sizeof(same));
		}
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
		if (memcmp(&e[i], &same, sizeof(same)))
			fail_msg("record %zu: delta %lu, wait %u, not %lu, %u", i, (uint64_t)e[i].delta, e[i].wait,
				 (uint64_t)same.delta, same.wait);
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
	assert_memory_equal(e, &one, sizeof(one));
	no_chunk(&all);
	end();
}

static void a_chunk_has_no_more_records_than_readers_keep(void **unused)
{
	static const uint64_t counts[] = { 2729, 2730, 2731, 6000 };
	const struct event_record *e;
	struct event_record same;
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
			for (k = 0; k < part; k++) {
				same = event(n + k);
				assert_memory_equal(&e[k], &same, sizeof(same));
			}
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
	assert_memory_equal(&e[0], &same, sizeof(same));
	assert_memory_equal(&e[1], &records[1], 2 * sizeof(*e));
	same = records[3];
	same.delta = 20;
	same.wait = 4;
	assert_memory_equal(&e[3], &same, sizeof(same));
	same = records[4];
	same.delta = 30;
	assert_memory_equal(&e[4], &same, sizeof(same));
	assert_memory_equal(&e[5], &records[5], sizeof(*e));
	no_chunk(&all);
	munmap(ring, bytes_of(16));
	end();
}

/* Nothing can be read behind it; what is before it is. */
static void a_chain_without_an_end_is_the_last(void **unused)
{
	const struct event_record *e;
	struct event_record same;
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
		same = event(i ? 6 : 0);
		assert_memory_equal(e, &same, sizeof(same));
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
		assert_memory_equal(&e[1], &same, sizeof(same));
		times[1] = tsc ? tsc_ns(second) : second;
		e = next_chunk(&all, 1, times[1], tsc ? tsc_ns(second + 133) : second + 133, 3);
		memcpy(words, e, sizeof(words));
		assert_int_equal(e[0].type, EVENT_BASE);
		assert_int_equal(e[0].cpu, 7);
		assert_int_equal(words[2], times[1]);
		same = event(11);
		same.delta = tsc ? tsc_ns(second + 133) - times[1] : 133;
		assert_memory_equal(&e[2], &same, sizeof(same));
		times[1] = tsc ? tsc_ns(second + 3000) : second + 3000;
		e = next_chunk(&all, 1, times[1], times[1], 1);
		memcpy(words, e, sizeof(words));
		assert_int_equal(words[2], times[1]);
		/* Of the next round, by the same base. */
		e = next_chunk(&all, 1, times[1], tsc ? tsc_ns(second + 3160) : second + 3160, 1);
		same = event(20);
		same.delta = tsc ? tsc_ns(second + 3160) - times[1] : 160;
		assert_memory_equal(e, &same, sizeof(same));
		no_chunk(&all);
		munmap(ring, bytes_of(16));
		end();
	}
}

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
			const struct event_record same = { .type = EVENT_LOST, .size = in[i].rest };

			e = next_chunk(&all, 1, base + 250, base + 250, 1);
			assert_memory_equal(e, &same, sizeof(same));
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
		assert_memory_equal(e, &same, sizeof(same));
		no_chunk(&all);
		munmap(ring, bytes_of(16));
		end();
	}
}

/* What the ring counts is reported when it grows, by as much; waits and what had no memory at the end. */
static void counts_of_a_ring_are_taken_once(void **unused)
{
	struct lost_record lost;
	const struct chunk_header *h;
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
	h = written_next(&all, CHUNK_LOST);
	memcpy(&lost, h + 1, sizeof(lost));
	assert_int_equal(lost.time_ns, base + QUIET_NS);
	assert_int_equal(lost.count, 3);
	assert_int_equal(lost.kind, LOST_EVENTS);
	assert_int_equal(lost.stream, 1);
	h = written_next(&all, CHUNK_LOST);
	memcpy(&lost, h + 1, sizeof(lost));
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

static void names_of_rings_are_three_numbers(void **unused)
{
	static const struct { const char *name; bool good; } in[] = {
		{ "1.2.3", true }, { "0.0.0", true }, { "10.200.3000", true }, { "1.2", false }, { "1.2.3.4", false },
		{ "1..3", false }, { "1.2.", false }, { "a.2.3", false }, { "1.b.3", false }, { "1.2.c", false },
		{ "1.2.3x", false }, { "1.2.3 ", false }, { ".2.3", false }, { "1,2,3", false }, { "1", false },
		{ "", false },
	};
	size_t i;

	(void)unused;
	for (i = 0; i < sizeof(in) / sizeof(*in); i++)
		assert_int_equal(is_ring_name(in[i].name), in[i].good);
}

/* 63 characters are kept. */
static void long_names_are_no_rings(void **unused)
{
	char name[128];
	struct ring *ring;
	int length;

	(void)unused;
	begin();
	for (length = 63; length <= 64; length++) {
		memset(name, '1', length);
		name[1] = name[3] = '.';
		name[length] = '\0';
		ring = new_ring(name, 4);
		munmap(ring, bytes_of(4));
		look_for_rings(rings);
		assert_int_equal(HASH_COUNT(rings->table), 1);
		assert_string_equal(rings->table->name + 60, "111");
	}
	end();
}

/* By size, magic and capacity. */
static void files_that_are_not_rings_are_left_alone(void **unused)
{
	static const struct { uint64_t bytes, magic, capacity; bool good; } in[] = {
		{ RING_HEADER + 240, RING_MAGIC, 10, true }, { RING_HEADER + 263, RING_MAGIC, 10, true },
		{ RING_HEADER + 240, RING_MAGIC, 11, false }, { RING_HEADER + 263, RING_MAGIC, 11, false },
		{ RING_HEADER + 264, RING_MAGIC, 11, true }, { RING_HEADER + 240, RING_MAGIC, 9, true },
		{ RING_HEADER + 240, RING_MAGIC, 0, false }, { RING_HEADER + 240, RING_MAGIC + 1, 10, false },
		{ RING_HEADER + 24, RING_MAGIC, 1, true }, { RING_HEADER + 23, RING_MAGIC, 1, false },
		{ RING_HEADER + 240, RING_MAGIC, UINT64_MAX, false }, { RING_HEADER, RING_MAGIC, 1, false },
		/* The library makes none that are larger. */
		{ RING_HEADER + (1UL << 30) + 4096, RING_MAGIC, 10, true },
		{ RING_HEADER + (1UL << 30) + 4097, RING_MAGIC, 10, false },
	};
	struct source_ring *s;
	struct ring *ring;
	size_t i;

	(void)unused;
	for (i = 0; i < sizeof(in) / sizeof(*in); i++) {
		begin();
		ring = map_ring("42.43.1", in[i].bytes);
		*ring = (struct ring){ .magic = in[i].magic, .pid = 42, .tid = 43, .image = 3, .base = base,
				       .capacity = in[i].capacity, .clock = RING_TSC };
		s = found_ring("42.43.1");
		assert_int_equal(!!s, in[i].good);
		assert_int_equal(recording.streams, in[i].good);
		if (s) {
			assert_int_equal(s->capacity, in[i].capacity);
			assert_int_equal(s->bytes, in[i].bytes);
			assert_int_equal(s->base, base);
			assert_int_equal(s->image, 3);
			assert_int_equal(s->stream, 1);
			assert_true(s->tsc);
			assert_false(s->other_ns);
			assert_null(s->process);
			assert_ptr_equal(found_ring("42.43.1"), s);
			assert_int_equal(recording.streams, 1);
		}
		assert_true(is_there("42.43.1"));
		munmap(ring, in[i].bytes);
		end();
	}
}

/* What another user may put there: a second name of a file, a link, a directory, a pipe. */
static void what_is_no_file_of_its_own_is_no_ring(void **unused)
{
	char path[300], other[300];
	struct ring *ring;

	(void)unused;
	begin();
	ring = new_ring("42.43.1", 4);
	munmap(ring, bytes_of(4));
	name_path(path, sizeof(path), "42.43.1");
	name_path(other, sizeof(other), "second");
	assert_int_equal(link(path, other), 0);
	assert_null(found_ring("42.43.1"));
	ring = new_ring("elsewhere", 4);
	munmap(ring, bytes_of(4));
	name_path(other, sizeof(other), "1.1.1");
	assert_int_equal(symlink("elsewhere", other), 0);
	name_path(other, sizeof(other), "1.1.2");
	assert_int_equal(mkdir(other, 0700), 0);
	name_path(other, sizeof(other), "1.1.3");
	assert_int_equal(mkfifo(other, 0600), 0);
	look_for_rings(rings);
	rings->missed = true;
	look_for_rings(rings);
	assert_int_equal(HASH_COUNT(rings->table), 0);
	assert_int_equal(recording.streams, 0);
	end();
}

/* Of whose events nothing is known but that there was one. */
static void an_empty_file_is_a_thread_without_memory(void **unused)
{
	const struct event_record same = { .type = EVENT_LOST, .size = 1 };
	const struct event_record *e;
	const struct chunk_header *h;
	struct stream_record stream;
	struct written all;
	uint64_t time;

	(void)unused;
	begin();
	recording.streams = 6;
	close(make_file("42.43.1", 0));
	rings_drain(rings, true);
	assert_false(is_there("42.43.1"));
	assert_int_equal(recording.without_ring, 1);
	assert_int_equal(recording.lost[LOST_EVENTS], 1);
	all = written_read(&recording.writer);
	h = written_next(&all, CHUNK_STREAM);
	assert_int_equal(h->stream, 7);
	memcpy(&stream, h + 1, sizeof(stream));
	assert_int_equal(stream.stream, 7);
	assert_int_equal(stream.pid, 42);
	assert_int_equal(stream.tid, 43);
	time = h->base_ns;
	e = next_chunk(&all, 7, time, time, 1);
	assert_memory_equal(e, &same, sizeof(same));
	no_chunk(&all);
	end();
}

/* A process is one while it has rings; its image is the latest; owners and namespaces are apart. */
static void processes_go_with_their_last_ring(void **unused)
{
	const struct process_key a = { 1, 2, 3 }, others[] = { { 2, 2, 3 }, { 1, 3, 3 }, { 1, 2, 4 } };
	struct source_process *p, *q[3];
	struct source_ring s = { .image = 5 };
	size_t i;

	(void)unused;
	begin();
	p = process_of(rings, a, 5);
	assert_int_equal(p->image, 5);
	assert_ptr_equal(process_of(rings, a, 4), p);
	assert_int_equal(p->image, 5);
	s.process = p;
	assert_false(is_of_earlier_image(&s));
	assert_ptr_equal(process_of(rings, a, 6), p);
	assert_int_equal(p->image, 6);
	assert_true(is_of_earlier_image(&s));
	s.process = NULL;
	assert_false(is_of_earlier_image(&s));
	assert_int_equal(p->rings, 3);
	for (i = 0; i < 3; i++) {
		q[i] = process_of(rings, others[i], 1);
		assert_int_equal(q[i]->rings, 1);
		assert_int_equal(HASH_COUNT(rings->processes), 2);
		put_process(rings, q[i]);
	}
	put_process(rings, NULL);
	put_process(rings, p);
	put_process(rings, p);
	assert_int_equal(HASH_COUNT(rings->processes), 1);
	put_process(rings, p);
	assert_int_equal(HASH_COUNT(rings->processes), 0);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_are_as_the_thread_wrote_them),
		cmocka_unit_test(times_of_the_tsc_become_monotonic),
		cmocka_unit_test(waits_of_the_monotonic_clock_stay),
		cmocka_unit_test(a_chunk_has_no_more_records_than_readers_keep),
		cmocka_unit_test(a_chain_is_in_one_chunk), cmocka_unit_test(chains_of_the_tsc_keep_their_frames),
		cmocka_unit_test(a_chain_without_an_end_is_the_last), cmocka_unit_test(a_base_begins_a_chunk),
		cmocka_unit_test(losses_that_have_a_record_are_not_reported_again),
		cmocka_unit_test(losses_without_records_are_at_the_beginning),
		cmocka_unit_test(counts_of_a_ring_are_taken_once), cmocka_unit_test(a_ring_is_read_when_it_is_worth_it),
		cmocka_unit_test(a_ring_has_no_more_records_than_its_capacity),
		cmocka_unit_test(of_several_rings_the_fullest_is_reported),
		cmocka_unit_test(a_quiet_process_is_asked_about_each_second),
		cmocka_unit_test(names_of_rings_are_three_numbers), cmocka_unit_test(long_names_are_no_rings),
		cmocka_unit_test(files_that_are_not_rings_are_left_alone),
		cmocka_unit_test(what_is_no_file_of_its_own_is_no_ring),
		cmocka_unit_test(an_empty_file_is_a_thread_without_memory),
		cmocka_unit_test(processes_go_with_their_last_ring),
	};

	return cmocka_run_group_tests_name("memprof rings", tests, NULL, NULL);
}
