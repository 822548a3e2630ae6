// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memprof_cases facerec|streamcluster|psearchy|apache [fix] [ROUNDS]: small programs that
 * access memory as the applications of sections 5.2 to 5.5 of "MemProf" (Lachaize, Lepers,
 * Quema, 2012) did, a thread on each node; fix: with what the paper's authors changed.
 */
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_NODES	8
#define COLUMNS		128
#define ROWS		512
#define POINTS		4096
#define DIMENSIONS	16
#define WORDS		1024
#define POSTINGS	4096
#define TEXT		4096
#define POOLS		16
#define POOL_BYTES	8192
#define MPOL_INTERLEAVE	3

static int nr_nodes, cpu_of[MAX_NODES];
static unsigned long rounds = 60;
static bool fixed;
static unsigned int arrived;

/* The last CPU of each node: the first one is the recorder's. */
static int find_nodes(void)
{
	const int n = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned int cpu, node;
	cpu_set_t set;

	for (int i = 0; i < n; i++) {
		CPU_ZERO(&set);
		CPU_SET(i, &set);
		if (sched_setaffinity(0, sizeof(set), &set) ||
		    syscall(SYS_getcpu, &cpu, &node, NULL) || node >= MAX_NODES)
			return -1;
		cpu_of[node] = i;
		if ((int)node >= nr_nodes)
			nr_nodes = node + 1;
	}
	return nr_nodes > 1 ? 0 : -1;
}

static void run_on(int node)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu_of[node], &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		perror("memprof_cases: sched_setaffinity");
}

/* All at once, and awake: see memprof_plant.c. */
static void meet(void)
{
	__atomic_fetch_add(&arrived, 1, __ATOMIC_ACQ_REL);
	while (__atomic_load_n(&arrived, __ATOMIC_ACQUIRE) < (unsigned int)nr_nodes)
		for (unsigned int i = 0; i < 2000; i++)
			__asm__ volatile("");
}

/* The same for processes, whose threads share CPUs. */
static void meet_and_yield(void)
{
	__atomic_fetch_add(&arrived, 1, __ATOMIC_ACQ_REL);
	while (__atomic_load_n(&arrived, __ATOMIC_ACQUIRE) < (unsigned int)nr_nodes)
		sched_yield();
}

static uint64_t rnd(uint64_t *x)
{
	*x ^= *x << 13, *x ^= *x >> 7, *x ^= *x << 17;	/* Marsaglia's xorshift64 */
	return *x;
}

static void *must(void *p)
{
	if (!p || p == MAP_FAILED) {
		fprintf(stderr, "memprof_cases: no memory left\n");
		exit(1);
	}
	return p;
}

/*
 * Section 5.2: a matrix is filled in by the first thread, then each thread multiplies its
 * own images with it.  Fix: a copy of the matrix on each node.
 */
static float *basis[MAX_NODES];

static float *make_matrix(size_t rows, size_t columns)
{
	return must(malloc(rows * columns * sizeof(float)));
}

/* Not inlined: its result is never read, so the compiler would remove it. */
static __attribute__((noinline)) void transpose_multiply(float *out, const float *matrix,
							 const float *image)
{
	for (int c = 0; c < COLUMNS; c++)
		out[c] = 0;
	for (int r = 0; r < ROWS; r++)
		for (int c = 0; c < COLUMNS; c++)
			out[c] += matrix[r * COLUMNS + c] * image[r];
	__asm__ volatile("" : : "r"(out) : "memory");
}

static void *project_images(void *arg)
{
	const long node = (long)arg;
	float *image, *projected;

	run_on(node);
	image = make_matrix(ROWS, 1);
	projected = make_matrix(COLUMNS, 1);
	if (fixed && node) {
		basis[node] = make_matrix(ROWS, COLUMNS);
		memcpy(basis[node], basis[0], ROWS * COLUMNS * sizeof(float));
	}
	meet();
	for (unsigned long i = 0; i < rounds; i++) {
		for (int r = 0; r < ROWS; r++)
			image[r] = i ^ r;
		transpose_multiply(projected, fixed ? basis[node] : basis[0], image);
	}
	return NULL;
}

