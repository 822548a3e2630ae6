/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Of misses, which are of lines that no cache of the size would still have had. */
#ifndef DPROF_RESIDENCE_H
#define DPROF_RESIDENCE_H

#include "footprint.h"

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
	struct type_line *lines;
	struct residence_type *type;	/* by index */
};

int residence_find(struct residence *r, const struct model *m, const struct geometry *g,
		   enum level level, bool shared);
bool residence_outlived(const struct residence *r, uint32_t type, uint32_t offset, double *own,
			double *other);
void residence_free(struct residence *r);

#endif
