/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The loop of memref top on a terminal: read, draw, take keys. */
#ifndef MEMREF_LIVE_H
#define MEMREF_LIVE_H

#include "top.h"

/* How often is read, unless a key comes before. */
#define LIVE_POLL_MS 100

/**
 * struct live - where the rows come from
 * @top: what is shown
 * @read: add the rows that have come to @top, and return at once; a return value other
 *	than 0 ends the loop
 * @ctx: passed to @read
 */
struct live {
	struct top *top;
	int (*read)(void *ctx);
	void *ctx;
};

int live_run(struct live *l);

#endif
