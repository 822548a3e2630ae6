/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Names and descriptions of memref_scan's flags. */
#ifndef MEMREF_FLAGS_H
#define MEMREF_FLAGS_H

#include <stdint.h>
#include <stdio.h>

/**
 * struct flag - a flag of memref_scan
 * @bit: SCAN_*
 * @doubt: the interval may undercount references
 * @name: name in tables and in memref top
 * @about: description for users
 */
struct flag {
	uint32_t bit;
	int doubt;
	const char *name, *about;
};

extern const struct flag flags[];

void flags_print(FILE *f, uint32_t set, const char *between);

#endif
