// SPDX-License-Identifier: GPL-2.0
/*
 * memprof_cost PAIRS: ns of a malloc() and free(), six calls deep.  Where the clock counts
 * instructions (test-vms/run --accel icount: 2 ns each), with and without memprof record,
 * the difference is what the events cost.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static unsigned long pairs;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

__attribute__((noinline)) static void deep(int depth)
{
	if (depth) {
		deep(depth - 1);
		__asm__ volatile("");
		return;
	}
	for (unsigned long i = 0; i < pairs; i++) {
		void *volatile p = malloc(64);

		free(p);
	}
}

int main(int argc, char **argv)
{
	double begin;

	if (argc != 2)
		return 2;
	pairs = 1000;
	deep(6);
	pairs = strtoul(argv[1], NULL, 10);
	begin = now();
	deep(6);
	printf("ns_per_pair %.2f\n", (now() - begin) / pairs);
	return 0;
}
