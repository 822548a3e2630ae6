/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The memory limits that control groups need. */
#ifndef MEMREF_VIEW_SIZE_H
#define MEMREF_VIEW_SIZE_H

#include "lib/table.h"
#include "memref/model/model.h"

/**
 * struct size_question - which limit is looked for
 * @cgroup: of this control group; NULL: of each
 * @window: for this part of the recording
 * @refaults: per second, at most; negative: @slowdown counts
 * @slowdown: time of refaults and evictions, in % of the recording's, at most
 * @refault_us: time that a refault takes
 * @evict_us: time that reclaim takes for a page that it looks at
 * @extra: bytes that are charged and have no ages
 */
struct size_question {
	const char *cgroup;
	struct window window;
	double refaults, slowdown, refault_us, evict_us;
	uint64_t extra;
};

extern const struct columns size_columns;

int size_table(const struct model *m, const struct size_question *q, struct table *t, char *error, size_t size);

#endif
