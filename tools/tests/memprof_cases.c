// SPDX-License-Identifier: GPL-2.0
/*
 * memprof_cases facerec|streamcluster [fix] [ROUNDS]: small programs that access memory
 * as the applications of sections 5.2 and 5.3 of "MemProf" (Lachaize, Lepers, Quema,
 * 2012) did, a thread on each node; fix: with what the paper's authors changed.
 */
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_NODES	8
#define COLUMNS		128
#define ROWS		512
#define POINTS		4096
#define DIMENSIONS	16
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

/* Not inlined: nobody reads what it writes, so it would be nothing. */
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

		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		point = block + x % POINTS * DIMENSIONS;
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

int main(int argc, char **argv)
{
	const bool faces = argc > 1 && !strcmp(argv[1], "facerec");
	pthread_t threads[MAX_NODES];

	if (!faces && (argc < 2 || strcmp(argv[1], "streamcluster"))) {
		fprintf(stderr, "usage: memprof_cases facerec|streamcluster [fix] [ROUNDS]\n");
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
	if (faces)
		read_images();
	else
		read_points();
	for (long i = 0; i < nr_nodes; i++)
		if (pthread_create(&threads[i], NULL, faces ? project_images : cluster_points, (void *)i))
			return 1;
	for (int i = 0; i < nr_nodes; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
