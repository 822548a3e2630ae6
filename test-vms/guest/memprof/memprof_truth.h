/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* What memprof_truth writes down of itself, and memprof_judge reads. */
#ifndef MEMPROF_TRUTH_H
#define MEMPROF_TRUTH_H

#include <stdint.h>

/* An object, and when its address was asked for and given, given back and taken. */
struct truth {
	uint64_t address, size;
	uint64_t asked, given, freeing, freed;
	uint32_t allocator, number;
};

#endif
