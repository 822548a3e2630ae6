/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * The cache simulation of section 3.2 of the paper: objects of the address set follow the
 * path traces, at the recorded rates and times.
 */
#ifndef DPROF_SIM_H
#define DPROF_SIM_H

#include "coherence.h"
#include "dprof/model/paths.h"

/**
 * struct sim_options - parameters of a simulation
 * @geometry: of the cache of each CPU
 * @shared: all CPUs share one cache
 * @remove_freed: remove an object's lines from the caches when it is freed, as the
 *	paper does; else they stay, as in real caches
 * @max_accesses: bound of the simulated accesses; the simulated time is scaled down to it,
 *	so that all types keep their share
 * @per_sample: accesses that a sample stands for; 0: estimated
 * @seed: of the random numbers
 * @level: samples found beyond this level missed the cache
 */
struct sim_options {
	struct geometry geometry;
	bool shared, remove_freed;
	uint64_t max_accesses, per_sample, seed;
	enum level level;
};

/*
 * Outcomes of the accesses of a trace's element, or of a type.
 * @full_misses: misses of the fully associative caches, without sharing misses
 */
struct sim_sum {
	uint64_t accesses, outcome[NR_OUTCOMES], full_misses;
};

/* Sharing misses, by the access that misses and the write that caused the miss. */
struct sim_pair {
	struct {
		struct actor victim, writer;
		uint32_t outcome;
	} key;
	uint64_t count;
	UT_hash_handle hh;
};

/* Cache contents of a type; @lines and @objects are averages over the snapshots. */
struct sim_type {
	double lines, objects, peak_lines;
	double *trace_lines;		/* by trace of the type */
	struct sim_sum sum;
	bool has_traces;
	size_t first_trace, nr_traces;
};

#define NO_TRACE UINT32_MAX

/* A line or an object that was accessed in a set at some time. */
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
	uint32_t *set_lines;		/* distinct lines accessed in each set */
	uint64_t accesses, counted;
	double seconds, per_sample;
};

int sim_run(struct sim *s, struct model *m, const struct traces *t,
	    const struct sim_options *options);
void sim_free(struct sim *s);

#endif
