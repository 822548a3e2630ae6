/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* What the checks of ibs_check share. */
#ifndef MEMSCOPE_IBS_CHECK_H
#define MEMSCOPE_IBS_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include "loops.h"
#include "sampler.h"

#define PAGE_BYTES 4096ul

/* Memory that stays where it is; frames and nodes are known. */
struct buffer {
	char *p;
	size_t bytes;
	uint64_t *pfn;
	int node;
};

int nr_cpus(void);
int nr_nodes(void);
int node_of_cpu(int cpu);
void pin(int cpu);
/* Runs @f(cpu) in a thread on each CPU, all at once. */
void on_all_cpus(void (*f)(int cpu));

struct buffer buffer_new(size_t bytes, int node);
void buffer_free(struct buffer *b);
static inline uint64_t buffer_phys(const struct buffer *b, uint64_t addr)
{
	uint64_t at = addr - (uintptr_t)b->p;

	return b->pfn[at / PAGE_BYTES] * PAGE_BYTES + at % PAGE_BYTES;
}

/* The checks; each ends the program if something is wrong with the set-up. */
void check_samples(uint64_t period, double seconds);
void check_hash(uint64_t period);
void check_static(uint64_t samples);
void check_table(void);
void check_load(uint64_t period);
void check_trace(uint64_t period);
void check_bounce(uint64_t period);
/* Without samples if the period is 0: for other samplers. */
void check_silicon(uint64_t period);
/* Prints the addresses of one store to each page of some on each node. */
void print_phys(void);
/* Not a check: so many loads, sampled unless the period is 0. */
void work(uint64_t millions, uint64_t period);

#endif
