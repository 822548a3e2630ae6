// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * swmem_check: samples of the loops, for the oracle to judge.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/mark.h"
#include "swmem_check.h"

int run_loops(int argc, char **argv)
{
	struct perf_event_attr attr = attr_of(0, 100000);
	int rounds = 50, least = 0, syscalls = 1, coarse = 0;
	struct ring ring;
	struct sample s;
	FILE *f;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "irq")) {
			attr.config |= CONFIG_IRQ;
		} else if (!strncmp(argv[i], "period=", 7)) {
			attr.sample_period = strtoull(argv[i] + 7, NULL, 0);
		} else if (!strncmp(argv[i], "rounds=", 7)) {
			rounds = atoi(argv[i] + 7);
		} else if (!strncmp(argv[i], "samples=", 8)) {
			least = atoi(argv[i] + 8);
		} else if (!strcmp(argv[i], "coarse")) {
			coarse = 1;
		} else if (!strcmp(argv[i], "user")) {
			attr.exclude_kernel = 1;
			syscalls = 0;
		} else if (!strcmp(argv[i], "kernel")) {
			attr.exclude_user = 1;
		} else {
			fprintf(stderr, "swmem_check: %s: unknown option\n", argv[i]);
			return 2;
		}
	}
	if (!coarse)
		wait_for_timers();
	f = fopen(argv[0], "w");
	if (!f) {
		perror(argv[0]);
		return 1;
	}
	memset(buf, 1, sizeof(buf));
	pin(sysconf(_SC_NPROCESSORS_ONLN) - 1);
	if (ring_open(&ring, &attr, 0, -1)) {
		perror("swmem_check: perf_event_open");
		return 1;
	}
	one_round();
	oracle_mark(ORACLE_CODE_START);
	sched_yield();
	enable(&ring);
	for (int i = 0; i < rounds || samples_in(&ring) < least; i++) {
		if (attr.exclude_user) {
			some_syscalls();
			continue;
		}
		one_round();
		if (syscalls)
			some_syscalls();
	}
	disable(&ring);
	oracle_mark(ORACLE_CODE_STOP);

	for (int i = 0; i < 7; i++)
		fprintf(f, "object %s %llx %llx\n", buf_name[i], (unsigned long long)buf[i],
			(unsigned long long)buf[i] + BUFFER - 1);
	for (unsigned int i = 0; i < nr_ranges; i++)
		fprintf(f, "range %s %llx %llx %s %d %d\n", ranges[i].name,
			(unsigned long long)ranges[i].first, (unsigned long long)ranges[i].last,
			ranges[i].object >= 0 ? buf_name[ranges[i].object] : "-",
			ranges[i].op, ranges[i].width);
	while (ring_next(&ring, &s))
		fprintf(f, "sample %u %llx %llx %x %u %s\n", s.cpu, (unsigned long long)s.ip,
			(unsigned long long)s.addr, s.op, s.width, s.kernel ? "kernel" : "user");
	fprintf(f, "lost %llu\n", (unsigned long long)ring.lost);
	return fclose(f) ? 1 : 0;
}
