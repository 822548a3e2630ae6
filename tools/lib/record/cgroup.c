// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Looks up control groups by name. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
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

/**
 * cgroup_below_root() - the path of a control group as the kernel has it
 * @name: its directory in CGROUP_ROOT, or its path below, with or without the leading slash
 * @path: set to the path below the root of the hierarchy; "/": the root
 * @size: size of @path, at least 2
 */
void cgroup_below_root(const char *name, char *path, size_t size)
{
	const size_t n = strlen(CGROUP_ROOT);
	size_t end;

	if (!strncmp(name, CGROUP_ROOT, n) && (!name[n] || name[n] == '/'))
		name += n;
	snprintf(path, size, "%s%s", *name == '/' ? "" : "/", name);
	for (end = strlen(path); end > 1 && path[end - 1] == '/'; end--)
		path[end - 1] = '\0';
}
