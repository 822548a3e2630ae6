// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* check_trace: working sets that fit a level or do not, conflicts, and lines
 * that go from one CPU to another.
 */
#include <stdio.h>
#include <string.h>

#include "check.h"

#define LINE 64ul

struct answers {
	const char *insn;
	uint64_t total, l1, l2, l3, remote_cache, ram, hitm;
};

static uint64_t period;

static void see(void *arg, const struct sample *s)
{
	struct answers *a = arg;
	uint64_t lvl = s->src.mem_lvl;

	if (s->ip != (uintptr_t)a->insn)
		return;
	a->total++;
	a->l1 += !!(lvl & PERF_MEM_LVL_L1);
	a->l2 += !!(lvl & PERF_MEM_LVL_L2);
	a->l3 += !!(lvl & PERF_MEM_LVL_L3);
	a->remote_cache += !!(lvl & PERF_MEM_LVL_REM_CCE2);
	a->ram += !!(lvl & (PERF_MEM_LVL_LOC_RAM | PERF_MEM_LVL_REM_RAM1));
	a->hitm += !!(s->src.mem_snoop & PERF_MEM_SNOOP_HITM);
}

static void print(const char *name, const struct answers *a)
{
	printf("%s total %llu l1 %llu l2 %llu l3 %llu remote-cache %llu ram %llu hitm %llu\n", name,
	       (unsigned long long)a->total, (unsigned long long)a->l1,
	       (unsigned long long)a->l2, (unsigned long long)a->l3,
	       (unsigned long long)a->remote_cache, (unsigned long long)a->ram,
	       (unsigned long long)a->hitm);
	fflush(stdout);
}

/* A loop over so many lines so far apart, again and again. */
static void sweep(const char *name, size_t bytes, uint64_t stride, uint64_t passes)
{
	const struct loop *l = loop_named("load8");
	struct buffer b = buffer_new(bytes, 0);
	struct answers a = { .insn = l->insn };
	struct sampler s;

	sampler_open(&s, period);
	for (uint64_t i = 0; i <= passes; i++) {
		sampler_enable(&s, 1);
		l->run(b.p, bytes / stride, stride);
		sampler_enable(&s, 0);
		sampler_drain(&s, see, &a);
		/* The first pass brings the lines in. */
		if (!i)
			a = (struct answers){ .insn = l->insn };
	}
	print(name, &a);
	sampler_close(&s);
	buffer_free(&b);
}

/* Two CPUs take turns: each reads what the other wrote, then writes it. */
static struct {
	volatile int turn __attribute__((aligned(4096)));
	volatile uint64_t data __attribute__((aligned(4096)));
	char end __attribute__((aligned(4096)));
} shared;

static int first_cpu, second_cpu;
static uint64_t rounds;
static struct answers handed;

void handed_over(volatile uint64_t *p);
extern const char handed_load[];
/* A load and a store, each known by its address. */
asm(".pushsection .text\n"
    "handed_over:\n"
    "handed_load:\n"
    "	movq (%rdi), %rax\n"
    "	inc %rax\n"
    "	movq %rax, (%rdi)\n"
    "	ret\n"
    ".popsection\n");

static void ping_pong(int cpu)
{
	int me = cpu == second_cpu;
	struct answers a = { .insn = handed_load };
	struct sampler s;

	if (cpu != first_cpu && cpu != second_cpu)
		return;
	sampler_open(&s, period);
	sampler_enable(&s, 1);
	for (uint64_t i = 0; i < rounds; i++) {
		while (shared.turn != me)
			__builtin_ia32_pause();
		handed_over(&shared.data);
		shared.turn = !me;
	}
	sampler_enable(&s, 0);
	sampler_drain(&s, see, &a);
	if (!me)
		handed = a;
	sampler_close(&s);
}

static void pair(const char *name, int one, int two, uint64_t n)
{
	first_cpu = one;
	second_cpu = two;
	rounds = n;
	shared.turn = 0;
	on_all_cpus(ping_pong);
	print(name, &handed);
}

/* Two CPUs add to one line without waiting for each other. */
static void add_on_cpu(int cpu)
{
	const struct loop *l = loop_named("lockadd8");
	struct answers a = { .insn = l->insn };
	struct sampler s;

	if (cpu > 1)
		return;
	sampler_open(&s, period);
	/* Both are there before either begins. */
	__atomic_add_fetch(&shared.turn, 1, __ATOMIC_SEQ_CST);
	while (shared.turn < 2)
		__builtin_ia32_pause();
	for (int i = 0; i < 20; i++) {
		sampler_enable(&s, 1);
		l->run((void *)&shared.data, 50000, 0);
		sampler_enable(&s, 0);
		sampler_drain(&s, see, &a);
	}
	if (!cpu)
		handed = a;
	sampler_close(&s);
}

void check_bounce(uint64_t p)
{
	period = p;
	memset(&shared, 0, sizeof(shared));
	on_all_cpus(add_on_cpu);
	print("bounce", &handed);
}

void check_trace(uint64_t p)
{
	int cpus = nr_cpus(), near = 0, far = 0;

	period = p;
	pin(0);
	/* L1 32 KiB and 8 ways, L2 512 KiB, L3 8 MiB: the emulation's defaults. */
	sweep("in-l1", 16ul << 10, LINE, 2000);
	sweep("in-l2", 256ul << 10, LINE, 200);
	sweep("in-l3", 4ul << 20, LINE, 12);
	sweep("in-memory", 32ul << 20, LINE, 2);
	/* 16 lines of one set of the L1: the page's offset is the set. */
	sweep("conflict", 16 * 4096, 4096, 20000);
	for (int c = 1; c < cpus; c++) {
		if (node_of_cpu(c) == node_of_cpu(0))
			near = near ? near : c;
		else
			far = far ? far : c;
	}
	memset(&shared, 0, sizeof(shared));
	if (near)
		pair("same-node", 0, near, 40000);
	if (far)
		pair("other-node", 0, far, 40000);
}
