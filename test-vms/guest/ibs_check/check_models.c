// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* check_models: checks the data source and latency that the emulation's models report. */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/io.h>
#include <unistd.h>

#include "check.h"

#define LINE 64ul

/* How often each answer came for the loop's instruction. */
struct answers {
	const struct loop *loop;
	uint64_t total, l1, l2, l3, remote_cache, ram, remote_ram, hitm, other;
	uint64_t weight;	/* sum of latencies */
};

static void see(void *arg, const struct sample *s)
{
	struct answers *a = arg;

	if (s->ip != (uintptr_t)a->loop->insn)
		return;
	a->total++;
	a->weight += s->weight;
	if (s->src.mem_snoop & PERF_MEM_SNOOP_HITM)
		a->hitm++;
	if (s->src.mem_lvl & PERF_MEM_LVL_L1)
		a->l1++;
	else if (s->src.mem_lvl & PERF_MEM_LVL_L2)
		a->l2++;
	else if (s->src.mem_lvl & PERF_MEM_LVL_L3)
		a->l3++;
	else if (s->src.mem_lvl & (PERF_MEM_LVL_REM_CCE1 | PERF_MEM_LVL_REM_CCE2))
		a->remote_cache++;
	else if (s->src.mem_lvl & PERF_MEM_LVL_LOC_RAM)
		a->ram++;
	else if (s->src.mem_lvl & (PERF_MEM_LVL_REM_RAM1 | PERF_MEM_LVL_REM_RAM2))
		a->remote_ram++;
	else
		a->other++;
}

static void print(const char *name, const struct answers *a)
{
	printf("%s total %" PRIu64 " l1 %" PRIu64 " l2 %" PRIu64 " l3 %" PRIu64
	       " remote-cache %" PRIu64 " ram %" PRIu64 " remote-ram %" PRIu64 " other %" PRIu64
	       " hitm %" PRIu64 " latency %.2f\n",
	       name, a->total, a->l1, a->l2, a->l3, a->remote_cache, a->ram, a->remote_ram,
	       a->other, a->hitm, a->total ? (double)a->weight / a->total : 0.0);
	fflush(stdout);
}

/* Goes over the buffer until there are so many samples of the instruction. */
static void collect(struct answers *a, struct buffer *b, uint64_t period, uint64_t samples,
		    uint64_t stride)
{
	struct sampler s;

	sampler_open(&s, period);
	while (a->total < samples) {
		sampler_enable(&s, 1);
		a->loop->run(b->p, b->bytes / stride, stride);
		sampler_enable(&s, 0);
		sampler_drain(&s, see, a);
	}
	sampler_close(&s);
}

void check_static(uint64_t samples)
{
	char name[32];

	pin(0);
	for (int n = 0; n < nr_nodes(); n++) {
		struct buffer b = buffer_new(1ul << 20, n);
		struct answers a = { .loop = loop_named("load8") };

		collect(&a, &b, 1024, samples, LINE);
		snprintf(name, sizeof(name), "node%d", n);
		print(name, &a);
		buffer_free(&b);
	}
}

/* The emulator's device by which a test says where data is. */
#define TABLE_PORT 0x5b0

enum { L1, L2, L3, REMOTE, MEMORY };

struct answer {
	int level, node, modified, latency;
};

static void table_add(uint64_t first, uint64_t last, const struct answer *w)
{
	outl(first, TABLE_PORT);
	outl(first >> 32, TABLE_PORT);
	outl(last, TABLE_PORT);
	outl(last >> 32, TABLE_PORT);
	outl(w->level | w->node << 8 | w->modified << 16, TABLE_PORT);
	outl(w->latency, TABLE_PORT);
	outl(1, TABLE_PORT + 4);
}

static const struct answer table[] = {
	{ L1, 0, 0, 0 },     { L2, 0, 0, 17 },	    { L3, 0, 0, 41 },	  { L3, 0, 1, 83 },
	{ REMOTE, 1, 1, 187 }, { MEMORY, 0, 0, 211 }, { MEMORY, 1, 0, 433 }, { MEMORY, 1, 0, 65535 },
};

#define NR_ANSWERS (sizeof(table) / sizeof(table[0]))

static struct buffer table_buffer;
static uint64_t table_seen[NR_ANSWERS], table_wrong;

