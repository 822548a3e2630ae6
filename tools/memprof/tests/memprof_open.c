// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memprof_open FILE...: how long it takes to make all flows of a recording. */
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

#include "memprof/memprof.h"

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	struct rusage usage;
	struct memprof *m;
	char error[256];
	double begin;

	for (int i = 1; i < argc; i++) {
		begin = cpu_seconds();
		m = memprof_open(argv[i], NULL, error, sizeof(error));
		if (!m) {
			fprintf(stderr, "memprof_open: %s\n", error);
			return 1;
		}
		getrusage(RUSAGE_SELF, &usage);
		printf("cpu_s %.3f rss_mb %.1f accesses %zu events %lu objects %zu\n", cpu_seconds() - begin,
		       usage.ru_maxrss / 1024.0, memprof_nr_accesses(m),
		       (unsigned long)memprof_totals(m)->events, memprof_nr_objects(m));
		memprof_close(m);
	}
	return 0;
}
