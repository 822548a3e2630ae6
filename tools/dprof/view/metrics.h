/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The metrics of a recording, for monitoring systems. */
#ifndef DPROF_METRICS_H
#define DPROF_METRICS_H

#include "dprof/judge/analysis.h"
#include "lib/export/metrics.h"

extern const struct metric dprof_metrics[];

void metrics_of_analysis(struct metrics *out, struct analysis *a);

#endif
