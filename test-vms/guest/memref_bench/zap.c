// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memref_bench zap: instructions that the sampler adds to unmapping a used page.
 *
 * Entries that were accessed are noted where they are zapped.  The program maps
 * memory, uses it and unmaps it; what it does without the sampler, and with one that
 * harvests before and after only, differs by the hooks.
 */
#include <sys/mman.h>

#include "bench.h"

#define PAGES 4096ul

static double one(void)
{
	unsigned char *p = map(PAGES * PAGE, true);
	uint64_t begin;

	use(p, &(struct work){ PAGES, 1, 1, true, false, PLAIN });
	begin = now();
	munmap(p, PAGES * PAGE);
	return (double)(now() - begin) / PAGES;
}

static double zap_ns(void)
{
	double ns[ROUNDS];

	one();
	for (int i = 0; i < ROUNDS; i++)
		ns[i] = one();
	return median(ns, ROUNDS);
}

void zap(void)
{
	result(zap_ns(), "zap_off");
	put(TRACEFS "memref/interval_ms", "0");
	put(TRACEFS "events/memref/memref_scan/enable", "1");
	put(TRACEFS "memref/scan", "1");
	put(TRACEFS "memref/scan", "1");
	result(zap_ns(), "zap_on");
	put(TRACEFS "events/memref/enable", "0");
	result(zap_ns(), "zap_off_again");
}
