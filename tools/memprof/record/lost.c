// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* What is missing from a recording, and the clock of its records. */
#include <time.h>

#include "record.h"

/** now_ns() - CLOCK_MONOTONIC, which all records use */
uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * UINT64_C(1000000000) + t.tv_nsec;
}

/**
 * record_lost() - count what is missing, and say so in the recording
 * @r: the recording
 * @kind: LOST_*
 * @stream: of which CPU or thread
 * @time: when it was noticed
 * @count: how many records
 */
void record_lost(struct recording *r, int kind, uint32_t stream, uint64_t time, uint64_t count)
{
	struct lost_record l = { time, count, kind, stream };

	r->lost[kind] += count;
	writer_chunk(&r->writer, CHUNK_LOST, stream, time, time, 1,
		     &(struct iovec){ &l, sizeof(l) }, 1);
}
