/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The kernel's struct pt_regs, which headers for user space name otherwise. */
#ifndef _ASM_PTRACE_H
#define _ASM_PTRACE_H

struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8;
	unsigned long ax, cx, dx, si, di, orig_ax, ip, cs, flags, sp, ss;
};

static inline unsigned long regs_get_register(struct pt_regs *regs, unsigned int offset)
{
	return *(unsigned long *)((char *)regs + offset);
}

#endif
