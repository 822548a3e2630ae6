/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Events take a descriptor each, of every thread and CPU: more than a process may have by default. */
#ifndef MEMSCOPE_PERF_DESCRIPTORS_H
#define MEMSCOPE_PERF_DESCRIPTORS_H

#include <stdint.h>

void descriptors_need(uint64_t n);

#endif
