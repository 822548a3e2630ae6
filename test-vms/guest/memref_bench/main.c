// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memref_bench PART: compares memref with existing samplers, on one working set in
 * one guest.  Prints lines "name value".
 *
 * Runs under QEMU's -icount shift=0, where a nanosecond is an instruction, so
 * that times are counts, the same in each run; accuracy and workers do so on two
 * CPUs, and without.
 *
 *	cost		instructions for each page table entry in use
 *	cold		cost of memory that is mapped but not used
 *	accuracy	share of the used pages that are found, and false positives
 *	hinting		the same by hinting faults of NUMA balancing
 *	slowdown	of a program, for sampling intervals of a second and less
 *	reclaim		effect of a sampler on the choice of pages to swap out
 *	bytes		of the trace buffer for each group
 *	locks		time that mmap() and munmap() of the target wait
 *	zap		instructions added to unmapping a used page
 *	workers		time of a harvest by one and by two workers, without -icount
 *	stop		time to switch the events off in the middle of a harvest
 *	parts		instructions of a harvest of a part of the page tables
 */
#include <stdio.h>
#include <string.h>

#include "bench.h"

int main(int argc, char **argv)
{
	static const struct { const char *name; void (*run)(void); } all[] = {
		{ "cost", cost }, { "cold", cold }, { "accuracy", accuracy },
		{ "hinting", hinting },
		{ "slowdown", slowdown }, { "reclaim", reclaim }, { "bytes", bytes },
		{ "locks", locks }, { "zap", zap },
		{ "workers", workers }, { "stop", stop_part },
		{ "parts", parts },
	};

	for (size_t i = 0; argc == 2 && i < sizeof(all) / sizeof(all[0]); i++) {
		if (!strcmp(argv[1], all[i].name)) {
			all[i].run();
			return 0;
		}
	}
	fputs("usage: memref_bench cost|cold|accuracy|hinting|slowdown|reclaim|bytes|locks|zap|workers|stop|parts\n", stderr);
	return 2;
}
