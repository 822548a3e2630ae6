// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * A second oracle, for what samples accesses by interrupting instructions: which
 * accesses did the instruction make that an interrupt returned to?
 *
 *	-plugin libnext.so,out=FILE[,nmi=ADDRESS[,part=ADDRESS:START-END]]
 *
 * Between the marks START and STOP it writes a line for each IRETQ,
 *
 *	next CPU PC INSNS [VADDR,BYTES,r|w]...
 *
 * what the next instruction, at PC, then really accessed, and how many instructions
 * the NMI handler took if it was an NMI (its entry is at ADDRESS: asm_exc_nmi).
 * If ADDRESS of a function is given, that is called in NMI handlers by the one from
 * START to END, a line for each call,
 *
 *	part CPU INSNS			how many instructions it took
 *
 * At STOP, for all accesses between the marks by the CPU that made the first of them,
 * but for those that NMI handlers made,
 *
 *	page VADDR READS WRITES		of user mode, for each page
 *	region NAME READS WRITES	of the kernel, for each part of its memory
 *	nmi COUNT INSNS			and what the handlers took
 *
 * All numbers but counts are hexadecimal.  For CPUs that take turns (--accel tcg).
 */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mark.h"
#include "qemu.h"
#include "regions.h"

PLUGIN_EXPORT int qemu_plugin_version = 1;

#define MAX_CPUS 64
#define PAGE_SHIFT 12

struct vcpu {
	int after_iret;		/* the next block begins with the instruction wanted */
	int watching;		/* and this is it: pc */
	uint64_t pc;
	char line[1024];	/* what is known of it; CPUs' turns end anywhere */
	size_t length;
	int in_nmi;
	uint64_t nmi_insns;	/* of the handler that is running, or ran last */
	uint64_t reported_insns;
	int in_part;
	uint64_t part_insns;
};

struct page {
	uint64_t vpn, count[2];
};

static struct vcpu vcpus[MAX_CPUS];
static struct page *pages;
static size_t nr_pages, page_slots;
static uint64_t region_count[NR_REGIONS][2];
static uint64_t nmis, nmi_insns;
static uint64_t nmi_entry, part_entry, caller_start, caller_end;
static int recording;
static unsigned int counted_cpu;
static FILE *out;

static struct page *page_slot(uint64_t vpn)
{
	size_t i = (vpn * 0x9e3779b97f4a7c15ull) >> 20 & (page_slots - 1);

	while (pages[i].count[0] + pages[i].count[1] && pages[i].vpn != vpn)
		i = (i + 1) & (page_slots - 1);
	return &pages[i];
}

static void count_page(uint64_t vpn, int store)
{
	struct page *p;

	if (2 * nr_pages >= page_slots) {
		struct page *old = pages;
		size_t n = page_slots;

		page_slots = n ? 2 * n : 1 << 12;
		pages = calloc(page_slots, sizeof(*pages));
		if (!pages) {
			fprintf(stderr, "next: no memory for %zu pages\n", page_slots);
			exit(1);
		}
		for (size_t i = 0; i < n; i++)
			if (old[i].count[0] + old[i].count[1])
				*page_slot(old[i].vpn) = old[i];
		free(old);
	}
	p = page_slot(vpn);
	if (!(p->count[0] + p->count[1])) {
		p->vpn = vpn;
		nr_pages++;
	}
	p->count[store]++;
}

static void report(struct vcpu *v, const char *format, ...)
{
	size_t capacity = sizeof(v->line) - v->length;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(v->line + v->length, capacity, format, args);
	va_end(args);
	/* Half an access would be a wrong one. */
	if (n > 0 && (size_t)n < capacity)
		v->length += n;
	v->line[v->length] = '\0';
}

static void end_watch(struct vcpu *v)
{
	if (v->watching)
		fprintf(out, "%s\n", v->line);
	v->watching = 0;
	v->length = 0;
}

static void count_part(struct vcpu *v, unsigned int cpu, uint64_t pc, uint64_t insns)
{
	if (v->in_part && pc >= caller_start && pc < caller_end) {
		v->in_part = 0;
		fprintf(out, "part %u %llu\n", cpu, (unsigned long long)v->part_insns);
	} else if (part_entry && pc == part_entry) {
		v->in_part = 1;
		v->part_insns = 0;
	}
	if (v->in_part)
		v->part_insns += insns;
}

static void on_block(unsigned int cpu, void *udata)
{
	/* The address, and how many instructions. */
	uint64_t *block = udata;
	struct vcpu *v = &vcpus[cpu];

	if (!recording)
		return;
	end_watch(v);
	if (block[0] == nmi_entry) {
		v->in_nmi = 1;
		v->nmi_insns = 0;
		nmis++;
	}
	if (v->in_nmi) {
		v->nmi_insns += block[1];
		nmi_insns += block[1];
		count_part(v, cpu, block[0], block[1]);
	}
	if (v->after_iret) {
		v->after_iret = 0;
		v->watching = 1;
		v->pc = block[0];
		report(v, "next %u %llx %llu", cpu, (unsigned long long)v->pc,
		     (unsigned long long)v->reported_insns);
	}
}

