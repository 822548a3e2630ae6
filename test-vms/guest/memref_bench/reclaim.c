// SPDX-License-Identifier: GPL-2.0
/*
 * memref_bench reclaim: what a sampler does to the choice of pages to swap out.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

/*
 * A set that is used all the time, and a stream that is used once, in a cgroup
 * too small for both: reclaim should swap out the stream.  How often it takes
 * the set instead shows whether a sampler misleads it.  The mean of some seeds,
 * since one fault more changes all that follow.
 */
#define SEEDS 5

static void reclaim_load(unsigned int seed, void (*sample)(void))
{
	const unsigned long hot = (48ul << 20) / PAGE, stream = (96ul << 20) / PAGE;
	unsigned char *a, *b;

	put("/sys/fs/cgroup/bench/cgroup.procs", "0");
	a = map(hot * PAGE, true);
	b = map(stream * PAGE, false);
	for (unsigned long i = 0; i < 3 * stream; i++) {
		/* Two pages of the set for each of the stream. */
		for (int j = 0; j < 2; j++) {
			seed = seed * 1103515245 + 12345;
			a[(seed >> 8) % hot * PAGE]++;
		}
		b[i % stream * PAGE] = i;
		if (sample && i % 8192 == 8191)
			sample();
	}
	_exit(0);
}

static void reclaim_run(const char *name, void (*sample)(void))
{
	double refaults[SEEDS], sum = 0, spread = 0;
	int status;
	pid_t pid;

	put("/sys/fs/cgroup/cgroup.subtree_control", "+memory");
	for (int i = 0; i < SEEDS; i++) {
		if (mkdir("/sys/fs/cgroup/bench", 0755))
			die("cgroup");
		put("/sys/fs/cgroup/bench/memory.max", "96M");
		pid = fork();
		if (pid < 0)
			die("fork");
		if (!pid)
			reclaim_load(i + 1, sample);
		if (waitpid(pid, &status, 0) != pid || status)
			die("load");
		refaults[i] = number_in("/sys/fs/cgroup/bench/memory.stat",
					"workingset_refault_anon");
		sum += refaults[i];
		rmdir("/sys/fs/cgroup/bench");
	}
	for (int i = 0; i < SEEDS; i++)
		spread += (refaults[i] - sum / SEEDS) * (refaults[i] - sum / SEEDS);
	result(sum / SEEDS, "reclaim_%s_refaults", name);
	result(sqrt(spread / (SEEDS - 1)), "reclaim_%s_refaults_sd", name);
}

static void sample_memref(void)
{
	put(TRACEFS "memref/scan", "1");
}

static void sample_clear_refs(void)
{
	put("/proc/self/clear_refs", "1");
}

void reclaim(void)
{
	put("/sys/block/zram0/disksize", "512M");
	if (system("mkswap /dev/zram0 >/dev/null && swapon /dev/zram0"))
		die("zram0");
	for (int lru = 0; lru < 2; lru++) {
		const char *name = lru ? "mglru" : "lru";
		char label[32];

		put("/sys/kernel/mm/lru_gen/enabled", lru ? "y" : "n");
		snprintf(label, sizeof(label), "%s_off", name);
		reclaim_run(label, NULL);
		put(TRACEFS "memref/interval_ms", "0");
		put(TRACEFS "events/memref/memref_scan/enable", "1");
		snprintf(label, sizeof(label), "%s_memref", name);
		reclaim_run(label, sample_memref);
		put(TRACEFS "events/memref/memref_scan/enable", "0");
		snprintf(label, sizeof(label), "%s_clear_refs", name);
		reclaim_run(label, sample_clear_refs);
	}
}
