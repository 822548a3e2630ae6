/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Of misses, which are of lines that no cache of the size would still have had. */
#ifndef DPROF_RESIDENCE_H
#define DPROF_RESIDENCE_H

#include "footprint.h"

/* Of misses, and of these, the expected number of those in lines too long out of use. */
struct outlived {
	double misses, outlived;
};

/**
 * struct residence_bytes - eight bytes of a type's objects
 * @own: of misses that the CPU itself caused; @other: those that other CPUs caused
 */
struct residence_bytes {
	struct { int64_t index; uint32_t type, padding; } key;
	struct outlived own, other;
	UT_hash_handle hh;
};

/**
 * struct residence_type - the sums of a type's lines
 * @lines: how many have samples, on each CPU; @samples: of these
 * @unknown: misses on CPUs that do not fill their cache, as far as samples tell
 * @known: its lines have enough samples, and most of its misses are not @unknown
 */
struct residence_type {
	struct outlived own, other;
	uint64_t lines, samples, unknown;
	bool known;
};

struct residence {
	struct residence_bytes *bytes;	/* hash */
	struct residence_type *type;	/* by index */
};

int residence_find(struct residence *r, const struct model *m, const struct geometry *g,
		   enum level level, bool shared);
bool residence_outlived(const struct residence *r, uint32_t type, uint32_t offset, double *own,
			double *other);
void residence_free(struct residence *r);

#endif
