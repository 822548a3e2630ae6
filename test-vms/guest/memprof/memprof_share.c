// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memprof_share run SEED ROUNDS: threads that access objects, some much more often than
 * others, and say where these are: "object ADDRESS BYTES".  Each has pages of its own, and
 * marks set when the oracle counts.
 *
 * memprof_share report FILE: "accesses ADDRESS COUNT" for each object of such a recording.
 */
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mark.h"
#include "memprof/memprof.h"

#define OBJECTS		32
#define THREADS		4
#define LINE		64
#define PAGE		4096

static struct object {
	volatile uint64_t *p;
	size_t bytes;
} objects[OBJECTS];

/* Which object comes next, as often as it is to be accessed. */
static unsigned char turns[4096];
static unsigned long rounds;
static uint64_t seed;

static uint64_t rnd(uint64_t *s)
{
	uint64_t z = *s += 0x9e3779b97f4a7c15;	/* SplitMix64 */

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* Reads and writes of the lines of an object, from one at random. */
static void *run(void *arg)
{
	uint64_t state = seed * 1000 + (uintptr_t)arg, sum = 0;

	for (unsigned long i = 0; i < rounds; i++) {
		const uint64_t r = rnd(&state);
		const struct object *o = &objects[turns[r % sizeof(turns)]];
		volatile uint64_t *p = o->p + (r >> 32) % (o->bytes / PAGE) * (PAGE / sizeof(*p));

		for (int k = 0; k < 16; k++) {
			sum += p[k * LINE / sizeof(*p)];
			p[k * LINE / sizeof(*p) + 1] = sum;
		}
	}
	return NULL;
}

static int run_all(void)
{
	pthread_t threads[THREADS];
	uint64_t state = seed;
	size_t i, k, weight;
	double sum = 0;

	/* By Zipf's law, with the seed's exponent from 0.4 to 1. */
	const double skew = 0.4 + rnd(&state) % 7 / 10.0;
	double share[OBJECTS];

	for (i = 0; i < OBJECTS; i++) {
		share[i] = pow(i + 1, -skew);
		sum += share[i];
		objects[i].bytes = PAGE * (1 + rnd(&state) % 64);
		objects[i].p = aligned_alloc(PAGE, objects[i].bytes);
		if (!objects[i].p)
			return 1;
		memset((void *)objects[i].p, 0, objects[i].bytes);
		printf("object %" PRIx64 " %zu\n", (uint64_t)(uintptr_t)objects[i].p, objects[i].bytes);
	}
	for (i = k = 0; i < OBJECTS; i++)
		for (weight = share[i] / sum * sizeof(turns); weight && k < sizeof(turns); weight--)
			turns[k++] = i;
	oracle_mark(ORACLE_CODE_START);
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, run, (void *)i))
			return 1;
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	oracle_mark(ORACLE_CODE_STOP);
	return 0;
}

/* Accesses of main memory since the objects were made: memset() comes before. */
static int report(const char *path)
{
	struct memprof_access a;
	struct memprof *m;
	char error[256];

	m = memprof_open(path, NULL, error, sizeof(error));
	if (!m) {
		fprintf(stderr, "memprof_share: %s\n", error);
		return 1;
	}
	for (uint32_t i = 0; i < memprof_nr_objects(m); i++) {
		const struct memprof_object *o = memprof_object(m, i);
		uint64_t n = 0;

		if (o->type != MEMPROF_DYNAMIC)
			continue;
		memprof_foreach_access(m, memprof_object_flow(m, i), &a)
			/* The main thread does nothing but that. */
			n += memprof_in_memory(m, &a) &&
			     memprof_thread(m, a.thread)->tid != memprof_thread(m, a.thread)->pid;
		printf("accesses %" PRIx64 " %" PRIu64 "\n", o->address, n);
	}
	memprof_close(m);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "report"))
		return report(argv[2]);
	if (argc != 4 || strcmp(argv[1], "run")) {
		fprintf(stderr, "usage: memprof_share run SEED ROUNDS\n       memprof_share report FILE\n");
		return 2;
	}
	seed = strtoull(argv[2], NULL, 10);
	rounds = strtoul(argv[3], NULL, 10);
	return run_all();
}
