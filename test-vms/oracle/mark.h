/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Marks: how a guest program tells the oracle where an interval ends.  A mark
 * is an 8-byte NOP whose displacement carries 16 bits; hardware and kernels
 * without the oracle execute it as what it is.
 */
#ifndef MEMSCOPE_ORACLE_MARK_H
#define MEMSCOPE_ORACLE_MARK_H

#define ORACLE_MAGIC 0x4d530000u

/* Reserved codes; the others are the program's own and end an interval. */
#define ORACLE_CODE_START 0x0001	/* record from here on */
#define ORACLE_CODE_STOP 0x0002		/* end the interval, record no more */
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

#endif
