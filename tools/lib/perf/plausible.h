/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * Whether samples of memory accesses can be true: a kernel, hypervisor or reader that takes a
 * field for another gives numbers that no program on no machine has.
 */
#ifndef PERF_PLAUSIBLE_H
#define PERF_PLAUSIBLE_H

#include <stdbool.h>
#include <stdint.h>

enum plausible_mapping { MAPPING_NOT_KNOWN, MAPPING_FOUND, MAPPING_NONE };

#define PLAUSIBLE_LEVELS	32

/**
 * struct plausible_sample - what is looked at of a sample
 * @mapping: whether the address is in a mapping
 * @level: as the reader numbers them; 0: not known, 1: L1
 * @memory: it is main memory
 * @remote: it is of another node
 * @latency: cycles; 0: not known
 */
struct plausible_sample {
	uint64_t addr;			/* 0: not known */
	enum plausible_mapping mapping;
	unsigned int level;
	bool memory, remote;
	uint32_t latency;
};

/**
 * struct plausible - samples, added up
 * @mapped, @unmapped: of which that is known
 * @level: those that were not of memory
 * @odd: addresses that nothing can have
 * @l1, @memory: those with a latency, and its sum
 */
struct plausible {
	uint64_t samples, mapped, unmapped, odd, remote, known, level[PLAUSIBLE_LEVELS];
	struct { uint64_t n, cycles; } l1, memory;
};

void plausible_add(struct plausible *p, const struct plausible_sample *s);
bool plausible_doubt(const struct plausible *p, int nodes, char *text, unsigned int size);

#endif
