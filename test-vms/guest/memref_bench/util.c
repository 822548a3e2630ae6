// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memref_bench: files with numbers, time, memory, medians.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

void die(const char *what)
{
	fprintf(stderr, "memref_bench: %s: %s\n", what, strerror(errno));
	exit(1);
}

void result(double value, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf(" %.6g\n", value);
	fflush(stdout);
}

uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

void put(const char *path, const char *fmt, ...)
{
	char value[256];
	va_list ap;
	int fd, n;

	va_start(ap, fmt);
	n = vsnprintf(value, sizeof(value), fmt, ap);
	va_end(ap);
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, value, n) != n)
		die(path);
	close(fd);
}

uint64_t number_in(const char *path, const char *key)
{
	unsigned long long n = 0;
	char line[4096];
	bool found = false;
	FILE *f = fopen(path, "r");

	if (!f)
		die(path);
	while (!found && fgets(line, sizeof(line), f)) {
		char *at = strstr(line, key);

		found = at && (at == line || !*key || at[-1] != '_') &&
			sscanf(at + strlen(key), "%llu", &n) == 1;
	}
	fclose(f);
	if (!found) {
		fprintf(stderr, "memref_bench: %s: no %s\n", path, key);
		exit(1);
	}
	return n;
}

void *map(size_t size, bool populate)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		die("mmap");
	madvise(p, size, MADV_NOHUGEPAGE);
	if (populate)
		memset(p, 1, size);
	return p;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

double median(double *values, int n)
{
	qsort(values, n, sizeof(*values), by_value);
	return values[n / 2];
}
