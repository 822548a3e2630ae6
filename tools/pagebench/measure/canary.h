/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* A reference measurement whose result should be constant: it detects drift. */
#ifndef PAGEALLOC_BENCH_CANARY_H
#define PAGEALLOC_BENCH_CANARY_H

#include <stddef.h>

double canary_s(void);
double canary_drift(double *value, size_t nr);

#endif
