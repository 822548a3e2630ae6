/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Parsers of numbers, their lists, sizes, addresses and times as users write them: 100, 0,4-7, 64M, 0x40000000, 1.5s. */
#ifndef MEMSCOPE_NUMBERS_H
#define MEMSCOPE_NUMBERS_H

#include <inttypes.h>

int parse_number(const char *text, uint64_t min, uint64_t max, uint64_t *value);
int parse_list(const char *text, uint64_t min, uint64_t max,
	       int (*take)(void *ctx, uint64_t first, uint64_t last), void *ctx);
int parse_real(const char *text, double *value);
int parse_scaled(const char *text, uint64_t unit, uint64_t *value);
int parse_size(const char *text, uint64_t *bytes);
int parse_address(const char *text, uint64_t *address);
int parse_addresses(const char *text, uint64_t *start, uint64_t *end);
int parse_time(const char *text, const char *unit, double *seconds);

#endif
