/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
#ifndef MEMREF_READER_H
#define MEMREF_READER_H

#include "decode.h"
#include "memref/model/model.h"

/**
 * struct reader - who takes the rows of a file, and what else it tells
 * @row: takes a row, in the order of time; anything but 0 ends the reading
 * @ctx: for @row
 * @progress: told now and then how much of the file is read; or NULL
 * @host: name and kernel of the machine
 * @lost_events: that the ring buffer had no room for
 * @bad_offset: where the first part that could not be read begins; 0: none
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
