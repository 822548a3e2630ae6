// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * stress: threads repeatedly write pages of their own in memory of all kinds, while another thread
 * write-protects these pages in every way.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stress.h"

#define WRITERS 3
/* Pages written at a time: few, so that their translations stay in the TLB. */
#define HOT 96

static struct dirty_area {
	const char *what;
	char *mem;
	uint64_t nr;
	uint8_t *gen;
	volatile uint64_t hot;	/* the first of the pages written now */
} areas[3];

#define AREAS (sizeof(areas) / sizeof(areas[0]))

/* SIGSEGV because mprotect() has just forbidden the write: retry. */
static void dirty_again(int sig, siginfo_t *info, void *context)
{
	sched_yield();
}

static void *dirty_writer(void *arg)
{
	unsigned int id = (uintptr_t)arg % WRITERS, i;
	cpu_set_t cpus;

	stress_seed(((uintptr_t)arg + 1) * 0x9e3779b97f4a7c15ULL);
	while (!stress_over()) {
		struct dirty_area *a = &areas[stress_rnd() % AREAS];
		uint64_t from = a->hot;

		/* Where NUMA balancing moves its pages. */
		CPU_ZERO(&cpus);
		CPU_SET(stress_rnd() % 4, &cpus);
		if (stress_rnd() % 1024 == 0)
			sched_setaffinity(0, sizeof(cpus), &cpus);
		for (i = 0; i < 256; i++) {
			uint64_t page = from + stress_rnd() % HOT;

			if (page % WRITERS != id)
				continue;
			stress_check(a->what, a->mem, page, a->gen[page]);
			stress_fill(a->mem, page, ++a->gen[page]);
		}
	}
	return NULL;
}

/* Lift the write protection that threads wait for. */
static void *dirty_uffd_handler(void *arg)
{
	int fd = (uintptr_t)arg;
	struct uffd_msg msg;

	while (read(fd, &msg, sizeof(msg)) == (ssize_t)sizeof(msg)) {
		struct uffdio_writeprotect wp = {
			.range = { msg.arg.pagefault.address & ~(PAGE - 1), PAGE },
		};

		/* EAGAIN: it is being forked; the writer asks again. */
		while (ioctl(fd, UFFDIO_WRITEPROTECT, &wp) && errno == EAGAIN)
			sched_yield();
	}
	return NULL;
}

static int dirty_uffd(void)
{
	struct uffdio_api api = { .api = UFFD_API, .features = UFFD_FEATURE_PAGEFAULT_FLAG_WP };
	struct uffdio_register r = {
		.range = { (uintptr_t)areas[0].mem, areas[0].nr * PAGE },
		.mode = UFFDIO_REGISTER_MODE_WP,
	};
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);
	pthread_t thread;

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &r))
		stress_fail("userfaultfd: %s", strerror(errno));
	if (pthread_create(&thread, NULL, dirty_uffd_handler, (void *)(uintptr_t)fd))
		stress_fail("no thread");
	return fd;
}

static void dirty_disturb(int uffd)
{
	struct dirty_area *a = &areas[stress_rnd() % AREAS];
	uint64_t n = 1 + stress_rnd() % HOT;
	char *mem = a->mem + a->hot * PAGE;
	struct uffdio_writeprotect wp = {
		.range = { (uintptr_t)mem, n * PAGE },
		.mode = UFFDIO_WRITEPROTECT_MODE_WP,
	};
	pid_t pid;

	/* Mostly the pages that are being written. */
	switch (stress_rnd() % 16) {
	case 0:
		mprotect(mem, n * PAGE, PROT_READ);
		mprotect(mem, n * PAGE, PROT_READ | PROT_WRITE);
		break;
	case 1:
		if (a == &areas[0] && ioctl(uffd, UFFDIO_WRITEPROTECT, &wp) && errno != EAGAIN)
			stress_fail("write protection: %s", strerror(errno));
		break;
	case 2:
		msync(mem, n * PAGE, MS_SYNC);
		break;
	case 3:
		pid = fork();
		if (!pid)
			_exit(0);
		if (pid > 0)
			waitpid(pid, NULL, 0);
		break;
	case 4:
		/* Move them. */
		stress_put("/proc/sys/vm/compact_memory", "1");
		break;
	case 5:
		a->hot = stress_rnd() % (a->nr - HOT);
		break;
	case 6:
		/* Let the threads write and the sampler clear the bits undisturbed for a moment. */
		usleep(stress_rnd() % 30000);
		break;
	default:
		madvise(mem, n * PAGE, MADV_PAGEOUT);
	}
}

void stress_worker_dirty(void)
{
	struct sigaction action = { .sa_sigaction = dirty_again, .sa_flags = SA_SIGINFO };
	pthread_t threads[WRITERS];
	char path[64], *direct = aligned_alloc(PAGE, PAGE);
	unsigned int i;
	uint64_t page;
	int fd, uffd;

	snprintf(path, sizeof(path), "/mnt/dirty.%d", getpid());
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || ftruncate(fd, 4 * MIB))
		stress_fail("%s: %s", path, strerror(errno));
	areas[0] = (struct dirty_area){ "dirty anon", stress_map(8 * MIB, MAP_PRIVATE | MAP_ANONYMOUS, -1),
					8 * MIB / PAGE, NULL, 0 };
	areas[1] = (struct dirty_area){ "dirty shmem", stress_map(4 * MIB, MAP_SHARED | MAP_ANONYMOUS, -1),
					4 * MIB / PAGE, NULL, 0 };
	areas[2] = (struct dirty_area){ "dirty file", stress_map(4 * MIB, MAP_SHARED, fd),
					4 * MIB / PAGE, NULL, 0 };
	sigaction(SIGSEGV, &action, NULL);
	uffd = dirty_uffd();
	for (i = 0; i < AREAS; i++) {
		areas[i].gen = calloc(areas[i].nr, 1);
		for (page = 0; page < areas[i].nr; page++)
			stress_fill(areas[i].mem, page, 0);
	}
	for (i = 0; i < WRITERS; i++)
		if (pthread_create(&threads[i], NULL, dirty_writer,
				   (void *)(uintptr_t)(stress_rnd() % 1000000 * WRITERS + i)))
			stress_fail("no thread");
	while (!stress_over())
		dirty_disturb(uffd);
	for (i = 0; i < WRITERS; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < AREAS; i++)
		for (page = 0; page < areas[i].nr; page++)
			stress_check(areas[i].what, areas[i].mem, page, areas[i].gen[page]);
	/* And on the disk. */
	if (msync(areas[2].mem, 4 * MIB, MS_SYNC))
		stress_fail("msync: %s", strerror(errno));
	fd = open(path, O_RDONLY | O_DIRECT);
	for (page = 0; page < areas[2].nr; page++) {
		if (pread(fd, direct, PAGE, page * PAGE) != (ssize_t)PAGE)
			stress_fail("read %s: %s", path, strerror(errno));
		stress_check("dirty file on the disk", direct - page * PAGE, page, areas[2].gen[page]);
	}
}
