// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memprof_storm THREADS SECONDS: threads allocate and free as fast as they can.  Prints the
 * number of allocations, in all and per second.  memprof_gaps checks recordings of it for
 * losses.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "memprof_storm.h"

#define MAX_THREADS	64

static double seconds;
static _Atomic unsigned long allocations;
static pthread_barrier_t together;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void *storm(void *arg)
{
	void *volatile live[STORM_LIVE];
	unsigned long i = 0;
	double end;

	for (int k = 0; k < STORM_LIVE; k++)
		live[k] = malloc(STORM_BEGIN);
	pthread_barrier_wait(&together);
	end = now() + seconds;
	do {
		for (int k = 0; k < 256; k++, i++) {
			free(live[i % STORM_LIVE]);
			live[i % STORM_LIVE] = malloc(STORM_SIZE + i % STORM_SIZES);
		}
	} while (now() < end);
	live[0] = malloc(STORM_END);
	atomic_fetch_add(&allocations, i);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t threads[MAX_THREADS];
	int n = argc == 3 ? atoi(argv[1]) : 0, i;
	double begin;

	if (n < 1 || n > MAX_THREADS)
		return 2;
	seconds = atof(argv[2]);
	pthread_barrier_init(&together, NULL, n + 1);
	for (i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, storm, NULL))
			return 1;
	pthread_barrier_wait(&together);
	begin = now();
	for (i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	printf("allocations %lu per_second %.0f\n", allocations, allocations / (now() - begin));
	return 0;
}
