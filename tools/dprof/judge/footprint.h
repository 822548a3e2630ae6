/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* How many lines a CPU uses within a time, from samples: see footprint.c. */
#ifndef DPROF_FOOTPRINT_H
#define DPROF_FOOTPRINT_H

#include "dprof/sim/cache.h"
#include "visits.h"

/* Times for which footprints are computed, on a logarithmic scale up to LAST_TIME. */
#define TIMES		200
#define LAST_TIME	300.0
/* Of caches with more sets, lines are taken to be spread evenly. */
#define MAX_SETS	2048
/* Rates that differ by less than 1/RATES of an octave count as one. */
#define RATES		8
#define NR_RATES	512
/* Lines with fewer samples count by how many there are with one more. */
#define FEW		3

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
	double footprint[TIMES], *set;
};

/**
 * struct footprints - what the CPUs use, one after another
 * @visits: the lines of all CPUs
 * @cache_lines: of a CPU's cache
 * @sets: of it; 1: the lines are taken to be spread evenly
 * @even: the part of the lines that is of a set if they are spread evenly
 * @time, @weight: the times, and the part of an integral that each stands for
 * @first, @next: the lines of the present CPU, and the first of the next one
 * @type: of the present CPU, by index; NULL: it has no line
 */
struct footprints {
	const struct model *m;
	struct visits visits;
	size_t first, next;
	double cache_lines, even;
	uint32_t sets;
	double step, time[TIMES], weight[TIMES];
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
	double footprint[TIMES], variance[TIMES], *set, lost_after;
};

int footprints_init(struct footprints *f, const struct model *m, const struct geometry *g,
		    enum level level);
int footprints_next_cpu(struct footprints *f);
struct around *footprints_around(const struct footprints *f, uint32_t type);
double footprints_rate(const struct footprints *f, const struct used_line *l);
int footprints_class(double rate);
double footprints_class_rate(int class);
int footprints_set(const struct footprints *f, const struct use *u);
void footprints_free(struct footprints *f);

#endif
