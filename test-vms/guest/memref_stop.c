// SPDX-License-Identifier: GPL-2.0
/*
 * memref_stop: is memref switched off at once?
 *
 *	memref_stop fault	while a reader of a bitmap waits in a page fault, which
 *				userfaultfd leaves alone
 *	memref_stop harvest	in the middle of a harvest that takes long
 *
 * Exit status 0 if it is.  To be run in the tracing directory.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE		4096
#define ENABLE		"events/memref/enable"
#define LATE_SECONDS	20	/* never, as far as this test is concerned */

/* Page tables of so many entries, in processes that share their pages. */
#define CHILDREN	150
#define CHILD_BYTES	(128UL << 20)

static void die(const char *what)
{
	printf("# %s: %s\n", what, strerror(errno));
	exit(2);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void put(const char *file, const char *value)
{
	int fd = open(file, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, value, strlen(value)) < 0)
		die(file);
	close(fd);
}

/* In another process, as it may never come back.  Return: seconds, or LATE_SECONDS. */
static double put_timed(const char *file, const char *value)
{
	const double begin = now();
	pid_t pid = fork();

	if (!pid) {
		put(file, value);
		_exit(0);
	}
	while (now() < begin + LATE_SECONDS) {
		if (waitpid(pid, NULL, WNOHANG) == pid)
			return now() - begin;
		usleep(1000);
	}
	return LATE_SECONDS;
}

static char *missing;	/* a page whose fault nobody serves */

static void *reader(void *arg)
{
	int fd = open("memref/bitmap_user", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, missing, PAGE) < 0)
		printf("# the reader ended: %s\n", strerror(errno));
	return NULL;
}

/* The page fault has come. */
static bool faulted(int uffd)
{
	struct uffd_msg msg;
	double begin = now();

	while (now() < begin + LATE_SECONDS) {
		if (read(uffd, &msg, sizeof(msg)) == sizeof(msg))
			return msg.event == UFFD_EVENT_PAGEFAULT;
		usleep(1000);
	}
	return false;
}

static int stop_while_faulting(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .range = { .len = PAGE }, .mode = UFFDIO_REGISTER_MODE_MISSING };
	int uffd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	double off, other;
	pthread_t thread;

	missing = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	reg.range.start = (unsigned long)missing;
	if (uffd < 0 || ioctl(uffd, UFFDIO_API, &api) || ioctl(uffd, UFFDIO_REGISTER, &reg))
		die("userfaultfd");
	put("memref/interval_ms", "100");
	put(ENABLE, "1");
	if (pthread_create(&thread, NULL, reader, NULL) || !faulted(uffd))
		die("no page fault");
	off = put_timed(ENABLE, "0");
	other = put_timed("events/sched/sched_switch/enable", "1");
	printf("# off after %.3f s, another event on after %.3f s\n", off, other);
	fflush(stdout);
	if (off < LATE_SECONDS && other < LATE_SECONDS)
		put("events/sched/sched_switch/enable", "0");
	/* exit() would wait for nothing, but the test shell must get our status. */
	_exit(off == LATE_SECONDS || other == LATE_SECONDS);
}

static int stop_in_harvest(void)
{
	char *memory = mmap(NULL, CHILD_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	double whole, off;
	int i;

	if (memory == MAP_FAILED || madvise(memory, CHILD_BYTES, MADV_NOHUGEPAGE))
		die("mmap");
	memset(memory, 1, CHILD_BYTES);
	for (i = 0; i < CHILDREN; i++)
		switch (fork()) {
		case -1:
			die("fork");
		case 0:
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			pause();
			_exit(0);
		}
	put("memref/interval_ms", "0");
	/* The first harvest reads all tables, and the one asked for comes after it. */
	put(ENABLE, "1");
	whole = now();
	put("memref/scan", "1");
	whole = now() - whole;
	put(ENABLE, "0");
	put(ENABLE, "1");
	usleep(whole * 1e6 / 10);
	off = put_timed(ENABLE, "0");
	printf("# a harvest %.3f s, off after %.3f s\n", whole, off);
	/* What is left of the harvest is 0.9 of it. */
	return off > 0.4 * whole;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "fault"))
		return stop_while_faulting();
	if (argc == 2 && !strcmp(argv[1], "harvest"))
		return stop_in_harvest();
	fputs("usage: memref_stop fault|harvest\n", stderr);
	return 2;
}
