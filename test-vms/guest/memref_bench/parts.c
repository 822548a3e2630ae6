// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memref_bench parts: instructions of a harvest that reads a part of the page tables
 * (memref/parts), of memory that is all used, and the pages that an interval of these reports.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "bench.h"

#define HOT (512ul << 20)
#define MAX_PARTS 64

/* An interval: so many harvests, before each of which all of it is used. */
static double harvest_insns(unsigned char *hot, int parts)
{
	double insns[MAX_PARTS];

	for (int i = 0; i < parts; i++) {
		uint64_t begin;

		use(hot, &(struct work){ HOT / PAGE, 1, 1, true, false, PLAIN });
		begin = now();
		put(TRACEFS "memref/scan", "1");
		insns[i] = now() - begin;
	}
	return median(insns, parts);
}

void parts(void)
{
	static const int numbers[] = { 1, 2, 4, 8, 16, 64 };
	unsigned char *hot = map(HOT, true);

	for (int i = 0; i < 6; i++) {
		double insns;

		put(TRACEFS "memref/parts", "%d", numbers[i]);
		put(TRACEFS "memref/write", "anon");
		memref_on(getpid());
		/* The first writes to pages that were not written since they were mapped. */
		harvest_insns(hot, numbers[i]);
		insns = harvest_insns(hot, numbers[i]);
		result(insns, "parts_%d_insns", numbers[i]);
		result(last_scan("user"), "parts_%d_pages", numbers[i]);
		result(last_scan("tables"), "parts_%d_tables", numbers[i]);
		memref_off();
	}
	put(TRACEFS "memref/parts", "1");
	munmap(hot, HOT);
}
