// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Where the library is that programs are made to load. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "preload_path.h"

#define NAME	"libmemprof-preload.so"

/**
 * preload_path() - find the library
 * @path: set to its path
 * @size: of @path
 *
 * Beside this program in the build tree; as far from it as make install put it, also if the
 * installed tree was moved since (MEMPROF_PRELOAD_UP leads from the programs to LIBDIR); or
 * in LIBDIR, if the program alone was moved.
 *
 * Return: 0, or -1 if it is in none of these places.
 */
int preload_path(char *path, size_t size)
{
	char exe[PATH_MAX], *slash;
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	if (n < 0)
		return -1;
	exe[n] = '\0';
	slash = strrchr(exe, '/');
	*slash = '\0';
	if (snprintf(path, size, "%s/../lib/" NAME, exe) < (int)size && !access(path, R_OK))
		return 0;
	if (snprintf(path, size, "%s/" MEMPROF_PRELOAD_UP "/memprof/" NAME, exe) < (int)size &&
	    !access(path, R_OK))
		return 0;
	if (snprintf(path, size, "%s", MEMPROF_PRELOAD_DIR "/" NAME) < (int)size && !access(path, R_OK))
		return 0;
	return -1;
}
