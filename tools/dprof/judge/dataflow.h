/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The data flow graph (section 3.4 of the paper): from allocation to free. */
#ifndef DPROF_DATAFLOW_H
#define DPROF_DATAFLOW_H

#include "analysis.h"

/* A function that uses objects; cpu is a label as in path traces. */
struct flow_node {
	char name[72];
	uint16_t cpu;
	double count;			/* percent of the objects; 0: merged into another node */
	double since;			/* mean ns since allocation */
	struct tally sum;
	uint32_t depth;
};

struct flow_edge {
	uint32_t from, to;		/* nodes */
	double count;
	bool cpu_change;
};

struct flow {
	struct flow_node *node;
	struct flow_edge *edge;
	uint32_t nr_nodes, nr_edges, nodes_capacity, edges_capacity;
};

int flow_make(struct flow *f, struct analysis *a, uint32_t type);
void flow_dot(const struct flow *f, const char *title, FILE *out);
void flow_free(struct flow *f);

#endif
