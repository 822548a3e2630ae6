/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Shared by results.c and check.c. */
#ifndef PAGEALLOC_BENCH_RESULTS_INTERNAL_H
#define PAGEALLOC_BENCH_RESULTS_INTERNAL_H

#include "results.h"

/* Location of an error, and the buffer for its message. */
struct place {
	const char *file;
	long line;
	char *error;
	size_t size;
};

int results_refuse(const struct place *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
int results_may_differ(const char *key);
int results_grow(void *array, size_t nr, size_t *capacity, size_t each);
void execution_free(struct execution *e);

#endif
