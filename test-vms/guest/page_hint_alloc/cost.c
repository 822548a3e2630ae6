// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Measures the cost of a fault with and without hints: a thread on each CPU faults. */
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include "alloc.h"

#define PAGES	4096ul
#define ROUNDS	5
#define MAX_CPUS 64

/* In ns of the guest, a page, of each round: of a fault, and of a fault and the free. */
struct cost {
	double fault[ROUNDS], cycle[ROUNDS];
};

static const char *const search[] = { "windows", "list" };

/* Two processes take turns: one without hints, one whose memory is hinted. */
enum { PLAIN, STEERED };

static struct team {
	pthread_barrier_t turn;		/* of all threads of both */
	struct cost cost[2][2][MAX_CPUS];	/* by search, and process */
} *team;

struct member {
	unsigned int cpu;
	int process;
	char *memory;
};

/* The tables of the mapping are there already. */
static void use(char *p, struct cost *cost, int round)
{
	double start = now(), faulted;
	uint64_t i;

	for (i = 0; i < PAGES; i++)
		p[i * PAGE] = 1;
	faulted = now();
	madvise(p, PAGES * PAGE, MADV_DONTNEED);
	cost->fault[round] = (faulted - start) * 1e9 / PAGES;
	cost->cycle[round] = (now() - start) * 1e9 / PAGES;
}

static void take_turns(const struct member *m, struct cost *cost, int round)
{
	int turn;

	for (turn = PLAIN; turn <= STEERED; turn++) {
		pthread_barrier_wait(&team->turn);
		if (turn == m->process)
			use(m->memory, cost, round);
	}
}

static void *work(void *arg)
{
	const struct member *m = arg;
	struct cost ignored;
	unsigned int s, r;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(m->cpu, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		die("sched_setaffinity");
	take_turns(m, &ignored, 0);
	for (s = 0; s < 2; s++) {
		if (!m->cpu && m->process == STEERED)
			put_file(DEBUG "search", search[s]);
		for (r = 0; r < ROUNDS; r++)
			take_turns(m, &team->cost[s][m->process][m->cpu], r);
	}
	return NULL;
}

/* A thread on each CPU, each with its part of the memory. */
static void run_process(int process, char *memory, unsigned int cpus)
{
	struct member m[MAX_CPUS];
	pthread_t threads[MAX_CPUS];
	unsigned int i;

	for (i = 0; i < cpus; i++) {
		m[i] = (struct member){ i, process, memory + i * PAGES * PAGE };
		if (pthread_create(&threads[i], NULL, work, &m[i]))
			die("pthread_create");
	}
	for (i = 0; i < cpus; i++)
		pthread_join(threads[i], NULL);
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Of all rounds on all CPUs: their median, and how many were interrupted. */
struct row {
	double fault, cycle, longer;
	unsigned int interrupted;
};

/*
 * Where CPUs take turns, a round in which another CPU's turn falls lasts as much longer
 * as that CPU's own round: the median leaves such rounds out.
 */
static struct row row_of(const struct cost *of, unsigned int cpus)
{
	static double fault[MAX_CPUS * ROUNDS], cycle[MAX_CPUS * ROUNDS];
	struct row row = { };
	unsigned int i, n = cpus * ROUNDS;

	for (i = 0; i < n; i++) {
		fault[i] = of[i / ROUNDS].fault[i % ROUNDS];
		cycle[i] = of[i / ROUNDS].cycle[i % ROUNDS];
	}
	qsort(fault, n, sizeof(*fault), by_size);
	qsort(cycle, n, sizeof(*cycle), by_size);
	row.fault = (fault[(n - 1) / 2] + fault[n / 2]) / 2;
	row.cycle = (cycle[(n - 1) / 2] + cycle[n / 2]) / 2;
	for (i = 0; i < n; i++)
		row.interrupted += fault[i] > 1.5 * row.fault;
	row.longer = fault[n - 1] - row.fault;
	return row;
}

static struct team *new_team(unsigned int threads)
{
	pthread_barrierattr_t attr;
	struct team *new = mmap(NULL, sizeof(*new), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (new == MAP_FAILED)
		die("mmap");
	pthread_barrierattr_init(&attr);
	pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(&new->turn, &attr, threads);
	return new;
}

static void compare(const char *memory)
{
	unsigned int cpus = sysconf(_SC_NPROCESSORS_ONLN), s;
	double goal, ratio = 0;
	uint64_t pages;
	pid_t child;
	char *p;

	if (cpus > MAX_CPUS)
		cpus = MAX_CPUS;
	pages = cpus * PAGES;
	goal = cpus > 1 ? 0.90 : 0.97;
	p = reserve(pages);
	team = new_team(2 * cpus);
	child = fork();
	if (!child) {
		run_process(PLAIN, p, cpus);
		_exit(0);
	}
	if (child < 0)
		die("fork");
	hint(p, pages, "coloring", NULL, 0);
	run_process(STEERED, p, cpus);
	if (waitpid(child, NULL, 0) != child)
		die("waitpid");
	for (s = 0; s < 2; s++) {
		struct row def = row_of(team->cost[s][PLAIN], cpus);
		struct row steered = row_of(team->cost[s][STEERED], cpus);

		printf("# %s, search %s: default %.0f, steered %.0f a fault: %.3f; "
		       "with the free, %.0f, %.0f: %.3f\n", memory, search[s], def.fault,
		       steered.fault, def.fault / steered.fault, def.cycle, steered.cycle,
		       def.cycle / steered.cycle);
		printf("# rounds of %lu faults interrupted: default %u, steered %u of %u each; the longest is above the median by %.0f and %.0f a fault\n",
		       PAGES, def.interrupted, steered.interrupted, cpus * ROUNDS, def.longer,
		       steered.longer);
		if (!s)
			ratio = def.fault / steered.fault;
	}
	put_file(DEBUG "search", search[0]);
	ok(ratio >= goal, "%s: fault throughput steered / default %.3f, CPUs: %u", memory, ratio,
	   cpus);
	unhint(p, pages);
	munmap(p, pages * PAGE);
	munmap(team, sizeof(*team));
}

void part_cost(void)
{
	uint64_t size;
	char *aged;

	compare("fresh");
	show_stats();
	aged = age(total_pages() * 50 / 100, &size);
	compare("aged, half free");
	munmap(aged, size * PAGE);
	aged = age(total_pages() * 20 / 100, &size);
	compare("aged, a fifth free");
	munmap(aged, size * PAGE);
	show_stats();
}

#define BATCH		32ul
#define PLAIN_ROUNDS	25

/*
 * Timer ticks and what other tasks do come at other places in each round: of
 * each few faults, the round that had least of that.
 */
void part_plain(void)
{
	static double least[PAGES / BATCH];
	char *p = reserve(PAGES);
	struct cost warm;
	double sum = 0;
	uint64_t b, i;
	int r;

	use(p, &warm, 0);
	for (r = 0; r < PLAIN_ROUNDS; r++) {
		for (b = 0; b < PAGES / BATCH; b++) {
			double start = now(), took;

			for (i = b * BATCH; i < (b + 1) * BATCH; i++)
				p[i * PAGE] = 1;
			took = (now() - start) * 1e9;
			if (!r || took < least[b])
				least[b] = took;
		}
		madvise(p, PAGES * PAGE, MADV_DONTNEED);
	}
	for (b = 0; b < PAGES / BATCH; b++)
		sum += least[b];
	printf("# without hints: %.1f a fault\n", sum / PAGES);
	munmap(p, PAGES * PAGE);
}
