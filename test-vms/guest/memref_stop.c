// SPDX-License-Identifier: GPL-2.0
/*
 * memref_stop: is memref switched off at once while a reader of a bitmap waits in a
 * page fault, which userfaultfd leaves alone?  And can other events be switched?
 * Exit status 0 if so.  To be run in the tracing directory.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE		4096
#define ENABLE		"events/memref/enable"
#define LATE_SECONDS	20	/* never, as far as this test is concerned */

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

int main(void)
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
	_exit(off == LATE_SECONDS || other == LATE_SECONDS);
}
