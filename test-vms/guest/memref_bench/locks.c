// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memref_bench locks: how long mmap() and munmap() of the target wait.
 *
 * The sampler reads page tables with the target's mmap_lock held, and mmap()
 * and munmap() need it for themselves.  A target on a CPU of its own does
 * nothing but call them, between uses of memory that give the sampler work:
 * so each moment that the sampler has the lock is one that makes it wait.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench.h"

#define LOCKS_SECONDS 6
#define LOCKS_MAX 4000000

/* What clear_refs and smaps make of it, the bad example. */
static pid_t start_refs(void)
{
	static char text[1 << 16];
	pid_t target = getpid(), pid = fork();
	char path[64];

	if (pid)
		return pid;
	pin(0);
	for (;;) {
		FILE *f;

		snprintf(path, sizeof(path), "/proc/%d/clear_refs", target);
		put(path, "1");
		usleep(100000);
		snprintf(path, sizeof(path), "/proc/%d/smaps", target);
		f = fopen(path, "r");
		while (f && fread(text, 1, sizeof(text), f))
			;
		if (f)
			fclose(f);
	}
}

static void locks_at(const char *name, unsigned char *memory, double *ns)
{
	uint64_t begin = now(), after = begin, before = begin;
	double sum = 0;
	size_t n;

	for (n = 0; n < LOCKS_MAX && before - begin < LOCKS_SECONDS * 1000000000ull; n++) {
		unsigned char *p;

		use(memory + n % 1024 * 64 * PAGE, &(struct work){ 64, 1, 1, false, false, PLAIN });
		before = now();
		p = map(PAGE, true);
		munmap(p, PAGE);
		after = now();
		ns[n] = after - before;
		sum += ns[n];
	}
	result(sum / n, "locks_%s_mean", name);
	result(median(ns, n), "locks_%s_median", name);
	result(ns[n - n / 1000], "locks_%s_p999", name);
	result(ns[n - n / 100000 - 1], "locks_%s_p99999", name);
	result(ns[n - 1], "locks_%s_max", name);
	result(n, "locks_%s_calls", name);
}

void locks(void)
{
	double *ns = calloc(LOCKS_MAX, sizeof(*ns));
	unsigned char *memory;
	pid_t refs;

	pin(1);
	memory = map(MAX_PAGES * PAGE, true);
	if (!ns)
		die("calloc");
	locks_at("off", memory, ns);
	put(TRACEFS "events/memref/enable", "1");
	locks_at("1000ms", memory, ns);
	put(TRACEFS "memref/cpu_max", "0");
	put(TRACEFS "memref/interval_ms", "100");
	locks_at("100ms", memory, ns);
	put(TRACEFS "events/memref/enable", "0");
	put(TRACEFS "memref/cpu_max", "2");
	refs = start_refs();
	locks_at("refs", memory, ns);
	stop(refs);
}
