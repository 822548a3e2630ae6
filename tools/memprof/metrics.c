// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The metrics of a recording, for monitoring systems. */
#include <stdlib.h>

#include "metrics.h"
#include "memprof/view/view.h"

enum {
	SAMPLES, ACCESSES, MEMORY, REMOTE, LATENCY, LEVEL, NODE_FROM, NODE_FROM_REMOTE, NODE_TO, NODE_LATENCY,
	DURATION, OBJECTS, THREADS, LOST_SAMPLES, LOST_EVENTS, HOST,
};

const struct metric memprof_metrics[] = {
	[SAMPLES] = { "memprof_samples", "Samples of memory accesses in the recording." },
	[ACCESSES] = { "memprof_accesses", "Sampled accesses of the recorded processes." },
	[MEMORY] = { "memprof_memory_accesses", "Sampled accesses that main memory answered." },
	[REMOTE] = { "memprof_remote_ratio", "Share of the accesses of main memory that were to another node.",
		     UNIT_RATIO },
	[LATENCY] = { "memprof_memory_latency_cycles", "Mean latency of accesses of main memory.", UNIT_CYCLES },
	[LEVEL] = { "memprof_level_ratio", "Share of the accesses that a level of memory answered.", UNIT_RATIO,
		    { "level" } },
	[NODE_FROM] = { "memprof_node_cpu_accesses", "Sampled accesses of main memory from the CPUs of a node.",
			UNIT_NONE, { "node" } },
	[NODE_FROM_REMOTE] = { "memprof_node_cpu_remote_ratio",
			       "Share of the accesses from the CPUs of a node that were to another node.",
			       UNIT_RATIO, { "node" } },
	[NODE_TO] = { "memprof_node_memory_accesses", "Sampled accesses of the memory of a node.", UNIT_NONE,
		      { "node" } },
	[NODE_LATENCY] = { "memprof_node_memory_latency_cycles", "Mean latency of the memory of a node.",
			   UNIT_CYCLES, { "node" } },
	[DURATION] = { "memprof_recording_seconds", "Length of the recording.", UNIT_SECONDS },
	[OBJECTS] = { "memprof_objects", "Objects that were accessed." },
	[THREADS] = { "memprof_threads", "Threads that accessed memory." },
	[LOST_SAMPLES] = { "memprof_lost_samples", "Samples that were lost." },
	[LOST_EVENTS] = { "memprof_lost_events", "Events of objects that were lost." },
	[HOST] = { "memprof_host_info", "The machine of the recording.", UNIT_NONE, { "host" } },
	{ }
};

/* Views have percent, metrics have ratios. */
static void add_cell(struct metrics *out, int metric, struct cell c, double scale, int node)
{
	if (c.type == CELL_NONE)
		return;
	if (node < 0)
		metrics_add(out, metric, c.real * scale, NULL, NULL);
	else
		metrics_add_numbered(out, metric, c.real * scale, node, NULL);
}

static void add_totals(struct metrics *out, struct memprof *m, const struct counts *all)
{
	const struct memprof_totals *n = memprof_totals(m);

	metrics_add(out, SAMPLES, n->samples, NULL, NULL);
	metrics_add(out, ACCESSES, all->all, NULL, NULL);
	metrics_add(out, MEMORY, all->memory, NULL, NULL);
	add_cell(out, REMOTE, counts_remote_pct(all), 0.01, -1);
	add_cell(out, LATENCY, counts_latency(all), 1, -1);
	metrics_add(out, DURATION, n->duration_ns * 1e-9, NULL, NULL);
	metrics_add(out, OBJECTS, memprof_nr_objects(m), NULL, NULL);
	metrics_add(out, THREADS, memprof_nr_threads(m), NULL, NULL);
	metrics_add(out, LOST_SAMPLES, n->lost_samples, NULL, NULL);
	metrics_add(out, LOST_EVENTS, n->lost_events, NULL, NULL);
}

/**
 * metrics_of_memprof() - add the figures of a recording
 * @out: gets them
 * @m: the recording
 * @host: name of its machine, "" if not known
 */
void metrics_of_memprof(struct metrics *out, struct memprof *m, const char *host)
{
	const int nodes = memprof_nr_nodes(m);
	struct counts all = { 0 }, *from = calloc(nodes + 1, sizeof(*from)), *to = calloc(nodes + 1, sizeof(*to));
	uint64_t levels[MEMPROF_LEVELS] = { 0 };
	struct memprof_access a;
	size_t k;
	int i;

	out->no_memory |= !from || !to;
	for (k = 0; from && to && k < memprof_nr_accesses(m); k++) {
		memprof_access(m, k, &a);
		counts_add(&all, &a);
		levels[a.level]++;
		if (a.node >= 0 && a.node < nodes)
			counts_add(&from[a.node], &a);
		if (a.home >= 0 && a.home < nodes)
			counts_add(&to[a.home], &a);
	}
	add_totals(out, m, &all);
	for (i = 0; i < MEMPROF_LEVELS; i++)
		if (levels[i])
			metrics_add(out, LEVEL, (double)levels[i] / all.all,
				    i == MEMPROF_LEVEL_UNKNOWN ? "unknown" : memprof_level_name(i), NULL);
	for (i = 0; from && to && i < nodes; i++) {
		metrics_add_numbered(out, NODE_FROM, from[i].memory, i, NULL);
		add_cell(out, NODE_FROM_REMOTE, counts_remote_pct(&from[i]), 0.01, i);
		metrics_add_numbered(out, NODE_TO, to[i].memory, i, NULL);
		add_cell(out, NODE_LATENCY, counts_latency(&to[i]), 1, i);
	}
	if (*host)
		metrics_add(out, HOST, 1, host, NULL);
	free(from);
	free(to);
}
