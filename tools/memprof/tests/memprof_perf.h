/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Samples as perf record writes them: the same for perf report and for memprof. */
#ifndef MEMPROF_PERF_H
#define MEMPROF_PERF_H

#include <stdint.h>

struct perf_file;

struct perf_file *perf_file_new(const char *path);
void perf_file_task(struct perf_file *f, uint32_t pid, uint32_t tid, const char *name,
		    uint64_t code, uint64_t bytes, const char *path);
void perf_file_sample(struct perf_file *f, uint32_t cpu, uint64_t time, uint32_t pid, uint32_t tid,
		      uint64_t ip, uint64_t addr, uint64_t phys, uint32_t latency, int store);
void perf_file_end(struct perf_file *f);

#endif
