// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The metrics of a recording, for monitoring systems. */
#include <stdlib.h>

#include "metrics.h"
#include "view.h"

/* Only so many types become labels. */
#define MAX_TYPES	100

enum {
	SAMPLES, LOST, TYPE_SAMPLES, TYPE_MISSES, TYPE_LATENCY, LEVEL_SAMPLES, LEVEL_LATENCY, REMOTE, HOST,
};

const struct metric dprof_metrics[] = {
	[SAMPLES] = { "dprof_samples", "Samples of memory accesses in the recording." },
	[LOST] = { "dprof_lost_events", "Events that the ring buffer dropped." },
	[TYPE_SAMPLES] = { "dprof_type_samples_ratio", "Share of the samples that accessed a type of data.",
			   UNIT_RATIO, { "type" } },
	[TYPE_MISSES] = { "dprof_type_misses_ratio", "Share of the misses of the L1 that a type of data has.",
			  UNIT_RATIO, { "type" } },
	[TYPE_LATENCY] = { "dprof_type_latency_cycles", "Mean latency of accesses to a type of data.",
			   UNIT_CYCLES, { "type" } },
	[LEVEL_SAMPLES] = { "dprof_level_samples_ratio", "Share of the samples that a level of memory served.",
			    UNIT_RATIO, { "level" } },
	[LEVEL_LATENCY] = { "dprof_level_latency_cycles", "Mean latency of a level of memory.", UNIT_CYCLES,
			    { "level" } },
	[REMOTE] = { "dprof_remote_ratio", "Share of the samples with known nodes that accessed another node's memory.",
		     UNIT_RATIO },
	[HOST] = { "dprof_host_info", "The machine of the recording.", UNIT_NONE, { "host" } },
	{ }
};

static double samples_of(struct analysis *a, const struct dtype *t)
{
	(void)a;
	return t->sum.n;
}

static void add_types(struct metrics *out, struct analysis *a)
{
	struct tally all = { };
	struct dtype **types;
	uint32_t i, nr;

	for (i = 0; i < a->m.nr_types; i++)
		tally_add(&all, &a->m.by_index[i]->sum);
	a->top = MAX_TYPES;
	types = types_by(a, samples_of, &nr);
	out->no_memory |= !types;
	for (i = 0; i < nr; i++) {
		const struct tally *s = &types[i]->sum;
		const uint64_t misses = tally_misses(&all, LEVEL_L1);

		metrics_add(out, TYPE_SAMPLES, (double)s->n / all.n, type_label(types[i]), NULL);
		if (misses)
			metrics_add(out, TYPE_MISSES, (double)tally_misses(s, LEVEL_L1) / misses,
				    type_label(types[i]), NULL);
		if (s->with_latency)
			metrics_add(out, TYPE_LATENCY, tally_latency(s), type_label(types[i]), NULL);
	}
	free(types);
}

static void add_levels(struct metrics *out, const struct model *m)
{
	int l;

	for (l = 0; l < NR_LEVELS; l++) {
		const struct level_sum *s = &m->by_level[l];

		if (!s->n)
			continue;
		metrics_add(out, LEVEL_SAMPLES, (double)s->n / m->samples, level_name[l], NULL);
		if (s->with_latency)
			metrics_add(out, LEVEL_LATENCY, (double)s->latency / s->with_latency, level_name[l], NULL);
	}
}

static void add_remote(struct metrics *out, const struct model *m)
{
	uint64_t known = 0, remote = 0;
	const struct spot *s;

	for (s = m->spots; s; s = s->hh.next) {
		if (s->key.node < 0 || s->key.cpu_node < 0)
			continue;
		known += s->sum.n;
		remote += s->key.node != s->key.cpu_node ? s->sum.n : 0;
	}
	if (known)
		metrics_add(out, REMOTE, (double)remote / known, NULL, NULL);
}

/**
 * metrics_of_analysis() - add the figures of a recording
 * @out: gets them
 * @a: the analysis, with samples
 */
void metrics_of_analysis(struct metrics *out, struct analysis *a)
{
	metrics_add(out, SAMPLES, a->m.samples, NULL, NULL);
	metrics_add(out, LOST, a->m.lost_events, NULL, NULL);
	add_types(out, a);
	add_levels(out, &a->m);
	add_remote(out, &a->m);
	metrics_add(out, HOST, 1, a->m.host, NULL);
}
