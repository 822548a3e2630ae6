/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Loops with one instruction each that touches memory, at a known address. */
#ifndef MEMSCOPE_IBS_LOOPS_H
#define MEMSCOPE_IBS_LOOPS_H

#include <stddef.h>
#include <stdint.h>

#define LOAD 1
#define STORE 2

struct loop {
	const char *name;
	/* Touches @count addresses @stride bytes apart, beginning at @p. */
	void (*run)(void *p, uint64_t count, uint64_t stride);
	const char *insn, *end;	/* the instruction, and the end of the function */
	int access;		/* LOAD, STORE or both */
	int width;		/* bytes */
	int locked;
};

extern const struct loop loops[];
extern const size_t nr_loops;

const struct loop *loop_named(const char *name);
/* Whether this processor has the instruction. */
int loop_works(const struct loop *l);

#endif
