// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* What a fault costs, steered and default: on each CPU a thread that faults. */
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include "alloc.h"

#define PAGES	4096ul
#define ROUNDS	5
#define MAX_CPUS 64

/* In ns of the guest, a page: of a fault, and of a fault and the free. */
struct cost {
	double fault, cycle;
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
static void use(char *p, struct cost *sum)
{
	double start = now(), faulted;
	uint64_t i;

	for (i = 0; i < PAGES; i++)
		p[i * PAGE] = 1;
	faulted = now();
	madvise(p, PAGES * PAGE, MADV_DONTNEED);
	sum->fault += (faulted - start) * 1e9 / PAGES / ROUNDS;
	sum->cycle += (now() - start) * 1e9 / PAGES / ROUNDS;
}

static void take_turns(const struct member *m, struct cost *sum)
{
	int turn;

	for (turn = PLAIN; turn <= STEERED; turn++) {
		pthread_barrier_wait(&team->turn);
		if (turn == m->process)
			use(m->memory, sum);
	}
}

static void *work(void *arg)
{
	const struct member *m = arg;
	struct cost ignored = { };
	unsigned int s, r;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(m->cpu, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		die("sched_setaffinity");
	take_turns(m, &ignored);
	for (s = 0; s < 2; s++) {
		if (!m->cpu && m->process == STEERED)
			put_file(DEBUG "search", search[s]);
		for (r = 0; r < ROUNDS; r++)
			take_turns(m, &team->cost[s][m->process][m->cpu]);
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

static struct cost mean(const struct cost *of, unsigned int cpus)
{
	struct cost mean = { };
	unsigned int i;

	for (i = 0; i < cpus; i++) {
		mean.fault += of[i].fault / cpus;
		mean.cycle += of[i].cycle / cpus;
	}
	return mean;
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
		struct cost def = mean(team->cost[s][PLAIN], cpus);
		struct cost steered = mean(team->cost[s][STEERED], cpus);

		printf("# %s, search %s: default %.0f, steered %.0f a fault: %.3f; "
		       "with the free, %.0f, %.0f: %.3f\n", memory, search[s], def.fault,
		       steered.fault, def.fault / steered.fault, def.cycle, steered.cycle,
		       def.cycle / steered.cycle);
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
	struct cost warm = { };
	double sum = 0;
	uint64_t b, i;
	int r;

	use(p, &warm);
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
