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

/**
 * struct merge - streams that are read together
 * @losers: of the comparisons at the tree's inner nodes; see merge.c
 * @winner: the stream whose record is next
 */
struct merge {
	struct file *f;
	struct stream *streams;
	size_t nr_streams, leaves;
	struct merge_node *losers;
	struct stream *winner;
	void *arg;
	/* Chains are taken as they come. */
	void (*chain)(void *arg, struct stream *s, uint32_t id, const uint64_t *frames, unsigned int depth);
};

/* A record in a stream's buffer, until the next merge_batch(). */
struct merge_record {
	uint64_t time;
	const char *at;
	struct stream *stream;
};

int merge_begin(struct merge *m, struct file *f);
size_t merge_batch(struct merge *m, struct merge_record *records, size_t room);
void merge_end(struct merge *m);

#endif
