// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * cache_walk COLORS: walks memory whose physical pages are known, a phase a walk,
 * and prints for each what was walked:
 *	NAME cpu C rounds R step S offset O size Z insns I pages PFN...
 * From O bytes into the pages, in that order, a read or write of Z bytes every S
 * bytes, R times over; no other instruction in the phase accesses memory.  COLORS
 * is the number of page colors that some walks choose by: PFN modulo it.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/mark.h"
#include "pagemap.h"

#define PAGE 4096
#define HUGE (2 << 20)
#define POOL 4096		/* pages to choose from */
#define TRACED "/sys/kernel/debug/oracle/traced"

#define STR(x) #x
#define XSTR(x) STR(x)
/* As oracle_mark(), for assembly. */
#define MARK(code) ".byte 0x0f, 0x1f, 0x84, 0x00\n\t.long 0x4d530000 | " XSTR(code) "\n\t"

static char *pool;
static uint64_t pool_pfn[POOL];
static char *window;		/* chosen pages, one after the other */
static int cpu;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/*
 * The whole phase in one piece of assembly: nothing is spilled to the stack in it.
 * The instructions are 1 for each round, 4 for each access, 2 for each round, and
 * the mark at the end.
 */
#define WALK(access)								\
	__asm__ __volatile__(							\
		MARK(ORACLE_CODE_PHASE_BEGIN)					\
		"1: mov %[begin], %%rdi\n\t"					\
		"2: " access "\n\t"						\
		"add %[step], %%rdi\n\t"					\
		"cmp %[end], %%rdi\n\t"						\
		"jb 2b\n\t"							\
		"dec %[rounds]\n\t"						\
		"jnz 1b\n\t"							\
		MARK(ORACLE_CODE_PHASE_END)					\
		: [rounds] "+r" (left)						\
		: [begin] "r" (begin), [end] "r" (end), [step] "r" (step)	\
		: "rdi", "rax", "memory", "cc")

static void walk(const char *name, char *base, size_t bytes, size_t step, size_t offset, int size,
		 bool write, long rounds)
{
	char *begin = base + offset, *end = base + bytes - size + 1;
	long left = rounds, steps = (end - begin + step - 1) / step;

	/* Whatever is lazy happens now. */
	for (size_t i = 0; i < bytes; i += PAGE)
		*(volatile char *)(base + i);
	if (write)
		WALK("movb %%al, (%%rdi)");
	else if (size == 1)
		WALK("movb (%%rdi), %%al");
	else
		WALK("movq (%%rdi), %%rax");
	printf("%s cpu %d rounds %ld step %zu offset %zu size %d insns %ld pages", name, cpu, rounds,
	       step, offset, size, rounds * (4 * steps + 3) + 1);
	for (size_t i = 0; i < bytes; i += PAGE)
		printf(" %llu", (unsigned long long)pfn_of(base + i));
	putchar('\n');
	fflush(stdout);
}

static void to_cpu(int n)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(n, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
	cpu = n;
}

static char *map(size_t size, int flags)
{
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

	if (p == MAP_FAILED)
		die("mmap");
	return p;
}

static char *huge_page(void)
{
	FILE *f = fopen("/proc/sys/vm/nr_hugepages", "w");
	char *p;

	if (!f || fputs("1", f) < 0 || fclose(f))
		die("/proc/sys/vm/nr_hugepages");
	p = map(HUGE, MAP_HUGETLB);
	memset(p, 1, HUGE);
	for (int i = 1; i < HUGE / PAGE; i++) {
		if (pfn_of(p + i * PAGE) != pfn_of(p) + i) {
			fputs("cache_walk: a huge page is not contiguous\n", stderr);
			exit(1);
		}
	}
	return p;
}

