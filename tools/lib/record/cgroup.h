/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Control groups by their names. */
#ifndef MEMSCOPE_CGROUP_H
#define MEMSCOPE_CGROUP_H

#include <stddef.h>

#define CGROUP_ROOT	"/sys/fs/cgroup"
/* Of an option for it. */
#define CGROUP_HELP	"a directory, or its name below " CGROUP_ROOT

void cgroup_directory(const char *name, char *path, size_t size);

#endif
