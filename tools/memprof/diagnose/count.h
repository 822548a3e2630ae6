/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 the memscope authors */
/* Counts of accesses, from which patterns are derived. */
#ifndef MEMPROF_PATTERNS_COUNT_H
#define MEMPROF_PATTERNS_COUNT_H

#include "patterns.h"

#define MAX_NODES	64

/**
 * struct sums - what a site's accesses add up to
 * @all: of main memory, with both nodes known
 * @remote: of these
 * @from: nodes that access, @to: that have the memory
 * @pairs: of accesses of one object, by its users; @same_pairs: from one node
 * @users: accesses except those of the thread that initializes an object; @used: by node
 * @best: with each object on the node that has most accesses of it; @used_best: of @users
 * @slice_best: with each object, in each slice of its life, on the node of most
 * @turn_best: the same, with slices cut in two where a turn ends
 * @after: accesses after the object was filled in; @after_writes: of these
 * @filled_remote: remote ones of the thread that fills it in
 * @by_own: accesses of objects that their own thread has most of
 * @lines: accesses of falsely shared lines
 * @page_pairs: as @pairs, of a page; with @page_same
 * @page_left: remote ones of @users with each page on the node of most, as far as it can be
 * @accesses: by node, of caches, too; @writes: of these
 * @stacks_left: remote accesses of stacks that are left with each thread on its stack's node
 * @answers: loads, by where their data was
 */
struct sums {
	uint64_t all, remote, from[MAX_NODES], to[MAX_NODES];
	uint64_t pairs, same_pairs, users, used[MAX_NODES], best, used_best;
	uint64_t slice_best, turn_best, after, after_writes, filled_remote, by_own, lines;
	uint64_t page_pairs, page_same, page_left;
	double stacks_left;
	uint64_t accesses[MAX_NODES], writes[MAX_NODES], answers[ANSWERS];
};

/**
 * struct nodes - how much the machine's nodes have to do
 * @nr: how many
 * @busy: latency of a node's memory, to what it could be
 * @share: of all accesses, those of its memory
 */
struct nodes {
	int nr;
	double busy[MAX_NODES], share[MAX_NODES];
};

/** patterns_count() - whether an access is of main memory, with both nodes known */
static inline bool patterns_count(const struct memprof *m, const struct memprof_access *a)
{
	return memprof_in_memory(m, a) && a->node >= 0 && a->home >= 0 && a->node < MAX_NODES &&
	       a->home < MAX_NODES;
}

void patterns_count_nodes(struct memprof *m, struct nodes *n);
int patterns_count_object(struct memprof *m, uint32_t object, struct sums *s);

#endif
