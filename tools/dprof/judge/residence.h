/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Of misses, which are of lines that no cache of the size would still have had. */
#ifndef DPROF_RESIDENCE_H
#define DPROF_RESIDENCE_H

#include "dprof/model/model.h"
#include "dprof/sim/cache.h"

/* Of misses, and of these, the expected number of those in lines too long out of use. */
struct outlived {
	double misses, outlived;
};

/**
 * struct residence_line - a type's lines, by their place in the object
 * @samples: in all objects
 * @most: of one instruction at one offset
 * @own: of misses that the CPU itself caused; @other: those that other CPUs caused
 */
struct residence_line {
	struct { uint32_t type, line; } key;
	uint64_t samples, most;
	struct outlived own, other;
	UT_hash_handle hh;
};

/**
 * struct residence_type - the sums of a type's lines
 * @lines: how many CPUs' lines have samples
 * @known: there are enough samples to tell
 */
struct residence_type {
	struct outlived own, other;
	uint64_t lines, samples;
	bool known;
};

struct residence {
	struct residence_line *lines;
	struct residence_type *type;	/* by index */
};

int residence_find(struct residence *r, const struct model *m, const struct geometry *g, enum level level, bool shared);
bool residence_outlived(const struct residence *r, uint32_t type, uint32_t offset, double *own, double *other);
void residence_free(struct residence *r);

#endif
