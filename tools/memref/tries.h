/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Runs a command with memory limits, to find the smallest that is enough. */
#ifndef MEMREF_TRIES_H
#define MEMREF_TRIES_H

#include <stdint.h>

#include "memref/model/search.h"

/* What MEMREF_LIMIT is without a limit: the most that memory.max takes, in bytes. */
#define TRIES_UNLIMITED 0x7ffffffffffff000ULL

/**
 * struct tries - how a command is tried
 * @command: for sh -c; its environment has MEMREF_LIMIT, in bytes
 * @slowdown: in % of the time without a limit, at most
 * @repeats: runs with each limit, of which the median counts: an odd number
 * @most: limits to be tried, at most
 */
struct tries {
	const char *command;
	double slowdown;
	uint32_t repeats, most;
};

/**
 * struct tried - what came of it
 * @nr: limits that were tried
 * @slowdown: in %, of the last run with the smallest that was enough; NAN: it is to run once more
 */
struct tried {
	uint32_t nr;
	double slowdown;
};

int tries_run(const struct tries *t, struct search *s, struct tried *result);

#endif
