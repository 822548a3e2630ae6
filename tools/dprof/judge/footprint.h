/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* How many lines a CPU uses within a time, from samples: see footprint.c. */
#ifndef DPROF_FOOTPRINT_H
#define DPROF_FOOTPRINT_H

#include "dprof/model/model.h"
#include "dprof/sim/cache.h"

/* Times for which footprints are computed, on a logarithmic scale up to LAST_TIME. */
#define TIMES		200
#define LAST_TIME	300.0
/* The sets of caches with more of them are chosen by a hash of the address. */
#define MAX_SETS	64
/* Lines with fewer samples count by how many there are with one more. */
#define FEW		3

/* Of misses, and of these, the expected number of those in lines too long out of use. */
struct outlived {
	double misses, outlived;
};

/**
 * struct type_line - a type's lines, by their place in the object
 * @samples: in all objects
 * @most: of one instruction at one offset
 * @own: of misses that the CPU itself caused; @other: those that other CPUs caused
 */
struct type_line {
	struct { uint32_t type, line; } key;
	uint64_t samples, most;
	struct outlived own, other;
	UT_hash_handle hh;
};

/**
 * struct used - a line that a CPU uses
 * @use: its samples
 * @line: its place
 * @visits: the samples, but for those of the same visit
 */
struct used {
	const struct use *use;
	struct type_line *line;
	double visits;
};

/**
 * struct cpu_type - a type on a CPU
 * @first, @end: its lines in the array of those used
 * @lines: how many have so many samples; for none, as many as there are at least
 * @mean: samples of a line
 * @alike: the more, the less do lines differ in how many they would have on average
 * @unseen_rate: of visits to a line without a sample
 * @span: the part of the recording in which it is in use
 * @footprint: of the type alone, while it is in use
 * @set: its lines in use at the typical time, by set
 */
struct cpu_type {
	size_t first, end;
	double lines[FEW + 1], mean, alike, unseen_rate, span;
	double footprint[TIMES], set[MAX_SETS];
};

/**
 * struct footprints - what the CPUs use, one after another
 * @lines: hash: the types' lines
 * @cache_lines: of a CPU's cache
 * @sets: of it; 1: which set a line is of is not known
 * @time, @weight: the times, and the part of an integral that each stands for
 * @used: the lines that are used, by CPU and type
 * @next: of these, the first of the next CPU
 * @type: of the present CPU, by index; NULL: it has no sample of the type
 */
struct footprints {
	const struct model *m;
	struct type_line *lines;
	double cache_lines;
	uint32_t sets;
	double step, time[TIMES], weight[TIMES];
	struct used *used;
	size_t nr_used, next;
	struct cpu_type **type;
};

/**
 * struct around - what a CPU uses while a type is in use
 * @footprint: the lines used within each time, on average
 * @variance: of their number
 * @set: the part of them that is of a set
 * @lost_after: the time after which a line is lost; LAST_TIME: not within that
 */
struct around {
	double footprint[TIMES], variance[TIMES], set[MAX_SETS], lost_after;
};

int footprints_init(struct footprints *f, const struct model *m, const struct geometry *g);
int footprints_next_cpu(struct footprints *f);
void footprints_around(const struct footprints *f, uint32_t type, struct around *a);
double footprints_rate(const struct cpu_type *c, const struct used *u);
uint32_t footprints_set(const struct footprints *f, const struct use *u);
struct type_line *footprints_line(struct type_line *lines, uint32_t type, uint32_t offset);
void footprints_free(struct footprints *f);

#endif
