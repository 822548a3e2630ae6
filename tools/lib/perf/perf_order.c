// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Records in order of time.  perf record reads the CPUs' rings one after another, and
 * writes PERF_RECORD_FINISHED_ROUND when it has read all: later records are not before
 * the latest one of the round before.  Where a file has no rounds, the queue is bounded:
 * half of it is given when it is full, as perf does.
 */
#include <stdlib.h>
#include <string.h>

#include "perf_parts.h"

/* A copy of a record; @number: those of a time stay in their order. */
struct waiting {
	uint64_t time, number, at;
	struct perf_event_header h[];
};

/*
 * @heap: of @nr, the earliest first
 * @bytes: of all of them, at most @limit; while they are over @keep, the earliest are given
 * @until: those up to this time are given
 * @last: time of the latest, @round: when the last round ended
 * @given: time of the last one that was given
 */
struct perf_queue {
	struct waiting **heap;
	size_t nr, capacity, bytes, keep, limit;
	uint64_t number, until, last, round, given;
	bool finished;
};

/** perf_queue_new() - nothing waiting, and never more than @limit bytes; NULL without memory */
struct perf_queue *perf_queue_new(size_t limit)
{
	struct perf_queue *q = calloc(1, sizeof(*q));

	if (q) {
		q->keep = SIZE_MAX;
		q->limit = limit;
	}
	return q;
}

static size_t size_of(const struct waiting *w)
{
	/* With what the allocator adds. */
	return sizeof(*w) + w->h->size + 32;
}

static bool before(const struct waiting *a, const struct waiting *b)
{
	return a->time != b->time ? a->time < b->time : a->number < b->number;
}

static void swap(struct waiting **a, struct waiting **b)
{
	struct waiting *w = *a;

	*a = *b;
	*b = w;
}

/**
 * perf_queue_add() - a record that waits
 * @q: the queue
 * @raw: is copied
 * @time: of it
 * @late: set if one that is later was given already
 *
 * Return: 0, or -1 without memory.
 */
int perf_queue_add(struct perf_queue *q, const struct perf_raw *raw, uint64_t time, bool *late)
{
	struct waiting *w, **heap;
	size_t i;

	if (q->nr == q->capacity) {
		const size_t capacity = q->capacity ? 2 * q->capacity : 1024;

		heap = realloc(q->heap, capacity * sizeof(*heap));
		if (!heap)
			return -1;
		q->heap = heap;
		q->capacity = capacity;
	}
	w = malloc(sizeof(*w) + raw->h->size);
	if (!w)
		return -1;
	w->time = time;
	w->number = q->number++;
	w->at = raw->at;
	memcpy(w->h, raw->h, raw->h->size);
	*late = time < q->given;
	if (time > q->last)
		q->last = time;
	q->bytes += size_of(w);
	if (q->bytes > q->limit)
		q->keep = q->limit / 2;
	q->heap[q->nr] = w;
	for (i = q->nr++; i && before(q->heap[i], q->heap[(i - 1) / 2]); i = (i - 1) / 2)
		swap(&q->heap[i], &q->heap[(i - 1) / 2]);
	return 0;
}

/** perf_queue_round() - all rings were read */
void perf_queue_round(struct perf_queue *q)
{
	q->until = q->round;
	q->round = q->last;
}

/** perf_queue_finish() - there are no more records */
void perf_queue_finish(struct perf_queue *q)
{
	q->finished = true;
}

/**
 * perf_queue_next() - the next record, if it need not wait any more
 * @q: the queue
 * @raw: set to it
 *
 * Return: what to free() when the record is done with, or NULL.
 */
void *perf_queue_next(struct perf_queue *q, struct perf_raw *raw)
{
	struct waiting *w;
	size_t i, k;

	if (q->bytes <= q->keep)
		q->keep = SIZE_MAX;
	if (!q->nr || (!q->finished && q->keep == SIZE_MAX && q->heap[0]->time > q->until))
		return NULL;
	w = q->heap[0];
	q->heap[0] = q->heap[--q->nr];
	for (i = 0; (k = 2 * i + 1) < q->nr; i = k) {
		if (k + 1 < q->nr && before(q->heap[k + 1], q->heap[k]))
			k++;
		if (!before(q->heap[k], q->heap[i]))
			break;
		swap(&q->heap[i], &q->heap[k]);
	}
	q->bytes -= size_of(w);
	if (w->time > q->given)
		q->given = w->time;
	*raw = (struct perf_raw){ w->h, w->at };
	return w;
}

/** perf_queue_free() - forget all */
void perf_queue_free(struct perf_queue *q)
{
	if (!q)
		return;
	while (q->nr)
		free(q->heap[--q->nr]);
	free(q->heap);
	free(q);
}
