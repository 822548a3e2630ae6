// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Runs in the guest: stresses the sampler and memory management for a while, and
 * verifies that no byte of memory was lost.
 *
 *	stress SECONDS SEED EXT4-DEVICE [write|dirty]
 *
 * With "write" the sampler runs all the time, every 50 ms, and takes the dirty
 * bits of every page; without, all knobs are turned.  With "dirty" it does so
 * every 10 ms, beside threads that write memory which others swap out, write
 * protect (mprotect, userfaultfd, fork, NUMA balancing) and write back: where a
 * dirty bit is taken and a TLB still trusted, a store is lost.  It goes on until
 * enough was swapped and balanced between nodes, at most ten times as long.
 *
 * Workers are processes.  Each keeps data that a checksum of its position
 * foretells, and exits with 1 and a message at the first wrong byte.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "stress.h"

static const struct stress_worker all[] = {
	{ "anon", stress_worker_anon },		{ "thp", stress_worker_thp },
	{ "shmem", stress_worker_shmem },	{ "threads", stress_worker_threads },
	{ "file", stress_worker_file },		{ "rw", stress_worker_rw },
	{ "hugetlb", stress_worker_hugetlb },	{ "fork", stress_worker_fork },
	{ "hotplug", stress_worker_hotplug },	{ "control", stress_control },
};

static const struct stress_worker writing[] = {
	{ "anon", stress_worker_anon },		{ "thp", stress_worker_thp },
	{ "shmem", stress_worker_shmem },	{ "threads", stress_worker_threads },
	{ "file", stress_worker_file },		{ "rw", stress_worker_rw },
	{ "hugetlb", stress_worker_hugetlb },	{ "fork", stress_worker_fork },
	{ "hotplug", stress_worker_hotplug },	{ "control", stress_control_write },
};

static const struct stress_worker dirtying[] = {
	{ "dirty", stress_worker_dirty },	{ "thp", stress_worker_thp },
	{ "file", stress_worker_file },		{ "control", stress_control_dirty },
};

#define WORKERS (sizeof(all) / sizeof(all[0]))
#define DIRTYING (sizeof(dirtying) / sizeof(dirtying[0]))

static void swap_on(void)
{
	if (stress_put("/sys/block/zram0/disksize", "512M"))
		stress_fail("no zram");
	if (system("mkswap /dev/zram0 >/dev/null") || swapon("/dev/zram0", 0))
		stress_fail("no swap: %s", strerror(errno));
}

/* What all runs need; @device: of ext4, gets mounted at /mnt. */
static void set_up(struct stress_run *run, const char *device)
{
	struct utsname kernel;

	swap_on();
	stress_put("/proc/sys/vm/nr_hugepages", "2");
	stress_put("/proc/sys/vm/overcommit_memory", "1");
	/* PREEMPT_RT excludes it. */
	uname(&kernel);
	run->balanced = run->dirty && !strstr(kernel.version, "PREEMPT_RT");
	if (run->balanced && stress_put("/proc/sys/kernel/numa_balancing", "1"))
		stress_fail("no NUMA balancing");
	mkdir("/mnt", 0755);
	if (mount(device, "/mnt", "ext4", 0, NULL))
		stress_fail("mount %s: %s", device, strerror(errno));
}

int main(int argc, char **argv)
{
	const char *mode = argc > 4 ? argv[4] : "";
	struct stress_run run = { .workers = all, .nr = WORKERS };
	pid_t pids[WORKERS];
	unsigned int i;
	uint64_t first;

	if (argc < 4) {
		fprintf(stderr, "usage: stress SECONDS SEED EXT4-DEVICE [write|dirty]\n");
		return 2;
	}
	if (!strcmp(mode, "write"))
		run.workers = writing;
	else if (!strcmp(mode, "dirty"))
		run = (struct stress_run){ .workers = dirtying, .nr = DIRTYING, .dirty = true };
	first = strtoull(argv[2], NULL, 0) * 2 + 1;
	stress_begin();
	set_up(&run, argv[3]);

	for (i = 0; i < run.nr; i++) {
		stress_seed(first * (i + 1) * 0x9e3779b97f4a7c15ULL);
		pids[i] = fork();
		if (!pids[i]) {
			run.workers[i].run();
			_exit(0);
		}
	}
	stress_wait_until_over(&run, atoi(argv[1]));
	return stress_judge(&run, pids);
}
