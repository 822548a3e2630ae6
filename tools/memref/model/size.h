/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The memory limit that a control group needs, from its idle ages. */
#ifndef MEMREF_SIZE_H
#define MEMREF_SIZE_H

#include "model.h"

/* Fewer steps are too few to estimate the uncertainty. */
#define SIZE_MIN_STEPS 30

/* A bucket's ages in so many parts, or as many as it has. */
#define SIZE_PARTS 8

/**
 * struct size_freed - memory above pages of a part of a bucket's ages that was freed
 * @share: of the bucket's pages, that are of these ages
 * @pages: how many more than now were above them, when these were most; on average
 */
struct size_freed {
	double share, pages;
};

/**
 * struct size_step - a control group's memory in an interval; pages
 * @seconds: length of the interval
 * @before: by age, when it began
 * @again: by that age, those referenced in the interval
 * @freed: by that age, what was above those and is not any more
 * @fresh: those that it had not had before
 * @total: all at its end
 * @spread: by age, how even the references to pages of a bucket are over its ages, as SIZE_HIGH
 *	assumes: 1: the same at each; 0: all at the last, as of a loop
 */
struct size_step {
	double seconds;
	uint64_t before[AGE_BUCKETS], again[AGE_BUCKETS];
	uint64_t fresh, total;
	struct size_freed freed[AGE_BUCKETS][SIZE_PARTS];
	double spread[AGE_BUCKETS];
};

/* What is assumed where ages do not determine the refaults, see size.c. */
enum size_bound { SIZE_LOW, SIZE_ESTIMATE, SIZE_HIGH };

/**
 * struct size_price - what refaults and evictions cost, in a unit of the caller's
 * @refault: a refault, with the eviction that makes place for it
 * @evict: an eviction, for each page that reclaim looks at
 * @allowed: per second
 */
struct size_price {
	double refault, evict, allowed;
};

/**
 * struct size - the memory limit of a control group; pages
 * @low: lower end of its 95 % interval
 * @estimate: the limit
 * @high: upper end
 */
struct size {
	double low, estimate, high;
};

int size_steps(const struct model *m, const char *cgroup, const struct window *window, struct size_step **steps, size_t *nr);
double size_rate(const struct size_step *steps, size_t nr, uint64_t limit, enum size_bound bound);
double size_evictions(const struct size_step *steps, size_t nr, uint64_t limit);
double size_cost(const struct size_step *steps, size_t nr, uint64_t limit, const struct size_price *price);
int size_limit(const struct size_step *steps, size_t nr, const struct size_price *price, struct size *size);

#endif
