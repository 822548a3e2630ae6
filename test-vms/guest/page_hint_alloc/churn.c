// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Faults under hints while everything else that moves memory is active: STRESS_RUNS (1)
 * runs of STRESS_SECONDS (60), each with its own seed.
 */
#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>
#include "alloc.h"

#define CGROUP	"/sys/fs/cgroup/churn/"
#define CMA	"/sys/kernel/debug/cma/"

enum { WORKERS = 4, HUGE_WORKER = WORKERS };

static bool try_put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	close(fd);
	return ok;
}

/* The word of a page, so that no two pages or workers have the same. */
static uint64_t pattern(unsigned int nr, uint64_t page, uint64_t word)
{
	return (page * WORKERS + nr) * 512 + word + 1;
}

static void write_pages(char *p, unsigned int nr, uint64_t first, uint64_t n)
{
	for (uint64_t i = first; i < first + n; i++) {
		uint64_t *word = (uint64_t *)(p + i * PAGE);

		for (uint64_t k = 0; k < 512; k += 73) {
			if (word[k] && word[k] != pattern(nr, i, k)) {
				printf("# page %llu of worker %u is wrong\n",
				       (unsigned long long)i, nr);
				_exit(1);
			}
			word[k] = pattern(nr, i, k);
		}
	}
}

static void hint_self(unsigned int nr)
{
	static const char *const kinds[] = { "coloring", "binhop", "partition", "random" };
	const char *strategy = kinds[nr % 4];
	uint64_t colors = 0xffull << nr, number = 1;
	int fd = hints_open(getpid(), O_RDWR);

	if (set_arg(fd, 0, 0, strategy, nr % 4 == 2 ? &colors : &number,
		    nr % 4 >= 2 ? sizeof(number) : 0))
		die(strategy);
	if (inherit(fd, PAGE_HINTS_INHERIT_ALL))
		die("INHERIT");
	close(fd);
}

/* Fault and free at random, with a pattern that must be there later. */
static void worker(unsigned int nr)
{
	uint64_t pages = total_pages() / 10;
	char *p;

	seed += nr;
	hint_self(nr);
	p = reserve(pages);
	if (nr == HUGE_WORKER)
		madvise(p, pages * PAGE, MADV_HUGEPAGE);
	while (1) {
		uint64_t first = rnd() % pages, n = rnd() % 512 + 1;

		if (first + n > pages)
			n = pages - first;
		if (rnd() % 3)
			write_pages(p, nr, first, n);
		else
			madvise(p + first * PAGE, n * PAGE, MADV_DONTNEED);
		if (rnd() % 64 == 0) {
			pid_t child = fork();

			if (!child) {
				for (uint64_t i = first; i < first + n; i++)
					*(uint64_t *)(p + i * PAGE + 8) = 0;
				_exit(0);
			}
			if (child > 0)
				waitpid(child, NULL, 0);
		}
	}
}

/* Processes that multiply, and need more than their cgroup may have. */
static void multiply(void)
{
	uint64_t pages = 256;

	while (1) {
		char *p = reserve(pages);
		pid_t child;

		for (uint64_t i = 0; i < pages; i++)
			p[i * PAGE] = 1;
		child = fork();
		if (!child)
			seed += getpid();
		else if (child < 0)
			usleep(1000);
		if (rnd() % 4 == 0)
			_exit(0);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
	}
}

/* The cgroup's processes kill each other; then there are new ones. */
static void bomb(void)
{
	while (1) {
		pid_t child = fork();

		if (!child) {
			put_file(CGROUP "cgroup.procs", "0");
			hint_self(0);
			multiply();
		}
		if (child > 0)
			waitpid(child, NULL, 0);
		usleep(10000);
	}
}

/* With cma= on the command line there is an area to allocate from. */
static void use_cma(bool allocate)
{
	char path[300], pages[16];
	struct dirent *entry;
	DIR *dir = opendir(CMA);

	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), CMA "%s/%s", entry->d_name,
			 allocate ? "alloc" : "free");
		snprintf(pages, sizeof(pages), "%u", 1 << rnd() % 10);
		try_put(path, pages);
	}
	if (dir)
		closedir(dir);
}

static struct {
	unsigned int rounds, cpus, blocks;
} did;

