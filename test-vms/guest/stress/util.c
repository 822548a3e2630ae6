// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * stress: chance, the time of a run, how it fails, files, mappings.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stress.h"

static __thread uint64_t seed;
static time_t begun_at;
/* The main process tells the workers, with which it shares this. */
static volatile bool *is_over;

void stress_seed(uint64_t value)
{
	seed = value;
}

uint64_t stress_rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static time_t seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

void stress_begin(void)
{
	is_over = (volatile bool *)stress_map(sizeof(*is_over), MAP_SHARED | MAP_ANONYMOUS, -1);
	begun_at = seconds();
}

time_t stress_elapsed(void)
{
	return seconds() - begun_at;
}

void stress_end(void)
{
	*is_over = true;
}

bool stress_over(void)
{
	return *is_over;
}

void stress_fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fprintf(stderr, "stress: after %ld s: ", (long)stress_elapsed());
	vfprintf(stderr, fmt, ap);
	fprintf(stderr, "\n");
	va_end(ap);
	_exit(1);
}

int stress_put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_TRUNC), err = 0;

	if (fd < 0)
		return errno;
	if (write(fd, text, strlen(text)) < 0)
		err = errno;
	close(fd);
	return err;
}

char *stress_map(size_t size, int flags, int fd)
{
	char *mem = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, fd, 0);

	if (mem == MAP_FAILED)
		stress_fail("mmap of %zu bytes: %s", size, strerror(errno));
	return mem;
}
