// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Runs in the guest: one CPU writes code while others execute it.
 *
 *	code_writes SECONDS
 *
 * After a CPU has read that a function is new, and has executed a serializing
 * instruction, it must execute the new code: on processors, and in an emulator that
 * translates code.  Prints the number of calls and of those that ran old code; exits
 * with 1 if any did.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096
#define FUNCTIONS 8
#define THREADS 3

/* The page of code is mapped twice: writable, and executable. */
static unsigned char *writable, *code;
static _Atomic uint32_t written[FUNCTIONS];
static atomic_bool over;

struct result {
	unsigned long calls, old;
};

static _Atomic uint32_t *immediate(unsigned int f)
{
	/* Place the instruction so that its operand is aligned. */
	return (_Atomic uint32_t *)(writable + f * 64 + 4);
}

static void *runner(void *arg)
{
	struct result *r = arg;
	unsigned int f = 0;

	while (!atomic_load(&over)) {
		uint32_t least = atomic_load(&written[f]), got, a = 0, b, c = 0, d;

		asm volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d) : : "memory");
		got = ((uint32_t (*)(void))(code + f * 64 + 3))();
		r->calls++;
		/* The call may see later writes, but no earlier ones. */
		r->old += (int32_t)(got - least) < 0;
		f = (f + 1) % FUNCTIONS;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct result results[THREADS] = {}, sum = {};
	pthread_t threads[THREADS];
	unsigned long writes = 0;
	time_t stop;
	int fd, i;

	if (argc != 2) {
		fprintf(stderr, "usage: code_writes SECONDS\n");
		return 2;
	}
	fd = memfd_create("code", 0);
	if (fd < 0 || ftruncate(fd, PAGE))
		return 2;
	writable = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	code = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
	if (writable == MAP_FAILED || code == MAP_FAILED)
		return 2;
	for (i = 0; i < FUNCTIONS; i++) {
		writable[i * 64 + 3] = 0xb8;	/* mov $0, %eax */
		writable[i * 64 + 8] = 0xc3;	/* ret */
	}
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, runner, &results[i]))
			return 2;
	for (stop = time(NULL) + atoi(argv[1]); time(NULL) < stop;)
		for (i = 0; i < 1000; i++, writes++) {
			unsigned int f = writes % FUNCTIONS;
			uint32_t n = writes / FUNCTIONS + 1;

			atomic_store_explicit(immediate(f), n, memory_order_release);
			atomic_store(&written[f], n);
		}
	atomic_store(&over, 1);
	for (i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		sum.calls += results[i].calls;
		sum.old += results[i].old;
	}
	/* Keep the last code, so that a translation that is never updated is found. */
	for (i = 0; i < FUNCTIONS; i++)
		sum.old += ((uint32_t (*)(void))(code + i * 64 + 3))() != atomic_load(&written[i]);
	printf("%lu writes, %lu calls, %lu of code too old\n", writes, sum.calls, sum.old);
	return sum.old != 0;
}
