// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * All records of a recording in order of time, of streams of each of which one chunk is
 * in memory.  Which is next is decided by a tree of losers (Knuth, The Art of Computer
 * Programming 3, 5.4.1): a leaf for each stream, and in each inner node who lost there,
 * so that after a record one comparison a level, with its own ancestors, finds the next.
 */
#include <stdlib.h>
#include <string.h>

#include "merge.h"

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

/* All matches below a node: who wins there. */
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
		s->room = 0;
		s->at = NULL;
		s->time = UINT64_MAX;
	} else if (s->time < before) {
		s->time = before;
	}
	replay(m);
}

/**
 * merge_batch() - the next records in order of time
 * @m: the streams
 * @records: filled in
 * @room: how many at most
 *
 * A record of a task comes alone: others change what is there, but not which processes
 * and address spaces there are.
 *
 * Return: how many there are, 0 at the end.
 */
size_t merge_batch(struct merge *m, struct merge_record *records, size_t room)
{
	size_t n = 0;

	while (n < room) {
		struct stream *s = m->winner;

		if (!s->at) {
			if (s->time == UINT64_MAX || n)
				break;
			load_winner(m);
			continue;
		}
		if (s->type == CHUNK_TASKS && n)
			break;
		records[n++] = (struct merge_record){ s->time, s->at, s };
		advance(m, s);
		replay(m);
		if (s->type == CHUNK_TASKS)
			break;
	}
	return n;
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
	m->streams = calloc(m->leaves, sizeof(*m->streams));
	m->losers = calloc(m->leaves, sizeof(*m->losers));
	if (!m->streams || !m->losers) {
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
}
