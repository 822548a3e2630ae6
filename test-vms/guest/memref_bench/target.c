// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memref_bench: the target, a process that uses memory on request, and its neighbor.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

void use(unsigned char *memory, const struct work *w)
{
	/* No system call is there to flush; this one must. */
	if (w->flush && (mprotect(memory, w->nr_pages * PAGE, PROT_READ) ||
			 mprotect(memory, w->nr_pages * PAGE, PROT_READ | PROT_WRITE)))
		_exit(1);
	for (unsigned long pass = 0; pass < w->passes; pass++) {
		for (unsigned long i = 0; i < w->nr_pages; i += w->stride) {
			volatile unsigned char *p = memory + i * PAGE + i % PAGE;

			if (w->write)
				*p = i;
			else
				(void)*p;
		}
	}
}

/* The file mapped: not one page of it is in the page tables. */
static unsigned char *map_file(int file)
{
	unsigned char *p = mmap(NULL, FILE_PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);

	if (p == MAP_FAILED)
		_exit(1);
	return p;
}

static void use_file(int file, const struct work *w)
{
	static unsigned char *mapped;
	unsigned char *p;
	pid_t pid;

	if (w->how == EXIT) {
		pid = fork();
		if (!pid) {
			use(map_file(file), w);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
		return;
	}
	if (mapped)
		munmap(mapped, FILE_PAGES * PAGE);
	mapped = NULL;
	p = map_file(file);
	use(p, w);
	if (w->how == MAPPED)
		mapped = p;
	else
		munmap(p, FILE_PAGES * PAGE);
}

static pid_t child;

/* The child does nothing, until the next use. */
static void fork_idle(void)
{
	child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
}

static void work(struct target *t, const struct work *w)
{
	size_t size = w->nr_pages * PAGE;

	/* With it, pages that are written are copied, and are others then. */
	if (child)
		stop(child);
	child = 0;
	if (w->how >= MAPPED) {
		use_file(t->file, w);
		return;
	}
	if (w->how == MPROTECT && mprotect(t->memory, size, PROT_READ | PROT_WRITE))
		_exit(1);
	use(t->memory, w);
	if (w->how == MPROTECT && mprotect(t->memory, size, PROT_READ))
		_exit(1);
	if (w->how == FORK)
		fork_idle();
}

/* Where there are two CPUs, the target and its neighbor have the second. */
void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(sysconf(_SC_NPROCESSORS_ONLN) > 1 ? cpu : 0, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
}

static void *idle(void *unused)
{
	(void)unused;
	while (pause())
		;
	return NULL;
}

static void join_cgroup(void)
{
	put("/sys/fs/cgroup/cgroup.subtree_control", "+memory");
	mkdir("/sys/fs/cgroup/" TARGET_CGROUP, 0755);
	put("/sys/fs/cgroup/" TARGET_CGROUP "/cgroup.procs", "0");
}

static void read_pfns(pid_t pid, const void *memory, uint64_t *pfn, unsigned long nr)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/pagemap", pid);
	fd = open(path, O_RDONLY);
	if (fd < 0 || pread(fd, pfn, nr * 8, (uintptr_t)memory / PAGE * 8) != (ssize_t)(nr * 8))
		die(path);
	close(fd);
	for (unsigned long i = 0; i < nr; i++) {
		if (!(pfn[i] >> 63))
			die("the target's memory is not there");
		pfn[i] &= (1ull << 55) - 1;
	}
}

/* Which pages are looked for: those that are used in this way. */
void look_at(struct target *t, enum how how)
{
	t->pfn = how >= MAPPED ? t->file_pfn : t->memory_pfn;
}

void start_target(struct target *t)
{
	unsigned char *file;
	int to[2], from[2];
	struct work w;

	pin(0);
	t->memory = map(MAX_PAGES * PAGE, false);
	t->file = memfd_create("file", 0);
	if (t->file < 0 || ftruncate(t->file, FILE_PAGES * PAGE))
		die("memfd_create");
	file = map_file(t->file);
	if (pipe(to) || pipe(from))
		die("pipe");
	t->pid = fork();
	if (t->pid < 0)
		die("fork");
	if (!t->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pin(1);
		join_cgroup();
		if (t->threads && pthread_create(&(pthread_t){ 0 }, NULL, idle, NULL))
			_exit(1);
		/* Who divides what is mapped finds the memory alone. */
		munmap(file, FILE_PAGES * PAGE);
		memset(t->memory, 1, MAX_PAGES * PAGE);
		if (write(from[1], "", 1) != 1)
			_exit(1);
		while (read(to[0], &w, sizeof(w)) == sizeof(w)) {
			work(t, &w);
			if (write(from[1], "", 1) != 1)
				_exit(1);
		}
		_exit(0);
	}
	t->to = to[1];
	t->from = from[0];
	if (read(t->from, &(char){ 0 }, 1) != 1)
		die("target");
	read_pfns(t->pid, t->memory, t->memory_pfn, MAX_PAGES);
	memset(file, 1, FILE_PAGES * PAGE);
	read_pfns(getpid(), file, t->file_pfn, FILE_PAGES);
	munmap(file, FILE_PAGES * PAGE);
	look_at(t, PLAIN);
}

static void report_work(struct target *t, const struct work *w)
{
	if (write(t->to, w, sizeof(*w)) != sizeof(*w))
		die("target");
}

static void await(struct target *t)
{
	if (read(t->from, &(char){ 0 }, 1) != 1)
		die("target");
}

void run(struct target *t, const struct work *w)
{
	report_work(t, w);
	await(t);
}

pid_t start_neighbor(void)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (!pid) {
		unsigned char *memory = map(64 * PAGE, true);

		pin(1);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			use(memory, &(struct work){ 64, 1, 1, true, false, PLAIN });
	}
	return pid;
}

void stop(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Another may be started: this one's memory and file are given back. */
void stop_target(struct target *t)
{
	stop(t->pid);
	munmap(t->memory, MAX_PAGES * PAGE);
	close(t->file);
	close(t->to);
	close(t->from);
}
