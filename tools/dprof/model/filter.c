// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Which samples of a recording count: those of some tasks and CPUs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "filter.h"

#define NR_CPUS	((long)(8 * sizeof(((struct filter *)0)->cpu)))

/* The place of a task in the list, or where it belongs. */
static size_t find(const struct filter *f, int32_t pid)
{
	size_t low = 0, high = f->nr_pids;

	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (f->pid[middle] < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/**
 * filter_add_pid() - add a task
 * @f: the filter
 * @pid: the task
 *
 * Return: 0, or -1 without memory.
 */
int filter_add_pid(struct filter *f, int32_t pid)
{
	const size_t at = find(f, pid);
	int32_t *grown;

	if (at < f->nr_pids && f->pid[at] == pid)
		return 0;
	grown = realloc(f->pid, (f->nr_pids + 1) * sizeof(*grown));
	if (!grown)
		return -1;
	f->pid = grown;
	memmove(grown + at + 1, grown + at, (f->nr_pids++ - at) * sizeof(*grown));
	grown[at] = pid;
	return 0;
}

/* Read a number up to @max, and what follows.  Return -1 if there is none. */
static long number(const char **text, long max)
{
	char *end;
	long n;

	if (**text < '0' || **text > '9')
		return -1;
	errno = 0;
	n = strtol(*text, &end, 10);
	*text = end;
	return errno || n > max ? -1 : n;
}

/**
 * filter_add_pids() - add tasks
 * @f: the filter
 * @list: their numbers, separated by commas
 *
 * Return: 0, or -1 if @list is not such a list, or without memory.
 */
int filter_add_pids(struct filter *f, const char *list)
{
	long pid;

	do {
		pid = number(&list, INT32_MAX);
		if (pid < 0 || (*list && *list != ',') || filter_add_pid(f, pid))
			return -1;
	} while (*list++);
	return 0;
}

/**
 * filter_add_cpus() - add CPUs
 * @f: the filter
 * @list: numbers and ranges, separated by commas: 0,4-7
 *
 * Return: 0, or -1 if @list is not such a list.
 */
int filter_add_cpus(struct filter *f, const char *list)
{
	long first, last;

	do {
		first = last = number(&list, NR_CPUS - 1);
		if (first >= 0 && *list == '-') {
			list++;
			last = number(&list, NR_CPUS - 1);
		}
		if (first < 0 || last < first || (*list && *list != ','))
			return -1;
		for (; first <= last; first++)
			f->cpu[first / 64] |= 1ULL << first % 64;
	} while (*list++);
	f->has_cpus = true;
	return 0;
}

static bool has_cpu(const struct filter *f, long cpu)
{
	return cpu < NR_CPUS && f->cpu[cpu / 64] >> cpu % 64 & 1;
}

/**
 * filter_print() - print a filter as the options --pid and --cpu, each after a blank
 * @f: the filter
 * @out: the output
 */
void filter_print(const struct filter *f, FILE *out)
{
	const char *before = " --cpu ";
	long first, last;
	size_t i;

	for (i = 0; i < f->nr_pids; i++)
		fprintf(out, "%s%d", i ? "," : " --pid ", f->pid[i]);
	for (first = 0; first < NR_CPUS; first = last + 1) {
		last = first;
		if (!has_cpu(f, first))
			continue;
		while (has_cpu(f, last + 1))
			last++;
		fprintf(out, "%s%ld", before, first);
		if (last > first)
			fprintf(out, "-%ld", last);
		before = ",";
	}
}

/**
 * filter_keeps() - test whether a sample counts
 * @f: the filter
 * @pid: the task
 * @cpu: the CPU, negative if it is not known
 *
 * Return: true if it does.
 */
bool filter_keeps(const struct filter *f, int32_t pid, int32_t cpu)
{
	if (f->has_cpus && (cpu < 0 || !has_cpu(f, cpu)))
		return false;
	if (f->nr_pids) {
		const size_t at = find(f, pid);

		return (at < f->nr_pids && f->pid[at] == pid) != f->without;
	}
	return true;
}

/**
 * filter_free() - free a filter
 * @f: the filter
 */
void filter_free(struct filter *f)
{
	free(f->pid);
	memset(f, 0, sizeof(*f));
}
