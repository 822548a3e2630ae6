// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * All records of a recording in order of time: a heap of streams, of each of which one
 * chunk is in memory.  Records of one stream often follow each other, so the heap is
 * only put in order when another stream's turn comes (merge_limit()).
 */
#include <stdlib.h>
#include <string.h>

#include "merge.h"

/* The time of the record at s->at, chains and new bases taken; -1: no more in the chunk. */
static int look(struct merge *m, struct stream *s)
{
	const struct event_record *e;
	const struct task_record *t;
	uint64_t words[3], frames[MEMPROF_MAX_DEPTH];
	unsigned int depth, i;

	switch (s->type) {
	case CHUNK_SAMPLES:
		if (s->at == s->end)
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
	while (s->at < s->end) {
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

		bytes = file_read_chunk(m->f, s->chunk, &s->buffer, &s->room);
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

/** merge_advance() - step over the record of a stream.  Return: 0, -1 at its end */
int merge_advance(struct merge *m, struct stream *s)
{
	const uint64_t before = s->time;

	switch (s->type) {
	case CHUNK_SAMPLES:
		s->at += sizeof(struct sample_record);
		break;
	case CHUNK_TASKS:
		s->at += ((const struct task_record *)s->at)->bytes;
		break;
	default:
		s->at += sizeof(struct event_record);
	}
	if ((s->at >= s->end || look(m, s)) && load(m, s))
		return -1;
	/* NMIs write samples between a time and its record: by microseconds. */
	if (s->time < before)
		s->time = before;
	return 0;
}

/** merge_sink() - put the first stream where its time belongs */
void merge_sink(struct merge *m)
{
	struct stream **h = m->heap, *s = h[0];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < m->nr_heap) {
		if (child + 1 < m->nr_heap && h[child + 1]->time < h[child]->time)
			child++;
		if (h[child]->time >= s->time)
			break;
		h[i] = h[child];
		i = child;
	}
	h[i] = s;
}

/** merge_limit() - until when the first stream stays the first */
uint64_t merge_limit(const struct merge *m)
{
	uint64_t limit = UINT64_MAX;

	if (m->nr_heap > 1)
		limit = m->heap[1]->time;
	if (m->nr_heap > 2 && m->heap[2]->time < limit)
		limit = m->heap[2]->time;
	return limit;
}

/** merge_step() - the first stream has ended */
void merge_step(struct merge *m)
{
	free(m->heap[0]->buffer);
	m->heap[0]->buffer = NULL;
	m->heap[0] = m->heap[--m->nr_heap];
	if (m->nr_heap)
		merge_sink(m);
}

/** merge_first() - the stream whose record is next, NULL at the end */
struct stream *merge_first(struct merge *m)
{
	/* Its time was that of its first chunk's base. */
	while (m->nr_heap && !m->heap[0]->at) {
		if (load(m, m->heap[0]))
			merge_step(m);
		else
			merge_sink(m);
	}
	return m->nr_heap ? m->heap[0] : NULL;
}

static int by_time(const void *a, const void *b)
{
	const struct stream *x = *(struct stream *const *)a, *y = *(struct stream *const *)b;

	return x->time < y->time ? -1 : x->time > y->time;
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
	m->streams = calloc(f->nr_streams + 1, sizeof(*m->streams));
	m->heap = calloc(f->nr_streams + 1, sizeof(*m->heap));
	if (!m->streams || !m->heap)
		return -1;
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
		m->heap[m->nr_heap++] = s;
	}
	/* Sorted is a heap. */
	qsort(m->heap, m->nr_heap, sizeof(*m->heap), by_time);
	return 0;
}

/** merge_end() - forget what is in memory */
void merge_end(struct merge *m)
{
	size_t i;

	for (i = 0; i < m->nr_streams; i++)
		free(m->streams[i].buffer);
	free(m->streams);
	free(m->heap);
}
