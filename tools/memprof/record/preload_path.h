/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Where the library is that programs are made to load. */
#ifndef MEMPROF_PRELOAD_PATH_H
#define MEMPROF_PRELOAD_PATH_H

#include <stddef.h>

int preload_path(char *path, size_t size);

#endif