static void read_images(void)
{
	basis[0] = make_matrix(ROWS, COLUMNS);
	for (int i = 0; i < ROWS * COLUMNS; i++)
		basis[0][i] = i;
}

/*
 * Section 5.3: the coordinates of all points are in one array, which threads read and
 * write at once.  Fix: the array is interleaved over the nodes, which leaves the remote
 * share and relieves its node.
 */
static float *block;

static void *cluster_points(void *arg)
{
	const long node = (long)arg;
	uint64_t x = node + 1;
	float *center;

	run_on(node);
	center = make_matrix(DIMENSIONS, 1);
	memset(center, 0, DIMENSIONS * sizeof(float));
	meet();
	for (unsigned long i = 0; i < rounds * 1024; i++) {
		float distance = 0, *point;

		point = block + rnd(&x) % POINTS * DIMENSIONS;
		for (int d = 0; d < DIMENSIONS; d++)
			distance += (point[d] - center[d]) * (point[d] - center[d]);
		/* Its weight changes with the center that it belongs to. */
		if (x >> 62)
			point[0] = distance;
		else
			memcpy(center, point, DIMENSIONS * sizeof(float));
	}
	__asm__ volatile("" : : "r"(center) : "memory");
	return NULL;
}

static void read_points(void)
{
	const size_t bytes = POINTS * DIMENSIONS * sizeof(float);
	const unsigned long all = (1UL << nr_nodes) - 1;

	block = must(mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	if (fixed && syscall(SYS_mbind, block, bytes, MPOL_INTERLEAVE, &all, 64UL, 0)) {
		perror("memprof_cases: mbind");
		exit(1);
	}
	for (int i = 0; i < POINTS * DIMENSIONS; i++)
		block[i] = i % 1000;
}

/*
 * Section 5.4: threads share no object, but all objects come from one heap, whose pages
 * are where the first thread, which has read the list of files, wrote them first.  As in
 * the paper, a sort's temporary is among them.  Fix: each thread allocates from memory of
 * its node, here by an arena of its own.
 */
struct word {
	uint64_t hash, first, count;
};

static int compare_words(const void *a, const void *b)
{
	const struct word *x = a, *y = b;

	return x->hash < y->hash ? -1 : x->hash > y->hash;
}

/* One file: its words are counted, and where they are is noted. */
static __attribute__((noinline)) void index_text(const uint32_t *text, struct word *table, uint32_t *blocks)
{
	for (unsigned int i = 0; i < TEXT; i++) {
		struct word *w = &table[(text[i] * 2654435761U) % WORDS];	/* Knuth's hash */

		w->hash = text[i];
		if (!w->count++)
			w->first = i;
		blocks[(w->first + i) % POSTINGS] = i;
	}
}

static __attribute__((noinline)) struct word *new_table(void)
{
	return must(malloc(WORDS * sizeof(struct word)));
}

static __attribute__((noinline)) uint32_t *new_blocks(void)
{
	return must(malloc(POSTINGS * sizeof(uint32_t)));
}

static void *index_files(void *arg)
{
	const long node = (long)arg;
	uint64_t x = node + 1;
	uint32_t *text, *blocks;
	struct word *table;

	run_on(node);
	text = must(mmap(NULL, TEXT * sizeof(*text), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	table = new_table();
	blocks = new_blocks();
	memset(table, 0, WORDS * sizeof(*table));
	memset(blocks, 0, POSTINGS * sizeof(*blocks));
	meet();
	for (unsigned long i = 0; i < rounds; i++) {
		for (int k = 0; k < TEXT; k++)
			text[k] = rnd(&x);
		index_text(text, table, blocks);
		qsort(table, WORDS, sizeof(*table), compare_words);
	}
	return NULL;
}

static void read_list(void)
{
	const size_t bytes = 4 << 20;
	char *list;

	/* Freed memory is kept, for whoever allocates next. */
	mallopt(M_MMAP_THRESHOLD, 2 * bytes);
	mallopt(M_TRIM_THRESHOLD, 2 * bytes);
	if (!fixed)
		mallopt(M_ARENA_MAX, 1);
	list = must(malloc(bytes));
	memset(list, 1, bytes);
	__asm__ volatile("" : : "r"(list) : "memory");
	free(list);
}

/*
 * Section 5.5: processes, each with threads on all nodes, which share its pools, all of
 * which one function allocates, and the table that calls of libraries go through.  Fix: the
 * threads of a process are on one node.
 */
static char *pools[POOLS];
static long process;

static __attribute__((noinline)) char *make_pool(void)
{
	return must(malloc(POOL_BYTES));
}

/* memmove(), as compilers make instructions of memcpy(): it is to be called. */
static __attribute__((noinline)) void answer(char *pool, char *own, size_t bytes, bool keep)
{
	memmove(own, pool, bytes);
	if (keep)
		memmove(pool, own, bytes);
}

static void *serve(void *arg)
{
	const long node = (long)arg;
	uint64_t x = 1 + node + 16 * process;
	char own[256];

	run_on(fixed ? process % nr_nodes : node);
	meet_and_yield();
	for (unsigned long i = 0; i < rounds * 256; i++) {
		const uint64_t r = rnd(&x);

		answer(pools[r % POOLS] + (r >> 16) % (POOL_BYTES - sizeof(own)), own, 64 + (r >> 32) % 128, r >> 62 == 0);
	}
	return NULL;
}

/* Returns in the first process and, after it has served, in no other. */
static void serve_in_processes(void)
{
	pthread_t threads[MAX_NODES];
	int status;

	for (process = 0; process < nr_nodes; process++) {
		const pid_t pid = fork();

		if (pid < 0) {
			perror("memprof_cases: fork");
			exit(1);
		}
		if (pid)
			continue;
		run_on(process);
		for (int i = 0; i < POOLS; i++) {
			pools[i] = make_pool();
			memset(pools[i], i, POOL_BYTES);
		}
		for (long i = 0; i < nr_nodes; i++)
			if (pthread_create(&threads[i], NULL, serve, (void *)i))
				exit(1);
		for (int i = 0; i < nr_nodes; i++)
			pthread_join(threads[i], NULL);
		exit(0);
	}
	while (wait(&status) > 0)
		if (status)
			exit(1);
}

static const struct program {
	const char *name;
	void (*prepare)(void);
	void *(*thread)(void *node);
} programs[] = {
	{ "facerec", read_images, project_images },
	{ "streamcluster", read_points, cluster_points },
	{ "psearchy", read_list, index_files },
	{ "apache", serve_in_processes, NULL },
};

int main(int argc, char **argv)
{
	const struct program *program = NULL;
	pthread_t threads[MAX_NODES];

	for (size_t i = 0; argc > 1 && i < sizeof(programs) / sizeof(*programs); i++)
		if (!strcmp(argv[1], programs[i].name))
			program = &programs[i];
	if (!program) {
		fprintf(stderr, "usage: memprof_cases facerec|streamcluster|psearchy|apache [fix] [ROUNDS]\n");
		return 2;
	}
	fixed = argc > 2 && !strcmp(argv[2], "fix");
	if (argc > 2 + fixed)
		rounds = strtoul(argv[2 + fixed], NULL, 10);
	if (find_nodes()) {
		fprintf(stderr, "memprof_cases: this machine has less than two nodes\n");
		return 1;
	}
	run_on(0);
	program->prepare();
	for (long i = 0; program->thread && i < nr_nodes; i++)
		if (pthread_create(&threads[i], NULL, program->thread, (void *)i))
			return 1;
	for (int i = 0; program->thread && i < nr_nodes; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
