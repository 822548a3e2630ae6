// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/*
 * All records of a recording in order of time, of streams of each of which one chunk is
 * in memory.  Which stream is next is decided by a tree of losers (Knuth, The Art of
 * Computer Programming 3, 5.4.1): a leaf for each stream, and in each inner node the loser
 * there, so that one comparison a level, with the winner's own ancestors, finds the next.
 *
 * A match for each record would be five mispredicted or dependent steps for twenty
 * streams.  So the winner gives all of its records of a window of time at once, and what
 * all gave is sorted by radix.  What is later than the next winner's record waits for the
 * next time.
 */
#include <stdlib.h>
#include <string.h>

#include "merge.h"

/* Records that are taken at a time, at most; twice as many may be left of the time before. */
#define ROUND		2048
#define ROOM_BITS	14
#define ROOM		(1 << ROOM_BITS)
#define MAX_WINDOW	(UINT64_C(1) << 40)
#define RADIX_BITS	11
/* Records that one pass may leave to be put in order one by one. */
#define FEW		32

struct merge_node {
	uint64_t time;
	struct stream *stream;
};

/* The time of the record at s->at, chains and new bases taken; -1: no more in the chunk. */
static int look(struct merge *m, struct stream *s)
{
	const struct event_record *e;
	const struct task_record *t;
	uint64_t words[3], frames[MEMPROF_MAX_DEPTH];
	unsigned int depth, i;

	switch (s->type) {
	case CHUNK_SAMPLES:
		if (s->end - s->at < (long)sizeof(struct sample_record))
			return -1;
		s->time = s->base_ns + ((const struct sample_record *)s->at)->delta;
		return 0;
	case CHUNK_TASKS:
		t = (const void *)s->at;
		if (s->end - s->at < (long)sizeof(*t) || t->bytes < sizeof(*t) ||
		    t->bytes > s->end - s->at || t->bytes % 8 ||
		    (t->bytes > sizeof(*t) && s->at[t->bytes - 1]))
			return -1;
		s->time = s->base_ns + t->delta;
		return 0;
	}
	while (s->end - s->at >= (long)sizeof(*e)) {
		e = (const void *)s->at;
		s->time = s->base_ns + e->delta;
		if (e->type == EVENT_BASE) {
			memcpy(words, e, sizeof(words));
			s->base_ns = words[2];
			s->at += sizeof(*e);
		} else if (e->type == EVENT_CHAIN) {
			uint32_t id = e->chain;

			depth = e->wait;
			s->at += sizeof(*e);
			if (depth > MEMPROF_MAX_DEPTH ||
			    (depth + 2) / 3 * (long)sizeof(*e) > s->end - s->at) {
				/* The rest of it is in the next chunk. */
				return -1;
			}
			for (i = 0; i < depth; i += 3) {
				memcpy(words, s->at, sizeof(words));
				memcpy(frames + i, words, (depth - i < 3 ? depth - i : 3) * 8);
				s->at += sizeof(*e);
			}
			m->chain(m->arg, s, id, frames, depth);
		} else {
			return 0;
		}
	}
	return -1;
}

/* The next chunk, if the file has it whole: -1 if there is none. */
static int load(struct merge *m, struct stream *s)
{
	ssize_t bytes;

	while (s->chunk) {
		const struct file_chunk *c = &m->f->chunks[s->chunk];

		bytes = file_read_chunk(m->f, s->chunk, &s->buffer, &s->capacity);
		s->chunk = c->next;
		if (bytes < 0)
			continue;
		s->at = (char *)s->buffer + sizeof(struct chunk_header);
		s->end = s->at + bytes;
		s->base_ns = c->base_ns;
		if (!look(m, s))
			return 0;
	}
	return -1;
}

/* Behind the record that was taken. */
static inline void advance(struct merge *m, struct stream *s)
{
	const struct event_record *e;
	const uint64_t before = s->time;
	bool more;

	switch (s->type) {
	case CHUNK_SAMPLES:
		s->at += sizeof(struct sample_record);
		more = !look(m, s);
		break;
	case CHUNK_TASKS:
		s->at += ((const struct task_record *)s->at)->bytes;
		more = !look(m, s);
		break;
	default:
		s->at += sizeof(*e);
		/* Most events are no chain, and do not begin a new base. */
		e = (const void *)s->at;
		more = s->end - s->at >= (long)sizeof(*e);
		if (more && e->type != EVENT_CHAIN && e->type != EVENT_BASE)
			s->time = s->base_ns + e->delta;
		else
			more = more && !look(m, s);
	}
	if (!more) {
		/* The next chunk is read when its time comes: what was taken still points here. */
		s->at = NULL;
		s->time = s->chunk ? m->f->chunks[s->chunk].base_ns : UINT64_MAX;
	}
	/* NMIs write samples between a time and its record: by microseconds. */
	if (s->time < before)
		s->time = before;
}

