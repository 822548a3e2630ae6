// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memprof_cost PAIRS: ns of a malloc() and of a free(), six calls deep.  Where the clock
 * counts instructions (test-vms/run --accel icount: 2 ns each), with and without the
 * preloaded library, the difference is what the events cost.  The events are thrown away
 * here, between what is measured, as a recorder would take them.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "memprof/format.h"

/* Events go once around the ring, whose pages are there then. */
#define WARM_UP	60000
/* So many at a time: as many as the allocator keeps of a size for each thread. */
#define BATCH	7

static unsigned long batches;
static double malloc_ns, free_ns;
static struct ring *ring;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

/* The clock is read twice for each batch, with the library and without it. */
__attribute__((noinline)) static void deep(int depth)
{
	void *volatile p[BATCH];
	double begin, middle;
	unsigned long i;
	int k;

	if (depth) {
		deep(depth - 1);
		__asm__ volatile("");
		return;
	}
	malloc_ns = free_ns = 0;
	for (i = 0; i < batches; i++) {
		begin = now();
		for (k = 0; k < BATCH; k++)
			p[k] = malloc(64);
		middle = now();
		for (k = 0; k < BATCH; k++)
			free(p[k]);
		malloc_ns += middle - begin;
		free_ns += now() - middle;
		if (ring)
			__atomic_store_n(&ring->tail, ring->head, __ATOMIC_RELEASE);
	}
}

/* The ring of this thread, if there is one. */
static void find_ring(void)
{
	const char *directory = getenv("MEMPROF_SESSION");
	char path[4096];
	int fd;

	if (!directory)
		return;
	snprintf(path, sizeof(path), "%s/%d.%d.1", directory, getpid(), getpid());
	fd = open(path, O_RDWR);
	ring = fd < 0 ? NULL : mmap(NULL, RING_HEADER, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (!ring || ring == MAP_FAILED || ring->magic != RING_MAGIC) {
		fprintf(stderr, "memprof_cost: %s: no ring\n", path);
		exit(1);
	}
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	/* A thread's first event makes its ring. */
	batches = 1;
	deep(6);
	find_ring();
	batches = WARM_UP / 2 / BATCH;
	deep(6);
	batches = strtoul(argv[1], NULL, 10) / BATCH;
	deep(6);
	printf("ns_per_malloc %.2f ns_per_free %.2f\n", malloc_ns / batches / BATCH,
	       free_ns / batches / BATCH);
	return ring && ring->lost;
}
