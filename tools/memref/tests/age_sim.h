/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * Pages of a control group that are referenced one by one: their idle ages, as the kernel
 * would report them, and the limits with which LRU would have refaults, which are exact.
 */
#ifndef MEMREF_AGE_SIM_H
#define MEMREF_AGE_SIM_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "memref/model/events.h"

#define SIM_PAGES 8192

struct age_sim {
	uint32_t interval;			/* the current one, from 1 on */
	uint32_t nr;				/* of pages, in the order of their last reference */
	uint32_t order[SIM_PAGES];		/* the last one first */
	uint32_t last[SIM_PAGES];		/* interval of the last reference; 0: none */
	uint32_t deepest[SIM_PAGES];		/* most that were above it since */
	uint32_t again[AGE_BUCKETS];
	uint32_t counted_from;			/* distances are counted from this interval on */
	uint32_t distances[SIM_PAGES + 1];	/* re-references by stack distance */
	uint64_t random;
};

static inline uint32_t sim_random(struct age_sim *s, uint32_t below)
{
	s->random = s->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (s->random >> 33) % below;
}

static inline int sim_bucket(uint32_t age)
{
	return age ? 32 - __builtin_clz(age > 128 ? 128 : age) : 0;
}

static inline void sim_begin(struct age_sim *s)
{
	s->interval++;
	memset(s->again, 0, sizeof(s->again));
}

static inline void sim_reference(struct age_sim *s, uint32_t page)
{
	uint32_t i, k;

	for (i = 0; i < s->nr && s->order[i] != page; i++)
		;
	if (i < s->nr) {
		if (s->last[page] < s->interval)
			s->again[sim_bucket(s->interval - 1 - s->last[page])]++;
		if (s->interval >= s->counted_from)
			s->distances[s->deepest[page] + 1]++;
	} else {
		s->nr++;
	}
	memmove(s->order + 1, s->order, i * sizeof(*s->order));
	for (k = 1; k <= i; k++)
		if (s->deepest[s->order[k]] < k)
			s->deepest[s->order[k]] = k;
	s->order[0] = page;
	s->deepest[page] = 0;
	s->last[page] = s->interval;
}

/* Freed: the last one of all. */
static inline void sim_free_oldest(struct age_sim *s)
{
	s->last[s->order[--s->nr]] = 0;
}

/* Freed: pages from one on, as of a process that ends. */
static inline void sim_free(struct age_sim *s, uint32_t first)
{
	uint32_t i, kept = 0;

	for (i = 0; i < s->nr; i++) {
		if (s->order[i] < first)
			s->order[kept++] = s->order[i];
		else
			s->last[s->order[i]] = 0;
	}
	s->nr = kept;
}

/* What the kernel would report of the interval; its first harvest gives all the age 0. */
static inline struct age_row sim_end(struct age_sim *s, const char *path)
{
	struct age_row row = { .cgroup = 7, .seq = s->interval, .class = AGE_ANON };
	uint32_t i;

	strcpy(row.path, path);
	memcpy(row.again, s->again, sizeof(row.again));
	for (i = 0; i < s->nr; i++)
		row.pages[sim_bucket(s->interval - s->last[s->order[i]])]++;
	return row;
}

/* The smallest limit with at most so many refaults. */
static inline uint32_t sim_limit(const struct age_sim *s, uint64_t refaults)
{
	uint64_t sum = 0;
	uint32_t limit;

	for (limit = SIM_PAGES; limit; limit--) {
		sum += s->distances[limit];
		if (sum > refaults)
			break;
	}
	return limit;
}

/* Pages of a program: @hot in each interval, a loop of @period intervals over @loop, the others once. */
static inline void sim_hot_and_loop(struct age_sim *s, uint32_t hot, uint32_t loop, uint32_t period, uint32_t others)
{
	const uint32_t nr = loop / period, first = hot + (s->interval - 1) % period * nr;
	uint32_t i;

	if (s->interval == 1)
		for (i = hot; i < hot + loop + others; i++)
			sim_reference(s, i);
	for (i = 0; i < hot; i++)
		sim_reference(s, i);
	for (i = first; s->interval > 1 && i < first + nr; i++)
		sim_reference(s, i);
}

#endif
