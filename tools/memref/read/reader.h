/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
#ifndef MEMREF_READER_H
#define MEMREF_READER_H

#include "decode.h"
#include "memref/model/model.h"

/**
 * struct reader - callbacks for reading a file, and its metadata
 * @row: called for each row in order of time; a return value other than 0 ends reading
 * @ctx: passed to @row
 * @progress: called from time to time with the share of the file read; may be NULL
 * @host: set to the name and kernel of the machine
 * @lost_events: set to the number of events that the ring buffer dropped
 * @bad_offset: set to the offset of the first unreadable part; 0: none
 */
struct reader {
	row_fn row;
	void *ctx;
	void (*progress)(double share);
	char host[256];
	uint64_t lost_events, bad_offset;
};

int reader_each(const char *path, struct reader *r, char *error, size_t size);
int reader_read(const char *path, struct model *m, void (*progress)(double share),
		char *error, size_t size);

#endif
