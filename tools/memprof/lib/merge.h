/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 the memscope authors */
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
	size_t capacity;
	void *context;
};

/* A record in a stream's buffer, until the next merge_next(). */
struct merge_record {
	uint64_t time;
	const char *at;
	struct stream *stream;
};

/**
 * struct merge - streams that are read together
 * @losers: of the comparisons at the tree's inner nodes; see merge.c
 * @winner: the stream whose record is next, of those that are not in @records
 * @records: sorted up to @ready; of these, those up to @taken were given away
 * @nr: of @records
 * @tasks: of @records that were not given away, those of tasks
 * @first: no time of @records is before, @last: or behind
 * @spare: as large, to sort into; @keys, as large, with @spare_keys
 * @end: of the window of time that is being taken; @window: how long one is, in ns
 * @in_window: records of it so far
 */
struct merge {
	struct file *f;
	struct stream *streams;
	size_t nr_streams, leaves;
	struct merge_node *losers;
	struct stream *winner;
	struct merge_record *records, *spare;
	uint64_t *keys, *spare_keys;
	size_t taken, ready, nr, in_window, tasks;
	uint64_t end, window, first, last;
	void *arg;
	/* Chains are taken as they come. */
	void (*chain)(void *arg, struct stream *s, uint32_t id, const uint64_t *frames, unsigned int depth);
};

int merge_begin(struct merge *m, struct file *f);
const struct merge_record *merge_next(struct merge *m, size_t *n);
void merge_end(struct merge *m);

#endif
