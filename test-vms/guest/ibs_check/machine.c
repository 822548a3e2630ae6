// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* machine: CPUs, nodes, and memory on a node. */
#include <dirent.h>
#include <errno.h>
#include <linux/mempolicy.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pagemap.h"
#include "check.h"

int nr_cpus(void)
{
	return sysconf(_SC_NPROCESSORS_ONLN);
}

int nr_nodes(void)
{
	char path[64];
	int n = 0;

	for (;; n++) {
		snprintf(path, sizeof(path), "/sys/devices/system/node/node%d", n);
		if (access(path, F_OK))
			break;
	}
	return n ? n : 1;
}

int node_of_cpu(int cpu)
{
	char path[96];

	for (int n = 0; n < nr_nodes(); n++) {
		snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/cpu%d", n, cpu);
		if (!access(path, F_OK))
			return n;
	}
	return 0;
}

void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("CPU %d: %s", cpu, strerror(errno));
}

struct thread {
	void (*f)(int cpu);
	int cpu;
};

static void *thread_main(void *arg)
{
	struct thread *t = arg;

	pin(t->cpu);
	t->f(t->cpu);
	return NULL;
}

void on_all_cpus(void (*f)(int cpu))
{
	int n = nr_cpus();
	struct thread t[n];
	pthread_t id[n];

	for (int i = 0; i < n; i++) {
		t[i] = (struct thread){ f, i };
		if (pthread_create(&id[i], NULL, thread_main, &t[i]))
			die("cannot make a thread");
	}
	for (int i = 0; i < n; i++)
		pthread_join(id[i], NULL);
}

struct buffer buffer_new(size_t bytes, int node)
{
	struct buffer b = { .bytes = bytes, .node = node };
	unsigned long mask = 1ul << node;
	size_t pages = bytes / PAGE_BYTES;
	int where;
	void *page;

	b.p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	b.pfn = calloc(pages, sizeof(*b.pfn));
	if (b.p == MAP_FAILED || !b.pfn)
		die("no memory");
	if (nr_nodes() > 1 && syscall(SYS_mbind, b.p, bytes, MPOL_BIND, &mask, 64, 0))
		die("mbind: %s", strerror(errno));
	memset(b.p, 1, bytes);
	if (mlock(b.p, bytes))
		die("mlock: %s", strerror(errno));
	for (size_t i = 0; i < pages; i++) {
		page = b.p + i * PAGE_BYTES;
		b.pfn[i] = pfn_of(page);
		if (!b.pfn[i])
			die("no frame in pagemap");
		if (nr_nodes() > 1 &&
		    (syscall(SYS_move_pages, 0, 1ul, &page, NULL, &where, 0) || where != node))
			die("a page is not on node %d", node);
	}
	return b;
}

void buffer_free(struct buffer *b)
{
	munmap(b->p, b->bytes);
	free(b->pfn);
}
