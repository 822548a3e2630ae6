// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memprof_gaps [--attached] RECORDING...: finds uncounted losses in recordings of
 * memprof_storm.  Prints, summed over all: allocations and frees of its threads, events that
 * are counted as lost, events that are missing without being counted or are duplicated,
 * threads, and threads whose last event is in the recording.  --attached: the recordings
 * began after the program.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memprof/lib/file.h"
#include "memprof_storm.h"

/* An event's place in what a thread does, of so many before sizes begin anew. */
#define PLACES	(2 * STORM_SIZES)

static unsigned long allocations, frees, lost, missing, surplus, whole, threads;
static bool attached;

/* One thread's events. */
struct follow {
	bool begun, known, ended;	/* known: the place, from the first allocation on */
	unsigned long place, skipped;
};

static void take(struct follow *f, const struct event_record *e)
{
	unsigned long place, gap;

	switch (e->type) {
	case EVENT_LOST:
		f->skipped += e->size;
		return;
	case EVENT_FREE:
		if (f->known && !f->ended) {
			frees++;
			f->place++;
		}
		return;
	case EVENT_ALLOC:
		break;
	default:
		return;
	}
	if (e->size == STORM_BEGIN)
		f->begun = true;
	if (e->size == STORM_END && f->known) {
		f->ended = true;
		whole++;
	}
	if (f->ended || !(f->begun || attached) || e->size < STORM_SIZE || e->size >= STORM_SIZE + STORM_SIZES)
		return;
	allocations++;
	/* A free comes before each allocation. */
	place = 2 * (e->size - STORM_SIZE) + 1;
	if (f->known) {
		/* Of uprobes, calls and returns are lost, of whatever thread: two an allocation. */
		const unsigned long may_lack = attached ? f->skipped : 0;

		gap = (place + PLACES - (f->place + 1 + (attached ? 0 : f->skipped)) % PLACES) % PLACES;
		if (gap > PLACES / 2)
			surplus += PLACES - gap;
		else if (gap > may_lack)
			missing += gap - may_lack;
	}
	f->known = true;
	f->place = place;
	f->skipped = 0;
}

static int read_stream(struct file *f, const struct file_stream *s)
{
	struct follow thread = { 0 };
	static void *buffer;
	static size_t capacity;
	uint32_t chunk;

	for (chunk = s->first; chunk; chunk = f->chunks[chunk].next) {
		const struct event_record *e;
		ssize_t bytes = file_read_chunk(f, chunk, &buffer, &capacity);

		if (bytes < 0)
			return 1;
		e = (const void *)((char *)buffer + sizeof(struct chunk_header));
		for (size_t i = 0; i < bytes / sizeof(*e); i++) {
			if (e[i].type == EVENT_CHAIN)
				i += (e[i].wait + 2) / 3;
			else
				take(&thread, &e[i]);
		}
	}
	threads += thread.known;
	return 0;
}

int main(int argc, char **argv)
{
	char error[256];
	int i, bad = 0;
	uint32_t s;

	attached = argc > 1 && !strcmp(argv[1], "--attached");
	for (i = 1 + attached; i < argc; i++) {
		struct file f;

		if (file_open(&f, argv[i], error, sizeof(error))) {
			fprintf(stderr, "memprof_gaps: %s\n", error);
			return 1;
		}
		for (s = 0; s < f.nr_streams; s++) {
			if (f.streams[s].type == CHUNK_EVENTS)
				bad |= read_stream(&f, &f.streams[s]);
			if (f.streams[s].type == CHUNK_LOST) {
				void *buffer = NULL;
				size_t capacity = 0;
				uint32_t c;

				for (c = f.streams[s].first; c; c = f.chunks[c].next) {
					ssize_t bytes = file_read_chunk(&f, c, &buffer, &capacity);
					const struct lost_record *l =
						(const void *)((char *)buffer + sizeof(struct chunk_header));

					for (ssize_t k = 0; k < bytes / (ssize_t)sizeof(*l); k++)
						if (l[k].kind == LOST_EVENTS)
							lost += l[k].count;
				}
				free(buffer);
			}
		}
		if (*f.damage || !f.ended) {
			fprintf(stderr, "memprof_gaps: %s: %s\n", argv[i], *f.damage ? f.damage : "not ended");
			bad = 1;
		}
		file_close(&f);
	}
	printf("allocations %lu frees %lu lost %lu missing %lu surplus %lu threads %lu whole %lu\n",
	       allocations, frees, lost, missing, surplus, threads, whole);
	return bad;
}
