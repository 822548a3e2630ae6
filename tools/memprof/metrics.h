/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The metrics of a recording, for monitoring systems. */
#ifndef MEMPROF_METRICS_H
#define MEMPROF_METRICS_H

#include "lib/export/metrics.h"
#include "memprof/memprof.h"

extern const struct metric memprof_metrics[];

void metrics_of_memprof(struct metrics *out, struct memprof *m, const char *host);

#endif
