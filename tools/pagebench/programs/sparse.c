// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Sparse matrix times vector, rows compressed; as SciMark's: each row has a few
 * numbers, spread over all columns.
 */
#include <math.h>
#include <stdlib.h>

#include "kernel.h"

#define PER_ROW 5

struct sparse {
	size_t n;
	uint32_t *begin, *column;
	double *value, *x, *y;
};

/* Of a row: its numbers and their columns, where it begins, x, y. */
#define ROW_BYTES (PER_ROW * 12 + 4 + 8 + 8)

static void destroy(void *data)
{
	struct sparse *s = data;

	free(s->begin);
	free(s->column);
	free(s->value);
	free(s->x);
	free(s->y);
	free(s);
}

/* Row i's numbers are such that its product is i + 1. */
static void fill(struct sparse *s)
{
	size_t i, j, at = 0, step;
	double sum;

	for (i = 0; i < s->n; i++)
		s->x[i] = 2 + kernel_number(i);
	for (i = 0; i < s->n; i++) {
		s->begin[i] = at;
		step = i / PER_ROW ? i / PER_ROW : 1;
		sum = 0;
		for (j = 0; j < PER_ROW; j++, at++) {
			s->column[at] = j * step % s->n;
			s->value[at] = kernel_number(s->n + at);
			if (j + 1 < PER_ROW)
				sum += s->value[at] * s->x[s->column[at]];
		}
		s->value[at - 1] = (i + 1 - sum) / s->x[s->column[at - 1]];
	}
	s->begin[s->n] = at;
}

static void *make(uint64_t size)
{
	struct sparse *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->n = size / ROW_BYTES;
	s->begin = malloc((s->n + 1) * sizeof(*s->begin));
	s->column = malloc(s->n * PER_ROW * sizeof(*s->column) + 1);
	s->value = malloc(s->n * PER_ROW * sizeof(*s->value) + 1);
	s->x = malloc(s->n * sizeof(*s->x) + 1);
	s->y = malloc(s->n * sizeof(*s->y) + 1);
	if (s->n && s->n < UINT32_MAX / PER_ROW && s->begin && s->column && s->value && s->x &&
	    s->y) {
		fill(s);
		return s;
	}
	destroy(s);
	return NULL;
}

static uint64_t bytes(const void *data)
{
	const struct sparse *s = data;

	return s->n * ROW_BYTES;
}

static void prepare(void *data)
{
	struct sparse *s = data;
	size_t i;

	for (i = 0; i < s->n; i++)
		s->y[i] = -1;
}

static int run(void *data, uint64_t iterations)
{
	struct sparse *s = data;
	uint32_t i, j;
	double sum;

	while (iterations--)
		for (i = 0; i < s->n; i++) {
			sum = 0;
			for (j = s->begin[i]; j < s->begin[i + 1]; j++)
				sum += s->x[s->column[j]] * s->value[j];
			s->y[i] = sum;
		}
	return 0;
}

static int check(void *data)
{
	struct sparse *s = data;
	size_t i;

	for (i = 0; i < s->n; i++)
		if (!(fabs(s->y[i] / (i + 1) - 1) < 1e-9))
			return -1;
	return 0;
}

const struct kernel kernel_sparse = {
	"sparse", "sparse matrix times vector", make, bytes, prepare, run, check, destroy
};
