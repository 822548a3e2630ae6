/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * The cache simulation of section 3.2: objects of the address set take paths of
 * the path traces, at the rates and times that were recorded.
 */
#ifndef DPROF_SIM_H
#define DPROF_SIM_H

#include "coherence.h"
#include "dprof/model/paths.h"

/**
 * struct sim_options - what to simulate
 * @geometry: of the cache of each CPU
 * @shared: all CPUs have one
 * @remove_freed: the lines of an object are in no cache when it is freed, as the
 *	paper has it; else they stay, as in real caches
 * @max_accesses: then it ends, but it has seen all of the mix
 * @per_sample: accesses that a sample stands for; 0: estimated
 * @seed: of what is random
 * @level: samples found no nearer than beyond it missed the cache
 */
struct sim_options {
	struct geometry geometry;
	bool shared, remove_freed;
	uint64_t max_accesses, per_sample, seed;
	enum level level;
};

/*
 * An access of a trace, or the samples of a type without one.
 * @full_misses: of fully associative caches, but those by sharing
 */
struct sim_sum {
	uint64_t accesses, outcome[NR_OUTCOMES], full_misses;
};

/* Misses by sharing: who misses, and whose write that comes of. */
struct sim_pair {
	struct {
		struct actor victim, writer;
		uint32_t outcome;
	} key;
	uint64_t count;
	UT_hash_handle hh;
};

/* In the caches, averaged over the simulation. */
struct sim_type {
	double lines, objects, peak_lines;
	double *trace_lines;		/* by trace of the type */
	struct sim_sum sum;
	bool has_traces;
	size_t first_trace, nr_traces;
};

#define NO_TRACE UINT32_MAX

/* A line, or an object, that ever was in a set. */
struct sim_seen {
	struct { uint64_t what; uint32_t type, set; } key;
	UT_hash_handle hh;
};

struct sim {
	struct sim_options options;
	const struct traces *traces;
	uint32_t nr_types, sets;
	struct sim_type *type;
	struct sim_sum **element;	/* by trace, by element */
	struct sim_pair *pairs;
	struct sim_seen *lines, *objects;
	uint32_t *set_lines;		/* distinct ones that ever were in each set */
	uint64_t accesses, counted;
	double seconds, per_sample;
};

int sim_run(struct sim *s, struct model *m, const struct traces *t,
	    const struct sim_options *options);
void sim_free(struct sim *s);

#endif
