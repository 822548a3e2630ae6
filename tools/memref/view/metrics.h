/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The metrics of an interval, for monitoring systems. */
#ifndef MEMREF_METRICS_H
#define MEMREF_METRICS_H

#include "lib/export/metrics.h"
#include "memref/model/model.h"

extern const struct metric memref_metrics[];

/**
 * struct metrics_counts - of a recording, or since somebody began to watch
 * @intervals: number of intervals
 * @missing: those without their memref_scan
 * @incomplete: those without some of their groups
 * @lost_events: events that were overwritten before they were read
 */
struct metrics_counts {
	uint64_t intervals, missing, incomplete, lost_events;
};

void metrics_of_interval(struct metrics *out, const struct model *m, size_t i);
void metrics_of_processes(struct metrics *out, const struct model *m);
void metrics_of_cgroups(struct metrics *out, struct ages *a);
void metrics_of_counts(struct metrics *out, const struct metrics_counts *c);
void metrics_of_recording(struct metrics *out, struct model *m);

#endif
