/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Small recordings made up for tests: of memref, and of dprof from its text. */
#ifndef MEMSCOPE_MADE_RECORDINGS_H
#define MEMSCOPE_MADE_RECORDINGS_H

#include "trace_file.h"

struct trace_file *memref_recording(unsigned int intervals);
struct trace_file *dprof_recording(const char *text);
/* Samples are batched, so many in one event. */
struct trace_file *dprof_batches(const char *text, unsigned int samples);

#endif
