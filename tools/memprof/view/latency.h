/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 the memscope authors */
/* Which sites the sampled latency is of, caches' and memory's. */
#ifndef MEMPROF_LATENCY_H
#define MEMPROF_LATENCY_H

#include "memprof/view/view.h"

/**
 * struct site_latency - a site's accesses that have a latency
 * @object: of the site, the one with most of it
 * @objects: of the site
 * @accesses: with a latency, @cycles: their sum
 */
struct site_latency {
	uint32_t object;
	uint64_t objects, accesses, cycles;
};

/* The largest sum first; the sums of all. */
struct latencies {
	struct site_latency *all;
	size_t nr;
	uint64_t accesses, cycles;
};

int latencies_find(struct memprof *m, struct latencies *l);
int latencies_table(struct memprof *m, const struct latencies *l, const struct view_options *o, struct table *t);
void latencies_free(struct latencies *l);

#endif
