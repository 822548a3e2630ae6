/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * What sampling of instructions can tell: of all that an instruction accesses, the
 * emulated IBS tells one access, each as likely (test-vms/qemu-ibs, patch 5).
 */
#ifndef MEMSCOPE_ORACLE_OPS_H
#define MEMSCOPE_ORACLE_OPS_H

#include <stdbool.h>
#include <stdint.h>

/* A number that is divided by how many accesses an instruction has: by up to 10 exactly. */
#define OPS_UNIT 5040
#define OPS_MAX 256

struct op {
	uint64_t addr;
	unsigned int size;	/* bytes */
	int rw;			/* 1 loads, 2 stores, 3 both */
	uint64_t *count;
};

/* What one CPU's instruction has accessed so far. */
struct ops {
	uint64_t insn;
	unsigned int nr;
	struct op op[OPS_MAX];
};

/*
 * Adds an access to those of instruction number @insn.  If @insn is another one than
 * before, the earlier one's are counted first: *@count of each grows by OPS_UNIT for each
 * load and store of up to 8 bytes, divided by the number of accesses of the instruction.
 * What QEMU accesses in a function of its own (@by_helper) is in pieces of 8 bytes, which
 * its IBS takes for accesses.
 */
void ops_add(struct ops *ops, uint64_t insn, uint64_t addr, unsigned int size, int rw,
	     bool by_helper, uint64_t *count);

/* Counts what there is. */
void ops_flush(struct ops *ops);

#endif
