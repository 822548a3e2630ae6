/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * Marks: a guest emits them to mark for the oracle where an interval or a phase ends, and
 * whether a traced process runs.  A mark is an 8-byte NOP whose displacement carries
 * a 16-bit code; without the oracle it executes as a NOP.
 */
#ifndef MEMSCOPE_ORACLE_MARK_H
#define MEMSCOPE_ORACLE_MARK_H

#define ORACLE_MAGIC 0x4d530000u

/* Reserved codes; all other codes are free for programs and end an interval. */
#define ORACLE_CODE_START 0x0001	/* begin to record */
#define ORACLE_CODE_STOP 0x0002		/* end the interval and the phase, stop recording */
/* For the cache model; they do not end an interval. */
#define ORACLE_CODE_PHASE_BEGIN 0x0003	/* begin the next phase; implies START */
#define ORACLE_CODE_PHASE_END 0x0004
#define ORACLE_CODE_EMPTY 0x0009	/* empty the modeled caches */
/* Emitted by the kernel only, at a context switch: */
#define ORACLE_CODE_TRACED 0x0005	/* this CPU runs a traced process */
#define ORACLE_CODE_UNTRACED 0x0006	/* this CPU runs an untraced process */
#define ORACLE_CODE_MAILBOX 0x0007	/* where this CPU's struct oracle_object is: objects.h */
#define ORACLE_CODE_OBJECT 0x0008	/* the mailbox has been filled */
#define ORACLE_CODE_FIRST 0x0010	/* lowest code free for programs */

/*
 * @code must be a compile-time constant from 0 to 0xffff.  The encoding is written
 * as bytes because the assembler would choose the NOP's encoding itself.
 */
static inline __attribute__((always_inline)) void oracle_mark(const unsigned int code)
{
	__asm__ __volatile__(".byte 0x0f, 0x1f, 0x84, 0x00\n\t.long %c0"
			     : : "i" (ORACLE_MAGIC | (code & 0xffff)) : "memory");
}

/*
 * Enclose the code to measure.  Phases are numbered from 0 in the order of their
 * begin, over all programs since the guest started.
 */
static inline __attribute__((always_inline)) void oracle_phase_begin(void)
{
	oracle_mark(ORACLE_CODE_PHASE_BEGIN);
}

static inline __attribute__((always_inline)) void oracle_phase_end(void)
{
	oracle_mark(ORACLE_CODE_PHASE_END);
}

/* Call before a phase that must start with empty caches, whatever begin= is. */
static inline __attribute__((always_inline)) void oracle_empty(void)
{
	oracle_mark(ORACLE_CODE_EMPTY);
}

#endif
