// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* loops: loops in assembly, so that the accesses of each instruction are known. */
#include <string.h>

#include "loops.h"

/* rdi the address, rsi how often, rdx the stride; rax and xmm0 are free. */
#define LOOP(name, insn)						\
	void loop_##name(void *, uint64_t, uint64_t);			\
	extern const char insn_##name[], end_##name[];			\
	asm(".pushsection .text\n"					\
	    ".balign 64\n"						\
	    "loop_" #name ":\n"						\
	    "1:\n"							\
	    "insn_" #name ":\n"						\
	    insn "\n"							\
	    "	add %rdx, %rdi\n"					\
	    "	nop\n"							\
	    "	dec %rsi\n"						\
	    "	jnz 1b\n"						\
	    "	ret\n"							\
	    "end_" #name ":\n"						\
	    ".popsection\n")

LOOP(load1, "movb (%rdi), %al");
LOOP(load4, "movl (%rdi), %eax");
LOOP(load8, "movq (%rdi), %rax");
LOOP(load16, "movups (%rdi), %xmm0");
LOOP(load32, "vmovups (%rdi), %ymm0");
LOOP(store1, "movb %al, (%rdi)");
LOOP(store4, "movl %eax, (%rdi)");
LOOP(store8, "movq %rax, (%rdi)");
LOOP(store16, "movups %xmm0, (%rdi)");
LOOP(store32, "vmovups %ymm0, (%rdi)");
LOOP(storent8, "movnti %rax, (%rdi)");
LOOP(add8, "addq %rax, (%rdi)");
LOOP(lockadd8, "lock addq %rax, (%rdi)");
LOOP(xchg4, "xchgl %eax, (%rdi)");
LOOP(compare8, "cmpq %rax, (%rdi)");

#define ENTRY(name, access, width, locked) \
	{ #name, loop_##name, insn_##name, end_##name, access, width, locked }

const struct loop loops[] = {
	ENTRY(load1, LOAD, 1, 0),	   ENTRY(load4, LOAD, 4, 0),
	ENTRY(load8, LOAD, 8, 0),	   ENTRY(load16, LOAD, 16, 0),
	ENTRY(load32, LOAD, 32, 0),	   ENTRY(store32, STORE, 32, 0),
	ENTRY(store1, STORE, 1, 0),	   ENTRY(store4, STORE, 4, 0),
	ENTRY(store8, STORE, 8, 0),	   ENTRY(store16, STORE, 16, 0),
	ENTRY(storent8, STORE, 8, 0),
	ENTRY(add8, LOAD | STORE, 8, 0),   ENTRY(lockadd8, LOAD | STORE, 8, 1),
	ENTRY(xchg4, LOAD | STORE, 4, 1),  ENTRY(compare8, LOAD, 8, 0),
};

const size_t nr_loops = sizeof(loops) / sizeof(loops[0]);

const struct loop *loop_named(const char *name)
{
	for (size_t i = 0; i < nr_loops; i++) {
		if (!strcmp(loops[i].name, name))
			return &loops[i];
	}
	return NULL;
}

int loop_works(const struct loop *l)
{
	return l->width < 32 || __builtin_cpu_supports("avx");
}
