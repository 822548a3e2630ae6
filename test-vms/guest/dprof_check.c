// SPDX-License-Identifier: GPL-2.0
/*
 * Debug registers as others use them, while dprof does.
 *
 *	dprof_check registers		how many breakpoints perf gives: prints
 *		registers N		and that each of them counted N hits
 *	dprof_check ptrace		a watchpoint by ptrace stops a child where it
 *					should; prints ok
 *	dprof_check ptrace-loop SECONDS	the same, over and over; prints ok N
 *	dprof_check hold PMU		has a pinned event of a PMU on each CPU until it is
 *					killed; prints held N
 *	dprof_check marked COMMAND	runs it by the shell between the oracle's marks
 */
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/mark.h"

#define REGISTERS 4
#define HITS 7

static volatile uint64_t word[REGISTERS];

static int open_breakpoint(volatile void *at)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.size = sizeof(attr),
		.bp_type = HW_BREAKPOINT_W,
		.bp_addr = (uintptr_t)at,
		.bp_len = HW_BREAKPOINT_LEN_8,
		.exclude_kernel = 1,
		.pinned = 1,
	};

	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

static int registers(void)
{
	int fd[REGISTERS], n, i, j;

	for (n = 0; n < REGISTERS; n++) {
		fd[n] = open_breakpoint(&word[n]);
		if (fd[n] < 0)
			break;
	}
	for (i = 0; i < n; i++)
		for (j = 0; j < HITS; j++)
			word[i] = j;
	for (i = 0; i < n; i++) {
		uint64_t count = 0;

		if (read(fd[i], &count, sizeof(count)) != sizeof(count) || count != HITS) {
			fprintf(stderr, "register %d: %llu hits, not %d\n", i,
				(unsigned long long)count, HITS);
			return 1;
		}
	}
	printf("registers %d\n", n);
	return 0;
}

static int poke_debug_register(pid_t pid, int which, uint64_t value)
{
	return ptrace(PTRACE_POKEUSER, pid,
		      (void *)(offsetof(struct user, u_debugreg) + which * sizeof(uint64_t)), value);
}

/* A write of 8 bytes, watched by register 0. */
static int watch_child(void)
{
	int status, stops = 0;
	pid_t pid = fork();

	if (pid < 0)
		return -1;
	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		for (int i = 0; i < HITS; i++)
			word[0] = i;
		_exit(0);
	}
	waitpid(pid, &status, 0);
	if (poke_debug_register(pid, 0, (uintptr_t)&word[0]) ||
	    poke_debug_register(pid, 7, 1 | 0x1 << 16 | 0x2 << 18)) {
		fprintf(stderr, "ptrace: %s\n", strerror(errno));
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		return -1;
	}
	ptrace(PTRACE_CONT, pid, 0, 0);
	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		stops += WSTOPSIG(status) == SIGTRAP;
		ptrace(PTRACE_CONT, pid, 0, 0);
	}
	return stops;
}

static int ptrace_loop(int seconds)
{
	time_t end = time(NULL) + seconds;
	int n = 0;

	do {
		int stops = watch_child();

		if (stops != HITS) {
			fprintf(stderr, "%d stops, not %d, after %d rounds\n", stops, HITS, n);
			return 1;
		}
		n++;
	} while (time(NULL) < end);
	printf("ok %d\n", n);
	return 0;
}

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
	if (argc == 2 && !strcmp(argv[1], "registers"))
		return registers();
	if (argc == 2 && !strcmp(argv[1], "ptrace"))
		return ptrace_loop(0);
	if (argc == 3 && !strcmp(argv[1], "ptrace-loop"))
		return ptrace_loop(atoi(argv[2]));
	if (argc == 3 && !strcmp(argv[1], "hold"))
		return hold(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "marked"))
		return marked(argv[2]);
	fprintf(stderr, "usage: dprof_check registers | ptrace | ptrace-loop SECONDS | hold PMU |\n"
		"\tmarked COMMAND\n");
	return 2;
}
