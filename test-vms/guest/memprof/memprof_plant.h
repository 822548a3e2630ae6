/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * What programs have in common whose accesses show a pattern on purpose, in C and C++: nodes,
 * accesses, threads that go on together.
 */
#ifndef MEMPROF_PLANT_H
#define MEMPROF_PLANT_H

#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE		4096UL
#define MPOL_DEFAULT	0
#define MPOL_BIND	2
#define MPOL_INTERLEAVE	3
#define MPOL_MF_MOVE	2

static uint64_t state;
static int nr_nodes, nr_cpus, nr_threads, node_of[64], cpu_of[64];

static uint64_t rnd(uint64_t *s)
{
	uint64_t z = *s += 0x9e3779b97f4a7c15;	/* SplitMix64 */

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static unsigned long between(unsigned long low, unsigned long high)
{
	return low + rnd(&state) % (high - low + 1);
}

static void die(const char *what)
{
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, strerror(errno));
	exit(1);
}

static void run_on(int node)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu_of[node], &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
}

static void look_at_machine(void)
{
	char path[64];
	unsigned int cpu, node;

	nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	for (int i = 0; i < nr_cpus && i < 64; i++) {
		cpu_set_t set;

		CPU_ZERO(&set);
		CPU_SET(i, &set);
		if (sched_setaffinity(0, sizeof(set), &set) || syscall(SYS_getcpu, &cpu, &node, NULL))
			die("getcpu");
		node_of[i] = node;
		cpu_of[node] = cpu;
		if ((int)node >= nr_nodes)
			nr_nodes = node + 1;
	}
	snprintf(path, sizeof(path), "%d nodes", nr_nodes);
	if (nr_nodes < 2)
		die(path);
}

static void policy(int mode, unsigned long nodes)
{
	if (syscall(SYS_set_mempolicy, mode, mode ? &nodes : NULL, mode ? 64UL : 0UL))
		die("set_mempolicy");
}

static inline void move_to(void *p, size_t bytes, int node)
{
	uintptr_t first = (uintptr_t)p & -PAGE, last = (uintptr_t)p + bytes - 1;

	for (; first <= last; first += PAGE) {
		void *page = (void *)first;
		int status;

		if (syscall(SYS_move_pages, 0, 1UL, &page, &node, &status, MPOL_MF_MOVE))
			die("move_pages");
	}
}

/* An object: what a thread may touch, and where it is. */
struct object {
	volatile char *p;
	size_t bytes;
};

/*
 * Reads, and writes of one in so many, of random lines: four neighbors at a time, so that
 * many of the instructions sampled are accesses.
 */
static __attribute__((noinline)) void touch(const struct object *object, unsigned long n, unsigned int one_in,
					     uint64_t seed)
{
	/* The table of objects is not what is to be accessed. */
	const struct object o = *object;
	const uint64_t places = o.bytes / 64 - 3;
	uint64_t x = seed | 1, sum = 0;
	unsigned int left = one_in;

	for (n /= 4; n; n--) {
		volatile char *p;

		x = x * 6364136223846793005 + 1442695040888963407;	/* Knuth's MMIX */
		p = o.p + ((x >> 32) * places >> 32) * 64;
		if (one_in && !--left) {
			left = one_in;
			p[0] = sum;
			p[64] = sum;
			p[128] = sum;
			p[192] = sum;
		} else {
			sum += p[0];
			sum += p[64];
			sum += p[128];
			sum += p[192];
		}
	}
	__asm__ volatile("" : : "r"(sum));
}

static void fill(const struct object *object)
{
	/* As in touch(). */
	const struct object o = *object;

	for (size_t i = 0; i < o.bytes; i += 64)
		o.p[i] = i;
}

static unsigned int arrived;

/*
 * All threads go on at once.  Not a pthread_barrier_t: a thread that sleeps there may run
 * when the others are through, and what is to be concurrent would not be.
 */
static void meet(void)
{
	const unsigned int turn = __atomic_fetch_add(&arrived, 1, __ATOMIC_ACQ_REL) / nr_threads;

	while (__atomic_load_n(&arrived, __ATOMIC_ACQUIRE) / nr_threads == turn) {
		/* Looking is an access that is sampled, too: seldom. */
		for (unsigned int i = 0; i < 2000; i++)
			__asm__ volatile("");
		sched_yield();
	}
}

#endif
