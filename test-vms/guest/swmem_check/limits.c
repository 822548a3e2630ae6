// SPDX-License-Identifier: GPL-2.0
/*
 * swmem_check: what events may not do: tell an ordinary user of the kernel's memory,
 * interrupt CPUs that are throttled, idle, or isolated.
 */
#include <errno.h>
#include <grp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "swmem_check.h"

#define NOBODY 65534
/* Where user memory ends, with 4 levels of page tables. */
#define TASK_SIZE_MAX ((1ull << 47) - PAGE)
#define NR_SECRETS 1000

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void become_nobody(void)
{
	/* The guest's root directory is root's own, and the statistics are below it. */
	if (chmod("/", 0755) || setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
	    setresuid(NOBODY, NOBODY, NOBODY)) {
		perror("swmem_check: setresuid");
		exit(1);
	}
}

/* The load is three bytes long: go on after it. */
static void skip_load(int sig, siginfo_t *info, void *context)
{
	((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += 3;
}

/*
 * An interrupt is more likely to be taken before the load than anywhere else: an
 * emulator interrupts between blocks of code, and CPUID takes long.
 */
static void load_from(uint64_t addr)
{
	__asm__ __volatile__("xor %%eax, %%eax\n\t"
		".rept 200\n\t"
		"cpuid\n\t"
		".endr\n\t"
		"jmp 1f\n"
		"1:	mov (%%rsi), %%rbx\n\t"
		"jmp 2f\n"
		"2:"
		: : "S" (addr) : "rax", "rbx", "rcx", "rdx", "memory");
}

static uint64_t secret(int i)
{
	/* The kernel's memory, and addresses between; each twice as mapped, twice not. */
	static const uint64_t base[] = {
		0xffff888000100000,	/* the direct map */
		0xffff888f00000000,	/* beyond all memory */
		0xffffffff81000000,	/* the kernel's text */
		0xffffffff9f000000,	/* nothing */
		0xffffea0000000000,	/* struct page */
		0xffffebff00000000,	/* nothing */
		0xffffc90000000000,	/* vmalloc */
		TASK_SIZE_MAX,		/* the first that is not the user's */
	};

	return base[i % 8] + (i / 8) * 8 * 509;
}

/* Samples with an address that is not the user's; -1 if no tick hit the load. */
static int samples_of_secret(struct ring *r, uint64_t addr)
{
	unsigned long before = stat_of("invalid");
	double until = seconds() + 20;
	struct sample s;
	int found = 0;

	do {
		load_from(addr);
		while (ring_next(r, &s))
			found += s.addr + (s.width ? s.width - 1 : 0) >= TASK_SIZE_MAX;
		__atomic_store_n(&r->page->data_tail, r->at, __ATOMIC_RELEASE);
	} while (!found && stat_of("invalid") == before && seconds() < until);
	return found || stat_of("invalid") != before ? found : -1;
}

/*
 * What an ordinary user learns of kernel addresses.  That the ticks did hit the loads
 * is seen in the count of instructions that no user may execute.
 */
int check_secrets(void)
{
	struct perf_event_attr attr = attr_of(0, 20000);
	struct sigaction sa = { .sa_sigaction = skip_load, .sa_flags = SA_SIGINFO | SA_NODEFER };
	int told = 0, missed = 0, own = 0, probe;
	struct ring r;
	struct sample s;

	memset(buf, 1, sizeof(buf));
	sigaction(SIGSEGV, &sa, NULL);
	sigaction(SIGBUS, &sa, NULL);
	set_sysctl("perf_event_paranoid", 2);
	pin(sysconf(_SC_NPROCESSORS_ONLN) - 1);
	become_nobody();

	attr.sample_type &= ~PERF_SAMPLE_PHYS_ADDR;
	attr.sample_type |= PERF_SAMPLE_DATA_PAGE_SIZE;
	attr.exclude_kernel = attr.exclude_hv = 1;
	if (ring_open(&r, &attr, 0, -1)) {
		perror("swmem_check: perf_event_open");
		return 1;
	}
	enable(&r);
	/* The same with memory of its own: that samples are taken at all. */
	for (double until = seconds() + 20; !own && seconds() < until; ) {
		load_from((uintptr_t)buf[0]);
		while (ring_next(&r, &s))
			own += s.addr == (uintptr_t)buf[0];
		__atomic_store_n(&r.page->data_tail, r.at, __ATOMIC_RELEASE);
	}
	/* Half of the last one is not the user's. */
	for (int i = 0; i < NR_SECRETS; i++) {
		int n = samples_of_secret(&r, i == NR_SECRETS - 1 ? TASK_SIZE_MAX - 4 : secret(i));

		told += n > 0;
		missed += n < 0;
	}
	disable(&r);
	ring_close(&r);

	attr.config = CONFIG_PROBE;
	probe = open_event(&attr, 0, -1);
	printf("own %d secrets %d told %d missed %d probe %s\n", own, NR_SECRETS, told, missed,
	       probe < 0 ? strerror(errno) : "opened");
	return 0;
}

/* Nearly each instruction accesses memory. */
static void dense(double until)
{
	unsigned long n, *word = (unsigned long *)buf[0];

	while (seconds() < until)
		for (n = 0; n < 1000; n++)
			__asm__ __volatile__(".rept 200\n\taddq $1, (%0)\n\t.endr"
					     : : "r" (word) : "memory", "cc");
}

/* Ticks while perf throttles an event that an ordinary user opened. */
int check_throttle(void)
{
	struct perf_event_attr attr = attr_of(0, 10000);
	unsigned long ticks, samples, interrupts;
	struct ring r;

	set_sysctl("perf_cpu_time_max_percent", 25);
	set_sysctl("perf_event_max_sample_rate", 1000);
	pin(sysconf(_SC_NPROCESSORS_ONLN) - 1);
	become_nobody();
	attr.sample_type &= ~PERF_SAMPLE_PHYS_ADDR;
	attr.exclude_kernel = attr.exclude_hv = 1;
	if (ring_open(&r, &attr, 0, -1)) {
		perror("swmem_check: perf_event_open");
		return 1;
	}
	ticks = stat_of("ticks");
	samples = stat_of("samples");
	interrupts = stat_of("sent");
	enable(&r);
	dense(seconds() + 1);
	disable(&r);
	printf("ticks %lu samples %lu sent %lu\n", stat_of("ticks") - ticks,
	       stat_of("samples") - samples, stat_of("sent") - interrupts);
	ring_close(&r);
	return 0;
}

/* Events on all CPUs; each CPU in turn works for a while, or none does. */
int run_all_cpus(int argc, char **argv)
{
	int cpus = sysconf(_SC_NPROCESSORS_ONLN), last = cpus - 1;
	struct perf_event_attr attr = attr_of(0, 1000000);
	unsigned long ticks, idle, sent;
	struct ring ring[64];
	struct sample s;

	if (cpus > 64)
		return 1;
	for (int i = 0; i < cpus; i++) {
		if (ring_open(&ring[i], &attr, -1, i)) {
			perror("swmem_check: perf_event_open");
			return 1;
		}
	}
	for (int i = 0; i < cpus; i++)
		enable(&ring[i]);

	sleep(1);
	ticks = stat_of("ticks");
	idle = stat_of("idle");
	sent = stat_of("sent");
	sleep(2);
	printf("idle ticks %lu, sent %lu, not sent %lu\n", stat_of("ticks") - ticks,
	       stat_of("sent") - sent, stat_of("idle") - idle);

	for (int i = 0; i < cpus; i++) {
		int n = 0;

		pin(i);
		/* Long idle until here, and nobody else is. */
		usleep(100000);
		while (ring_next(&ring[i], &s))
			;
		dense(seconds() + .05);
		while (ring_next(&ring[i], &s))
			n += s.pid == (uint32_t)getpid();
		printf("cpu %d samples %d\n", i, n);
	}
	for (int i = 0; i < cpus; i++)
		ring_close(&ring[i]);
	pin(last);
	return 0;
}

/* Samples all CPUs each millisecond until it is ended, one of them busy. */
int run_hold(int argc, char **argv)
{
	int cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct perf_event_attr attr = attr_of(0, 1000000);
	struct ring ring;
	FILE *f;

	for (int i = 0; i < cpus; i++) {
		if (ring_open(&ring, &attr, -1, i)) {
			perror("swmem_check: perf_event_open");
			return 1;
		}
		enable(&ring);
	}
	pin(0);
	/* All this time nothing may be unknown. */
	dense(seconds() + .5);
	f = fopen(argv[0], "w");
	if (!f || fprintf(f, "%lu\n", stat_of("ticks")) < 0 || fclose(f)) {
		perror(argv[0]);
		return 1;
	}
	dense(seconds() + 60);
	return 0;
}

struct hot {
	uint64_t ip;
	unsigned int n;
};

static int by_count(const void *a, const void *b)
{
	return (int)((const struct hot *)b)->n - (int)((const struct hot *)a)->n;
}

/*
 * Short system calls on one CPU while all are sampled: at which instructions of the
 * kernel the samples are.
 */
int run_syscalls(int argc, char **argv)
{
	int cpus = sysconf(_SC_NPROCESSORS_ONLN), cpu = atoi(argv[0]), n = 0, nr_hot = 0;
	struct perf_event_attr attr = attr_of(0, 100000);
	static struct hot hot[65536];
	unsigned long self = stat_of("self");
	struct ring ring[64];
	struct sample s;

	if (cpus > 64)
		return 1;
	attr.exclude_user = 1;
	for (int i = 0; i < cpus; i++) {
		if (ring_open(&ring[i], &attr, -1, i)) {
			perror("swmem_check: perf_event_open");
			return 1;
		}
	}
	pin(cpu);
	for (int i = 0; i < cpus; i++)
		enable(&ring[i]);
	for (int i = 0; i < 200000; i++)
		syscall(SYS_getppid);
	for (int i = 0; i < cpus; i++)
		disable(&ring[i]);
	self = stat_of("self") - self;

	while (ring_next(&ring[cpu], &s)) {
		int i;

		if (s.pid != (uint32_t)getpid())
			continue;
		n++;
		for (i = 0; i < nr_hot && hot[i].ip != s.ip; i++)
			;
		if (i == nr_hot && nr_hot < 65536)
			hot[nr_hot++].ip = s.ip;
		if (i < 65536)
			hot[i].n++;
	}
	qsort(hot, nr_hot, sizeof(hot[0]), by_count);
	printf("samples %d self %lu\n", n, self);
	for (int i = 0; i < nr_hot; i++)
		printf("ip %llx %u\n", (unsigned long long)hot[i].ip, hot[i].n);
	for (int i = 0; i < cpus; i++)
		ring_close(&ring[i]);
	return 0;
}
