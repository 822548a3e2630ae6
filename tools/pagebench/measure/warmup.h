/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Detects the warm-up measurements at the begin of an execution. */
#ifndef PAGEALLOC_BENCH_WARMUP_H
#define PAGEALLOC_BENCH_WARMUP_H

#include <stddef.h>

size_t warmup_mser(const double *value, size_t nr);

#endif
