// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Where samples were taken, and where their data were: CPUs, NUMA nodes, levels. */
#include <stdlib.h>
#include <string.h>

#include "view.h"

const struct columns levels_columns = COLUMNS(
	{ "level", CELL_TEXT, 0, "",
	  "where the data were: l1, lfb (a fill was in progress), l2, l2_mhb, l3_or_peer, l3, "
	  "l4, msc, peer (another CPU's cache), beyond_l3, dram, pmem, cxl, unknown" },
	{ "samples", CELL_INT, 0, "samples", "samples that found their data there" },
	{ "samples_pct", CELL_REAL, 2, "%", "these, of all samples" },
	ACCESS_COLUMNS,
	LATENCY_COLUMN,
	{ "latency_pct", CELL_REAL, 2, "%",
	  "sum of these latencies, of those of all levels", "no sample has a latency" },
);

int view_levels(struct analysis *a, struct table *t)
{
	uint64_t latency = 0;
	int l, ret = 0;

	table_init_columns(t, &levels_columns);
	for (l = 0; l < NR_LEVELS; l++)
		latency += a->m.by_level[l].latency;
	for (l = 0; l < NR_LEVELS && !ret; l++) {
		const struct level_sum *s = &a->m.by_level[l];
		const struct cell row[] = {
			TEXT_CELL(level_name[l]), INT_CELL(s->n), share_cell(s->n, a->m.samples),
			INT_CELL(s->loads), INT_CELL(s->stores),
			s->with_latency ? REAL_CELL((double)s->latency / s->with_latency) : NONE_CELL,
			share_cell(s->latency, latency),
		};

		if (s->n)
			ret = table_add(t, row);
	}
	return ret;
}

/* Spots of a CPU, or of a pair of nodes, added up. */
struct group {
	int cpu, cpu_node, node;
	struct tally sum;
	uint64_t home, remote;		/* samples of the CPU's node, and of others */
};

static int by_cpu(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return x->cpu != y->cpu ? x->cpu - y->cpu : x->cpu_node - y->cpu_node;
}

static int by_nodes(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return x->cpu_node != y->cpu_node ? x->cpu_node - y->cpu_node : x->node - y->node;
}

/* Groups of spots, sorted.  Return NULL without memory. */
static struct group *make_groups(const struct analysis *a, int (*order)(const void *, const void *), size_t *nr)
{
	struct group *g = calloc(HASH_COUNT(a->m.spots) + 1, sizeof(*g));
	const struct spot *s;
	size_t n = 0, i;

	*nr = 0;
	for (s = a->m.spots; s && g; s = s->hh.next) {
		const bool known = s->key.node >= 0 && s->key.cpu_node >= 0;

		g[n++] = (struct group){
			.cpu = s->key.cpu, .cpu_node = s->key.cpu_node, .node = s->key.node, .sum = s->sum,
			.home = known && s->key.node == s->key.cpu_node ? s->sum.n : 0,
			.remote = known && s->key.node != s->key.cpu_node ? s->sum.n : 0 };
	}
	if (!n)
		return g;
	qsort(g, n, sizeof(*g), order);
	for (i = 1; i < n; i++) {
		if (order(&g[*nr], &g[i])) {
			g[++*nr] = g[i];
			continue;
		}
		tally_add(&g[*nr].sum, &g[i].sum);
		g[*nr].home += g[i].home;
		g[*nr].remote += g[i].remote;
	}
	++*nr;
	return g;
}

static struct cell number_or_none(int n)
{
	return n < 0 ? NONE_CELL : INT_CELL(n);
}

const struct columns cpus_columns = COLUMNS(
	{ "cpu", CELL_INT, 0, "", "CPU that accessed", "not recorded" },
	{ "node", CELL_INT, 0, "", "NUMA node of the CPU", "not recorded" },
	{ "samples", CELL_INT, 0, "samples", "sampled accesses by the CPU" },
	{ "samples_pct", CELL_REAL, 2, "%", "these, of all samples" },
	ACCESS_COLUMNS,
	MISS_COLUMNS,
	{ "hitm", CELL_INT, 0, "samples",
	  "accesses that found the line modified in another CPU's cache", NO_LEVEL },
	{ "remote_pct", CELL_REAL, 2, "%",
	  "samples of memory of another node, of those whose nodes are known",
	  "no sample has both nodes" },
	LATENCY_COLUMN,
);

int view_cpus(struct analysis *a, struct table *t)
{
	struct group *g;
	size_t nr, i;
	int ret = 0;

	table_init_columns(t, &cpus_columns);
	g = make_groups(a, by_cpu, &nr);
	for (i = 0; i < nr && !ret; i++) {
		const struct tally *s = &g[i].sum;
		const bool known = tally_known(s);
		const struct cell row[] = {
			number_or_none(g[i].cpu), number_or_none(g[i].cpu_node), INT_CELL(s->n),
			share_cell(s->n, a->m.samples), INT_CELL(s->loads), INT_CELL(s->stores),
			MISS_CELLS(s, known),
			known ? INT_CELL(s->modified) : NONE_CELL,
			share_cell(g[i].remote, g[i].home + g[i].remote),
			s->with_latency ? REAL_CELL(tally_latency(s)) : NONE_CELL,
		};

		ret = table_add(t, row);
	}
	free(g);
	return g ? ret : -1;
}

const struct columns nodes_columns = COLUMNS(
	{ "cpu_node", CELL_INT, 0, "", "NUMA node of the CPUs", "not recorded" },
	{ "memory_node", CELL_INT, 0, "",
	  "NUMA node of the memory that they accessed", "not recorded" },
	{ "samples", CELL_INT, 0, "samples", "such samples" },
	{ "samples_pct", CELL_REAL, 2, "%", "these, of all samples" },
	ACCESS_COLUMNS,
	{ "misses_l3", CELL_INT, 0, "samples",
	  "accesses whose data were not in an L3 cache of the CPU", "no sample has a level" },
	LATENCY_COLUMN,
);

int view_nodes(struct analysis *a, struct table *t)
{
	struct group *g;
	size_t nr, i;
	int ret = 0;

	table_init_columns(t, &nodes_columns);
	g = make_groups(a, by_nodes, &nr);
	for (i = 0; i < nr && !ret; i++) {
		const struct tally *s = &g[i].sum;
		const struct cell row[] = {
			number_or_none(g[i].cpu_node), number_or_none(g[i].node), INT_CELL(s->n),
			share_cell(s->n, a->m.samples), INT_CELL(s->loads), INT_CELL(s->stores),
			tally_known(s) ? INT_CELL(tally_misses(s, LEVEL_L3)) : NONE_CELL,
			s->with_latency ? REAL_CELL(tally_latency(s)) : NONE_CELL,
		};

		ret = table_add(t, row);
	}
	free(g);
	return g ? ret : -1;
}
