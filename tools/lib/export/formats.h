/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The formats of other programs for recordings of samples: the words of --to, in this order. */
#ifndef MEMSCOPE_FORMATS_H
#define MEMSCOPE_FORMATS_H

enum export_format {
	EXPORT_NONE = -1, EXPORT_PERF, EXPORT_PPROF, EXPORT_OPENMETRICS, EXPORT_PERFETTO, EXPORT_PCP,
};

#define EXPORT_FORMATS	"perf|pprof|openmetrics|perfetto|pcp"

#endif
