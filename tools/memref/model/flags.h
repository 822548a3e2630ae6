/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The flags of memref_scan, in words. */
#ifndef MEMREF_FLAGS_H
#define MEMREF_FLAGS_H

#include <stdint.h>
#include <stdio.h>

/**
 * struct flag - a flag of memref_scan
 * @bit: SCAN_*
 * @doubt: the numbers of the interval may be less than what was referenced
 * @name: a word
 * @about: a sentence
 */
struct flag {
	uint32_t bit;
	int doubt;
	const char *name, *about;
};

extern const struct flag flags[];

void flags_print(FILE *f, uint32_t set, const char *between);

#endif