/* The winner's time has changed: play its matches again. */
static inline void replay(struct merge *m)
{
	struct merge_node now = { m->winner->time, m->winner };
	size_t i = (m->leaves + (m->winner - m->streams)) / 2;

	for (; i; i /= 2) {
		const struct merge_node other = m->losers[i];
		const bool lost = other.time < now.time;

		m->losers[i] = lost ? now : other;
		now = lost ? other : now;
	}
	m->winner = now.stream;
}

/* All matches below a node: the winner there. */
static struct merge_node play(struct merge *m, size_t node)
{
	struct merge_node a, b;

	if (node >= m->leaves)
		return (struct merge_node){ m->streams[node - m->leaves].time,
					    &m->streams[node - m->leaves] };
	a = play(m, 2 * node);
	b = play(m, 2 * node + 1);
	m->losers[node] = b.time < a.time ? a : b;
	return b.time < a.time ? b : a;
}

/* The winner's next chunk is read, or it has no more. */
static void load_winner(struct merge *m)
{
	struct stream *s = m->winner;
	const uint64_t before = s->time;

	if (load(m, s)) {
		free(s->buffer);
		s->buffer = NULL;
		s->capacity = 0;
		s->at = NULL;
		s->time = UINT64_MAX;
	} else if (s->time < before) {
		s->time = before;
	}
	replay(m);
}

/* Places keys by RADIX_BITS bits, in order.  Return: the most that had the same bits. */
static uint32_t place(const uint64_t *from, uint64_t *to, size_t n, unsigned int shift)
{
	uint32_t count[1 << RADIX_BITS] = { 0 }, sum = 0, most = 0, nr;
	size_t i;

	for (i = 0; i < n; i++)
		count[from[i] >> shift & ((1 << RADIX_BITS) - 1)]++;
	for (i = 0; i < 1 << RADIX_BITS; i++) {
		nr = count[i];
		most = nr > most ? nr : most;
		count[i] = sum;
		sum += nr;
	}
	for (i = 0; i < n; i++)
		to[count[from[i] >> shift & ((1 << RADIX_BITS) - 1)]++] = from[i];
	return most;
}

/* Keys that are nearly in order. */
static void insertion_sort(uint64_t *keys, size_t n)
{
	size_t i, k;

	for (i = 1; i < n; i++) {
		const uint64_t key = keys[i];

		for (k = i; k && keys[k - 1] > key; k--)
			keys[k] = keys[k - 1];
		keys[k] = key;
	}
}

/* What a record is sorted by: its time from the first on, and its place. */
static inline uint64_t key_of(const struct merge *m, uint64_t time, size_t place)
{
	return (time - m->first) << ROOM_BITS | place;
}

/* Sorts all records, by their keys; those of a time stay in order. */
static void sort(struct merge *m)
{
	uint64_t *from = m->keys, *to = m->spare_keys, *t;
	struct merge_record *records = m->spare;
	const size_t n = m->nr;
	unsigned int shift, bits;
	size_t i;

	for (bits = 1; bits < 64 - ROOM_BITS && (m->last - m->first) >> bits; bits++)
		;
	/* The highest bits distinguish nearly all, except where many records are of one moment. */
	shift = ROOM_BITS + (bits > RADIX_BITS ? bits - RADIX_BITS : 0);
	if (n && place(from, to, n, shift) <= FEW) {
		insertion_sort(to, n);
		from = to;
	} else {
		for (shift = ROOM_BITS; shift < ROOM_BITS + bits; shift += RADIX_BITS) {
			place(from, to, n, shift);
			t = from;
			from = to;
			to = t;
		}
	}
	for (i = 0; i < n; i++)
		records[i] = m->records[from[i] & (ROOM - 1)];
	m->spare = m->records;
	m->records = records;
}

/* Takes the winner's records up to a time, of its chunk. */
static inline void take_run(struct merge *m, uint64_t end, size_t capacity)
{
	struct stream *s = m->winner;
	size_t n = m->nr;
	uint64_t time;

	do {
		time = s->time;
		m->keys[n] = key_of(m, time, n);
		m->records[n++] = (struct merge_record){ time, s->at, s };
		advance(m, s);
	} while (s->at && s->time < end && n < capacity);
	if (time > m->last)
		m->last = time;
	if (s->type == CHUNK_TASKS)
		m->tasks += n - m->nr;
	m->nr = n;
	replay(m);
}

