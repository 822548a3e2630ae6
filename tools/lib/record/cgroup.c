// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Looks up control groups by name, and names by the kernel's ids. */
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
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

/* FILEID_KERNFS of include/linux/exportfs.h: of file handles that are a control group's id. */
#define HANDLE_OF_ID	0xfe

/* By its id alone: needs CAP_DAC_READ_SEARCH. */
static int path_of_id(uint64_t id, char *path, size_t size)
{
	union {
		struct file_handle h;
		char bytes[sizeof(struct file_handle) + sizeof(id)];
	} u = { .h = { .handle_bytes = sizeof(id), .handle_type = HANDLE_OF_ID } };
	char link[64], target[PATH_MAX];
	const int root = open(CGROUP_ROOT, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ssize_t n = -1;
	int fd;

	if (root < 0)
		return -1;
	memcpy(u.h.f_handle, &id, sizeof(id));
	fd = open_by_handle_at(root, &u.h, O_PATH | O_CLOEXEC);
	close(root);
	if (fd < 0)
		return -1;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, target, sizeof(target) - 1);
	close(fd);
	if (n < 0)
		return -1;
	target[n] = '\0';
	if (strncmp(target, CGROUP_ROOT, strlen(CGROUP_ROOT)))
		return -1;
	cgroup_below_root(target, path, size);
	return 0;
}

/*
 * Whether a path is that of the id, as far as the hierarchy can be seen here.  perf has the id of a
 * parent where a group was made before its parent had a controller for its children: the path is
 * then cut to that.
 */
static bool cut_to_id(uint64_t id, char *path)
{
	char directory[PATH_MAX];
	struct statfs fs;
	struct stat st;

	if (statfs(CGROUP_ROOT, &fs) || fs.f_type != CGROUP2_SUPER_MAGIC)
		return true;
	while (*path) {
		if ((size_t)snprintf(directory, sizeof(directory), CGROUP_ROOT "%s", path) >= sizeof(directory))
			return false;
		if (!stat(directory, &st) && st.st_ino == id)
			return true;
		if (path[1] && strrchr(path, '/') == path)
			path[1] = '\0';
		else
			*strrchr(path, '/') = '\0';
	}
	return false;
}

/**
 * cgroup_path() - the path of a control group that a thread was in
 * @id: the kernel's id of the group, as in samples of perf
 * @pid: of the process
 * @tid: of the thread, which may have left the group since
 * @path: set to the path below the root of its hierarchy, as in /proc/PID/cgroup
 * @size: of @path
 *
 * Return: 0, or -1 if it cannot be found: both may be gone.
 */
int cgroup_path(uint64_t id, pid_t pid, pid_t tid, char *path, size_t size)
{
	char *line = NULL, *at;
	size_t capacity = 0;
	int ret = -1;
	FILE *f;

	if (!path_of_id(id, path, size))
		return 0;
	snprintf(path, size, "/proc/%d/task/%d/cgroup", pid, tid);
	f = fopen(path, "re");
	/* "0::/path", or of perf_event where it has a hierarchy of its own, "3:perf_event:/path" */
	while (f && ret && getline(&line, &capacity, f) > 0) {
		line[strcspn(line, "\n")] = '\0';
		at = strstr(line, ":perf_event:");
		at = at ? at + strlen(":perf_event:") : !strncmp(line, "0::", 3) ? line + 3 : NULL;
		if (!at || strlen(at) >= size || (line[0] == '0' && (*at != '/' || !cut_to_id(id, at))))
			continue;
		snprintf(path, size, "%s", at);
		ret = 0;
	}
	free(line);
	if (f)
		fclose(f);
	return ret;
}
