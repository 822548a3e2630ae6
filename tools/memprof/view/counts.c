// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* How the views count, and name sites. */
#include <stdio.h>
#include <string.h>

#include "view.h"

static bool nodes_known(const struct memprof_access *a)
{
	return a->node >= 0 && a->home >= 0;
}

/** is_remote() - from a node to another's memory, by both, or where one is not known, by the source */
bool is_remote(const struct memprof_access *a)
{
	return nodes_known(a) ? a->node != a->home : a->level == MEMPROF_REMOTE_RAM;
}

/* Whether is_remote() can say. */
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
		c->remote += is_remote(a);
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

/**
 * site_text() - "s->basis (csuCommonSubspace.c:455)", as in the paper
 * @site: of memprof_object_site(); NULL: "?"
 * @text: gets it
 * @size: of @text
 *
 * Return: 0, or -1 without a site, if memory runs out.
 */
int site_text(const struct memprof_site *site, char *text, size_t size)
{
	const char *slash = site ? strrchr(site->file, '/') : NULL, *file;

	if (!site) {
		snprintf(text, size, "?");
		return -1;
	}
	file = slash ? slash + 1 : site->file;
	if (site->line)
		snprintf(text, size, "%s (%s:%u)", site->name, file, site->line);
	else if (*file && site->name[0] != '[')
		snprintf(text, size, "%s (%s)", site->name, file);
	else
		snprintf(text, size, "%s", site->name);
	return 0;
}
