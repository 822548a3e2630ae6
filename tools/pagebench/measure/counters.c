// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Hardware performance counters of a program, by perf_event_open(2). */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "counters.h"

#define CACHE(cache, result) \
	(PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_READ << 8 | \
	 PERF_COUNT_HW_CACHE_RESULT_##result << 16)

static const struct {
	const char *name;
	uint32_t type;
	uint64_t config;
} events[NR_COUNTERS] = {
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "L1d_misses", PERF_TYPE_HW_CACHE, CACHE(L1D, MISS) },
	{ "LLC_accesses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES },
	{ "LLC_misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
};

static int open_one(int i, pid_t pid, int enable_on_exec)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = events[i].type, .config = events[i].config,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.inherit = 1, .exclude_kernel = 1, .exclude_hv = 1,
		.disabled = !!enable_on_exec, .enable_on_exec = !!enable_on_exec,
	};

	return syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/**
 * counters_open() - count a process and its future children
 * @c: close it with counters_close()
 * @pid: the process
 * @enable_on_exec: count from its next exec on
 */
void counters_open(struct counters *c, pid_t pid, int enable_on_exec)
{
	int i;

	for (i = 0; i < NR_COUNTERS; i++)
		c->fd[i] = open_one(i, pid, enable_on_exec);
}

/**
 * counters_read() - read the counts so far
 * @c: the counters
 * @counts: set to the counts; 0 for unavailable counters
 */
void counters_read(const struct counters *c, struct counts *counts)
{
	int i;

	memset(counts, 0, sizeof(*counts));
	for (i = 0; i < NR_COUNTERS; i++)
		if (c->fd[i] >= 0 && read(c->fd[i], counts->value[i], sizeof(counts->value[i])) !=
		    sizeof(counts->value[i]))
			memset(counts->value[i], 0, sizeof(counts->value[i]));
}

/**
 * counters_add() - add the counts between two readings as metrics
 * @c: the counters
 * @before: the first reading
 * @after: the second reading
 * @m: the metrics are added to it; multiplexed counts are scaled, as by perf stat
 *
 * Return: 0, or -1 if @m is full.
 */
int counters_add(const struct counters *c, const struct counts *before,
		 const struct counts *after, struct measurement *m)
{
	double d[3];
	int i, j;

	for (i = 0; i < NR_COUNTERS; i++) {
		for (j = 0; j < 3; j++)
			d[j] = after->value[i][j] - before->value[i][j];
		if (c->fd[i] < 0 || d[2] <= 0)
			continue;
		if (metric_add(m, events[i].name, d[2] < d[1] ? d[0] * d[1] / d[2] : d[0]))
			return -1;
	}
	return 0;
}

/**
 * counters_close() - close the counters
 * @c: the counters
 */
void counters_close(struct counters *c)
{
	int i;

	for (i = 0; i < NR_COUNTERS; i++) {
		if (c->fd[i] >= 0)
			close(c->fd[i]);
		c->fd[i] = -1;
	}
}

/**
 * counters_missing() - list the unavailable metrics, and why
 * @buf: set to the text
 * @size: size of @buf
 *
 * Return: @buf; empty if all metrics are available.
 */
const char *counters_missing(char *buf, size_t size)
{
	size_t n = 0;
	int i, fd, err = 0;

	*buf = '\0';
	for (i = 0; i < NR_COUNTERS; i++) {
		fd = open_one(i, 0, 0);
		if (fd >= 0) {
			close(fd);
			continue;
		}
		err = errno;
		if (n < size)
			n += snprintf(buf + n, size - n, "%s%s", n ? ", " : "", events[i].name);
	}
	if (n && n < size)
		snprintf(buf + n, size - n, " (%s)", err == EACCES || err == EPERM ?
			 "not allowed: kernel.perf_event_paranoid" :
			 "the processor has no such counter");
	return buf;
}
