// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memprof_plant PATTERN SEED [fix]: a program whose accesses show a pattern of
 * memprof diagnose, or, with the fix, no longer.  The seed chooses sizes, numbers of
 * objects and threads, how objects are allocated, and which lines are touched.
 * Prints what is true: pattern, site, accesses and how many of them were remote.
 */
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#include "memprof_plant.h"

#define MAX_THREADS	8
#define MAX_OBJECTS	256

static bool fixed;
static unsigned long rounds = 2000000;

static struct object objects[MAX_OBJECTS];
static int nr_objects;

/* As by numa_alloc_onnode(): not in a page that malloc() wrote its own things in before. */
#define OWN_PAGES	3

/* The planted objects come from here: the site that is to be found. */
static __attribute__((noinline)) char *planted(size_t bytes, int how)
{
	char *p = NULL;

	/* Smaller than a page's neighbor: they are not to share one. */
	if (bytes < 16 * PAGE) {
		p = aligned_alloc(PAGE, (bytes + PAGE - 1) & -PAGE);
		if (!p)
			die("no memory");
		return p;
	}
	switch (how % 4) {
	case 0: p = malloc(bytes); break;
	case 1: p = aligned_alloc(64, (bytes + 63) & ~63UL); break;
	case 2: p = realloc(malloc(16), bytes); break;
	case OWN_PAGES: p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); break;
	}
	if (!p || p == MAP_FAILED)
		die("no memory");
	return p;
}

/* Sites of their own: the compiler is not to make one of equal functions. */
#define POOL(name) static __attribute__((noinline, no_icf)) char *name(size_t bytes) \
	{ char *volatile p = malloc(bytes); return p; }
POOL(pool_a) POOL(pool_b) POOL(pool_c) POOL(pool_d) POOL(pool_e)
static __attribute__((noinline, no_icf)) char *local_buffer(size_t bytes)
{
	char *volatile p = malloc(bytes);

	return p;
}

enum kind { AFTER, WRONG, TABLES, ALTERNATE, READ, WRITE, SATURATE, FALSE_SHARING, SPLIT, PARTITION, CONTROL,
	    SHARED_CONTROL, KINDS };
static const char * const names[KINDS] = { "after", "wrong", "tables", "alternate", "read", "write",
					   "saturate", "false", "split", "partition",
					   "control", "shared-control" };
static const char * const expected[KINDS] = {
	"remote-after-allocation", "wrong-node", "remote-after-allocation", "alternate",
	"concurrent-read", "concurrent-write", "saturated-node", "false-sharing", "process-split",
	"partitioned",
	"none", "none" };

static enum kind kind;
static unsigned int one_in, turns, how;
static size_t bytes;
static int home;		/* of the planted object */

static int node_of_thread(long t)
{
	/* With the threads on the object's node, or the process on one. */
	if (fixed && (kind == WRITE || kind == SPLIT))
		return home;
	return (home + 1 + t) % nr_nodes;
}

static void use_planted(long t, int node)
{
	const struct object *mine = &objects[t % nr_objects];
	unsigned int i;

	switch (kind) {
	case AFTER:
	case WRONG:
		touch(mine, t ? 0 : rounds * 2, one_in, t + 7);
		break;
	case TABLES:
		for (i = t; i < (unsigned int)nr_objects; i += nr_threads)
			touch(&objects[i], rounds * nr_threads / nr_objects, one_in, i);
		break;
	case ALTERNATE:
		for (i = 0; i < turns; i++) {
			meet();
			if (i % nr_threads != (unsigned long)t)
				continue;
			if (fixed)
				move_to((void *)mine->p, mine->bytes, node);
			touch(&objects[0], rounds * nr_threads / turns, one_in, i);
		}
		break;
	case READ:
		touch(fixed ? &objects[node] : &objects[0], rounds, 0, t + 3);
		break;
	case WRITE:
	case SATURATE:
		touch(&objects[0], rounds, 3, t + 5);
		break;
	case FALSE_SHARING: {
		volatile char *p = mine->p + t * (fixed ? 64 : 8);
		const size_t step = 64 * (fixed ? nr_threads : 1);

		for (unsigned long n = 0; n < rounds / 4; n++)
			for (unsigned int k = 0; k < 4; k++)
				p[k * step]++;
		break;
	}
	case SPLIT:
		for (i = 0; i < (unsigned int)nr_objects; i++)
			touch(&objects[i], rounds / nr_objects, 4, i + t);
		break;
	case PARTITION: {
		struct object part = { mine->p + bytes / PAGE / nr_threads * PAGE * t,
				       bytes / PAGE / nr_threads * PAGE };

		if (fixed)
			fill(&part);
		touch(&part, rounds, one_in, t + 9);
		break;
	}
	default:
		break;
	}
}