static void make_pool(void)
{
	pool = map(POOL * PAGE, 0);
	madvise(pool, POOL * PAGE, MADV_NOHUGEPAGE);
	if (mlock(pool, POOL * PAGE))
		die("mlock");
	memset(pool, 1, POOL * PAGE);
	for (int i = 0; i < POOL; i++) {
		pool_pfn[i] = pfn_of(pool + i * PAGE);
		if (!pool_pfn[i])
			die("pagemap");
	}
	window = map(POOL * PAGE, MAP_NORESERVE);
}

/* Moves a page of that color to place @n of the window. */
static void choose(int n, uint64_t color, uint64_t colors)
{
	for (int i = 0; i < POOL; i++) {
		if (!pool_pfn[i] || pool_pfn[i] % colors != color)
			continue;
		if (mremap(pool + i * PAGE, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
			   window + n * PAGE) == MAP_FAILED)
			die("mremap");
		pool_pfn[i] = 0;
		return;
	}
	fprintf(stderr, "cache_walk: too few pages of color %llu\n", (unsigned long long)color);
	exit(1);
}

/* An untraced process on the same CPU that never rests. */
static pid_t neighbor(void)
{
	int ready[2];
	pid_t pid;
	FILE *f;
	char c;

	if (pipe(ready))
		die("pipe");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid) {
		if (read(ready[0], &c, 1) != 1)
			die("pipe");
		return pid;
	}
	/* Without the module no one is traced. */
	f = fopen(TRACED, "w");
	if (f && (fprintf(f, "-%d", getpid()) < 0 || fclose(f)))
		die(TRACED);
	if (write(ready[1], "", 1) != 1)
		die("pipe");
	for (volatile char *p = map(HUGE, 0);;) {
		for (size_t i = 0; i < HUGE; i += 64)
			p[i]++;
	}
}

int main(int argc, char **argv)
{
	int colors = argc == 2 ? atoi(argv[1]) : 0;
	pid_t other;
	char *huge;

	if (colors < 1 || colors > POOL / 64) {
		fputs("usage: cache_walk COLORS\n", stderr);
		return 2;
	}
	to_cpu(0);
	oracle_mark(ORACLE_CODE_START);
	sched_yield();
	huge = huge_page();
	walk("16 KiB", huge, 16 << 10, 64, 0, 1, false, 20);
	walk("64 KiB", huge, 64 << 10, 64, 0, 1, false, 20);
	walk("128 KiB", huge, 128 << 10, 64, 0, 1, false, 10);
	walk("512 KiB", huge, 512 << 10, 64, 0, 1, false, 5);
	walk("512 KiB, written", huge, 512 << 10, 64, 0, 1, true, 3);
	walk("32 KiB, a byte a time", huge, 32 << 10, 1, 0, 1, false, 2);
	walk("across lines", huge, 16 << 10, 64, 60, 8, false, 3);
	make_pool();
	for (int i = 0; i < 16; i++)
		choose(i, 3 % colors, colors);
	walk("16 pages of one color", window, 16 * PAGE, 64, 0, 1, false, 10);
	for (int i = 0; i < 64; i++)
		choose(16 + i, i % colors, colors);
	walk("16 pages of 16 colors", window + 16 * PAGE, 16 * PAGE, 64, 0, 1, false, 10);
	walk("64 pages, as many of each color", window + 16 * PAGE, 64 * PAGE, 64, 0, 1, false, 10);
	walk("across pages", window, 8 * PAGE, PAGE, PAGE - 4, 8, false, 3);
	other = neighbor();
	walk("beside a neighbor", huge, 512 << 10, 64, 0, 1, false, 150);
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	walk("CPU 0", huge, 64 << 10, 64, 0, 1, false, 2);
	to_cpu(1);
	walk("CPU 1", huge, 64 << 10, 64, 0, 1, false, 2);
	walk("kept", huge, 16 << 10, 64, 0, 1, false, 2);
	oracle_empty();
	walk("emptied", huge, 16 << 10, 64, 0, 1, false, 2);
	oracle_mark(ORACLE_CODE_STOP);
	return 0;
}