/* Page n has answer n modulo their number. */
static void see_table(void *arg, const struct sample *s)
{
	const struct loop *l = arg;
	uint64_t page = (s->addr - (uintptr_t)table_buffer.p) / PAGE_BYTES;
	const struct answer *w = &table[page % NR_ANSWERS];
	uint64_t lvl;
	int ok;

	if (s->ip != (uintptr_t)l->insn || page >= table_buffer.bytes / PAGE_BYTES)
		return;
	table_seen[page % NR_ANSWERS]++;
	lvl = s->src.mem_lvl;
	switch (w->level) {
	case L1: ok = lvl & PERF_MEM_LVL_L1; break;
	case L2: ok = lvl & PERF_MEM_LVL_L2; break;
	case L3: ok = lvl & PERF_MEM_LVL_L3; break;
	case REMOTE: ok = lvl & PERF_MEM_LVL_REM_CCE2; break;
	default: ok = w->node ? lvl & PERF_MEM_LVL_REM_RAM1 : lvl & PERF_MEM_LVL_LOC_RAM;
	}
	if (!ok || (int)s->weight != w->latency ||
	    !!(s->src.mem_snoop & PERF_MEM_SNOOP_HITM) != w->modified)
		table_wrong++;
}

void check_table(void)
{
	const struct loop *l = loop_named("load8");
	struct sampler s;
	size_t pages;

	pin(0);
	if (ioperm(TABLE_PORT, 8, 1))
		die("ioperm: %s", strerror(errno));
	table_buffer = buffer_new(64 * PAGE_BYTES, 0);
	pages = table_buffer.bytes / PAGE_BYTES;
	outl(0, TABLE_PORT + 4);
	for (size_t i = 0; i < pages; i++) {
		uint64_t phys = table_buffer.pfn[i] * PAGE_BYTES;

		table_add(phys, phys + PAGE_BYTES - 1, &table[i % NR_ANSWERS]);
	}
	if (inl(TABLE_PORT + 4) != pages)
		die("no isa-ibs-table, or it does not take entries");
	sampler_open(&s, 1024);
	for (int i = 0; i < 500; i++) {
		sampler_enable(&s, 1);
		l->run(table_buffer.p, table_buffer.bytes / LINE, LINE);
		sampler_enable(&s, 0);
		sampler_drain(&s, see_table, (void *)l);
	}
	sampler_close(&s);
	for (size_t i = 0; i < NR_ANSWERS; i++)
		printf("answer%zu %" PRIu64 "\n", i, table_seen[i]);
	printf("wrong %" PRIu64 "\n", table_wrong);
}

/* All of node 0's users at once, or some of them. */
static uint64_t load_period;
static int load_users;
static struct answers load_answers;
static pthread_mutex_t load_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t load_barrier;

static void load_on_cpu(int cpu)
{
	struct buffer b = buffer_new(1ul << 20, 0);
	struct answers a = { .loop = loop_named("load8") }, warm = a;

	pthread_barrier_wait(&load_barrier);
	if (cpu < load_users) {
		/* Until the windows of all show what is going on. */
		collect(&warm, &b, load_period, 1000, LINE);
		collect(&a, &b, load_period, 1000, LINE);
		/* Others are not done yet: the load stays while they measure. */
		collect(&warm, &b, load_period, warm.total + 1000, LINE);
	}
	pthread_barrier_wait(&load_barrier);
	pthread_mutex_lock(&load_lock);
	load_answers.total += a.total;
	load_answers.weight += a.weight;
	load_answers.ram += a.ram;
	load_answers.remote_ram += a.remote_ram;
	pthread_mutex_unlock(&load_lock);
	buffer_free(&b);
}

void check_load(uint64_t period)
{
	char name[32];

	load_period = period;
	for (load_users = 1; load_users <= nr_cpus(); load_users *= 2) {
		memset(&load_answers, 0, sizeof(load_answers));
		pthread_barrier_init(&load_barrier, NULL, nr_cpus());
		on_all_cpus(load_on_cpu);
		pthread_barrier_destroy(&load_barrier);
		snprintf(name, sizeof(name), "users%d", load_users);
		print(name, &load_answers);
	}
}

void work(uint64_t millions, uint64_t period)
{
	const struct loop *l = loop_named("load8");
	struct buffer b = buffer_new(256ul << 10, 0);
	uint64_t lines = b.bytes / LINE, left = millions * 1000000 / lines;
	struct answers a = { .loop = l };
	struct sampler s;

	pin(0);
	if (period)
		sampler_open(&s, period);
	/* 5 million instructions at a time: their samples fit the ring. */
	for (; left; left -= left < 256 ? left : 256) {
		if (period)
			sampler_enable(&s, 1);
		for (int i = 0; i < 256; i++)
			l->run(b.p, lines, LINE);
		if (period) {
			sampler_enable(&s, 0);
			sampler_drain(&s, see, &a);
		}
	}
	if (period) {
		printf("samples %" PRIu64 "\nlost %" PRIu64 "\n", s.seen, s.lost);
		sampler_close(&s);
	}
	buffer_free(&b);
}

void print_phys(void)
{
	for (int n = 0; n < nr_nodes(); n++) {
		struct buffer b = buffer_new(64 * PAGE_BYTES, n);

		loop_named("storent8")->run(b.p, 64, PAGE_BYTES);
		for (int i = 0; i < 64; i++)
			printf("%" PRIx64 "\n", b.pfn[i] * PAGE_BYTES);
		buffer_free(&b);
	}
}
