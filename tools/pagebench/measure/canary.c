// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * A reference measurement whose result should be constant: if it changes, the machine
 * has changed, not the programs on it.
 */
#include <stdlib.h>

#include "canary.h"
#include "process.h"
#include "pagebench/stat/random.h"

/* Fits into any L1 cache, so that placement does not matter. */
#define TABLE 512
#define STEPS 400000

/* Fewer values show no trend. */
#define ENOUGH 6

/**
 * canary_s() - run the reference computation
 *
 * Return: its time in seconds.
 */
double canary_s(void)
{
	static volatile uint64_t table[TABLE];
	uint64_t begin = process_now_ns(), state = 1, x;
	unsigned int i;

	for (i = 0; i < STEPS; i++) {
		x = random_next(&state);
		table[x % TABLE] += x;
	}
	return (process_now_ns() - begin) / 1e9;
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double median(double *value, size_t nr)
{
	qsort(value, nr, sizeof(*value), compare);
	return nr % 2 ? value[nr / 2] : (value[nr / 2 - 1] + value[nr / 2]) / 2;
}

/**
 * canary_drift() - change of the reference time
 * @value: the times in the order of measurement; reordered
 * @nr: number of @value
 *
 * Return: the median of the last third divided by that of the first third; 1 if there
 * are too few values.
 */
double canary_drift(double *value, size_t nr)
{
	size_t third = nr / 3;

	if (nr < ENOUGH)
		return 1;
	return median(value + nr - third, third) / median(value, third);
}
