/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * Inputs damaged at random, for readers: none may crash, take more than 512 MiB of memory
 * or more than 20 s of a processor.  10,000 each by default, MEMSCOPE_MUTATIONS of them if it
 * is set; from MEMSCOPE_SEED on, 1 by default.  Before these, the input cut at each of its first
 * 4,096 bytes.
 */
#ifndef MEMSCOPE_MADE_MUTATE_H
#define MEMSCOPE_MADE_MUTATE_H

#include <stddef.h>
#include <stdint.h>

#define MUTATE_BYTES	(64 << 10)

/**
 * struct mutation - what is damaged
 * @name: of the reader
 * @data: whole input; @size: of it, at most MUTATE_BYTES
 * @keep_from: bytes from here to @keep_to stay as they are, and where they are
 * @read: reads what came of it; it is its own to change, and has room for a byte more
 * @survive: reads what the process with @read did not survive, as a library of its crashes; NULL
 *	if nothing does: then @read is called by the process of the test.  At most one input
 *	in 20 may need it.
 * @ctx: for both; what they share of it is not seen by the other
 */
struct mutation {
	const char *name;
	const void *data;
	size_t size, keep_from, keep_to;
	void (*read)(void *ctx, char *data, size_t size);
	void (*survive)(void *ctx, char *data, size_t size);
	void *ctx;
};

uint64_t mutate_random(uint64_t *seed);
void mutate(const struct mutation *m);
const char *mutate_file(const void *data, size_t size);

#endif