static void on_iret(unsigned int cpu, void *udata)
{
	struct vcpu *v = &vcpus[cpu];

	if (!recording)
		return;
	v->after_iret = 1;
	v->reported_insns = v->in_nmi ? v->nmi_insns : 0;
	v->in_nmi = 0;
}

static void on_access(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *udata)
{
	/* Bit 16 of the information: a store (include/exec/memopidx.h and plugin.h). */
	int store = info >> 16 & QEMU_PLUGIN_MEM_W ? 1 : 0;
	uint64_t pc = (uint64_t)udata;
	struct vcpu *v = &vcpus[cpu];

	if (!recording)
		return;
	if (v->watching) {
		if (pc == v->pc)
			report(v, " %llx,%x,%c", (unsigned long long)vaddr,
			     1 << qemu_plugin_mem_size_shift(info), store ? 'w' : 'r');
		else
			end_watch(v);
	}
	if (v->in_nmi || cpu != counted_cpu)
		return;
	if (!(pc >> 63)) {
		count_page(vaddr >> PAGE_SHIFT, store);
		return;
	}
	region_count[region_of(vaddr)][store]++;
}

static void stop(void)
{
	recording = 0;
	for (int i = 0; i < MAX_CPUS; i++) {
		end_watch(&vcpus[i]);
		vcpus[i] = (struct vcpu){};
	}
	for (size_t i = 0; i < page_slots; i++)
		if (pages[i].count[0] + pages[i].count[1])
			fprintf(out, "page %llx %llu %llu\n",
				(unsigned long long)pages[i].vpn << PAGE_SHIFT,
				(unsigned long long)pages[i].count[0],
				(unsigned long long)pages[i].count[1]);
	for (size_t i = 0; i < NR_REGIONS; i++)
		fprintf(out, "region %s %llu %llu\n", regions[i].name,
			(unsigned long long)region_count[i][0],
			(unsigned long long)region_count[i][1]);
	fprintf(out, "nmi %llu %llu\n", (unsigned long long)nmis, (unsigned long long)nmi_insns);
	free(pages);
	pages = NULL;
	page_slots = nr_pages = 0;
	memset(region_count, 0, sizeof(region_count));
	nmis = nmi_insns = 0;
	fflush(out);
}

static void on_mark(unsigned int cpu, void *udata)
{

	switch ((uintptr_t)udata) {
	case ORACLE_CODE_START:
		recording = 1;
		counted_cpu = cpu;
		oracle_flush();
		break;
	case ORACLE_CODE_STOP:
		if (recording)
			stop();
		oracle_flush();
		break;
	}
}

static void on_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb);

	if (recording) {
		/* A few bytes for each translation, for as long as QEMU runs. */
		uint64_t *block = malloc(2 * sizeof(*block));

		if (!block) {
			fprintf(stderr, "next: no memory\n");
			exit(1);
		}
		block[0] = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, 0));
		block[1] = n;
		qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, QEMU_PLUGIN_CB_NO_REGS, block);
	}
	for (size_t i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t pc = qemu_plugin_insn_vaddr(insn);
		unsigned int code;

		if (recording && oracle_is_iret(insn))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_iret,
							       QEMU_PLUGIN_CB_NO_REGS, NULL);
		if (oracle_is_mark(insn, &code))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_mark, QEMU_PLUGIN_CB_NO_REGS,
							       (void *)(uintptr_t)code);
		if (recording)
			qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_PLUGIN_CB_NO_REGS,
							 QEMU_PLUGIN_MEM_RW, (void *)pc);
	}
}

static void on_exit_qemu(qemu_plugin_id_t id, void *udata)
{
	if (recording)
		stop();
	oracle_end(out, "next");
}

PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
				      char **argv)
{
	const char *path = NULL;

	for (int i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "out=", 4)) {
			path = argv[i] + 4;
		} else if (!strncmp(argv[i], "nmi=", 4)) {
			nmi_entry = strtoull(argv[i] + 4, NULL, 16);
		} else if (!strncmp(argv[i], "part=", 5)) {
			unsigned long long entry, start, end;

			if (sscanf(argv[i] + 5, "%llx:%llx-%llx", &entry, &start, &end) != 3) {
				fprintf(stderr, "next: not ADDRESS:START-END: %s\n", argv[i] + 5);
				return -1;
			}
			part_entry = entry;
			caller_start = start;
			caller_end = end;
		} else {
			fprintf(stderr, "next: unknown option %s\n", argv[i]);
			return -1;
		}
	}
	out = oracle_begin(id, info, "next", path, MAX_CPUS);
	if (!out)
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
	qemu_plugin_register_atexit_cb(id, on_exit_qemu, NULL);
	return 0;
}
