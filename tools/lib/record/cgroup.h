/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Looks up control groups by name, and names by the kernel's ids. */
#ifndef MEMSCOPE_CGROUP_H
#define MEMSCOPE_CGROUP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define CGROUP_ROOT	"/sys/fs/cgroup"
/* Help for an option that names a control group. */
#define CGROUP_HELP	"a directory, or its name below " CGROUP_ROOT

void cgroup_directory(const char *name, char *path, size_t size);
void cgroup_below_root(const char *name, char *path, size_t size);
int cgroup_path(uint64_t id, pid_t pid, pid_t tid, char *path, size_t size);

#endif
