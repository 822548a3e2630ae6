// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * What sampling costs a machine, in instructions of the guest:
 *
 *	-plugin libcosts.so,out=FILE,nmi=ADDRESS,sample=ADDRESS,irq=ADDRESS...,serve=ADDRESS...,leave=ADDRESS...
 *
 * nmi is the entry of NMIs, sample the function that each sample that is stored passes once,
 * irq are entries of interrupts, serve functions that are called in those that sampling causes,
 * leave functions where what follows is another's: soft interrupts, the scheduler.  Between the
 * marks START and STOP it counts, of all CPUs, and writes at STOP
 *
 *	stored NMIS SAMPLES INSNS	NMIs that stored samples, entry to IRET
 *	empty NMIS INSNS		those that did not
 *	serve IRQS INSNS		interrupts that called one of serve, without NMIs in them
 *	block stored|empty|serve PC INSNS	and of which blocks these are
 *
 * PC is hexadecimal.  For CPUs that take turns.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mark.h"
#include "qemu.h"

PLUGIN_EXPORT int qemu_plugin_version = 1;

#define MAX_CPUS	64
#define MAX_ADDRESSES	16
/* Of one interrupt; a longer one is counted, but its other blocks are not told. */
#define MAX_BLOCKS	8192

enum { STORED, EMPTY, SERVE, NR_KINDS };
enum { NMI, SAMPLE, IRQ, SERVES, LEAVE, NR_LISTS };

/* A block of code: allocated when it is translated, and kept. */
struct block {
	uint64_t pc, insns, count[NR_KINDS];
	struct block *next;
	unsigned int is;		/* bits by list */
	int iret;
};

/* An interrupt that is being handled. */
struct frame {
	int active, serves, nr_blocks;
	uint64_t insns, samples;
	struct block *block[MAX_BLOCKS];
};

static const char *const kind_name[NR_KINDS] = { "stored", "empty", "serve" };
static const char *const list_name[NR_LISTS] = { "nmi", "sample", "irq", "serve", "leave" };
static uint64_t list[NR_LISTS][MAX_ADDRESSES];
static int nr_list[NR_LISTS];
static struct frame *nmi[MAX_CPUS], *irq[MAX_CPUS];
static struct { uint64_t n, samples, insns; } sum[NR_KINDS];
static struct block *blocks;
static int recording;
static FILE *out;

static void begin(struct frame *f)
{
	f->active = 1;
	f->serves = f->nr_blocks = 0;
	f->insns = f->samples = 0;
}

static void end(struct frame *f, int kind)
{
	int i;

	f->active = 0;
	sum[kind].n++;
	sum[kind].samples += f->samples;
	sum[kind].insns += f->insns;
	for (i = 0; i < f->nr_blocks; i++)
		f->block[i]->count[kind] += f->block[i]->insns;
}

static void run(struct frame *f, struct block *b)
{
	f->insns += b->insns;
	f->samples += b->is >> SAMPLE & 1;
	f->serves |= b->is >> SERVES & 1;
	if (f->nr_blocks < MAX_BLOCKS)
		f->block[f->nr_blocks++] = b;
}

static void on_block(unsigned int cpu, void *udata)
{
	struct frame *n = nmi[cpu], *i = irq[cpu];
	struct block *b = udata;

	if (!recording)
		return;
	if (b->is >> NMI & 1)
		begin(n);
	if (n->active) {
		run(n, b);
		if (b->iret)
			end(n, n->samples ? STORED : EMPTY);
		return;
	}
	if (b->is >> IRQ & 1)
		begin(i);
	if (!i->active)
		return;
	if (!(b->is >> LEAVE & 1))
		run(i, b);
	if (!b->iret && !(b->is >> LEAVE & 1))
		return;
	if (i->serves)
		end(i, SERVE);
	i->active = 0;
}

static void stop(void)
{
	struct block *b;
	int k;

	recording = 0;
	fprintf(out, "stored %llu %llu %llu\n", (unsigned long long)sum[STORED].n,
		(unsigned long long)sum[STORED].samples, (unsigned long long)sum[STORED].insns);
	for (k = EMPTY; k < NR_KINDS; k++)
		fprintf(out, "%s %llu %llu\n", kind_name[k], (unsigned long long)sum[k].n,
			(unsigned long long)sum[k].insns);
	for (b = blocks; b; b = b->next)
		for (k = 0; k < NR_KINDS; k++)
			if (b->count[k])
				fprintf(out, "block %s %llx %llu\n", kind_name[k], (unsigned long long)b->pc,
					(unsigned long long)b->count[k]);
	memset(sum, 0, sizeof(sum));
	for (b = blocks; b; b = b->next)
		memset(b->count, 0, sizeof(b->count));
	fflush(out);
}

static void on_mark(unsigned int cpu, void *udata)
{
	int i;

	switch ((uintptr_t)udata) {
	case ORACLE_CODE_START:
		for (i = 0; i < MAX_CPUS; i++)
			nmi[i]->active = irq[i]->active = 0;
		recording = 1;
		oracle_flush();
		break;
	case ORACLE_CODE_STOP:
		if (recording)
			stop();
		oracle_flush();
		break;
	}
}

static void *allocate(size_t size)
{
	void *p = calloc(1, size);

	if (!p) {
		fprintf(stderr, "costs: no memory\n");
		exit(1);
	}
	return p;
}

static void count(struct qemu_plugin_tb *tb, size_t n)
{
	struct block *b = allocate(sizeof(*b));
	int k, i;

	b->pc = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, 0));
	b->insns = n;
	b->iret = oracle_is_iret(qemu_plugin_tb_get_insn(tb, n - 1));
	for (k = 0; k < NR_LISTS; k++)
		for (i = 0; i < nr_list[k]; i++)
			if (list[k][i] == b->pc)
				b->is |= 1U << k;
	b->next = blocks;
	blocks = b;
	qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, QEMU_PLUGIN_CB_NO_REGS, b);
}

static void on_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t i, n = qemu_plugin_tb_n_insns(tb);
	unsigned int code;

	(void)id;
	if (recording)
		count(tb, n);
	for (i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		if (oracle_is_mark(insn, &code))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_mark, QEMU_PLUGIN_CB_NO_REGS,
							       (void *)(uintptr_t)code);
	}
}

static void on_exit_qemu(qemu_plugin_id_t id, void *udata)
{
	(void)id;
	(void)udata;
	if (recording)
		stop();
	oracle_end(out, "costs");
}

static int add(const char *arg)
{
	size_t length;
	int k;

	for (k = 0; k < NR_LISTS; k++) {
		length = strlen(list_name[k]);
		if (!strncmp(arg, list_name[k], length) && arg[length] == '=' && nr_list[k] < MAX_ADDRESSES) {
			list[k][nr_list[k]++] = strtoull(arg + length + 1, NULL, 16);
			return 0;
		}
	}
	fprintf(stderr, "costs: unknown option %s\n", arg);
	return -1;
}

PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
				      char **argv)
{
	const char *path = NULL;
	int i;

	for (i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "out=", 4))
			path = argv[i] + 4;
		else if (add(argv[i]))
			return -1;
	}
	out = oracle_begin(id, info, "costs", path, MAX_CPUS);
	if (!out)
		return -1;
	for (i = 0; i < MAX_CPUS; i++) {
		nmi[i] = allocate(sizeof(*nmi[i]));
		irq[i] = allocate(sizeof(*irq[i]));
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
	qemu_plugin_register_atexit_cb(id, on_exit_qemu, NULL);
	return 0;
}
