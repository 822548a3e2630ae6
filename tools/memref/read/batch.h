/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Decoder of memref_batch events, which hold many groups each. */
#ifndef MEMREF_BATCH_H
#define MEMREF_BATCH_H

#include <stddef.h>

#include "memref/model/events.h"

/**
 * struct batch - iterator over the groups of a memref_batch event
 * @data: the next byte to decode
 * @end: behind the last byte
 * @group: index of the next group, before its skip count is added
 * @seq: number of the interval
 * @group_kb: size of a group
 */
struct batch {
	const uint8_t *data, *end;
	uint64_t group;
	uint32_t seq, group_kb;
};

int batch_next(struct batch *b, struct group_row *row);

#endif
