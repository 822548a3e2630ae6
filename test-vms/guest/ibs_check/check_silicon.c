// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * check_silicon: checks quirks of processors, which the emulation reproduces on request.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

#define BYTES	(256ul << 10)
#define LINES	(BYTES / 64)

/* rdi the address, rsi how often: 512 bytes each time. */
void loop_rep(void *p, uint64_t times);
extern const char insn_rep[];
asm(".pushsection .text\n"
    ".balign 64\n"
    "loop_rep:\n"
    "	mov %rdi, %r8\n"
    "	xor %eax, %eax\n"
    "1:	mov %r8, %rdi\n"
    "	mov $64, %ecx\n"
    "insn_rep:\n"
    "	rep stosq\n"
    "	dec %rsi\n"
    "	jnz 1b\n"
    "	ret\n"
    ".popsection\n");

static const char *const names[] = { "load8", "store8" };
#define NR_LOOPS	(sizeof(names) / sizeof(names[0]))

/* Of samples of instructions that access memory. */
static struct {
	uint64_t plain, memory, linear, no_linear, in_page, kernel, both, rep, rep_tagged, wrong;
} n;

static void see(void *arg, const struct sample *s)
{
	const struct buffer *b = arg;
	const int op = s->op_data3 & 3;
	const int linear = s->op_data3 >> 17 & 1, physical = s->op_data3 >> 18 & 1;
	int expected = 0;

	for (size_t i = 0; i < NR_LOOPS; i++)
		if (s->ip == (uintptr_t)loop_named(names[i])->insn)
			expected = loop_named(names[i])->access;
	if (s->ip == (uintptr_t)insn_rep) {
		n.rep++;
		n.rep_tagged += !!op;
		return;
	}
	if (!expected)
		return;
	n.plain++;
	n.memory += !!op;
	n.both += op == (LOAD | STORE);
	if (!linear) {
		n.no_linear++;
		n.in_page += physical && s->phys < PAGE_BYTES;
		/* The kernel gives no address then. */
		n.wrong += s->addr != 0;
		return;
	}
	n.linear++;
	if (s->addr >> 63) {
		n.kernel++;
		return;
	}
	n.wrong += s->addr < (uintptr_t)b->p || s->addr >= (uintptr_t)b->p + b->bytes ||
		   s->phys != buffer_phys(b, s->addr) || (op != expected && op != (LOAD | STORE));
}

void check_silicon(uint64_t period)
{
	struct buffer b = buffer_new(BYTES, 0);
	struct sampler s;

	pin(0);
	if (period)
		sampler_open(&s, period);
	for (int round = 0; round < 100; round++) {
		if (period)
			sampler_enable(&s, 1);
		for (size_t i = 0; i < NR_LOOPS; i++)
			for (int k = 0; k < 20; k++)
				loop_named(names[i])->run(b.p, LINES, 64);
		loop_rep(b.p, 2000);
		if (period) {
			sampler_enable(&s, 0);
			sampler_drain(&s, see, &b);
		}
	}
	if (period) {
		sampler_close(&s);
		printf("plain %" PRIu64 "\nmemory %" PRIu64 "\nlinear %" PRIu64 "\nno-linear %" PRIu64
		       "\nin-page %" PRIu64 "\nkernel %" PRIu64 "\nboth %" PRIu64 "\nrep %" PRIu64
		       "\nrep-tagged %" PRIu64 "\nwrong %" PRIu64 "\n", n.plain, n.memory, n.linear, n.no_linear,
		       n.in_page, n.kernel, n.both, n.rep, n.rep_tagged, n.wrong);
	}
	buffer_free(&b);
}
