// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * An oracle for dprof's object access histories: logs every access to objects while they are
 * watched, in the order of execution.
 *
 *	-plugin libwatched.so,out=FILE,watches=ADDRESS:BYTES:TARGET:BLIND:NUMBER
 *		[,debug=ADDRESS][,nmi=ADDRESS][,fault=ADDRESS]
 *
 * dprof's array of watches (dprof_watches in mm/dprof/history.c) is at ADDRESS: NUMBER
 * of them, BYTES each, with the members target and blind at these offsets.  What is
 * stored there says when an object begins and ends to be watched, and when the last CPU
 * was armed.  Between ORACLE_CODE_START and ORACLE_CODE_STOP it writes a line each, in
 * the order of events:
 *
 *	watch CPU WATCH TARGET		an object is published (struct dprof_watch)
 *	blind CPU WATCH			and all CPUs are armed for it
 *	unwatch CPU WATCH		it is no longer published
 *	access CPU PC ADDRESS BYTES r|w	of SPAN bytes from, or BEFORE bytes before, an
 *					object that is
 *	alive CPU BASE TYPE		the module that allocated it has it (module/objects.h)
 *	dead CPU BASE			and is about to free it
 *	hidden COUNT			accesses made by handlers of NMIs and of debug
 *					exceptions, whose entries are at nmi= and debug=,
 *					and of page faults in them (fault=)
 *
 * Numbers are hexadecimal, but for CPU, WATCH, BYTES and COUNT.  For CPUs that take
 * turns (--accel tcg).
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mark.h"
#include "module/objects.h"
#include "qemu.h"

PLUGIN_EXPORT int qemu_plugin_version = 1;

#define MAX_CPUS 8
#define MAX_WATCHES 4
#define DIRECT_MAP 0xffff888000000000ull	/* without KASLR */
#define TARGET_BITS 52				/* DPROF_TARGET_ADDR_BITS */
#define BEFORE 64
#define SPAN 4096

struct vcpu {
	uint64_t mailbox, last_store;	/* virtual addresses */
	unsigned int depth;		/* of handlers that hide what they access */
};

struct watch {
	uint64_t target, base;
};

static struct {
	uint64_t address, bytes, target, blind;
	unsigned int nr;
} layout;

enum { NMI, DEBUG, FAULT, NR_ENTRIES };
static uint64_t entry[NR_ENTRIES];
static struct vcpu vcpus[MAX_CPUS];
static struct watch watches[MAX_WATCHES];
static uint64_t hidden;
static int recording;
static FILE *out;

static uint64_t value_at(uint64_t vaddr)
{
	uint64_t value = 0;

	oracle_qemu.read(oracle_current_cpu(), vaddr, &value, sizeof(value), false);
	return value;
}

/* Something was stored to dprof's watches. */
static void on_watches(unsigned int cpu, uint64_t vaddr)
{
	unsigned int n = (vaddr - layout.address) / layout.bytes;
	uint64_t member = (vaddr - layout.address) % layout.bytes, value;

	if (member != layout.target && member != layout.blind)
		return;
	value = value_at(vaddr);
	if (member == layout.blind) {
		/* It is zeroed before the next object. */
		if (value && watches[n].target)
			fprintf(out, "blind %u %u\n", cpu, n);
		return;
	}
	if (value == watches[n].target)
		return;
	if (value)
		fprintf(out, "watch %u %u %" PRIx64 "\n", cpu, n, value);
	else
		fprintf(out, "unwatch %u %u\n", cpu, n);
	watches[n].target = value;
	watches[n].base = DIRECT_MAP + (value & ((1ull << TARGET_BITS) - 1));
}

static void on_access(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *udata)
{
	/* Bit 16 of the information: a store (include/exec/memopidx.h and plugin.h). */
	int store = info >> 16 & QEMU_PLUGIN_MEM_W ? 1 : 0;

	if (!recording)
		return;
	if (store) {
		vcpus[cpu].last_store = vaddr;
		if (vaddr - layout.address < layout.bytes * layout.nr)
			on_watches(cpu, vaddr);
	}
	for (unsigned int n = 0; n < layout.nr; n++) {
		if (!watches[n].target || vaddr - (watches[n].base - BEFORE) >= BEFORE + SPAN)
			continue;
		if (vcpus[cpu].depth) {
			hidden++;
			return;
		}
		fprintf(out, "access %u %" PRIx64 " %" PRIx64 " %u %c\n", cpu, (uint64_t)udata,
			vaddr, 1u << qemu_plugin_mem_size_shift(info), store ? 'w' : 'r');
		return;
	}
}

