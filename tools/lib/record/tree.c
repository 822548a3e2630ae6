// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Removes a folder of a recording that others may have written to.  Not by nftw(), which opens folders
 * by path: another user could replace one by a symbolic link in the meantime, and files elsewhere
 * would be removed.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tree.h"

/* Each keeps a file open.  Nobody makes as many but to be in the way. */
#define MAX_DEPTH 64

/* @fd: of the folder; closed */
static void remove_entries(int fd, int depth)
{
	DIR *dir = fdopendir(fd);
	struct dirent *d;
	int below;

	if (!dir) {
		close(fd);
		return;
	}
	while ((d = readdir(dir))) {
		if (!strcmp(d->d_name, ".") || !strcmp(d->d_name, "..") || !unlinkat(fd, d->d_name, 0))
			continue;
		below = depth < MAX_DEPTH ? openat(fd, d->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
		if (below >= 0)
			remove_entries(below, depth + 1);
		unlinkat(fd, d->d_name, AT_REMOVEDIR);
	}
	closedir(dir);
}

/**
 * tree_remove() - remove a folder with all that is in it, never what links there lead to
 * @path: the folder
 *
 * From then on only its owner can make files there.
 *
 * Return: 0, also if there is none; -errno.
 */
int tree_remove(const char *path)
{
	const int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0) {
		/* Not given up for it: what matters is whether the folder can go. */
		if (fchmod(fd, 0700))
			errno = 0;
		remove_entries(fd, 0);
	}
	return rmdir(path) && errno != ENOENT ? -errno : 0;
}
