// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Reads files of /proc and /sys. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

/**
 * system_root() - prefix of /proc and /sys
 *
 * Tests set $PAGEALLOC_ROOT to a folder with the files of another system.
 */
const char *system_root(void)
{
	const char *root = getenv("PAGEALLOC_ROOT");

	return root ? root : "";
}

/**
 * system_read() - read a small file
 * @path: path below system_root()
 * @buf: set to the text, without trailing white space
 * @size: size of @buf; longer files are cut
 *
 * Return: 0, or a negative errno, with an empty text.
 */
int system_read(const char *path, char *buf, size_t size)
{
	char whole[4096];
	size_t n = 0;
	ssize_t got;
	int fd;

	*buf = '\0';
	if (snprintf(whole, sizeof(whole), "%s%s", system_root(), path) >= (int)sizeof(whole))
		return -ENAMETOOLONG;
	fd = open(whole, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while ((got = read(fd, buf + n, size - 1 - n)) > 0)
		n += got;
	got = got < 0 ? -errno : 0;
	close(fd);
	while (n && strchr(" \n\t", buf[n - 1]))
		n--;
	buf[n] = '\0';
	return got;
}
