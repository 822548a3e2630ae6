/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * Marks: how a guest tells the oracle where an interval or a phase ends, and whose
 * instructions follow.  A mark is an 8-byte NOP whose displacement carries 16 bits;
 * hardware and kernels without the oracle execute it as what it is.
 */
#ifndef MEMSCOPE_ORACLE_MARK_H
#define MEMSCOPE_ORACLE_MARK_H

#define ORACLE_MAGIC 0x4d530000u

/* Reserved codes; the others are the program's own and end an interval. */
#define ORACLE_CODE_START 0x0001	/* record from here on */
#define ORACLE_CODE_STOP 0x0002		/* end the interval and the phase, record no more */
/* The cache model's, no ends of intervals. */
#define ORACLE_CODE_PHASE_BEGIN 0x0003	/* the next phase begins; START if that was not yet */
#define ORACLE_CODE_PHASE_END 0x0004
#define ORACLE_CODE_EMPTY 0x0009	/* the modeled caches hold nothing now */
/* By the kernel only, when it goes from one task to another: */
#define ORACLE_CODE_TRACED 0x0005	/* this CPU runs a traced process */
#define ORACLE_CODE_UNTRACED 0x0006	/* ... one that is not */
#define ORACLE_CODE_MAILBOX 0x0007	/* where this CPU's struct oracle_object is: objects.h */
#define ORACLE_CODE_OBJECT 0x0008	/* and now there is one in it */
#define ORACLE_CODE_FIRST 0x0010	/* lowest code free for programs */

/*
 * @code must be a compile-time constant from 0 to 0xffff.  The bytes are
 * written out: an assembler would pick its own NOP.
 */
static inline __attribute__((always_inline)) void oracle_mark(const unsigned int code)
{
	__asm__ __volatile__(".byte 0x0f, 0x1f, 0x84, 0x00\n\t.long %c0"
			     : : "i" (ORACLE_MAGIC | (code & 0xffff)) : "memory");
}

/*
 * Around what is to be measured.  Phases are numbered from 0 by their begin, over
 * all programs since the guest started.
 */
static inline __attribute__((always_inline)) void oracle_phase_begin(void)
{
	oracle_mark(ORACLE_CODE_PHASE_BEGIN);
}

static inline __attribute__((always_inline)) void oracle_phase_end(void)
{
	oracle_mark(ORACLE_CODE_PHASE_END);
}

/* Before a phase that is to start with empty caches, whatever begin= is. */
static inline __attribute__((always_inline)) void oracle_empty(void)
{
	oracle_mark(ORACLE_CODE_EMPTY);
}

#endif
