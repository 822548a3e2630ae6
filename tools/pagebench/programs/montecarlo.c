// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Pi by random points, as SciMark's Monte Carlo, which uses hardly any memory;
 * here each point is also counted in the cell of a table that it falls into, so
 * that memory of the size given is touched at random.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pagebench/stat/random.h"
#include "kernel.h"

struct montecarlo {
	uint64_t n, points, inside, seed;
	uint32_t *cell;
};

static void *make(uint64_t size)
{
	struct montecarlo *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->n = size / sizeof(*m->cell);
	m->cell = m->n ? malloc(m->n * sizeof(*m->cell)) : NULL;
	if (m->cell)
		return m;
	free(m);
	return NULL;
}

static uint64_t bytes(const void *data)
{
	const struct montecarlo *m = data;

	return m->n * sizeof(*m->cell);
}

static void prepare(void *data)
{
	struct montecarlo *m = data;

	memset(m->cell, 0, bytes(m));
	m->points = m->inside = m->seed = 0;
}

/* An iteration is as many points as there are cells. */
static int run(void *data, uint64_t iterations)
{
	struct montecarlo *m = data;
	uint64_t i, z;
	double x, y;

	while (iterations--)
		for (i = 0; i < m->n; i++) {
			z = random_next(&m->seed);
			x = (z >> 32) * 0x1p-32;
			y = (z & 0xffffffff) * 0x1p-32;
			m->inside += x * x + y * y < 1;
			m->points++;
			m->cell[random_below(&m->seed, m->n)]++;
		}
	return 0;
}

/* No point is lost, and pi is within five standard deviations. */
static int check(void *data)
{
	struct montecarlo *m = data;
	uint64_t i, sum = 0;
	double p = M_PI / 4, expected = m->points * p;

	for (i = 0; i < m->n; i++)
		sum += m->cell[i];
	return sum == m->points && m->points &&
	       fabs(m->inside - expected) <= 5 * sqrt(expected * (1 - p)) + 1 ? 0 : -1;
}

static void destroy(void *data)
{
	struct montecarlo *m = data;

	free(m->cell);
	free(m);
}

const struct kernel kernel_montecarlo = {
	"montecarlo", "pi by random points, counted in a table", make, bytes, prepare, run, check,
	destroy
};
