/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Reads the rings in which the kernel hands out records of perf. */
#ifndef MEMPROF_PERF_RING_H
#define MEMPROF_PERF_RING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

bool perf_ring_read(struct perf_event_mmap_page *ring, size_t bytes,
		    void (*take)(void *ctx, const struct perf_event_header *h), void *ctx);

#endif
