// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 *	dprof_check hold PMU		opens a pinned event of the PMU on each CPU, prints
 *					held N, and waits until it is killed
 *	dprof_check marked COMMAND	runs a shell command between the oracle's marks
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/mark.h"

static int marked(const char *command)
{
	int status;

	oracle_mark(ORACLE_CODE_START);
	status = system(command);
	oracle_mark(ORACLE_CODE_STOP);
	return status != 0;
}

/* The PMU's type from sysfs, or -1. */
static int pmu_type(const char *pmu)
{
	char path[128];
	int type = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", pmu);
	f = fopen(path, "r");
	if (!f)
		return -1;
	if (fscanf(f, "%d", &type) != 1)
		type = -1;
	fclose(f);
	return type;
}

static int hold(const char *pmu)
{
	struct perf_event_attr attr = {
		.type = pmu_type(pmu),
		.size = sizeof(attr),
		.sample_period = 1 << 20,
		.sample_type = PERF_SAMPLE_IP,
		.pinned = 1,
	};
	int cpu, n = 0;

	for (cpu = 0; cpu < sysconf(_SC_NPROCESSORS_ONLN); cpu++)
		n += syscall(SYS_perf_event_open, &attr, -1, cpu, -1, 0) >= 0;
	printf("held %d\n", n);
	fflush(stdout);
	pause();
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "hold"))
		return hold(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "marked"))
		return marked(argv[2]);
	fprintf(stderr, "usage: dprof_check hold PMU | marked COMMAND\n");
	return 2;
}
