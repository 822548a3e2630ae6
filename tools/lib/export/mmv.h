/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Memory-mapped values of Performance Co-Pilot, by its libpcp_mmv. */
#ifndef MEMSCOPE_MMV_H
#define MEMSCOPE_MMV_H

#include "metrics.h"

struct mmv;

struct mmv *mmv_begin(const char *name, const struct metric *list);
int mmv_publish(struct mmv *v, struct metrics *m);
void mmv_end(struct mmv *v);

#endif
