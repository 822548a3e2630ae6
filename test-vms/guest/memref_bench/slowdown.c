// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memref_bench slowdown: of a program, by samples every second and more often.
 */
#include <string.h>
#include <unistd.h>

#include "bench.h"

/* The same work with and without a sampler on its CPU, in turns. */
static double work_time(unsigned char *memory, int passes)
{
	uint64_t begin = now();

	use(memory, &(struct work){ MAX_PAGES, 1, passes, true, false, PLAIN });
	return now() - begin;
}

static void slowdown_at(unsigned char *memory, unsigned int ms, int cpu_max, int passes)
{
	double with[3], without[3];
	uint64_t before, after;

	for (int i = 0; i < 3; i++) {
		without[i] = work_time(memory, passes);
		put(TRACEFS "memref/interval_ms", "%u", ms);
		put(TRACEFS "memref/cpu_max", "%d", cpu_max);
		put(TRACEFS "events/memref/enable", "1");
		/* The first harvest, which measures its own cost, is not typical. */
		use(memory, &(struct work){ MAX_PAGES, 1, 1, true, false, PLAIN });
		usleep(2000 * ms);
		before = number_in(TRACEFS "memref/seq", "");
		with[i] = work_time(memory, passes);
		after = number_in(TRACEFS "memref/seq", "");
		put(TRACEFS "events/memref/enable", "0");
	}
	result(100 * (median(with, 3) / median(without, 3) - 1), "slowdown_%ums_budget_%d_pct", ms,
	       cpu_max);
	result(median(with, 3) / 1e6 / (after > before ? after - before : 1),
	       "slowdown_%ums_budget_%d_true_interval_ms", ms, cpu_max);
	put(TRACEFS "memref/cpu_max", "2");
}

void slowdown(void)
{
	unsigned char *memory = map(MAX_PAGES * PAGE, true);
	/* Accesses of 5 instructions: so many passes in 100 ms. */
	double pass = work_time(memory, 20) / 20;

	slowdown_at(memory, 1000, 2, 6e9 / pass);
	slowdown_at(memory, 100, 2, 2e9 / pass);
	slowdown_at(memory, 100, 0, 2e9 / pass);
}
