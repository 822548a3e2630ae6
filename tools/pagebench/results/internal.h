/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* What results.c and results_check.c share. */
#ifndef PAGEALLOC_BENCH_RESULTS_INTERNAL_H
#define PAGEALLOC_BENCH_RESULTS_INTERNAL_H

#include "results.h"

/* Where something is wrong, and where to say so. */
struct place {
	const char *file;
	long line;
	char *error;
	size_t size;
};

int results_refuse(const struct place *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
int results_may_differ(const char *key);
int results_grow(void *array, size_t nr, size_t *room, size_t each);
void execution_free(struct execution *e);

#endif
