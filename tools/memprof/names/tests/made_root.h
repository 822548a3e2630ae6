/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* A folder in place of the root of the recorded machine, made for tests, and files below it. */
#ifndef MEMPROF_MADE_ROOT_H
#define MEMPROF_MADE_ROOT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/memprof-root.XXXXXX";

static inline const char *below(const char *path)
{
	static char full[128];

	snprintf(full, sizeof(full), "%s%s", root, path);
	return full;
}

static inline void write_file(const char *path, const void *data, size_t bytes)
{
	FILE *f = fopen(below(path), "w");

	if (!f)
		fail_msg("%s: %s", below(path), strerror(errno));
	assert_int_equal(fwrite(data, 1, bytes, f), bytes);
	fclose(f);
}

static inline int make_root(void **unused)
{
	(void)unused;
	return !mkdtemp(root) || mkdir(below("/tmp"), 0755) ? -1 : 0;
}

static inline int remove_root(void **unused)
{
	char command[128];

	(void)unused;
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

#endif
