// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Fragments free memory, as on a machine with a long uptime.
 *
 * A process fills memory, alternating between anonymous pages and pages of a memfd,
 * then frees one of each two in random order.  This leaves single free pages at random
 * places, which the allocator hands out first, in an order determined by the seed.  They
 * cannot merge with their buddies, because the process holds the neighbors while a
 * program is measured.
 *
 * A tenth of memory stays free above the low watermarks, to avoid reclaim, and the
 * process is the OOM killer's first choice.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pagealloc/cli.h"
#include "ager.h"
#include "pagebench/stat/random.h"

#define PAGE 4096ul

/* Number of pages freed on a CPU before moving to the next CPU. */
#define TURN 32

/**
 * ager_limit() - how much memory can be fragmented
 *
 * Return: bytes free above the low watermarks, minus a tenth of all memory.
 */
uint64_t ager_limit(void)
{
	unsigned long long free = 0, low = 0, managed = 0, n;
	char line[256], name[32];
	FILE *f = fopen("/proc/zoneinfo", "re");

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, " pages free %llu", &n) == 1)
			free += n;
		else if (sscanf(line, " %31s %llu", name, &n) != 2)
			continue;
		else if (!strcmp(name, "low"))
			low += n;
		else if (!strcmp(name, "managed"))
			managed += n;
	}
	if (f)
		fclose(f);
	return free > low + managed / 10 ? (free - low - managed / 10) * PAGE : 0;
}

/* Become the OOM killer's first choice; this needs no privilege. */
static void volunteer(void)
{
	FILE *f = fopen("/proc/self/oom_score_adj", "we");

	if (f) {
		fputs("1000", f);
		fclose(f);
	}
}

/* Map pages, half of them of a file, and touch both kinds alternately. */
static char *fill(size_t pages)
{
	size_t half = pages / 2, i;
	int fd = memfd_create("ager", MFD_CLOEXEC);
	char *all = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (all == MAP_FAILED || fd < 0 || ftruncate(fd, half * PAGE) ||
	    mmap(all, half * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) ==
	    MAP_FAILED)
		return NULL;
	close(fd);
	madvise(all, pages * PAGE, MADV_NOHUGEPAGE);
	for (i = 0; i < half; i++) {
		all[i * PAGE] = 1;
		all[(half + i) * PAGE] = 1;
	}
	return all;
}

/*
 * Move to the next allowed CPU.  Freed pages stay in the per-CPU lists of the CPU that
 * freed them, thousands of them: programs on other CPUs would not get them.
 */
static void next_cpu(const cpu_set_t *allowed)
{
	int cpu = sched_getcpu(), i;
	cpu_set_t one;

	for (i = 0; i < CPU_SETSIZE; i++) {
		cpu = (cpu + 1) % CPU_SETSIZE;
		if (!CPU_ISSET(cpu, allowed))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		sched_setaffinity(0, sizeof(one), &one);
		return;
	}
}

static int scatter(uint64_t bytes, uint64_t seed)
{
	size_t pages = bytes / PAGE / 4 * 4, i, j, n, swap;
	size_t *order = malloc(pages / 2 * sizeof(*order));
	char *all = fill(pages);
	cpu_set_t allowed;

	CPU_ZERO(&allowed);
	sched_getaffinity(0, sizeof(allowed), &allowed);
	if (!all || !order)
		return -1;
	/* Free one of each two that were touched together, in random order. */
	n = pages / 2;
	for (i = 0; i < n; i++)
		order[i] = random_below(&seed, 2) * n + i;
	for (i = n; i > 1; i--) {
		j = random_below(&seed, i);
		swap = order[i - 1];
		order[i - 1] = order[j];
		order[j] = swap;
	}
	for (i = 0; i < n; i++) {
		if (i % TURN == 0)
			next_cpu(&allowed);
		if (madvise(all + order[i] * PAGE, PAGE,
			    order[i] < n ? MADV_REMOVE : MADV_DONTNEED))
			return -1;
	}
	free(order);
	return 0;
}

static void __attribute__((noreturn)) run(uint64_t bytes, uint64_t seed, int ready)
{
	char err = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/*
	 * The lock on the results ends with the run: until all of our memory is freed takes longer.
	 * If this fails, it does not end at once.
	 */
	if (dup2(ready, 3) == 3) {
		ready = 3;
		close_range(4, ~0U, 0);
	}
	setpgid(0, 0);
	volunteer();
	if (scatter(bytes, seed))
		err = errno ? errno : EIO;
	if (write(ready, &err, 1) != 1 || err)
		_exit(1);
	for (;;)
		pause();
}

/**
 * ager_start() - fragment free memory
 * @a: end it with ager_stop()
 * @bytes: amount of memory, capped by ager_limit()
 * @seed: determines which pages are freed, and their order
 *
 * Return: OK once memory is fragmented, or FAILED with a message printed.
 */
int ager_start(struct ager *a, uint64_t bytes, uint64_t seed)
{
	uint64_t limit = ager_limit();
	int ready[2];
	char err = 0;
	ssize_t n;

	*a = (struct ager){ .pid = -1, .bytes = bytes < limit ? bytes : limit };
	if (a->bytes < 4 * PAGE) {
		a->bytes = 0;
		return OK;
	}
	if (pipe(ready))
		return complain(FAILED, "aging: %s", strerror(errno));
	fflush(NULL);
	a->pid = fork();
	if (!a->pid) {
		close(ready[0]);
		run(a->bytes, seed, ready[1]);
	}
	close(ready[1]);
	do {
		n = a->pid > 0 ? read(ready[0], &err, 1) : -1;
	} while (n < 0 && errno == EINTR);
	close(ready[0]);
	if (n == 1 && !err)
		return OK;
	complain(FAILED, "aging: %s", n == 1 ? strerror(err) : n < 0 ? strerror(errno) :
		 "the process that scatters memory was ended");
	ager_stop(a);
	return FAILED;
}

/**
 * ager_stop() - free all memory
 * @a: from ager_start()
 *
 * Return: OK, or FAILED with a message printed if the process had been killed before.
 */
int ager_stop(struct ager *a)
{
	int gone;

	if (a->pid <= 0)
		return OK;
	gone = waitpid(a->pid, NULL, WNOHANG) == a->pid;
	if (!gone) {
		kill(a->pid, SIGKILL);
		while (waitpid(a->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	a->pid = -1;
	return gone ? complain(FAILED, "aging: the process that scatters memory was ended"
			       " while a program was measured (too little memory?)") : OK;
}
