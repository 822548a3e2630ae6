// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Looks up control groups by name. */
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "cgroup.h"

/**
 * cgroup_directory() - the directory of a control group
 * @name: its directory in any mount, or its path below CGROUP_ROOT as in
 *	/proc/PID/cgroup, with or without the leading slash
 * @path: set to the directory's path, which need not exist
 * @size: size of @path
 */
void cgroup_directory(const char *name, char *path, size_t size)
{
	char procs[PATH_MAX];

	snprintf(procs, sizeof(procs), "%s/cgroup.procs", name);
	if (*name == '/' && !access(procs, F_OK))
		snprintf(path, size, "%s", name);
	else
		snprintf(path, size, CGROUP_ROOT "%s%s", *name == '/' ? "" : "/", name);
}
