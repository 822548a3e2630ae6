// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memprof record: records of perf's rings, in order, wherever the end of the ring is in them, and damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "memprof/record/perf_ring.h"
#include "memprof/record/tests/made_ring.h"

#define BYTES		(128UL << 10)
#define MAX_TAKEN	16
/* The largest that a header can have. */
#define LARGEST		65528

/* What was taken: the headers and their bodies, one after another. */
struct taken {
	struct perf_event_mmap_page *ring;
	uint64_t tail;			/* while they are read */
	int nr;
	struct perf_event_header headers[MAX_TAKEN];
	unsigned char bodies[2 * LARGEST];
	size_t used;
};

static struct taken taken;

static void take(void *ctx, const struct perf_event_header *h)
{
	struct taken *t = ctx;

	assert_in_range(t->nr, 0, MAX_TAKEN - 1);
	/* The kernel may not write there yet. */
	assert_int_equal(t->ring->data_tail, t->tail);
	t->headers[t->nr++] = *h;
	memcpy(t->bodies + t->used, h + 1, h->size - sizeof(*h));
	t->used += h->size - sizeof(*h);
}

static bool read_all(struct perf_event_mmap_page *ring)
{
	bool any;

	taken = (struct taken){ .ring = ring, .tail = ring->data_tail };
	any = perf_ring_read(ring, BYTES, take, &taken);
	assert_int_equal(ring->data_tail, ring->data_head);
	return any;
}

static struct perf_event_mmap_page *ring_at(uint64_t position)
{
	struct perf_event_mmap_page *ring = made_ring(BYTES);

	/* What was there before looks like records, too. */
	memset((char *)ring + MADE_PAGE, 8, BYTES);
	ring->data_head = ring->data_tail = position;
	return ring;
}

/* No two bytes that are close are the same, nor the same bytes of two records. */
static unsigned char byte_of(uint32_t record, size_t i)
{
	return record * 101 + i * 7 + (i >> 8) * 13;
}

static void put(struct perf_event_mmap_page *ring, uint32_t record, size_t size)
{
	unsigned char body[LARGEST];
	size_t i;

	for (i = 0; i < size - sizeof(struct perf_event_header); i++)
		body[i] = byte_of(record, i);
	made_record(ring, BYTES, record, record + 100, body, size - sizeof(struct perf_event_header));
}

/* That all of @sizes, up to 0, were taken, numbered from 1 on. */
static void taken_are(const size_t *sizes)
{
	size_t at = 0, i, n;
	int k;

	for (k = 0; sizes[k]; k++) {
		assert_in_range(k, 0, taken.nr - 1);
		assert_int_equal(taken.headers[k].type, k + 1);
		assert_int_equal(taken.headers[k].misc, k + 101);
		assert_int_equal(taken.headers[k].size, sizes[k]);
		n = sizes[k] - sizeof(struct perf_event_header);
		for (i = 0; i < n; i++)
			if (taken.bodies[at + i] != byte_of(k + 1, i))
				fail_msg("record %d, byte %zu", k + 1, i);
		at += n;
	}
	assert_int_equal(taken.nr, k);
	assert_int_equal(taken.used, at);
}

static void records_are_taken_once_and_in_order(void **unused)
{
	static const size_t first[] = { 8, 16, 64, 24, 0 }, second[] = { 40, 0 };
	struct perf_event_mmap_page *ring = ring_at(0);
	int i;

	(void)unused;
	assert_false(read_all(ring));
	assert_int_equal(taken.nr, 0);
	for (i = 0; first[i]; i++)
		put(ring, i + 1, first[i]);
	assert_true(read_all(ring));
	taken_are(first);
	assert_false(read_all(ring));
	assert_int_equal(taken.nr, 0);
	put(ring, 1, second[0]);
	assert_true(read_all(ring));
	taken_are(second);
	free(ring);
}

