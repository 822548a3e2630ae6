// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * pagealloc-programs: the programs that come with pagealloc bench.  Each works
 * on memory of a size that is given, so that it can be as large as a cache.
 */
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "lib/mark.h"
#include "lib/complain.h"
#include "lib/options.h"
#include "kernel.h"

static const struct kernel *const kernels[] = {
	&kernel_fft, &kernel_lu, &kernel_sor, &kernel_sparse, &kernel_montecarlo, &kernel_aes,
	&kernel_ping,
};

/* What is run, and how. */
struct job {
	const struct kernel *kernel;
	uint64_t size, iterations;
	int each;	/* memory is allocated for each measurement, and that is measured */
	int private_data;
	void *data;
	int measured;	/* there is a result to check */
};

static const char *kernel_word(int n, const char **about)
{
	if (n == sizeof(kernels) / sizeof(kernels[0]))
		return NULL;
	if (about)
		*about = kernels[n]->about;
	return kernels[n]->name;
}

static const struct verb_usage usage = {
	.command = "pagealloc-programs", .operands = "NAME [options]", .words = kernel_word,
	.about = "Run one of the benchmark programs on memory of a given size, and measure it.",
	.end = "The result is checked at the end: the exit status is 1 if it is wrong.", .min = 1, .max = 1,
};

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* Writes to each page of the private read-only file mappings there are. */
static int copy_data(void)
{
	FILE *f = fopen("/proc/self/maps", "re");
	unsigned long begin, end;
	char line[512], file;
	int ret = OK;

	if (!f)
		return complain(FAILED, "/proc/self/maps: %s", strerror(errno));
	while (!ret && fgets(line, sizeof(line), f)) {
		void *at;

		if (sscanf(line, "%lx-%lx r--p %*x %*x:%*x %*u %c", &begin, &end, &file) != 3 ||
		    file != '/')
			continue;
		at = (void *)begin;
		if (mprotect(at, end - begin, PROT_READ | PROT_WRITE) ||
		    madvise(at, end - begin, MADV_POPULATE_WRITE) ||
		    mprotect(at, end - begin, PROT_READ))
			ret = complain(FAILED, "--private-data: %s", strerror(errno));
	}
	fclose(f);
	return ret;
}

static double now_s(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static int make(struct job *j)
{
	if (j->data)
		j->kernel->free(j->data);
	j->data = j->kernel->make(j->size);
	return j->data ? 0 : -1;
}

static int measure(struct job *j, double *wall_s, double *cpu_s)
{
	int ret = 0;

	if (!j->each)
		j->kernel->prepare(j->data);
	*cpu_s = now_s(CLOCK_PROCESS_CPUTIME_ID);
	*wall_s = now_s(CLOCK_MONOTONIC);
	oracle_phase_begin();
	if (j->each) {
		ret = make(j);
		if (!ret)
			j->kernel->prepare(j->data);
	}
	if (!ret)
		ret = j->kernel->run(j->data, j->iterations);
	oracle_phase_end();
	*wall_s = now_s(CLOCK_MONOTONIC) - *wall_s;
	*cpu_s = now_s(CLOCK_PROCESS_CPUTIME_ID) - *cpu_s;
	j->measured = 1;
	return ret;
}

static int measure_lines(struct job *j)
{
	double wall_s, cpu_s;
	char line[64], end;
	unsigned long k;

	while (fgets(line, sizeof(line), stdin)) {
		if (sscanf(line, "measure %lu%c", &k, &end) != 2 || end != '\n')
			return complain(FAILED, "%s: not 'measure K'", line);
		if (measure(j, &wall_s, &cpu_s))
			return complain(FAILED, "%s: measurement %lu: it cannot be done",
					j->kernel->name, k);
		printf("done %lu wall_time=%.9f cpu_time=%.9f\n", k, wall_s, cpu_s);
		if (fflush(stdout))
			return complain(FAILED, "standard output: %s", strerror(errno));
	}
	return OK;
}

static int run(struct job *j, int lines)
{
	double wall_s, cpu_s;
	int ret = OK;

	/* By default free() keeps what malloc() then returns again: the same pages. */
	if (j->each)
		mallopt(M_MMAP_THRESHOLD, 4096);
	if (j->private_data && copy_data())
		return FAILED;
	if (make(j))
		return complain(FAILED, "%s: cannot be made of %llu bytes", j->kernel->name,
				(unsigned long long)j->size);
	if (lines)
		ret = measure_lines(j);
	else if (measure(j, &wall_s, &cpu_s))
		ret = complain(FAILED, "%s: it cannot be done", j->kernel->name);
	else if (printf("%s: %llu bytes, %.6f s, CPU %.6f s\n", j->kernel->name,
			(unsigned long long)j->kernel->bytes(j->data), wall_s, cpu_s) < 0 || fflush(stdout))
		ret = complain(FAILED, "standard output: %s", strerror(errno));
	if (!ret && j->measured && j->kernel->check(j->data))
		ret = complain(FAILED, "%s: the result is wrong", j->kernel->name);
	if (j->data)
		j->kernel->free(j->data);
	return ret;
}

int main(int argc, char **argv)
{
	struct job j = { .size = 256 << 10, .iterations = 1 };
	bool lines = false;
	const struct opt options[] = {
		OPT_SIZE(0, "size", "SIZE", &j.size, 0, OPT_NUMBER_MAX,
			 "size of the memory that the program uses (default 256K)"),
		OPT_SIZE(0, "iterations", "N", &j.iterations, 1, OPT_NUMBER_MAX,
			 "iterations of a measurement (default 1); suffixes K, M and G as in sizes"),
		OPT_WORD(0, "allocate", "once|each", &j.each,
			 "allocate memory once, or anew for each measurement (default once)"),
		OPT_FLAG(0, "private-data", &j.private_data,
			 "use private copies of the read-only data of the program and its libraries: hints "
			 "place these, but not pages of the page cache"),
		OPT_FLAG(0, "lines", &lines,
			 "measure at each request on standard input, as pagealloc bench sends them (default: once)"), { }
	};
	size_t i;

	argv += options_parse(&usage, options, argc, argv);
	for (i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++)
		if (!strcmp(argv[0], kernels[i]->name))
			j.kernel = kernels[i];
	if (!j.kernel)
		return unknown_word(&usage, "program", argv[0]);
	return run(&j, lines);
}
