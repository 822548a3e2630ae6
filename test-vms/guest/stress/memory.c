// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * stress: workers on memory: anonymous, huge, shared, of several threads, of hugetlb.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stress.h"

/* Anonymous memory, more than the guest has, so that it is swapped. */
void stress_worker_anon(void)
{
	uint64_t nr = 160 * MIB / PAGE;

	stress_pages("anon", stress_map(nr * PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1), nr,
		     calloc(nr, 1), NULL);
}

/* Huge pages, split by every operation that splits them. */
static void split(char *mem, uint64_t nr, uint8_t *gen)
{
	uint64_t huge = stress_rnd() % (nr / 512) * 512, page = huge + stress_rnd() % 512, i;
	int status;
	pid_t pid;

	switch (stress_rnd() % 6) {
	case 0:	/* a hole */
		madvise(mem + page * PAGE, PAGE, MADV_DONTNEED);
		stress_fill(mem, page, gen[page]);
		break;
	case 1:	/* protection of a part */
		mprotect(mem + page * PAGE, PAGE, PROT_READ);
		stress_check("thp", mem, page, gen[page]);
		mprotect(mem + huge * PAGE, 512 * PAGE, PROT_READ | PROT_WRITE);
		break;
	case 2:	/* copy on write in a child, which sees the old data */
		pid = fork();
		if (!pid) {
			for (i = 0; i < 512; i += 7) {
				stress_check("thp in a child", mem, huge + i, gen[huge + i]);
				stress_fill(mem, huge + i, gen[huge + i] + 1);
			}
			_exit(0);
		}
		if (pid > 0 && waitpid(pid, &status, 0) == pid && status)
			stress_fail("thp: the child failed");
		break;
	case 3:	/* to the swap */
		madvise(mem + huge * PAGE, 512 * PAGE, MADV_PAGEOUT);
		break;
	case 4:	/* free lazily, then take back by writing */
		for (i = 0; i < 512; i++) {
			madvise(mem + (huge + i) * PAGE, PAGE, MADV_FREE);
			stress_fill(mem, huge + i, gen[huge + i]);
		}
		break;
	case 5:
		madvise(mem + huge * PAGE, 512 * PAGE, MADV_COLLAPSE);
		break;
	}
}

void stress_worker_thp(void)
{
	uint64_t nr = 32 * MIB / PAGE;
	char *mem = stress_map(nr * PAGE + 2 * MIB, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	mem = (char *)(((uintptr_t)mem + 2 * MIB - 1) & ~(2 * MIB - 1));
	madvise(mem, nr * PAGE, MADV_HUGEPAGE);
	stress_pages("thp", mem, nr, calloc(nr, 1), split);
}

void stress_worker_shmem(void)
{
	uint64_t nr = 64 * MIB / PAGE;

	stress_pages("shmem", stress_map(nr * PAGE, MAP_SHARED | MAP_ANONYMOUS, -1), nr,
		     calloc(nr, 1), NULL);
}

/* Two threads write some pages while others are verified, so that two CPUs' TLBs are in use. */
struct shared {
	char *mem;
	uint8_t *gen;
	uint64_t nr;
	unsigned int half;
};

static void *writer(void *arg)
{
	struct shared *s = arg;
	uint64_t from = s->half * s->nr / 2, i;

	for (i = 0; i < s->nr / 2; i++)
		stress_fill(s->mem, from + i, s->gen[from + i]);
	while (!stress_over()) {
		for (i = from; i < from + s->nr / 2; i++) {
			stress_check("threads", s->mem, i, s->gen[i]);
			stress_fill(s->mem, i, ++s->gen[i]);
		}
		if (s->half)
			madvise(s->mem + from * PAGE, s->nr / 2 * PAGE, MADV_PAGEOUT);
	}
	return NULL;
}

void stress_worker_threads(void)
{
	uint64_t nr = 8 * MIB / PAGE;
	struct shared s[2];
	pthread_t thread;

	s[0].mem = stress_map(nr * PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	s[0].gen = calloc(nr, 1);
	s[0].nr = nr;
	s[0].half = 0;
	s[1] = s[0];
	s[1].half = 1;
	if (pthread_create(&thread, NULL, writer, &s[1]))
		stress_fail("no thread");
	writer(&s[0]);
	pthread_join(thread, NULL);
}

void stress_worker_hugetlb(void)
{
	uint64_t nr = 4 * MIB / PAGE;
	char *mem = mmap(NULL, nr * PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);

	if (mem == MAP_FAILED)
		stress_fail("hugetlb: %s", strerror(errno));
	stress_pages("hugetlb", mem, nr, calloc(nr, 1), NULL);
}
