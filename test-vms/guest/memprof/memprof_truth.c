// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memprof_truth LOG SEED STEPS: threads allocate, free, move and hand over objects, and read
 * and write them all the time.  Logs the address and lifetime of each object.  read_it()
 * makes all reads, write_it() all writes.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "memprof_truth.h"

#define THREADS	4
#define PLACES	64

struct place {
	pthread_mutex_t lock;
	volatile char *p;
	struct truth truth;
};

static struct place places[PLACES];
static struct truth *logs[THREADS];
static size_t nr_log[THREADS];
static unsigned long steps;
static uint64_t seed;

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * UINT64_C(1000000000) + t.tv_nsec;
}

__attribute__((noinline)) static void read_it(volatile char *p, size_t bytes, uint64_t x)
{
	uint64_t sum = 0;

	for (int i = 0; i < 60; i++)
		sum += p[(x + 37 * i) % bytes];
	__asm__ volatile("" : : "r"(sum));
}

__attribute__((noinline)) static void write_it(volatile char *p, size_t bytes, uint64_t x)
{
	for (int i = 0; i < 60; i++)
		p[(x + 53 * i) % bytes] = i;
}

static void *run(void *arg)
{
	const long t = (long)arg;
	const uint32_t tid = syscall(SYS_gettid);
	uint64_t x = seed * 7919 + t + 1;
	unsigned long i;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(t % sysconf(_SC_NPROCESSORS_ONLN), &set);
	sched_setaffinity(0, sizeof(set), &set);
	for (i = 0; i < steps; i++) {
		struct place *l;
		size_t bytes;

		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		l = &places[x % PLACES];
		bytes = 16 + (x >> 20) % ((x >> 40) % 16 ? 500 : 200000);
		pthread_mutex_lock(&l->lock);
		if (!l->p) {
			l->truth = (struct truth){ .size = bytes, .asked = now(), .allocator = tid };
			l->p = (x >> 50) % 3 ? malloc(bytes) : calloc(1, bytes);
			l->truth.given = now();
			l->truth.address = (uintptr_t)l->p;
		} else if (x >> 58 < 8) {
			l->truth.freeing = now();
			free((void *)l->p);
			l->truth.freed = now();
			l->p = NULL;
			logs[t][nr_log[t]++] = l->truth;
		} else if (x >> 58 < 12) {
			struct truth old = l->truth;

			old.freeing = now();
			l->p = realloc((void *)l->p, bytes);
			l->truth = (struct truth){ .address = (uintptr_t)l->p, .size = bytes,
						   .asked = old.freeing, .given = now(), .allocator = tid };
			old.freed = l->truth.given;
			logs[t][nr_log[t]++] = old;
		} else if (x >> 63) {
			write_it(l->p, l->truth.size, x);
		} else {
			read_it(l->p, l->truth.size, x);
		}
		pthread_mutex_unlock(&l->lock);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	long t;
	FILE *f;
	int i;

	if (argc != 4)
		return 2;
	seed = strtoull(argv[2], NULL, 10);
	steps = strtoul(argv[3], NULL, 10);
	for (t = 0; t < THREADS; t++) {
		logs[t] = calloc(steps + PLACES, sizeof(**logs));
		if (!logs[t])
			return 1;
	}
	for (i = 0; i < PLACES; i++)
		pthread_mutex_init(&places[i].lock, NULL);
	for (t = 0; t < THREADS; t++)
		pthread_create(&threads[t], NULL, run, (void *)t);
	for (t = 0; t < THREADS; t++)
		pthread_join(threads[t], NULL);
	for (i = 0; i < PLACES; i++)
		if (places[i].p) {
			places[i].truth.freeing = places[i].truth.freed = UINT64_MAX;
			logs[0][nr_log[0]++] = places[i].truth;
		}
	f = fopen(argv[1], "w");
	if (!f)
		return 1;
	for (t = 0; t < THREADS; t++)
		fwrite(logs[t], sizeof(**logs), nr_log[t], f);
	return fclose(f) ? 1 : 0;
}
