/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The memory limits that control groups need. */
#ifndef MEMREF_VIEW_SIZE_H
#define MEMREF_VIEW_SIZE_H

#include "lib/table.h"
#include "memref/model/model.h"
#include "memref/model/size.h"

/**
 * struct size_tried - what tries of a command with limits have found
 * @nr: limits that were tried
 * @limit: the smallest that was enough, in bytes
 * @too_small: the largest that was not; 0: none
 * @slowdown: with @limit, in %
 */
struct size_tried {
	uint32_t nr;
	uint64_t limit, too_small;
	double slowdown;
};

/**
 * struct size_question - which limit is looked for
 * @cgroup: of this control group; NULL: of each
 * @window: for this part of the recording
 * @refaults: per second, at most; negative: @slowdown counts
 * @slowdown: time of refaults and evictions, in % of the recording's, at most
 * @refault_us: time that a refault takes
 * @evict_us: time that reclaim takes for a page that it looks at
 * @extra: bytes that are charged and have no ages
 * @tried: the answer is this limit, instead of an estimate; NULL: none
 */
struct size_question {
	const char *cgroup;
	struct window window;
	double refaults, slowdown, refault_us, evict_us;
	uint64_t extra;
	const struct size_tried *tried;
};

extern const struct columns size_columns, size_tried_columns;

int size_of_group(const struct model *m, const struct size_question *q, struct size *limit, uint64_t *peak,
		  char *error, size_t size);
int size_table(const struct model *m, const struct size_question *q, struct table *t, char *error, size_t size);

#endif
