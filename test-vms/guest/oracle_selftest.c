// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* oracle_selftest FILE [NODE]: touches known pages (of NUMA node NODE) between marks and writes to FILE
 * what the oracle must have seen of them:
 *	page PFN		a page of ours: no other access to it is right
 *	expect CODE SET PFN	an access in the interval that mark CODE begins
 *	once CODE SET PFN	an access in one of the intervals it begins
 *	insns CODE N		user instructions in that interval, about
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/mark.h"
#include "pagemap.h"

#define PAGE 4096
#define NR_PAGES 256
#define SWEEP_PAGES 4096

enum {
	CODE_READ = 0x10, CODE_WRITE, CODE_ATOMIC, CODE_CROSS, CODE_HELPER, CODE_FETCH,
	CODE_STRADDLE, CODE_SYSCALL_WRITE, CODE_SYSCALL_READ, CODE_REMAP, CODE_THREAD,
	CODE_COUNT, CODE_NOTHING, CODE_AGAIN,
	CODE_END = 0x80,
	CODE_HAMMER = 0x100,
	CODE_SWEEP = 0x101,
};

static unsigned char *arena;
static uint64_t pfns[NR_PAGES];
static FILE *out;

static unsigned char *page(int n)
{
	return arena + n * PAGE;
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void expect_pfn(int code, const char *set, uint64_t pfn)
{
	fprintf(out, "expect %#x %s %llu\n", code, set, (unsigned long long)pfn);
}

static void expect(int code, const char *set, int n)
{
	expect_pfn(code, set, pfns[n]);
}

static unsigned char look(const volatile void *p)
{
	return *(const volatile unsigned char *)p;
}

static void make_arena(void)
{
	arena = mmap(NULL, NR_PAGES * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (arena == MAP_FAILED)
		die("mmap");
	madvise(arena, NR_PAGES * PAGE, MADV_NOHUGEPAGE);
	if (mlock(arena, NR_PAGES * PAGE))
		die("mlock");
	memset(arena, 0, NR_PAGES * PAGE);
	for (int i = 0; i < NR_PAGES; i++) {
		pfns[i] = pfn_of(page(i));
		if (!pfns[i])
			die("pagemap");
		fprintf(out, "page %llu\n", (unsigned long long)pfns[i]);
	}
}

/* The frames must be the same at the end, or nothing said was true. */
static void check_arena(void)
{
	for (int i = 0; i < NR_PAGES; i++) {
		if (pfn_of(page(i)) != pfns[i]) {
			fprintf(stderr, "page %d moved\n", i);
			exit(1);
		}
	}
}

static void pages_0_to_127(void)
{
	oracle_mark(CODE_READ);
	for (int i = 0; i < 64; i += 2)
		look(page(i) + i);
	oracle_mark(CODE_WRITE);
	for (int i = 65; i < 128; i += 2)
		*(volatile unsigned char *)(page(i) + i) = i;
	oracle_mark(CODE_END);
	for (int i = 0; i < 64; i += 2)
		expect(CODE_READ, "user_read", i);
	for (int i = 65; i < 128; i += 2)
		expect(CODE_WRITE, "user_write", i);
}

static void atomic(void)
{
	__int128 *p = (__int128 *)page(129);

	oracle_mark(CODE_ATOMIC);
	__atomic_fetch_add((int *)page(128), 1, __ATOMIC_SEQ_CST);
	__asm__ __volatile__("lock cmpxchg16b %0" : "+m" (*p)
			     : "a" (0l), "d" (0l), "b" (1l), "c" (2l) : "cc");
	oracle_mark(CODE_END);
	for (int i = 128; i <= 129; i++) {
		expect(CODE_ATOMIC, "user_read", i);
		expect(CODE_ATOMIC, "user_write", i);
	}
}

static void cross(void)
{
	oracle_mark(CODE_CROSS);
	__asm__ __volatile__("mov %0, %%rax" : : "m" (*(uint64_t *)(page(131) - 4)) : "rax");
	__asm__ __volatile__("movl $7, %0" : "=m" (*(uint32_t *)(page(133) - 1)));
	oracle_mark(CODE_END);
	for (int i = 130; i <= 131; i++)
		expect(CODE_CROSS, "user_read", i);
	for (int i = 132; i <= 133; i++)
		expect(CODE_CROSS, "user_write", i);
}

/* Accesses that QEMU makes in functions of its own, and wide ones. */
static void helper(void)
{
	void *dst = page(136);
	size_t n = 2 * PAGE;

	oracle_mark(CODE_HELPER);
	__asm__ __volatile__("fxsave %0" : "=m" (*(char (*)[512])page(134)));
	__asm__ __volatile__("movdqu %%xmm0, %0" : "=m" (*(char (*)[16])page(135)));
	__asm__ __volatile__("rep stosb" : "+D" (dst), "+c" (n) : "a" (1) : "memory");
	__asm__ __volatile__("fxrstor %0" : : "m" (*(char (*)[512])page(134)));
	oracle_mark(CODE_END);
	for (int i = 134; i <= 137; i++)
		expect(CODE_HELPER, "user_write", i);
	expect(CODE_HELPER, "user_read", 134);
}

static void fetch(void)
{
	/* jmp to the page's start, its last three bytes on the next page */
	static const unsigned char jmp[5] = { 0xe9, 0xfd, 0xef, 0xff, 0xff };
	void (*f)(void) = (void (*)(void))page(140);
	void (*g)(void) = (void (*)(void))(page(143) - 2);

	*page(140) = 0xc3;
	*page(142) = 0xc3;
	memcpy(page(143) - 2, jmp, sizeof(jmp));
	oracle_mark(CODE_FETCH);
	f();
	oracle_mark(CODE_STRADDLE);
	g();
	oracle_mark(CODE_END);
	expect(CODE_FETCH, "user_fetch", 140);
	expect(CODE_STRADDLE, "user_fetch", 142);
	expect(CODE_STRADDLE, "user_fetch", 143);
}

static void *map_file(int fd, off_t offset, void *at)
{
	void *p = mmap(at, PAGE, PROT_READ, MAP_SHARED | MAP_POPULATE | (at ? MAP_FIXED : 0), fd,
		       offset);

	if (p == MAP_FAILED)
		die("mmap");
	return p;
}

static void syscalls(void)
{
	int fd = memfd_create("oracle", 0);
	uint64_t file[2];
	char *p;

	if (fd < 0 || ftruncate(fd, 2 * PAGE) || pwrite(fd, "x", 1, 0) != 1 ||
	    pwrite(fd, "y", 1, PAGE) != 1)
		die("memfd");
	p = map_file(fd, 0, NULL);
	for (int i = 0; i < 2; i++) {
		p = map_file(fd, i * PAGE, p);
		file[i] = pfn_of(p);
		fprintf(out, "page %llu\n", (unsigned long long)file[i]);
	}
	oracle_mark(CODE_SYSCALL_WRITE);
	if (pwrite(fd, page(150), PAGE, 0) != PAGE)
		die("pwrite");
	oracle_mark(CODE_SYSCALL_READ);
	if (pread(fd, page(151), PAGE, PAGE) != PAGE)
		die("pread");
	oracle_mark(CODE_REMAP);
	p = map_file(fd, 0, p);
	look(p);
	p = map_file(fd, PAGE, p);
	look(p);
	oracle_mark(CODE_END);
	expect(CODE_SYSCALL_WRITE, "copy_read", 150);
	expect_pfn(CODE_SYSCALL_WRITE, "kernel_write", file[0]);
	expect(CODE_SYSCALL_READ, "copy_write", 151);
	expect_pfn(CODE_SYSCALL_READ, "kernel_read", file[1]);
	expect_pfn(CODE_REMAP, "user_read", file[0]);
	expect_pfn(CODE_REMAP, "user_read", file[1]);
}

static unsigned char *sweep;
static volatile int go, done;

static void *other_cpu(void *arg)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(1, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
	while (!go)
		;
	for (int i = 160; i < 200; i++)
		*(volatile unsigned char *)page(i) = 1;
	done = 1;
	while (go == 1)
		;
	/* go == 2: the same page over and over, while the marks go on */
	while (go == 2)
		(*(volatile unsigned long *)page(200))++;
	/* go == 3: each page once, while the marks go on */
	for (int i = 0; i < SWEEP_PAGES; i++) {
		*(volatile unsigned char *)(sweep + i * PAGE) = 1;
		for (volatile int wait = 0; wait < 200; wait++)
			;
	}
	done = 2;
	return arg;
}

static void threads(void)
{
	unsigned long before;
	pthread_t t;

	sweep = mmap(NULL, SWEEP_PAGES * PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (sweep == MAP_FAILED || madvise(sweep, SWEEP_PAGES * PAGE, MADV_NOHUGEPAGE) ||
	    mlock(sweep, SWEEP_PAGES * PAGE))
		die("mmap");
	memset(sweep, 1, SWEEP_PAGES * PAGE);
	if (pthread_create(&t, NULL, other_cpu, NULL))
		die("pthread_create");
	oracle_mark(CODE_THREAD);
	go = 1;
	while (!done)
		;
	oracle_mark(CODE_END);
	for (int i = 160; i < 200; i++)
		expect(CODE_THREAD, "user_write", i);
	go = 2;
	while (!look(page(200)))
		;
	/* Cuts against a busy CPU: the page is in each interval. */
	for (int i = 0; i < 100; i++) {
		oracle_mark(CODE_HAMMER);
		before = *(volatile unsigned long *)page(200);
		while (*(volatile unsigned long *)page(200) < before + 2)
			;
	}
	oracle_mark(CODE_SWEEP);
	go = 3;
	while (done != 2)
		oracle_mark(CODE_SWEEP);
	oracle_mark(CODE_END);
	pthread_join(t, NULL);
	for (int i = 0; i < SWEEP_PAGES; i++)
		fprintf(out, "once %#x user_write %llu\n", CODE_SWEEP,
			(unsigned long long)pfn_of(sweep + i * PAGE));
	expect(CODE_HAMMER, "user_write", 200);
	expect(CODE_HAMMER, "user_read", 200);
}

static void count(void)
{
	long n = 1000000;

	oracle_mark(CODE_COUNT);
	__asm__ __volatile__("1: dec %0; jnz 1b" : "+r" (n));
	oracle_mark(CODE_END);
	fprintf(out, "insns %#x 2000000\n", CODE_COUNT);
}

int main(int argc, char **argv)
{
	cpu_set_t set;

	if (argc == 3) {
		unsigned long node = 1ul << atoi(argv[2]);

		if (syscall(SYS_set_mempolicy, 2 /* MPOL_BIND */, &node, 64))
			die("set_mempolicy");
	} else if (argc != 2) {
		return 2;
	}
	out = fopen(argv[1], "w");
	if (!out)
		die(argv[1]);
	CPU_ZERO(&set);
	CPU_SET(0, &set);
	sched_setaffinity(0, sizeof(set), &set);
	make_arena();
	look(page(210));
	oracle_mark(ORACLE_CODE_START);
	sched_yield();
	pages_0_to_127();
	atomic();
	cross();
	helper();
	fetch();
	syscalls();
	count();
	threads();
	oracle_mark(ORACLE_CODE_STOP);
	sched_yield();
	look(page(211));
	oracle_mark(CODE_NOTHING);
	look(page(212));
	oracle_mark(ORACLE_CODE_START);
	sched_yield();
	oracle_mark(CODE_AGAIN);
	look(page(213));
	oracle_mark(CODE_END);
	expect(CODE_AGAIN, "user_read", 213);
	check_arena();
	if (fclose(out))
		die(argv[1]);
	return 0;
}
