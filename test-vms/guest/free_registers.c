// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* free_registers: how many debug registers can be reserved on each CPU, on one line. */
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REGISTERS 4

static char watched[REGISTERS + 1];

int main(void)
{
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int fd[REGISTERS + 1], n;
	long cpu;

	for (cpu = 0; cpu < cpus; cpu++) {
		for (n = 0; n <= REGISTERS; n++) {
			struct perf_event_attr attr = {
				.size = sizeof(attr), .type = PERF_TYPE_BREAKPOINT,
				.bp_type = HW_BREAKPOINT_W, .bp_len = HW_BREAKPOINT_LEN_1,
				.bp_addr = (unsigned long)&watched[n], .exclude_kernel = 1,
				.exclude_hv = 1,
			};

			fd[n] = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
			if (fd[n] < 0)
				break;
		}
		printf("%s%d", cpu ? " " : "", n);
		while (n--)
			close(fd[n]);
	}
	putchar('\n');
	return 0;
}
