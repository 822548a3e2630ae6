// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* check_samples: checks the fields of samples of known instructions. */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

#define BUFFER_BYTES (256ul << 10)
#define ROUND_INSNS 1500000u

enum wrong { WRONG_OP, WRONG_ADDRESS, WRONG_PHYS, WRONG_WIDTH, WRONG_LOCK, WRONG_NODE,
	     WRONG_CPU, NOT_MEMORY, NR_WRONG };
static const char *const wrong_names[NR_WRONG] = {
	"operation", "address", "physical", "width", "lock", "node", "cpu", "not-memory",
};

static uint64_t period;
static double seconds;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct totals {
	uint64_t samples, in_loops, memory, with_node, user_other, kernel, lost, throttled, rounds;
	uint64_t wrong[NR_WRONG];
} totals;

struct round {
	struct totals t;
	const struct loop *loop;
	struct buffer *b;
	int cpu, own_node;
};

/* The registers' width: 1 for a byte, 2 for two, 3 for four... */
static int width_of(uint64_t op_data3)
{
	int code = (op_data3 >> 22) & 15;

	return code ? 1 << (code - 1) : 0;
}

static void see(void *arg, const struct sample *s)
{
	struct round *r = arg;
	const struct loop *l = r->loop;
	uint64_t begin = (uintptr_t)l->insn, end = (uintptr_t)l->end;
	int op = (s->op_data3 & 1 ? LOAD : 0) | (s->op_data3 & 2 ? STORE : 0);
	int perf_op = (l->access & LOAD ? PERF_MEM_OP_LOAD : 0) | (l->access & STORE ? PERF_MEM_OP_STORE : 0);

	r->t.samples++;
	if (s->ip >> 63) {
		r->t.kernel++;
		return;
	}
	if (s->ip < begin || s->ip >= end) {
		r->t.user_other++;
		return;
	}
	r->t.in_loops++;
	if ((int)s->cpu != r->cpu)
		r->t.wrong[WRONG_CPU]++;
	if (s->ip != begin) {
		/* Only ret, the last byte, touches the stack. */
		if (op && s->ip != end - 1)
			r->t.wrong[NOT_MEMORY]++;
		return;
	}
	r->t.memory++;
	if (op != l->access || s->src.mem_op != (unsigned int)perf_op)
		r->t.wrong[WRONG_OP]++;
	if (s->addr < (uintptr_t)r->b->p || s->addr >= (uintptr_t)r->b->p + r->b->bytes ||
	    (s->addr - (uintptr_t)r->b->p) % 64) {
		r->t.wrong[WRONG_ADDRESS]++;
		return;
	}
	if (s->phys != buffer_phys(r->b, s->addr))
		r->t.wrong[WRONG_PHYS]++;
	if (width_of(s->op_data3) != l->width)
		r->t.wrong[WRONG_WIDTH]++;
	if (!!(s->op_data3 & (1 << 15)) != l->locked ||
	    !!(s->src.mem_lock & PERF_MEM_LOCK_LOCKED) != l->locked)
		r->t.wrong[WRONG_LOCK]++;
	/* Hardware knows the source of loads only. */
	if (perf_op & PERF_MEM_OP_LOAD && s->src.mem_lvl_num == PERF_MEM_LVLNUM_RAM) {
		r->t.with_node++;
		if (!!s->src.mem_remote != (r->b->node != r->own_node))
			r->t.wrong[WRONG_NODE]++;
	}
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void add(struct totals *to, const struct totals *t)
{
	const uint64_t *from = (const uint64_t *)t;
	uint64_t *sum = (uint64_t *)to;

	for (size_t i = 0; i < sizeof(*t) / sizeof(*sum); i++)
		sum[i] += from[i];
}

static void on_cpu(int cpu)
{
	int nodes = nr_nodes();
	struct buffer b[nodes];
	struct round r = { .cpu = cpu, .own_node = node_of_cpu(cpu) };
	double begin = now();
	struct sampler s;

	for (int n = 0; n < nodes; n++)
		b[n] = buffer_new(BUFFER_BYTES, n);
	sampler_open(&s, period);
	do {
		for (size_t i = 0; i < nr_loops; i++) {
			for (int n = 0; n < nodes && loop_works(&loops[i]); n++) {
				uint64_t lines = BUFFER_BYTES / 64;

				r.loop = &loops[i];
				r.b = &b[n];
				sampler_enable(&s, 1);
				for (uint64_t left = ROUND_INSNS / 5 / lines; left; left--)
					r.loop->run(b[n].p, lines, 64);
				sampler_enable(&s, 0);
				sampler_drain(&s, see, &r);
				r.t.rounds++;
			}
		}
		/* Processes come and go and the buffers move, in a long run. */
		if (seconds > 0) {
			for (int n = 0; n < nodes; n++) {
				buffer_free(&b[n]);
				b[n] = buffer_new(BUFFER_BYTES, n);
			}
			if (system("true"))
				die("cannot run a command");
		}
	} while (now() - begin < seconds);
	r.t.lost = s.lost;
	r.t.throttled = s.throttled;
	sampler_close(&s);
	for (int n = 0; n < nodes; n++)
		buffer_free(&b[n]);
	pthread_mutex_lock(&lock);
	add(&totals, &r.t);
	pthread_mutex_unlock(&lock);
}

void check_samples(uint64_t p, double s)
{
	uint64_t wrong = 0;

	period = p;
	seconds = s;
	on_all_cpus(on_cpu);
	printf("cpus %d\nnodes %d\nperiod %" PRIu64 "\n", nr_cpus(), nr_nodes(), period);
	printf("samples %" PRIu64 "\nin-loops %" PRIu64 "\nmemory %" PRIu64 "\n", totals.samples,
	       totals.in_loops, totals.memory);
	printf("with-node %" PRIu64 "\n", totals.with_node);
	printf("kernel %" PRIu64 "\nuser-other %" PRIu64 "\n", totals.kernel, totals.user_other);
	printf("instructions %" PRIu64 "\n", totals.rounds * (ROUND_INSNS / 5) * 5);
	printf("lost %" PRIu64 "\nthrottled %" PRIu64 "\n", totals.lost, totals.throttled);
	for (int i = 0; i < NR_WRONG; i++) {
		printf("wrong-%s %" PRIu64 "\n", wrong_names[i], totals.wrong[i]);
		wrong += totals.wrong[i];
	}
	printf("wrong %" PRIu64 "\n", wrong);
}

/* FNV-1a of all that is in the samples of a mixed work. */
static uint64_t hash = 0xcbf29ce484222325u, hashed;

static void hash_sample(void *arg, const struct sample *s)
{
	const unsigned char *p = (const unsigned char *)s;

	(void)arg;
	for (size_t i = 0; i < sizeof(*s); i++)
		hash = (hash ^ p[i]) * 0x100000001b3u;
	hashed++;
}

static void hash_on_cpu(int cpu)
{
	struct buffer b = buffer_new(BUFFER_BYTES, (cpu + 1) % nr_nodes());
	struct sampler s;

	sampler_open(&s, period);
	for (size_t i = 0; i < nr_loops; i++) {
		if (!loop_works(&loops[i]))
			continue;
		sampler_enable(&s, 1);
		for (int n = 0; n < 20; n++) {
			loops[i].run(b.p, BUFFER_BYTES / 64, 64);
			getppid();
			free(memset(malloc(300000), 1, 300000));
		}
		sampler_enable(&s, 0);
		/* In an order that the scheduler, and no lock, decides. */
		pthread_mutex_lock(&lock);
		sampler_drain(&s, hash_sample, NULL);
		pthread_mutex_unlock(&lock);
	}
	sampler_close(&s);
	buffer_free(&b);
}

void check_hash(uint64_t p)
{
	period = p;
	on_all_cpus(hash_on_cpu);
	printf("samples %" PRIu64 "\nhash %016" PRIx64 "\n", hashed, hash);
}
