/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * The parts of the cache simulation: traces.c and samples.c schedule the accesses of path
 * traces and of samples, schedule.c collects them, sim.c runs them through the caches.
 */
#ifndef DPROF_SIM_PARTS_H
#define DPROF_SIM_PARTS_H

#include "sim.h"

struct step {
	double time;
	uint64_t addr, base;
	struct actor actor;
	uint16_t cpu;
	uint8_t len, op;		/* op: 0 for free; len: 0 for a sampled line */
	uint64_t written;		/* sampled line: its accessed bytes, a bit each */
	bool any;			/* may be moved to any object of the pool */
};

struct schedule {
	struct step *step;
	size_t nr, capacity;
};

/*
 * Objects of a type.  @upto is the running sum of their weights (allocations, or samples if
 * the address set lacks the type); @until is when the simulated object is freed.
 */
struct pool {
	struct { uint64_t base; uint32_t size; int32_t cpu; double until; } *object;
	uint64_t *upto, nr;
};

/*
 * The estimated number of lines of a type.  The number of lines without a sample is
 * estimated from the numbers of lines with one and with two samples (A. Chao,
 * "Nonparametric Estimation of the Number of Classes in a Population", 1984,
 * bias-corrected).  For types in the address set, the number of objects is known.
 *
 * If samples have cache levels, only the lines of samples that missed are counted: hits
 * hold no information on the number of lines.  Chao's estimate is a lower bound;
 * sim_grow_footprints() raises it while the simulation misses less often than the samples.
 */
struct footprint {
	uint64_t seen, once, twice, objects;	/* lines with samples, with one, with two */
	uint64_t sets_seen;		/* associativity sets of the lines with samples */
	uint64_t known, missed;		/* samples, without hits in another CPU's cache */
	double copies;			/* simulated lines per line with samples */
	double most;			/* upper bound of @copies */
	struct pool pool;		/* objects of the address set */
	uint64_t turn;			/* next object of @pool */
	bool keeps_sets;		/* the lines lie in fewer sets than by chance */
};

static inline uint64_t next_random(uint64_t *state)
{
	/* SplitMix64 (Steele, Lea, Flood 2014). */
	uint64_t z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static inline double next_share(uint64_t *state)
{
	return (next_random(state) >> 11) * 0x1p-53;
}

int sim_add_step(struct schedule *s, const struct step *step);
int sim_first_time(struct sim_seen **seen, uint64_t what, uint32_t type, uint32_t set);
void sim_free_seen(struct sim_seen **seen);

/* traces.c */
int sim_fill_pool(struct model *m, uint32_t type, struct pool *pool);
void sim_free_pool(struct pool *pool);
double sim_estimate_per_sample(struct sim *s, struct model *m);
double sim_all_accesses(const struct sim *s, const struct model *m);
int sim_schedule_traces(struct sim *s, struct model *m, const struct dtype *t, double span,
			struct schedule *schedule, uint64_t *random);

/* samples.c */
int sim_find_footprints(const struct sim *s, struct model *m, struct footprint *f);
bool sim_grow_footprints(const struct sim *s, struct footprint *f);
int sim_schedule_samples(struct sim *s, struct model *m, const struct footprint *footprint,
			 double span, struct schedule *schedule, uint64_t *random);

#endif
