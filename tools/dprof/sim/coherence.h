/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * The caches of several CPUs kept coherent, and why an access misses: by a write
 * of another CPU (to the same bytes, or to others of the line), by conflict (a
 * fully associative cache of the size would have had it), by capacity, or cold.
 */
#ifndef DPROF_COHERENCE_H
#define DPROF_COHERENCE_H

#include "cache.h"

enum outcome {
	HIT, MISS_TRUE, MISS_FALSE, MISS_CONFLICT, MISS_CAPACITY, MISS_COLD, NR_OUTCOMES
};

extern const char * const outcome_name[NR_OUTCOMES];

/* Who accesses, as the caller numbers accesses. */
struct actor {
	uint32_t type, trace, element;
};

struct directory_line;

/**
 * struct coherence - the caches
 * @nr_cpus: each has one of each kind
 * @full_had: whether a fully associative cache had the line that was accessed last
 * @culprit: after MISS_TRUE or MISS_FALSE, the write that caused it
 */
struct coherence {
	int nr_cpus;
	struct geometry geometry;
	struct cache *cache;
	struct full_cache *full;
	struct directory_line *directory;
	bool full_had;
	struct actor culprit;
};

int coherence_init(struct coherence *c, const struct geometry *g, int nr_cpus);
int coherence_access(struct coherence *c, int cpu, uint64_t line, uint64_t bytes, bool write,
		     uint64_t base, const struct actor *actor);
void coherence_remove(struct coherence *c, uint64_t line);
void coherence_free(struct coherence *c);

#endif
