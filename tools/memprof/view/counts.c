// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/* How the views count. */
#include "view.h"

static bool nodes_known(const struct memprof_access *a)
{
	return a->node >= 0 && a->home >= 0;
}

/* Whether memprof_is_remote() can say. */
static bool is_known(const struct memprof_access *a)
{
	return nodes_known(a) || a->level == MEMPROF_RAM || a->level == MEMPROF_REMOTE_RAM;
}

/** counts_add() - count an access */
void counts_add(struct counts *c, const struct memprof_access *a)
{
	c->all++;
	c->reads += a->read;
	c->writes += a->write;
	c->hitm += a->hitm;
	c->misses += a->level != MEMPROF_L1;
	c->levels += a->level != MEMPROF_LEVEL_UNKNOWN;
	if (memprof_in_memory(NULL, a)) {
		c->memory++;
		c->remote += memprof_is_remote(a);
		c->no_node += !is_known(a);
		/* Of loads that were not answered by memory, it is no latency of memory. */
		if (a->latency) {
			c->latencies++;
			c->latency += a->latency;
		}
	}
}

/** counts_remote_pct() - remote of the memory accesses whose nodes are known */
struct cell counts_remote_pct(const struct counts *c)
{
	uint64_t known = c->memory - c->no_node;

	return known ? REAL_CELL(100.0 * c->remote / known) : NONE_CELL;
}

/** counts_latency() - mean, in cycles */
struct cell counts_latency(const struct counts *c)
{
	return c->latencies ? REAL_CELL((double)c->latency / c->latencies) : NONE_CELL;
}
