/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Chooses the types and offsets to record histories of, from samples. */
#ifndef DPROF_CHOOSE_H
#define DPROF_CHOOSE_H

#include "model.h"

#define MAX_CHOSEN	8	/* types */

/**
 * struct choice - types and offsets to record histories of
 * @types: rules for the kernel, separated by blanks
 * @offsets: groups of offsets: pairs of the offsets with the most samples
 * @rare: types that cost more than those, but of which too few objects are allocated
 */
struct choice {
	char types[1024], offsets[2048], rare[1024];
};

int choose(struct model *m, int nr_types, int nr_offsets, uint32_t length, uint32_t min_allocs,
	   struct choice *c);

#endif
