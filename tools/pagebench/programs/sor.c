// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Successive over-relaxation of Laplace's equation on a square grid, with five
 * points, in place; the pattern of SciMark's SOR.
 */
#include <math.h>
#include <stdlib.h>

#include "kernel.h"

#define OMEGA 1.25

struct sor {
	size_t n;
	double *g;
	double energy;	/* of the error before the last run */
};

static void *make(uint64_t size)
{
	struct sor *s = malloc(sizeof(*s));

	if (!s)
		return NULL;
	s->n = sqrt(size / 8.0);
	s->g = s->n >= 3 ? malloc(8 * s->n * s->n) : NULL;
	if (s->g)
		return s;
	free(s);
	return NULL;
}

static uint64_t bytes(const void *data)
{
	const struct sor *s = data;

	return 8 * s->n * s->n;
}

/* A solution: also of the equation of differences. */
static double harmonic(size_t i, size_t j)
{
	double x = i, y = j;

	return x * x - y * y + 3 * x * y + x;
}

static double error(const struct sor *s, size_t i, size_t j)
{
	return s->g[i * s->n + j] - harmonic(i, j);
}

/*
 * The error's energy, sum of squared differences of neighbors: each step makes it
 * less for 0 < OMEGA < 2, as the equations are symmetric and positive definite.
 */
static double energy(const struct sor *s)
{
	double sum = 0, d;
	size_t i, j;

	for (i = 1; i < s->n; i++)
		for (j = 1; j < s->n; j++) {
			d = error(s, i, j) - error(s, i - 1, j);
			sum += d * d;
			d = error(s, i, j) - error(s, i, j - 1);
			sum += d * d;
		}
	return sum;
}

static void prepare(void *data)
{
	struct sor *s = data;
	size_t i, j;

	for (i = 0; i < s->n; i++)
		for (j = 0; j < s->n; j++)
			s->g[i * s->n + j] = !i || !j || i == s->n - 1 || j == s->n - 1 ?
					     harmonic(i, j) : 0;
	s->energy = energy(s);
}

static int run(void *data, uint64_t iterations)
{
	struct sor *s = data;
	size_t n = s->n, i, j;

	while (iterations--)
		for (i = 1; i + 1 < n; i++) {
			double *up = s->g + (i - 1) * n, *row = up + n, *down = row + n;

			for (j = 1; j + 1 < n; j++)
				row[j] = OMEGA / 4 * (up[j] + down[j] + row[j - 1] + row[j + 1]) +
					 (1 - OMEGA) * row[j];
		}
	return 0;
}

static int check(void *data)
{
	struct sor *s = data;
	double now = energy(s), scale = harmonic(s->n, s->n);
	size_t i;

	/* The border is as it was. */
	for (i = 0; i < s->n; i++)
		if (error(s, 0, i) || error(s, i, 0) || error(s, s->n - 1, i) ||
		    error(s, i, s->n - 1))
			return -1;
	return now < s->energy || now < 1e-20 * scale * scale ? 0 : -1;
}

static void destroy(void *data)
{
	struct sor *s = data;

	free(s->g);
	free(s);
}

const struct kernel kernel_sor = {
	"sor", "successive over-relaxation on a grid", make, bytes, prepare, run, check, destroy
};
