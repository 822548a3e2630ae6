// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* What sampling of instructions can report of their accesses: see ops.h. */
#include "ops.h"

/* As merge() of the emulated IBS: a store to what was loaded, and what goes on behind it. */
static bool merge(struct op *last, const struct op *a, bool by_helper)
{
	if (!(a->rw & 1) && a->addr >= last->addr && a->addr + a->size <= last->addr + last->size) {
		last->rw |= 2;
		return true;
	}
	if (by_helper || a->size != 8 || a->rw != last->rw || a->addr != last->addr + last->size ||
	    last->size + a->size > 64)
		return false;
	last->size += a->size;
	return true;
}

void ops_flush(struct ops *ops)
{
	for (unsigned int i = 0; i < ops->nr; i++) {
		const struct op *op = &ops->op[i];
		unsigned int pieces = op->size > 8 ? op->size / 8 : 1;

		*op->count += OPS_UNIT * pieces * ((op->rw & 1) + (op->rw >> 1)) / ops->nr;
	}
	ops->nr = 0;
}

void ops_add(struct ops *ops, uint64_t insn, uint64_t addr, unsigned int size, int rw,
	     bool by_helper, uint64_t *count)
{
	struct op op = { .addr = addr, .size = size, .rw = rw, .count = count };

	if (ops->insn != insn) {
		ops_flush(ops);
		ops->insn = insn;
	}
	if (ops->nr && merge(&ops->op[ops->nr - 1], &op, by_helper))
		return;
	if (ops->nr < OPS_MAX)
		ops->op[ops->nr++] = op;
}