static void on_entry(unsigned int cpu, void *udata)
{
	struct vcpu *v = &vcpus[cpu];

	/* Faults hide nothing; but their IRET is not that of the handler around them. */
	if ((uintptr_t)udata != FAULT || v->depth)
		v->depth++;
}

static void on_iret(unsigned int cpu, void *udata)
{
	if (vcpus[cpu].depth)
		vcpus[cpu].depth--;
}

static void on_object(struct vcpu *v, unsigned int cpu)
{
	struct oracle_object o;

	if (!v->mailbox || oracle_qemu.read(oracle_current_cpu(), v->mailbox, &o, sizeof(o), false))
		return;
	if (o.type)
		fprintf(out, "alive %u %" PRIx64 " %" PRIx64 "\n", cpu, (uint64_t)o.base,
			(uint64_t)o.type);
	else
		fprintf(out, "dead %u %" PRIx64 "\n", cpu, (uint64_t)o.base);
}

static void stop(void)
{
	recording = 0;
	fprintf(out, "hidden %" PRIu64 "\n", hidden);
	hidden = 0;
	memset(vcpus, 0, sizeof(vcpus));
	memset(watches, 0, sizeof(watches));
	fflush(out);
}

static void on_mark(unsigned int cpu, void *udata)
{
	struct vcpu *v = &vcpus[cpu];

	switch ((uintptr_t)udata) {
	case ORACLE_CODE_START:
		recording = 1;
		oracle_flush();
		break;
	case ORACLE_CODE_STOP:
		if (recording)
			stop();
		oracle_flush();
		break;
	case ORACLE_CODE_MAILBOX:
		/* Its last field is what was stored just before. */
		v->mailbox = v->last_store - offsetof(struct oracle_object, type);
		break;
	case ORACLE_CODE_OBJECT:
		if (recording)
			on_object(v, cpu);
		break;
	}
}

static void on_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb);

	for (size_t i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t pc = qemu_plugin_insn_vaddr(insn);
		unsigned int code;

		if (oracle_is_mark(insn, &code))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_mark, QEMU_PLUGIN_CB_NO_REGS,
							       (void *)(uintptr_t)code);
		if (!recording)
			continue;
		for (uintptr_t e = 0; e < NR_ENTRIES; e++)
			if (pc == entry[e] && pc)
				qemu_plugin_register_vcpu_insn_exec_cb(insn, on_entry,
								       QEMU_PLUGIN_CB_NO_REGS,
								       (void *)e);
		if (oracle_is_iret(insn))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_iret,
							       QEMU_PLUGIN_CB_NO_REGS, NULL);
		qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_RW, (void *)pc);
	}
}

static void on_exit_qemu(qemu_plugin_id_t id, void *udata)
{
	if (recording)
		stop();
	oracle_end(out, "watched");
}

PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
				      char **argv)
{
	const char *path = NULL;

	for (int i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "out=", 4)) {
			path = argv[i] + 4;
		} else if (sscanf(argv[i], "nmi=%" SCNx64, &entry[NMI]) != 1 &&
			   sscanf(argv[i], "debug=%" SCNx64, &entry[DEBUG]) != 1 &&
			   sscanf(argv[i], "fault=%" SCNx64, &entry[FAULT]) != 1 &&
			   sscanf(argv[i], "watches=%" SCNx64 ":%" SCNu64 ":%" SCNu64 ":%" SCNu64 ":%u",
				  &layout.address, &layout.bytes, &layout.target, &layout.blind,
				  &layout.nr) != 5) {
			fprintf(stderr, "watched: unknown option %s\n", argv[i]);
			return -1;
		}
	}
	if (!layout.nr || layout.nr > MAX_WATCHES) {
		fprintf(stderr, "watched: needs watches= of up to %d\n", MAX_WATCHES);
		return -1;
	}
	out = oracle_begin(id, info, "watched", path, MAX_CPUS);
	if (!out)
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
	qemu_plugin_register_atexit_cb(id, on_exit_qemu, NULL);
	return 0;
}
