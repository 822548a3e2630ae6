/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * Coherent caches of several CPUs, and the class of each miss: true sharing (another CPU
 * wrote the accessed bytes), false sharing (another CPU wrote other bytes of the line),
 * conflict (a fully associative cache of the same size would have hit), capacity, or cold.
 */
#ifndef DPROF_COHERENCE_H
#define DPROF_COHERENCE_H

#include "cache.h"

enum outcome {
	HIT, MISS_TRUE, MISS_FALSE, MISS_CONFLICT, MISS_CAPACITY, MISS_COLD, NR_OUTCOMES
};

extern const char * const outcome_name[NR_OUTCOMES];

/* The origin of an access, in the caller's numbering. */
struct actor {
	uint32_t type, trace, element;
};

struct directory_line;

/**
 * struct coherence - the caches
 * @nr_cpus: number of CPUs; each has one cache of each kind
 * @full_hit: the last access hit in the fully associative cache
 * @culprit: after MISS_TRUE or MISS_FALSE, the write that caused the miss
 */
struct coherence {
	int nr_cpus;
	struct geometry geometry;
	struct cache *cache;
	struct full_cache *full;
	struct directory_line *directory;
	bool full_hit;
	struct actor culprit;
};

int coherence_init(struct coherence *c, const struct geometry *g, int nr_cpus);
int coherence_access(struct coherence *c, int cpu, uint64_t line, uint64_t bytes, bool write,
		     uint64_t base, const struct actor *actor);
void coherence_remove(struct coherence *c, uint64_t line);
void coherence_remove_lines(struct coherence *c, uint64_t first, uint64_t last);
void coherence_free(struct coherence *c);

#endif