/* More records, until some are sorted; false at the end. */
static bool more(struct merge *m)
{
	const struct stream *s;
	size_t left, capacity, i, low, high;

	/* What is left of the time before comes first. */
	left = m->nr - m->ready;
	memmove(m->records, m->records + m->ready, left * sizeof(*m->records));
	m->nr = left;
	m->ready = m->taken = 0;
	/*
	 * The next chunk of a stream replaces its buffer, so none of the records that are left
	 * may point there.  They do not if all are later than the winner's time, which is never
	 * before its last record's: at the same time, one of them may be that record.
	 */
	while (!m->winner->at && m->winner->time != UINT64_MAX &&
	       (!left || m->winner->time < m->records[0].time))
		load_winner(m);
	s = m->winner;
	if (s->time == UINT64_MAX && !left)
		return false;
	m->first = left && m->records[0].time < s->time ? m->records[0].time : s->time;
	m->last = left ? m->records[left - 1].time : m->first;
	for (i = 0; i < left; i++)
		m->keys[i] = key_of(m, m->records[i].time, i);
	capacity = left + ROUND;
	if (left > ROUND) {
		/* Some streams are far ahead of others: until these are there, a record each. */
		while (m->nr < capacity && m->winner->at && m->winner->time <= m->records[0].time)
			take_run(m, 0, capacity);
	} else if (s->time != UINT64_MAX) {
		if (s->time >= m->end) {
			/* The next window; it is to have about half as many as there may be. */
			if (m->in_window < ROUND / 2 && m->window < MAX_WINDOW)
				m->window *= 2;
			else if (m->in_window > ROUND && m->window > 1)
				m->window /= 2;
			m->in_window = 0;
			/* Damaged times may be near the last that there is. */
			m->end = s->time < UINT64_MAX - m->window ? s->time + m->window : UINT64_MAX;
		}
		while (m->nr < capacity && m->winner->at && m->winner->time < m->end)
			take_run(m, m->end, capacity);
	}
	m->in_window += m->nr - left;
	sort(m);
	/* The winner's time is that of the first that is not here. */
	for (low = 0, high = m->nr; low < high; ) {
		i = (low + high) / 2;
		if (m->records[i].time <= m->winner->time)
			low = i + 1;
		else
			high = i;
	}
	m->ready = low;
	return true;
}

/**
 * merge_next() - the next records in order of time
 * @m: the streams
 * @n: set to how many there are
 *
 * A record of a task comes alone: others change what is there, but not which processes
 * and address spaces there are.
 *
 * Return: the records, NULL at the end.
 */
const struct merge_record *merge_next(struct merge *m, size_t *n)
{
	const struct merge_record *first;

	while (m->taken == m->ready)
		if (!more(m))
			return NULL;
	first = &m->records[m->taken++];
	if (!m->tasks) {
		m->taken = m->ready;
	} else if (first->stream->type == CHUNK_TASKS) {
		m->tasks--;
	} else {
		while (m->taken < m->ready && m->records[m->taken].stream->type != CHUNK_TASKS)
			m->taken++;
	}
	*n = &m->records[m->taken] - first;
	return first;
}

/**
 * merge_begin() - begin to read a recording
 * @m: with its function for chains set
 * @f: the recording
 *
 * A stream's first chunk is read when its time has come: of thousands of threads one
 * after the other, only those of the moment are in memory.
 *
 * Return: 0, or -1 without memory.
 */
int merge_begin(struct merge *m, struct file *f)
{
	size_t i;

	m->f = f;
	for (m->leaves = 2; m->leaves < f->nr_streams; m->leaves *= 2)
		;
	m->window = 1 << 20;
	m->streams = calloc(m->leaves, sizeof(*m->streams));
	m->losers = calloc(m->leaves, sizeof(*m->losers));
	m->records = malloc(ROOM * sizeof(*m->records));
	m->spare = malloc(ROOM * sizeof(*m->spare));
	m->keys = malloc(ROOM * sizeof(*m->keys));
	m->spare_keys = malloc(ROOM * sizeof(*m->spare_keys));
	if (!m->streams || !m->losers || !m->records || !m->spare || !m->keys || !m->spare_keys) {
		merge_end(m);
		return -1;
	}
	for (i = 0; i < f->nr_streams; i++) {
		const struct file_stream *from = &f->streams[i];
		struct stream *s = &m->streams[m->nr_streams];

		if (from->type != CHUNK_SAMPLES && from->type != CHUNK_EVENTS &&
		    from->type != CHUNK_TASKS)
			continue;
		*s = (struct stream){ .type = from->type, .number = from->number,
				      .chunk = from->first };
		m->nr_streams++;
		s->time = f->chunks[from->first].base_ns;
	}
	for (i = m->nr_streams; i < m->leaves; i++)
		m->streams[i].time = UINT64_MAX;
	m->winner = play(m, 1).stream;
	return 0;
}

/** merge_end() - forget what is in memory */
void merge_end(struct merge *m)
{
	size_t i;

	for (i = 0; i < m->nr_streams; i++)
		free(m->streams[i].buffer);
	free(m->streams);
	free(m->losers);
	free(m->records);
	free(m->spare);
	free(m->keys);
	free(m->spare_keys);
}