/* From a record that ends there to one that begins there; in any round. */
static void the_end_of_the_ring_is_anywhere_in_a_record(void **unused)
{
	static const size_t sizes[] = { 64, 72, 16, 0 };
	static const uint64_t rounds[] = { BYTES, 7 * BYTES, (UINT64_C(1) << 32), (UINT64_C(5) << 32) + 3 * BYTES };
	struct perf_event_mmap_page *ring;
	size_t before, i, k;

	(void)unused;
	for (k = 0; k < sizeof(rounds) / sizeof(*rounds); k++)
		for (before = 0; before <= 64 + 72 + 16; before += 8) {
			ring = ring_at(rounds[k] - before);
			for (i = 0; sizes[i]; i++)
				put(ring, i + 1, sizes[i]);
			assert_true(read_all(ring));
			taken_are(sizes);
			assert_int_equal(ring->data_tail, rounds[k] - before + 64 + 72 + 16);
			free(ring);
		}
}

static void the_largest_record_goes_round(void **unused)
{
	static const size_t sizes[] = { LARGEST, LARGEST, 0 };
	static const size_t places[] = { 8, 4096, LARGEST - 8, LARGEST, LARGEST + 8, 2 * LARGEST - 8 };
	struct perf_event_mmap_page *ring;
	size_t i;

	(void)unused;
	for (i = 0; i < sizeof(places) / sizeof(*places); i++) {
		ring = ring_at(BYTES - places[i]);
		put(ring, 1, LARGEST);
		put(ring, 2, LARGEST);
		assert_true(read_all(ring));
		taken_are(sizes);
		free(ring);
	}
}

/* What is behind a size that no record has is given up, and not read again. */
static void nothing_behind_a_damaged_size_is_taken(void **unused)
{
	static const size_t good[] = { 24, 32, 0 }, one_more[] = { 24, 32, 40, 0 };
	/* The third has 40 bytes, and 16 follow. */
	static const struct { uint16_t size; bool damaged; } of_third[] = {
		{ 0, true }, { 1, true }, { 4, true }, { 7, true }, { 9, true }, { 12, true }, { 39, true }, { 41, true },
		{ 44, true }, { 40, false }, { 64, true }, { 72, true }, { LARGEST, true }, { 65535, true },
	};
	struct perf_event_mmap_page *ring;
	struct perf_event_header *h;
	size_t i;

	(void)unused;
	for (i = 0; i < sizeof(of_third) / sizeof(*of_third); i++) {
		ring = ring_at(0);
		put(ring, 1, 24);
		put(ring, 2, 32);
		put(ring, 3, 40);
		if (of_third[i].damaged)
			put(ring, 4, 16);
		h = (void *)((char *)ring + MADE_PAGE + 24 + 32);
		h->size = of_third[i].size;
		assert_true(read_all(ring));
		taken_are(of_third[i].damaged ? good : one_more);
		assert_false(read_all(ring));
		/* What is written next is read. */
		put(ring, 1, 24);
		put(ring, 2, 32);
		assert_true(read_all(ring));
		taken_are(good);
		free(ring);
	}
}

/* To the byte: what was written is a record; a header's size of more is none. */
static void a_record_is_no_larger_than_what_was_written(void **unused)
{
	static const size_t whole[] = { 56, 0 }, none[] = { 0 };
	struct perf_event_mmap_page *ring;
	int more;

	(void)unused;
	for (more = 0; more <= 8; more += 8) {
		ring = ring_at(BYTES - 8);
		put(ring, 1, 56);
		((struct perf_event_header *)((char *)ring + MADE_PAGE + BYTES - 8))->size += more;
		assert_true(read_all(ring));
		taken_are(more ? none : whole);
		free(ring);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_are_taken_once_and_in_order),
		cmocka_unit_test(the_end_of_the_ring_is_anywhere_in_a_record),
		cmocka_unit_test(the_largest_record_goes_round),
		cmocka_unit_test(nothing_behind_a_damaged_size_is_taken),
		cmocka_unit_test(a_record_is_no_larger_than_what_was_written),
	};

	return cmocka_run_group_tests_name("memprof perf ring", tests, NULL, NULL);
}
