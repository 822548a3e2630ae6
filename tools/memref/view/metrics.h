/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The metrics of an interval, for monitoring systems. */
#ifndef MEMREF_METRICS_H
#define MEMREF_METRICS_H

#include "lib/export/metrics.h"
#include "memref/model/model.h"

extern const struct metric memref_metrics[];

void metrics_of_interval(struct metrics *out, const struct model *m, size_t i);
void metrics_of_recording(struct metrics *out, struct model *m);

#endif
