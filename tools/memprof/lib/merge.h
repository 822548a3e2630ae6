/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All records of a recording in order of time. */
#ifndef MEMPROF_MERGE_H
#define MEMPROF_MERGE_H

#include "file.h"

/**
 * struct stream - one that is being read
 * @time: of the record at @at
 * @at: next record, @end: behind the last of the chunk
 * @base_ns: of the chunk
 * @chunk: the chunk after this one
 * @context: the reader's, for each stream
 */
struct stream {
	uint64_t time;
	const char *at, *end;
	uint64_t base_ns;
	uint32_t chunk, number;
	uint16_t type;
	void *buffer;
	size_t room;
	void *context;
};

struct merge {
	struct file *f;
	struct stream *streams;
	struct stream **heap;
	size_t nr_streams, nr_heap;
	void *arg;
	/* Chains are taken as they come. */
	void (*chain)(void *arg, struct stream *s, uint32_t id, const uint64_t *frames, unsigned int depth);
};

int merge_begin(struct merge *m, struct file *f);
struct stream *merge_first(struct merge *m);
uint64_t merge_limit(const struct merge *m);
void merge_step(struct merge *m);
void merge_sink(struct merge *m);
void merge_end(struct merge *m);
int merge_advance(struct merge *m, struct stream *s);

#endif