static void *thread(void *arg)
{
	long t = (long)arg;
	const int node = node_of_thread(t);
	struct object own;

	run_on(node);
	own.bytes = between(8, 32) * PAGE;
	own.p = local_buffer(own.bytes);
	fill(&own);
	if (kind == WRONG && !t) {
		if (!fixed)
			policy(MPOL_BIND, 1UL << home);
		objects[0] = (struct object){ planted(bytes, fixed ? OWN_PAGES : how), bytes };
		fill(&objects[0]);
		policy(MPOL_DEFAULT, 0);
	}
	meet();
	/* Both at a time: no phase is the other's. */
	if (kind == ALTERNATE) {
		use_planted(t, node);
		touch(&own, rounds / 4, 2, t + 11);
		return NULL;
	}
	touch(&own, kind == CONTROL ? rounds : rounds / 8, 2, t + 11);
	use_planted(t, node);
	if (kind == SHARED_CONTROL)
		touch(&objects[0], node == home ? rounds : rounds / 24, 4, t);
	touch(&own, rounds / 8, 2, t + 13);
	return NULL;
}

static void plant(void)
{
	static char *(*const pools[])(size_t) = { pool_a, pool_b, pool_c, pool_d, pool_e };
	int i;

	nr_objects = 1;
	switch (kind) {
	case TABLES:
		nr_objects = nr_threads * between(2, 8);
		bytes = between(2, 6) * PAGE;
		break;
	case READ:
		nr_objects = fixed ? nr_nodes : 1;
		break;
	case SPLIT:
		nr_objects = 5;
		bytes = between(4, 16) * PAGE;
		break;
	case FALSE_SHARING:
		bytes = 4 * 64 * (fixed ? nr_threads : 1);
		break;
	case WRONG:
		return;
	default:
		break;
	}
	for (i = 0; i < nr_objects; i++) {
		struct object *o = &objects[i];

		if (fixed && (kind == AFTER || kind == TABLES || kind == READ))
			how = OWN_PAGES;
		o->bytes = bytes;
		o->p = kind == SPLIT ? pools[i](bytes) :
		       kind == FALSE_SHARING ? aligned_alloc(64, bytes) : planted(bytes, how);
		if (fixed && kind == SATURATE) {
			policy(MPOL_INTERLEAVE, (1UL << nr_nodes) - 1);
			fill(o);
			policy(MPOL_DEFAULT, 0);
			continue;
		}
		/* Who uses it: see use_planted(). */
		if (fixed && (kind == AFTER || kind == TABLES))
			policy(MPOL_BIND, 1UL << node_of_thread(i % nr_threads));
		if (fixed && kind == READ)
			policy(MPOL_BIND, 1UL << i);
		/* Each thread then does so with its part. */
		if (!fixed || kind != PARTITION)
			fill(o);
		policy(MPOL_DEFAULT, 0);
	}
}

int main(int argc, char **argv)
{
	pthread_t threads[MAX_THREADS];
	int i;

	if (argc < 3) {
		fprintf(stderr, "usage: memprof_plant PATTERN SEED [fix] [ROUNDS]\n");
		return 2;
	}
	for (kind = 0; kind < KINDS && strcmp(argv[1], names[kind]); kind++)
		;
	if (kind == KINDS) {
		fprintf(stderr, "memprof_plant: %s: no such pattern\n", argv[1]);
		return 2;
	}
	state = strtoull(argv[2], NULL, 10);
	fixed = argc > 3 && !strcmp(argv[3], "fix");
	if (argc > 3 + fixed)
		rounds = strtoul(argv[3 + fixed], NULL, 10);
	look_at_machine();
	nr_threads = nr_nodes * between(1, nr_nodes > 2 ? 1 : 2);
	if (kind == SHARED_CONTROL || kind == FALSE_SHARING)
		nr_threads = nr_nodes;
	bytes = between(16, 96) * PAGE;
	one_in = between(2, 6);
	turns = nr_threads * between(1, 2);
	how = between(0, 3);
	home = between(0, nr_nodes - 1);
	run_on(home);
	printf("truth pattern %s site %s threads %d bytes %zu\n", expected[kind],
	       kind == SPLIT ? "[process]" : kind == FALSE_SHARING ? "plant" : "planted", nr_threads,
	       bytes);
	fflush(stdout);
	plant();
	for (i = 0; i < nr_threads; i++)
		if (pthread_create(&threads[i], NULL, thread, (void *)(long)i))
			die("pthread_create");
	for (i = 0; i < nr_threads; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
