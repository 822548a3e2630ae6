// SPDX-License-Identifier: GPL-2.0
/*
 * swmem_check: loops over known buffers, and what samples of them must say.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/mark.h"
#include "swmem_check.h"

char buf[7][BUFFER] __attribute__((aligned(PAGE)));
const char *const buf_name[7] = { "loads", "stores", "rmw", "atomic", "from", "to", "vector" };
__thread uint64_t tls_word;

#define RANGE(label, object, op, width) \
	{ #label, (uint64_t)label##_first, (uint64_t)label##_last, object, op, width }
#define LABELS(label) extern char label##_first[], label##_last[]
LABELS(loads);
LABELS(stores);
LABELS(rmw);
LABELS(atomic);
LABELS(copy);
LABELS(vector);
LABELS(tls);

/* The labels enclose the one instruction that touches memory. */
#define LOOP(label, insn, step) \
	static __attribute__((noinline)) void label##_loop(char *p) \
	{ \
		char *end = p + BUFFER; \
		__asm__ __volatile__( \
			"1:\n\t" \
			#label "_first:\n\t" \
			insn "\n" \
			#label "_last:\n\t" \
			"add %[s], %[p]\n\t" \
			"xor %%edx, %%edx\n\t" \
			"cmp %[e], %[p]\n\t" \
			"jb 1b" \
			: [p] "+r" (p) : [e] "r" (end), [s] "i" (step) \
			: "rax", "rdx", "xmm0", "memory", "cc"); \
	}

LOOP(loads, "movq (%[p]), %%rax", 8)
LOOP(stores, "movl %%edx, 4(%[p])", 8)
LOOP(rmw, "addq $1, (%[p])", 8)
LOOP(atomic, "lock incl (%[p])", 8)
LOOP(vector, "movdqu (%[p]), %%xmm0", 16)

static __attribute__((noinline)) void copy_loop(char *to, char *from)
{
	unsigned long n = BUFFER / 8;

	__asm__ __volatile__(
		"copy_first:\n\t"
		"rep movsq\n"
		"copy_last:"
		: "+D" (to), "+S" (from), "+c" (n) : : "memory");
}

static __attribute__((noinline)) void tls_loop(void)
{
	unsigned long n = 4000;

	__asm__ __volatile__(
		"1:\n\t"
		"tls_first:\n\t"
		"movq %%fs:tls_word@tpoff, %%rax\n"
		"tls_last:\n\t"
		"dec %0\n\t"
		"jnz 1b"
		: "+r" (n) : : "rax", "cc");
}

const struct range ranges[] = {
	RANGE(loads, 0, OP_LOAD, 8), RANGE(stores, 1, OP_STORE, 4), RANGE(rmw, 2, 3, 8),
	RANGE(atomic, 3, 3, 4), RANGE(copy, -1, 0, 8), RANGE(vector, 6, OP_LOAD, 16),
	RANGE(tls, -2, OP_LOAD, 8),
};
const unsigned int nr_ranges = sizeof(ranges) / sizeof(ranges[0]);

/* Objects get different shares. */
void one_round(void)
{
	for (int i = 0; i < 4; i++)
		loads_loop(buf[0]);
	for (int i = 0; i < 3; i++)
		stores_loop(buf[1]);
	rmw_loop(buf[2]);
	atomic_loop(buf[3]);
	copy_loop(buf[5], buf[4]);
	vector_loop(buf[6]);
	tls_loop();
}

/* And what a kernel does for a program. */
void some_syscalls(void)
{
	static char data[8192];
	int fd[2];

	if (pipe(fd))
		return;
	for (int i = 0; i < 20; i++) {
		struct stat st;

		if (write(fd[1], data, sizeof(data)) < 0 || read(fd[0], data, sizeof(data)) < 0)
			break;
		stat("/proc/self/status", &st);
	}
	close(fd[0]);
	close(fd[1]);
}

int judge(const struct sample *s)
{
	for (unsigned int i = 0; i < nr_ranges; i++) {
		const struct range *r = &ranges[i];
		int loads = s->op & OP_LOAD, o = r->object;
		int op = r->op;

		if (s->ip < r->first || s->ip >= r->last)
			continue;
		if (o == -1) {
			o = loads ? 4 : 5;
			op = loads ? OP_LOAD : OP_STORE;
		}
		if ((s->op & 3) != op || s->width != r->width)
			return -1;
		if (o == -2)
			return s->addr == (uintptr_t)&tls_word ? 1 : -1;
		return s->addr >= (uintptr_t)buf[o] && s->addr + s->width <= (uintptr_t)buf[o] + BUFFER
			? 1 : -1;
	}
	return 0;
}

int run_loops(int argc, char **argv)
{
	struct perf_event_attr attr = attr_of(0, 100000);
	int rounds = 50, least = 0, syscalls = 1;
	struct ring ring;
	struct sample s;
	FILE *f;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "irq")) {
			attr.config |= CONFIG_IRQ;
		} else if (!strncmp(argv[i], "period=", 7)) {
			attr.sample_period = strtoull(argv[i] + 7, NULL, 0);
		} else if (!strncmp(argv[i], "rounds=", 7)) {
			rounds = atoi(argv[i] + 7);
		} else if (!strncmp(argv[i], "samples=", 8)) {
			least = atoi(argv[i] + 8);
		} else if (!strcmp(argv[i], "user")) {
			attr.exclude_kernel = 1;
			syscalls = 0;
		} else if (!strcmp(argv[i], "kernel")) {
			attr.exclude_user = 1;
		} else {
			fprintf(stderr, "swmem_check: %s: unknown option\n", argv[i]);
			return 2;
		}
	}
	f = fopen(argv[0], "w");
	if (!f) {
		perror(argv[0]);
		return 1;
	}
	memset(buf, 1, sizeof(buf));
	pin(sysconf(_SC_NPROCESSORS_ONLN) - 1);
	if (ring_open(&ring, &attr, 0, -1)) {
		perror("swmem_check: perf_event_open");
		return 1;
	}
	one_round();
	oracle_mark(ORACLE_CODE_START);
	sched_yield();
	enable(&ring);
	for (int i = 0; i < rounds || samples_in(&ring) < least; i++) {
		if (attr.exclude_user) {
			some_syscalls();
			continue;
		}
		one_round();
		if (syscalls)
			some_syscalls();
	}
	disable(&ring);
	oracle_mark(ORACLE_CODE_STOP);

	for (int i = 0; i < 7; i++)
		fprintf(f, "object %s %llx %llx\n", buf_name[i], (unsigned long long)buf[i],
			(unsigned long long)buf[i] + BUFFER - 1);
	for (unsigned int i = 0; i < nr_ranges; i++)
		fprintf(f, "range %s %llx %llx %s %d %d\n", ranges[i].name,
			(unsigned long long)ranges[i].first, (unsigned long long)ranges[i].last,
			ranges[i].object >= 0 ? buf_name[ranges[i].object] : "-",
			ranges[i].op, ranges[i].width);
	while (ring_next(&ring, &s))
		fprintf(f, "sample %u %llx %llx %x %u %s\n", s.cpu, (unsigned long long)s.ip,
			(unsigned long long)s.addr, s.op, s.width, s.kernel ? "kernel" : "user");
	fprintf(f, "lost %llu\n", (unsigned long long)ring.lost);
	return fclose(f) ? 1 : 0;
}
