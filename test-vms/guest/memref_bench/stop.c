// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memref_bench stop: how long it takes to switch the events off in the middle of a harvest of
 * memory in use, and of memory that is mapped but not used, by one worker and by several.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench.h"

#define HOT (256ul << 20)
#define STOPS 40

/*
 * Harvests follow one another: without a flush all page tables are read, which takes many times longer
 * than an interval.
 */
static double stop_one(unsigned char *hot)
{
	uint64_t begin;

	put(TRACEFS "memref/interval_ms", "10");
	put(TRACEFS "events/memref/memref_scan/enable", "1");
	use(hot, &(struct work){ HOT / PAGE, 1, 1, true, false, PLAIN });
	usleep(20000 + rand() % 100000);
	begin = now();
	put(TRACEFS "events/memref/memref_scan/enable", "0");
	return (now() - begin) / 1e6;
}

/* Of the time, that of harvests, by one that is not cut off. */
static double whole_share(void)
{
	put(TRACEFS "memref/interval_ms", "10");
	put(TRACEFS "events/memref/memref_scan/enable", "1");
	put(TRACEFS "memref/scan", "1");
	put(TRACEFS "events/memref/memref_scan/enable", "0");
	return scan_insns() / (scan_insns() + 10e6);
}

void stop_part(void)
{
	static const int workers[] = { 1, 8 };
	double ms[STOPS], most = 0, all = 0;
	unsigned char *hot = map(HOT, true);

	srand(1);
	put(TRACEFS "memref/cpu_max", "0");
	put(TRACEFS "memref/flush", "0");
	map_cold(64ul << 30);
	for (int w = 0; w < 2; w++) {
		put(TRACEFS "memref/workers", "%d", workers[w]);
		for (int i = 0; i < STOPS; i++) {
			ms[i] = stop_one(hot);
			most = ms[i] > most ? ms[i] : most;
		}
		result(median(ms, STOPS), "stop_median_%d_ms", workers[w]);
		/* How much of the time harvests take: about this share of the stops cut one off. */
		result(whole_share(), "stop_share_%d", workers[w]);
		all = most > all ? most : all;
	}
	result(all, "stop_ms");
	put(TRACEFS "memref/workers", "1");
	put(TRACEFS "memref/flush", "1");
	put(TRACEFS "memref/cpu_max", "2");
	munmap(hot, HOT);
}
