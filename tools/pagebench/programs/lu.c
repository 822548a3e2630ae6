// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * LU factorization of a square matrix, in place, with partial pivoting; by
 * columns outside and rows inside (right-looking), as SciMark's LU.
 */
#include <math.h>
#include <stdlib.h>

#include "kernel.h"

struct lu {
	size_t n;
	double *a;
	size_t *pivot;
};

static void *make(uint64_t size)
{
	struct lu *l = malloc(sizeof(*l));

	if (!l)
		return NULL;
	l->n = sqrt(size / 8.0);
	l->a = l->n ? malloc(8 * l->n * l->n) : NULL;
	l->pivot = calloc(l->n + 1, sizeof(*l->pivot));
	if (l->a && l->pivot)
		return l;
	free(l->a);
	free(l->pivot);
	free(l);
	return NULL;
}

static uint64_t bytes(const void *data)
{
	const struct lu *l = data;

	return 8 * l->n * l->n;
}

static void prepare(void *data)
{
	struct lu *l = data;
	size_t i;

	for (i = 0; i < l->n * l->n; i++)
		l->a[i] = kernel_number(i);
}

static size_t find_pivot(const struct lu *l, size_t k)
{
	size_t i, best = k;

	for (i = k + 1; i < l->n; i++)
		if (fabs(l->a[i * l->n + k]) > fabs(l->a[best * l->n + k]))
			best = i;
	return best;
}

static void swap_rows(struct lu *l, size_t i, size_t k)
{
	double *x = l->a + i * l->n, *y = l->a + k * l->n, z;
	size_t j;

	for (j = 0; i != k && j < l->n; j++) {
		z = x[j];
		x[j] = y[j];
		y[j] = z;
	}
}

static int factor(struct lu *l)
{
	size_t n = l->n, i, j, k;
	double factor, *row, *top;

	for (k = 0; k < n; k++) {
		l->pivot[k] = find_pivot(l, k);
		swap_rows(l, l->pivot[k], k);
		top = l->a + k * n;
		if (top[k] == 0)
			return -1;
		for (i = k + 1; i < n; i++) {
			row = l->a + i * n;
			factor = row[k] /= top[k];
			for (j = k + 1; j < n; j++)
				row[j] -= factor * top[j];
		}
	}
	return 0;
}

static int run(void *data, uint64_t iterations)
{
	int ret = 0;

	while (iterations-- && !ret) {
		ret = factor(data);
		if (iterations)
			prepare(data);
	}
	return ret;
}

/* Solves for a right side whose solution is known: the sums of the rows. */
static int check(void *data)
{
	struct lu *l = data;
	double *x = calloc(l->n, sizeof(*x)), swap, worst = 0;
	size_t n = l->n, i, j;

	if (!x)
		return -1;
	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++)
			x[i] += kernel_number(i * n + j);
	for (i = 0; i < n; i++) {
		swap = x[i];
		x[i] = x[l->pivot[i]];
		x[l->pivot[i]] = swap;
	}
	for (i = 0; i < n; i++)
		for (j = 0; j < i; j++)
			x[i] -= l->a[i * n + j] * x[j];
	for (i = n; i-- > 0;) {
		for (j = i + 1; j < n; j++)
			x[i] -= l->a[i * n + j] * x[j];
		x[i] /= l->a[i * n + i];
		if (!(fabs(x[i] - 1) <= worst))
			worst = fabs(x[i] - 1);
	}
	free(x);
	return worst < 1e-6 ? 0 : -1;
}

static void destroy(void *data)
{
	struct lu *l = data;

	free(l->a);
	free(l->pivot);
	free(l);
}

const struct kernel kernel_lu = {
	"lu", "LU factorization of a dense matrix", make, bytes, prepare, run, check, destroy
};
