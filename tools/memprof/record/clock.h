/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* What CLOCK_MONOTONIC was when the TSC had a value. */
#ifndef MEMPROF_CLOCK_H
#define MEMPROF_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CLOCK_PAIRS	65536

/**
 * struct clock - both clocks, read together now and then
 * @pairs: the last so many of them, in a circle
 * @nr: pairs ever
 * @error_ns: the most that one of them may be off
 */
struct clock {
	struct clock_pair {
		uint64_t tsc, ns;
	} pairs[CLOCK_PAIRS];
	uint64_t nr;
	uint64_t error_ns;
};

bool clock_trusts_tsc(const char *root);
void clock_read(struct clock *c);
void clock_add(struct clock *c, uint64_t tsc, uint64_t ns);
uint64_t clock_ns(const struct clock *c, uint64_t tsc, uint64_t *hint);

#endif
