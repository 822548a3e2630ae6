/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Fragments free memory, as on a machine with a long uptime. */
#ifndef PAGEALLOC_BENCH_AGER_H
#define PAGEALLOC_BENCH_AGER_H

#include <stdint.h>
#include <sys/types.h>

/**
 * struct ager - a process that holds about every other page of some memory
 * @bytes: size of the memory that it fragments
 */
struct ager {
	pid_t pid;
	uint64_t bytes;
};

uint64_t ager_limit(void);
int ager_start(struct ager *a, uint64_t bytes, uint64_t seed);
int ager_stop(struct ager *a);

#endif
