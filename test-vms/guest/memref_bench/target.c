// SPDX-License-Identifier: GPL-2.0
/*
 * memref_bench: the target, a process that uses memory when told to, and its
 * neighbor.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
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

/* Where there are two CPUs, the target and its neighbor have the second. */
void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(sysconf(_SC_NPROCESSORS_ONLN) > 1 ? cpu : 0, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
}

void start_target(struct target *t)
{
	int to[2], from[2], fd;
	struct work w;

	pin(0);
	t->memory = map(MAX_PAGES * PAGE, false);
	if (pipe(to) || pipe(from))
		die("pipe");
	t->pid = fork();
	if (t->pid < 0)
		die("fork");
	if (!t->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pin(1);
		memset(t->memory, 1, MAX_PAGES * PAGE);
		if (write(from[1], "", 1) != 1)
			_exit(1);
		while (read(to[0], &w, sizeof(w)) == sizeof(w)) {
			use(t->memory, &w);
			if (write(from[1], "", 1) != 1)
				_exit(1);
		}
		_exit(0);
	}
	t->to = to[1];
	t->from = from[0];
	if (read(t->from, &(char){ 0 }, 1) != 1)
		die("target");
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/pagemap", t->pid);
	fd = open(path, O_RDONLY);
	if (fd < 0 || pread(fd, t->pfn, sizeof(t->pfn), (uintptr_t)t->memory / PAGE * 8) !=
	    sizeof(t->pfn))
		die(path);
	close(fd);
	for (unsigned long i = 0; i < MAX_PAGES; i++) {
		if (!(t->pfn[i] >> 63))
			die("the target's memory is not there");
		t->pfn[i] &= (1ull << 55) - 1;
	}
}

static void tell(struct target *t, const struct work *w)
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
	tell(t, w);
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
			use(memory, &(struct work){ 64, 1, 1, true, false });
	}
	return pid;
}

void stop(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}
