/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Mapped files that another process may make smaller while they are read. */
#ifndef MEMPROF_SHRINKABLE_H
#define MEMPROF_SHRINKABLE_H

#include <stdbool.h>
#include <stddef.h>

void shrinkable_begin(void *map, size_t bytes);
bool shrinkable_whole(void);
bool shrinkable_end(void);

#endif
