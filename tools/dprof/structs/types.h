/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Which C struct the types of a recording are. */
#ifndef DPROF_TYPES_H
#define DPROF_TYPES_H

#include "layouts.h"
#include "dprof/model/model.h"

int types_name(struct model *m, struct layouts *l);
void place_name(struct model *m, struct layouts *l, uint64_t ip, char *buf, size_t size);

#endif
