/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Reads a recording into a model. */
#ifndef DPROF_LOAD_H
#define DPROF_LOAD_H

#include "dprof/model/model.h"

int model_load(struct model *m, const char *path, char *error, size_t size);

#endif
