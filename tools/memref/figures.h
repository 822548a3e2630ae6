/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Exports of the figures of intervals: metrics of monitoring systems, counter tracks. */
#ifndef MEMREF_FIGURES_H
#define MEMREF_FIGURES_H

#include "columns.h"

int figures_openmetrics(const char *path, const char *output);
int figures_pcp(const struct columns_options *o, const char *path, const char *output);
int figures_perfetto(const char *path, const char *output);

#endif