/* One thing that makes pages move or caches drain. */
static void disturb(void)
{
	char path[128];

	switch (rnd() % 6) {
	case 0:
		did.cpus += try_put("/sys/devices/system/cpu/cpu1/online", rnd() % 2 ? "1" : "0");
		break;
	case 1:
		put_file("/proc/sys/vm/drop_caches", "3");
		break;
	case 2:
		put_file("/proc/sys/vm/compact_memory", "1");
		break;
	case 3:
		snprintf(path, sizeof(path), "/sys/devices/system/memory/memory%u/state",
			 (unsigned int)(rnd() % 16));
		if (try_put(path, "offline")) {
			did.blocks++;
			usleep(50000);
			put_file(path, "online");
		}
		break;
	case 4:
		use_cma(true);
		break;
	case 5:
		use_cma(false);
		break;
	}
	did.rounds++;
}

/* OOM kills but those of the cgroup, which are what its limit is for. */
static uint64_t oom_kills(void)
{
	return number_in("/proc/vmstat", "oom_kill") - number_in(CGROUP "memory.events", "oom_kill");
}

/* Warnings of the page allocator, in the kernel's log. */
static unsigned int failed_allocations(void)
{
	char line[512];
	unsigned int n = 0;
	FILE *f = popen("dmesg", "r");

	while (f && fgets(line, sizeof(line), f))
		n += strstr(line, "page allocation failure") || strstr(line, "alloc failure");
	if (f)
		pclose(f);
	return n;
}

/* Return false if a worker died. */
static bool churn(unsigned int seconds)
{
	pid_t pids[WORKERS + 1];
	double end = now() + seconds;
	bool dead = false;

	for (unsigned int i = 0; i <= WORKERS; i++) {
		pids[i] = fork();
		if (!pids[i]) {
			nice(10);
			seed += i << 20;
			if (i)
				worker(i);
			bomb();
		}
	}
	while (now() < end && !dead) {
		disturb();
		usleep(50000);
		for (unsigned int i = 1; i <= WORKERS; i++)
			dead |= waitpid(pids[i], NULL, WNOHANG) > 0;
	}
	try_put("/sys/devices/system/cpu/cpu1/online", "1");
	for (unsigned int i = 0; i <= WORKERS; i++)
		kill(pids[i], SIGKILL);
	put_file(CGROUP "cgroup.kill", "1");
	for (unsigned int i = 0; i <= WORKERS; i++)
		waitpid(pids[i], NULL, 0);
	/* Its children are init's now. */
	for (unsigned int i = 0; i < 500 && number_in(CGROUP "cgroup.events", "populated"); i++)
		usleep(10000);
	return !dead;
}

static unsigned int number_of(const char *name, unsigned int fallback)
{
	const char *text = getenv(name);

	return text ? strtoul(text, NULL, 10) : fallback;
}

void part_stress(void)
{
	unsigned int seconds = number_of("STRESS_SECONDS", 60), runs = number_of("STRESS_RUNS", 1);
	unsigned int died = 0, unmatched = 0, run, waited = 0;
	uint64_t first = seed, oom;

	put_file("/sys/fs/cgroup/cgroup.subtree_control", "+memory");
	if (mkdir(CGROUP, 0755) && errno != EEXIST)
		die(CGROUP);
	put_file(CGROUP "memory.max", "50331648");
	oom = oom_kills();
	for (run = 1; run <= runs; run++) {
		seed = first * 1000003 + run;
		if (!churn(seconds)) {
			died++;
			printf("# run %u: a worker died\n", run);
		}
		if (!free_pages_match()) {
			unmatched++;
			printf("# run %u: free pages do not match\n", run);
		}
		if (run % 50 == 0)
			printf("# %u runs\n", run);
		fflush(stdout);
	}
	printf("# %u runs of %u s, %u disturbances, %u times a CPU went off or on, %u times a memory block, %llu OOM kills in the cgroup\n",
	       runs, seconds, did.rounds, did.cpus, did.blocks,
	       (unsigned long long)number_in(CGROUP "memory.events", "oom_kill"));
	show_stats();
	ok(!died, "no worker died or saw wrong data");
	ok(!unmatched, "all free pages are accounted for");
	ok(oom_kills() == oom, "no OOM kill but in the cgroup");
	ok(!failed_allocations(), "no allocation failed");
	rmdir(CGROUP);
	/* In two rounds of vmstat_update(), a second each, if the host lets it run. */
	while (number_in(DEBUG "stats", "cached") && waited++ < 60)
		sleep(1);
	ok(number_in(DEBUG "stats", "cached") == 0, "unused pages went back: %llu cached after %u s",
	   (unsigned long long)number_in(DEBUG "stats", "cached"), waited);
	ok(free_pages_match(), "and are accounted for");
}
