// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * swmem_check: CPUs that are idle, held, or in short system calls while all are sampled.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "swmem_check.h"

/* Events on all CPUs; each CPU in turn works for a while, or none does. */
int run_all_cpus(void)
{
	int cpus = sysconf(_SC_NPROCESSORS_ONLN), last = cpus - 1;
	struct perf_event_attr attr = attr_of(0, 1000000);
	unsigned long ticks, idle, sent;
	struct ring ring[64];
	struct sample s;

	if (cpus > 64)
		return 1;
	for (int i = 0; i < cpus; i++) {
		if (ring_open(&ring[i], &attr, -1, i)) {
			perror("swmem_check: perf_event_open");
			return 1;
		}
	}
	for (int i = 0; i < cpus; i++)
		enable(&ring[i]);

	sleep(1);
	ticks = stat_of("ticks");
	idle = stat_of("idle");
	sent = stat_of("sent");
	sleep(2);
	printf("idle ticks %lu, sent %lu, not sent %lu\n", stat_of("ticks") - ticks,
	       stat_of("sent") - sent, stat_of("idle") - idle);

	for (int i = 0; i < cpus; i++) {
		int n = 0;

		pin(i);
		/* This CPU was idle for long, no other was. */
		usleep(100000);
		while (ring_next(&ring[i], &s))
			;
		dense(seconds() + .05);
		while (ring_next(&ring[i], &s))
			n += s.pid == (uint32_t)getpid();
		printf("cpu %d samples %d\n", i, n);
	}
	for (int i = 0; i < cpus; i++)
		ring_close(&ring[i]);
	pin(last);
	return 0;
}

/* Samples all CPUs each millisecond until it is ended, one of them busy. */
int run_hold(int argc, char **argv)
{
	int cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct perf_event_attr attr = attr_of(0, 1000000);
	struct ring ring;
	FILE *f;

	for (int i = 0; i < cpus; i++) {
		if (ring_open(&ring, &attr, -1, i)) {
			perror("swmem_check: perf_event_open");
			return 1;
		}
		enable(&ring);
	}
	pin(0);
	/* All this time nothing may be unknown. */
	dense(seconds() + .5);
	f = fopen(argv[0], "w");
	if (!f || fprintf(f, "%lu\n", stat_of("ticks")) < 0 || fclose(f)) {
		perror(argv[0]);
		return 1;
	}
	dense(seconds() + 60);
	return 0;
}

struct hot {
	uint64_t ip;
	unsigned int n;
};

static int by_count(const void *a, const void *b)
{
	return (int)((const struct hot *)b)->n - (int)((const struct hot *)a)->n;
}

/*
 * Short system calls on one CPU while all are sampled: at which instructions of the
 * kernel the samples are.
 */
int run_syscalls(int argc, char **argv)
{
	int cpus = sysconf(_SC_NPROCESSORS_ONLN), cpu = atoi(argv[0]), n = 0, nr_hot = 0;
	struct perf_event_attr attr = attr_of(0, 100000);
	static struct hot hot[65536];
	unsigned long self = stat_of("self");
	struct ring ring[64];
	struct sample s;

	if (cpus > 64)
		return 1;
	attr.exclude_user = 1;
	for (int i = 0; i < cpus; i++) {
		if (ring_open(&ring[i], &attr, -1, i)) {
			perror("swmem_check: perf_event_open");
			return 1;
		}
	}
	pin(cpu);
	for (int i = 0; i < cpus; i++)
		enable(&ring[i]);
	for (int i = 0; i < 200000; i++)
		syscall(SYS_getppid);
	for (int i = 0; i < cpus; i++)
		disable(&ring[i]);
	self = stat_of("self") - self;

	while (ring_next(&ring[cpu], &s)) {
		int i;

		if (s.pid != (uint32_t)getpid())
			continue;
		n++;
		for (i = 0; i < nr_hot && hot[i].ip != s.ip; i++)
			;
		if (i == nr_hot && nr_hot < 65536)
			hot[nr_hot++].ip = s.ip;
		if (i < 65536)
			hot[i].n++;
	}
	qsort(hot, nr_hot, sizeof(hot[0]), by_count);
	printf("samples %d self %lu\n", n, self);
	for (int i = 0; i < nr_hot; i++)
		printf("ip %llx %u\n", (unsigned long long)hot[i].ip, hot[i].n);
	for (int i = 0; i < cpus; i++)
		ring_close(&ring[i]);
	return 0;
}
