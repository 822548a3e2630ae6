/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * The parts of the cache simulation: accesses that traces make (sim_traces.c) and that
 * samples stand for (sim_samples.c), and the caches that they go to (sim.c).
 */
#ifndef DPROF_SIM_PARTS_H
#define DPROF_SIM_PARTS_H

#include "sim.h"

struct step {
	double time;
	uint64_t addr, base;
	struct actor actor;
	uint16_t cpu;
	uint8_t len, op;		/* op: 0 for free */
	uint64_t written;		/* of a sampled line: its bytes */
	bool any;			/* of any object of the pool */
};

struct schedule {
	struct step *step;
	size_t nr, room;
};

/* Objects of a type, with how often each was allocated summed up. */
struct pool {
	struct { uint64_t base; uint32_t size; int32_t cpu; double until; } *object;
	uint64_t *upto, nr;
};

/*
 * The lines of a type that its samples come of.  Those that no sample met are as many
 * as the numbers of lines met once and twice let expect (A. Chao, "Nonparametric
 * Estimation of the Number of Classes in a Population", 1984, bias-corrected); of types
 * in the address set it is known how many objects there were.
 *
 * Where samples tell hits from misses, those that hit say nothing of how many lines
 * there are: it is those that missed whose lines are counted.  Chao's estimate is the
 * least that there must be.  There are more if so few would not miss as often as the
 * samples did: sim_grow_footprints().
 */
struct footprint {
	uint64_t met, once, twice, objects;
	uint64_t set_met;		/* associativity sets of those met */
	uint64_t known, missed;		/* samples, but those found in another CPU's cache */
	double copies;			/* lines for each that was met */
	double most;			/* there are no more copies than that */
	struct pool pool;		/* of the address set: where its lines are */
	uint64_t turn;			/* in the pool */
	bool keeps_sets;		/* they are in fewer sets than chance would have */
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

/* sim_traces.c */
int sim_fill_pool(struct model *m, uint32_t type, struct pool *pool);
void sim_free_pool(struct pool *pool);
double sim_estimate_per_sample(struct sim *s, struct model *m);
double sim_all_accesses(const struct sim *s, const struct model *m);
int sim_schedule_traces(struct sim *s, struct model *m, const struct dtype *t, double span,
			struct schedule *schedule, uint64_t *random);

/* sim_samples.c */
int sim_find_footprints(const struct sim *s, struct model *m, struct footprint *f);
bool sim_grow_footprints(const struct sim *s, struct footprint *f);
int sim_schedule_samples(struct sim *s, struct model *m, const struct footprint *footprint,
			 double span, struct schedule *schedule, uint64_t *random);

#endif
