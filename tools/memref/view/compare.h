/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Comparison of two recordings, side by side. */
#ifndef MEMREF_COMPARE_H
#define MEMREF_COMPARE_H

#include "lib/table.h"
#include "memref/model/model.h"

extern const struct columns compare_summaries_columns, compare_groups_columns;

int compare_summaries(struct model m[2], const char * const names[2], struct table *t);
int compare_groups(struct model m[2], size_t most, struct table *t);

#endif
