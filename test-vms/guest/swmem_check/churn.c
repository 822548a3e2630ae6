// SPDX-License-Identifier: GPL-2.0
/*
 * swmem_check: every CPU is sampled while tasks map and unmap what others touch,
 * fork, exec and exit.  What a sample's instruction was about to touch may be gone by
 * the time that its bytes or its page are looked for; then there must be no sample, or
 * a true one, and never a report of the kernel.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "swmem_check.h"

#define NR_CHILDREN 4
#define CODE_SIZE PAGE

static volatile sig_atomic_t fault_count;

static uint64_t rnd(uint64_t *s)
{
	uint64_t z = (*s += 0x9e3779b97f4a7c15ull);

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* The instruction that is being sampled disappears while it runs. */
static void run_code(uint64_t *seed)
{
	/* mov (%rdi),%rax; add $64,%rdi; dec %esi; jnz; ret */
	static const unsigned char code[] = {
		0x48, 0x8b, 0x07, 0x48, 0x83, 0xc7, 0x40, 0xff, 0xce, 0x75, 0xf5, 0xc3,
	};
	unsigned char *p = mmap(NULL, CODE_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return;
	memcpy(p, code, sizeof(code));
	((void (*)(void *, int))p)(buf[rnd(seed) % 7], BUFFER / 64);
	munmap(p, CODE_SIZE);
}

/* Another thread of the process unmaps and protects what this one touches. */
static void *touch(void *arg)
{
	volatile char *memory = arg;

	for (;;)
		for (unsigned long i = 0; i < 64; i++)
			memory[i * PAGE]++;
	return NULL;
}

/* Touching what is unmapped: the page comes back, zeroed. */
static void on_fault(int sig, siginfo_t *info, void *context)
{
	char *page = (char *)((uintptr_t)info->si_addr & ~(uintptr_t)(PAGE - 1));

	if (mprotect(page, PAGE, PROT_READ | PROT_WRITE) &&
	    mmap(page, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		 -1, 0) == MAP_FAILED)
		_exit(3);
	fault_count++;
}

static void unmap_under(uint64_t *seed)
{
	struct sigaction sa = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
	char *memory = mmap(NULL, 64 * PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_t thread;

	sigaction(SIGSEGV, &sa, NULL);
	sigaction(SIGBUS, &sa, NULL);
	if (memory == MAP_FAILED || pthread_create(&thread, NULL, touch, memory))
		_exit(2);
	for (int i = 0; i < 200; i++) {
		char *page = memory + rnd(seed) % 64 * PAGE;

		if (rnd(seed) & 1)
			munmap(page, PAGE);
		else
			mprotect(page, PAGE, PROT_NONE);
		if (!(i % 16))
			sched_yield();
	}
	/* And the process exits while its thread touches. */
	_exit(0);
}

static void child(uint64_t seed, double until)
{
	while (seconds() < until) {
		const char *what = "unmaps";
		pid_t pid = 0;

		switch (rnd(&seed) % 4) {
		case 0:
			pid = fork();
			if (!pid)
				unmap_under(&seed);
			break;
		case 1:
			for (int i = 0; i < 50; i++)
				run_code(&seed);
			break;
		case 2:
			what = "executes";
			pid = fork();
			if (!pid) {
				one_round();
				execl("/proc/self/exe", "swmem_check", "idle", NULL);
				_exit(4);
			}
			break;
		case 3:
			/* Most of the other cases' time is the kernel's. */
			for (int i = 0; i < 20; i++)
				one_round();
			some_syscalls();
			break;
		}
		if (pid > 0) {
			int status;

			waitpid(pid, &status, 0);
			if (!WIFEXITED(status) || WEXITSTATUS(status)) {
				fprintf(stderr, "swmem_check: a task that %s ended with status %x\n",
					what, status);
				_exit(1);
			}
		}
	}
	_exit(0);
}

/* What the rings have, judged. */
struct verdicts {
	unsigned long samples, ours, wrong;
};

static void judge_rings(struct ring *ring, int nr, struct verdicts *v)
{
	const uint32_t self = getpid();
	struct sample s;

	for (int i = 0; i < nr; i++) {
		while (ring_next(&ring[i], &s)) {
			/* Programs that were there before us may have code where ours is. */
			int verdict = s.pid < self ? 0 : judge(&s);

			v->samples++;
			v->ours += verdict > 0;
			if (verdict < 0 && ++v->wrong <= 10)
				printf("false: %s %u of %u on CPU %u: %s ip %llx, address %llx, op %x, width %u\n",
				       i & 1 ? "probed sample" : "sample", s.tid, s.pid, s.cpu,
				       s.kernel ? "kernel" : "user", (unsigned long long)s.ip,
				       (unsigned long long)s.addr, s.op, s.width);
		}
		__atomic_store_n(&ring[i].page->data_tail, ring[i].at, __ATOMIC_RELEASE);
	}
}

int run_churn(int argc, char **argv)
{
	int cpus = sysconf(_SC_NPROCESSORS_ONLN), bad = 0, begin[2];
	uint64_t seed = strtoull(argv[1], NULL, 0), period = strtoull(argv[2], NULL, 0);
	double until;
	struct ring ring[2 * 64];
	struct verdicts v = {};

	if (cpus > 64) {
		fprintf(stderr, "swmem_check: %d CPUs: 64 at most\n", cpus);
		return 1;
	}
	memset(buf, 1, sizeof(buf));
	for (int i = 0; i < 2 * cpus; i++) {
		struct perf_event_attr attr = attr_of(i & 1 ? CONFIG_PROBE : 0, period);

		if (ring_open(&ring[i], &attr, -1, i / 2)) {
			perror("swmem_check: perf_event_open");
			return 1;
		}
	}
	/* To fork while all is sampled may take as long as the test on a slow kernel. */
	if (pipe(begin)) {
		perror("swmem_check: pipe");
		return 1;
	}
	for (int i = 0; i < NR_CHILDREN; i++) {
		if (fork())
			continue;
		if (read(begin[0], &until, sizeof(until)) != sizeof(until))
			_exit(1);
		child(seed * NR_CHILDREN + i, until);
	}
	for (int i = 0; i < 2 * cpus; i++)
		enable(&ring[i]);
	until = seconds() + strtod(argv[0], NULL);
	for (int i = 0; i < NR_CHILDREN; i++)
		if (write(begin[1], &until, sizeof(until)) != sizeof(until))
			perror("swmem_check: write to a pipe");
	while (seconds() < until) {
		usleep(20000);
		judge_rings(ring, 2 * cpus, &v);
	}
	for (int i = 0; i < NR_CHILDREN; i++) {
		int status;

		wait(&status);
		bad += !WIFEXITED(status) || WEXITSTATUS(status);
	}
	for (int i = 0; i < 2 * cpus; i++)
		disable(&ring[i]);
	judge_rings(ring, 2 * cpus, &v);
	for (int i = 0; i < 2 * cpus; i++)
		ring_close(&ring[i]);
	printf("%lu samples, %lu of the loops and true, %lu false; %d tasks ended badly; %lu unreadable, %lu excluded\n",
	       v.samples, v.ours, v.wrong, bad, stat_of("unreadable"), stat_of("excluded"));
	return !v.ours || v.wrong || bad;
}
