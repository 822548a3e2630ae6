// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Reads files of /proc and /sys. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "system.h"

/**
 * system_root() - prefix of /proc and /sys
 *
 * Tests set $MEMSCOPE_ROOT to a folder with the files of another system.
 */
const char *system_root(void)
{
	const char *root = getenv("MEMSCOPE_ROOT");

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

/**
 * system_has() - whether a file or folder exists
 * @path: path below system_root()
 */
bool system_has(const char *path)
{
	char whole[4096];

	return snprintf(whole, sizeof(whole), "%s%s", system_root(), path) < (int)sizeof(whole) &&
	       !access(whole, F_OK);
}

/**
 * system_field() - the rest of a line of a file
 * @path: path below system_root()
 * @key: text that the line begins with
 * @buf: set to the rest of the first such line, without white space around it
 * @size: size of @buf
 *
 * Return: 0; or -1 with an empty text if there is no such file or line.
 */
int system_field(const char *path, const char *key, char *buf, size_t size)
{
	char whole[4096], line[16384];
	int ret = -1;
	FILE *f;

	*buf = '\0';
	if (snprintf(whole, sizeof(whole), "%s%s", system_root(), path) >= (int)sizeof(whole))
		return -1;
	f = fopen(whole, "re");
	while (f && ret && fgets(line, sizeof(line), f)) {
		char *text = line + strlen(key), *end;

		if (strncmp(line, key, strlen(key)))
			continue;
		text += strspn(text, " \t:");
		end = text + strlen(text);
		while (end > text && strchr(" \t\n", end[-1]))
			*--end = '\0';
		snprintf(buf, size, "%s", text);
		ret = 0;
	}
	if (f)
		fclose(f);
	return ret;
}

/**
 * system_installed() - look for a program in $PATH, below system_root()
 * @program: its name
 *
 * Return: true if it is there.
 */
bool system_installed(const char *program)
{
	const char *dir = getenv("PATH") ? getenv("PATH") : "";
	char path[PATH_MAX];

	while (*dir) {
		const size_t n = strcspn(dir, ":");

		snprintf(path, sizeof(path), "%s%.*s/%s", system_root(), (int)n, dir, program);
		if (n && !access(path, X_OK))
			return true;
		dir += n + !!dir[n];
	}
	return false;
}
