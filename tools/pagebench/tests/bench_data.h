/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Results of a benchmark that never ran, for tests: random numbers from a seed. */
#ifndef TESTS_BENCH_DATA_H
#define TESTS_BENCH_DATA_H

#include <stdint.h>
#include <stdio.h>

/**
 * struct bench_data - what is made up
 * @suite: its name
 * @kernel: its name
 * @unit: of wall_time
 * @seed: of the numbers
 * @benchmarks: how many; with two configurations each
 * @strategies: default, coloring, binhop: the first so many
 * @n: executions of each
 * @m: measurements in each
 * @warm: dropped ones before them
 * @boots: over which the executions are spread
 * @misses: L2_misses that the time follows
 * @canary: a measurement of the canary in each block
 * @between: standard deviation of executions with default, in percent; the others
 *	have a quarter and half of that
 * @effect: by how many percent coloring is slower, and binhop twice as much
 */
struct bench_data {
	const char *suite, *kernel, *unit;
	uint64_t seed;
	unsigned int benchmarks, strategies, n, m, warm, boots;
	int misses, canary;
	double between, effect;
};

#define BENCH_DATA { .suite = "made-up", .kernel = "6.12.0-test", .unit = "s", .seed = 1, \
	.benchmarks = 2, .strategies = 3, .n = 10, .m = 6, .warm = 1, .boots = 2, .misses = 1, \
	.canary = 1, .between = 5, .effect = 2 }

void bench_data_write(FILE *f, const struct bench_data *d);

#endif
