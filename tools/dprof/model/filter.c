// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Which samples of a recording count: those of some tasks and CPUs. */
#include "lib/numbers.h"
#include "filter.h"

#define NR_CPUS	((long)(8 * sizeof(((struct filter *)0)->cpu)))

static int add_cpus(void *ctx, uint64_t first, uint64_t last)
{
	struct filter *f = ctx;

	for (; first <= last; first++)
		f->cpu[first / 64] |= 1ULL << first % 64;
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
	if (parse_list(list, 0, NR_CPUS - 1, add_cpus, f))
		return -1;
	f->has_cpus = true;
	return 0;
}

static bool has_cpu(const struct filter *f, long cpu)
{
	return cpu < NR_CPUS && f->cpu[cpu / 64] >> cpu % 64 & 1;
}

/**
 * filter_print() - print a filter as the options --tid and --cpu, each after a blank
 * @f: the filter
 * @out: the output
 */
void filter_print(const struct filter *f, FILE *out)
{
	const char *before = " --cpu ";
	long first, last;

	if (f->tasks.nr) {
		fprintf(out, " --tid ");
		pids_print(&f->tasks, out);
	}
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
	return f->without ? !pids_has(&f->tasks, pid) : pids_choose(&f->tasks, pid);
}
