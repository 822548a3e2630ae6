/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Finds the C structs of a recording's types. */
#ifndef DPROF_TYPES_H
#define DPROF_TYPES_H

#include "dwarf.h"
#include "layouts.h"
#include "dprof/model/model.h"

int types_name(struct model *m, struct layouts *l);
bool place_function(struct model *m, uint64_t ip, struct dwarf_code *code);
void place_name(struct model *m, struct layouts *l, uint64_t ip, char *buf, size_t size);

#endif
