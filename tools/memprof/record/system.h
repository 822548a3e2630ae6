/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The machine: its nodes, which CPUs and which memory they have. */
#ifndef MEMPROF_SYSTEM_H
#define MEMPROF_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

#define MAX_NODES	64
#define MAX_CPUS	4096

struct pfn_range {
	uint64_t first, end;
	int node;
};

/**
 * struct machine - nodes, CPUs, memory
 * @nr_cpus: one more than the highest number
 * @online: CPUs that can run
 * @cpu_node: of each CPU
 * @nr_nodes: one more than the highest number
 * @distance: as the firmware reports
 * @memory: frames of each node, sorted
 */
struct machine {
	int nr_cpus, nr_nodes, nr_ranges;
	bool online[MAX_CPUS];
	unsigned char cpu_node[MAX_CPUS];
	int distance[MAX_NODES][MAX_NODES];
	struct pfn_range *memory;
};

int machine_read(struct machine *m, const char *root);
void machine_free(struct machine *m);
int machine_node_of_pfn(const struct machine *m, uint64_t pfn);

#endif
