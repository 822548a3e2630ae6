/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* What the module oracle_objects reports to the oracle about types: one per mark. */
#ifndef MEMSCOPE_ORACLE_OBJECTS_H
#define MEMSCOPE_ORACLE_OBJECTS_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdint.h>
typedef uint64_t u64;
#endif

struct oracle_object {
	u64 base;	/* virtual address */
	u64 size;	/* bytes */
	u64 type;	/* 1..65535; the last that is written */
};

#endif
