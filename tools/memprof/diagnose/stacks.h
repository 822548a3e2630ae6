/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 the memscope authors */
/* Whose stacks are on another node than the thread. */
#ifndef MEMPROF_STACKS_H
#define MEMPROF_STACKS_H

#include "count.h"

/**
 * struct stack - a thread's accesses of stacks
 * @remote: of them
 * @node: that has most of what it accesses
 * @to: by node
 */
struct stack {
	uint32_t thread;
	int node;
	uint64_t accesses, remote, to[MAX_NODES];
};

int stacks_find(struct memprof *m, uint32_t object, struct stack **threads);
double stacks_left(struct memprof *m, uint32_t object);
void stacks_text(struct memprof *m, uint32_t object, char *text, size_t size);

#endif
