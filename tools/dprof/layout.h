/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* An order of a struct's members, as it is made. */
#ifndef DPROF_LAYOUT_H
#define DPROF_LAYOUT_H

#include "dprof/view/view.h"

#define MAX_MEMBERS	4096

/* Members used by an operation. */
struct operation {
	double weight;
	uint64_t used[MAX_MEMBERS / 64];
};

/* A member, and its offset before and after the reordering. */
struct place {
	const struct member *member;
	uint32_t index, align, before, after;
	double weight;			/* sum over the operations that use it */
	bool written, placed;
};

struct plan {
	const struct layout *layout;
	struct place place[MAX_MEMBERS];
	uint32_t nr, order[MAX_MEMBERS], size;
	struct operation *operation;
	uint32_t nr_operations, capacity;
	bool no_memory;
	uint8_t (*apart)[MAX_MEMBERS];	/* one CPU writes one of them, another uses the other */
};

int layout_member_at(const struct plan *p, uint32_t offset);
int false_sharing_keep_apart(struct plan *p, const struct analysis *a, const struct dtype *d);
bool false_sharing_predict(const struct plan *p, const struct analysis *a, const struct dtype *d, double *before,
			   double *after);

#endif
