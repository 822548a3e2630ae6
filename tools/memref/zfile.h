/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
#ifndef MEMREF_ZFILE_H
#define MEMREF_ZFILE_H

#include <stdio.h>

FILE *zfile_open(FILE *to);

#endif
