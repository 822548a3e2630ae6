/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Access to QEMU beyond its plugin interface, for all plugins of the oracle. */
#ifndef MEMSCOPE_ORACLE_QEMU_H
#define MEMSCOPE_ORACLE_QEMU_H

#include <stdio.h>

#include "qemu-api.h"

/* Functions of QEMU that the interface lacks; Debian's QEMU exports them. */
struct oracle_qemu {
	void (*tb_flush)(void *cpu);
	uint64_t (*phys_page)(void *cpu, uint64_t vaddr);
	int (*read)(void *cpu, uint64_t vaddr, void *to, uint64_t bytes, bool write);
	void *(*get_cpu)(int index);
	void (*disable_mem_helpers)(void *cpu);
	int nr_vcpus;
};

extern struct oracle_qemu oracle_qemu;

/*
 * Fills in oracle_qemu and has every flush of the translated code leave vCPUs that
 * point to nothing freed: see qemu.c.  Returns the name of what QEMU lacks, or NULL.
 */
const char *oracle_qemu_begin(qemu_plugin_id_t id, const qemu_info_t *info);

/*
 * What a plugin with one file needs to begin, the above included: NAME is its own, PATH
 * what it writes (NULL: not given), MAX_CPUS how many it has room for.  Returns the file,
 * or NULL when it has said on standard error what is wrong.
 */
FILE *oracle_begin(qemu_plugin_id_t id, const qemu_info_t *info, const char *name,
		   const char *path, int max_cpus);

/* Closes that file, and says on standard error if what was written is lost. */
void oracle_end(FILE *out, const char *name);

/* The calling thread's CPUState: a thread-local variable of QEMU's. */
void *oracle_current_cpu(void);

/* Discard the translated code, so that it is translated again with new callbacks, or none. */
void oracle_flush(void);

/* Is it a mark (mark.h)?  Then *@code is its code. */
bool oracle_is_mark(const struct qemu_plugin_insn *insn, unsigned int *code);

/* Is it IRETQ, by which a kernel leaves an NMI? */
bool oracle_is_iret(const struct qemu_plugin_insn *insn);

/* End the VM with a message: a run without ground truth must not pass. */
void __attribute__((noreturn, format(printf, 1, 2))) oracle_die(const char *fmt, ...);

#endif
