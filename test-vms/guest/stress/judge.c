// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * stress: until when a run goes on, and what is judged at its end.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stress.h"

/* Counters of /proc/vmstat. */
#define SWAPPED	"pswpout "
#define HINTED	"numa_hint_faults "

static int get(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY);
	ssize_t n;

	if (fd < 0)
		return -1;
	n = read(fd, buf, size - 1);
	close(fd);
	if (n < 0)
		return -1;
	buf[n] = '\0';
	return n;
}

static unsigned long vmstat(const char *name)
{
	char buf[16384], *p;

	if (get("/proc/vmstat", buf, sizeof(buf)) < 0)
		return 0;
	p = strstr(buf, name);
	return p ? strtoul(p + strlen(name), NULL, 10) : 0;
}

/* Whether the run covers the races that it is for. */
static bool is_covered(const char *counter)
{
	return vmstat(counter) > 1000;
}

/* Whether a worker has ended before it was told to. */
static bool one_failed(void)
{
	siginfo_t info = { 0 };

	return !waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid;
}

void stress_wait_until_over(const struct stress_run *run, time_t least)
{
	/* That must have counted enough. */
	const char *const counters[] = { run->dirty ? SWAPPED : NULL, run->balanced ? HINTED : NULL };

	while (stress_elapsed() < least)
		usleep(100000);
	for (unsigned int i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		while (counters[i] && !is_covered(counters[i]) && !one_failed() &&
		       stress_elapsed() < 10 * least)
			usleep(100000);
	stress_end();
}

/* Check that no thread and no memory of the sampler is left when it is off. */
static int sampler_remains(void)
{
	char buf[256];
	FILE *f;
	int n = 0;

	f = popen("ps -o comm | grep -cx memref; grep -c memref /proc/vmallocinfo", "r");
	while (f && fgets(buf, sizeof(buf), f))
		n += atoi(buf);
	if (f)
		pclose(f);
	return n;
}

int stress_judge(const struct stress_run *run, const pid_t *pids)
{
	unsigned int i, n = run->nr, bad = 0;
	int status;

	for (i = 0; i < run->nr; i++) {
		waitpid(pids[i], &status, 0);
		bad += !!status;
		printf("%sok %u - %s: %s\n", status ? "not " : "", i + 1, run->workers[i].name,
		       status ? "failed" : "data intact");
		fflush(stdout);
	}
	status = sampler_remains();
	bad += !!status;
	printf("%sok %u - no thread or memory of the sampler left\n", status ? "not " : "", ++n);
	/* Without these events, the run did not cover the races that it is for. */
	bad += !is_covered(SWAPPED);
	printf("%sok %u - memory was swapped: %lu pages\n", is_covered(SWAPPED) ? "" : "not ", ++n, vmstat(SWAPPED));
	if (run->dirty && !run->balanced)
		printf("ok %u - NUMA balancing # SKIP PREEMPT_RT has none\n", ++n);
	if (run->balanced) {
		bad += !is_covered(HINTED);
		printf("%sok %u - NUMA balancing: %lu hinting faults, %lu pages migrated\n",
		       is_covered(HINTED) ? "" : "not ", ++n, vmstat(HINTED), vmstat("numa_pages_migrated "));
	}
	return !!bad;
}
