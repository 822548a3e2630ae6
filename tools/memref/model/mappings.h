/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* What processes referenced of each of their mappings: heap, stacks, files, named memory. */
#ifndef MEMREF_MAPPINGS_H
#define MEMREF_MAPPINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/hash.h"
#include "events.h"
#include "thp.h"

/* Limit that keeps a damaged recording from exhausting memory; the others are one. */
#define MAX_MAPPINGS	16384
#define OTHER_MAPPINGS	"(others)"
/* Threads of the sampler that are remembered: more than there can be at a time. */
#define MAX_WORKERS	256

/* A process over the whole recording: the most pages referenced in an interval. */
struct mapping_process {
	uint32_t pid, interval;
	uint64_t now, peak;
	UT_hash_handle hh;
};

/* A name in all processes; @rank: 0 is the one with the most pages, see mappings_rank(). */
struct mapping_name {
	char name[MAPPING_NAME];
	uint64_t pages;
	uint32_t rank;
	UT_hash_handle hh;
};

/* Several mappings of a process with the same name count as one. */
struct mapping_key {
	uint32_t pid;
	char name[MAPPING_NAME];
};

/**
 * struct mapping - the mappings of a process that have the same name
 * @key: the process and the name; "" if memref_vma events are missing
 * @process: the process
 * @name: the name
 * @index: its number, in the order in which they were seen
 * @intervals: in which it was referenced
 * @pages: referenced, summed over the intervals
 * @pages_max: the most of one interval
 * @written: of @pages, those written
 * @has_block: a huge page fits into one of them
 * @whole: aligned blocks of 2 MiB wholly within one of them, and pages referenced of these
 * @dense: of @whole, blocks more than half referenced
 */
struct mapping {
	struct mapping_key key;
	struct mapping_process *process;
	struct mapping_name *name;
	uint32_t index, intervals;
	uint64_t pages, pages_max, written;
	bool has_block;
	struct thp_sum whole, dense;
	size_t now;			/* index + 1 of its sum of the interval; private */
	UT_hash_handle hh;
};

/* What a thread of the sampler reads: its memref_virt events belong to its last memref_vma event. */
struct mapping_part {
	uint32_t worker, interval;
	struct vma_row row;
	struct mapping *of;		/* NULL: not looked up yet */
	UT_hash_handle hh;
};

/* What was referenced of a mapping in an interval. */
struct mapping_sum {
	uint32_t interval;
	const struct mapping_name *name;
	uint64_t pages, written;
};

/**
 * struct mappings - all mappings of a recording
 * @collect: false: collect nothing but @parts
 * @named: there was a memref_vma event
 * @all: a hash of them, in the order in which they were seen
 * @nr: their number
 * @processes: a hash
 * @names: a hash
 * @sums: in the order of intervals
 * @parts: a hash of what each worker reads, at most MAX_WORKERS
 * @part: of these, the one asked for last, or NULL
 */
struct mappings {
	bool collect, named;
	struct mapping *all;
	uint32_t nr;
	struct mapping_process *processes;
	struct mapping_name *names;
	struct mapping_sum *sums;
	size_t nr_sums, capacity;
	struct mapping_part *parts, *part;
};

int mappings_begin_part(struct mappings *m, uint32_t interval, const struct vma_row *row);
const char *mappings_name(struct mappings *m, uint32_t interval, const struct virt_row *row);
int mappings_add(struct mappings *m, uint32_t interval, const struct virt_row *row);
void mappings_rank(struct mappings *m);
void mappings_free(struct mappings *m);

#endif
