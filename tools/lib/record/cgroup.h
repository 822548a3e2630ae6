/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Looks up control groups by name. */
#ifndef MEMSCOPE_CGROUP_H
#define MEMSCOPE_CGROUP_H

#include <stddef.h>

#define CGROUP_ROOT	"/sys/fs/cgroup"
/* Help for an option that names a control group. */
#define CGROUP_HELP	"a directory, or its name below " CGROUP_ROOT

void cgroup_directory(const char *name, char *path, size_t size);
void cgroup_below_root(const char *name, char *path, size_t size);

#endif
