/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* memref_batch: many groups in one event. */
#ifndef MEMREF_BATCH_H
#define MEMREF_BATCH_H

#include <stddef.h>

#include "events.h"

/**
 * struct batch - the groups of a memref_batch event, taken one by one
 * @data: what is left of its bytes
 * @end: behind the last of them
 * @group: number of the group that follows, if none is skipped
 * @seq: interval
 * @group_kb: size of a group
 */
struct batch {
	const uint8_t *data, *end;
	uint64_t group;
	uint32_t seq, group_kb;
};

int batch_next(struct batch *b, struct group_row *row);

#endif
