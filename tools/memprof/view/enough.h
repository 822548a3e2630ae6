/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 the memscope authors */
/* How many samples a diagnosis needs before it may say that nothing is wrong. */
#ifndef MEMPROF_ENOUGH_H
#define MEMPROF_ENOUGH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A site with this share of all accesses, all of them remote, is to be reported this often. */
#define ENOUGH_SHARE		0.02
#define ENOUGH_PROBABILITY	0.95

double enough_probability(uint64_t n, double share);
uint64_t enough_needed(void);
double enough_share(uint64_t n);
bool enough_text(uint64_t n, size_t found, char *text, size_t size);

#endif
