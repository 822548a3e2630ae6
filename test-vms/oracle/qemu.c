// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Access to QEMU beyond its plugin interface, for all plugins of the oracle. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/mark.h"
#include "qemu.h"

struct oracle_qemu oracle_qemu;

void *oracle_current_cpu(void)
{
	void **p = dlsym(RTLD_DEFAULT, "current_cpu");

	return p ? *p : NULL;
}

void oracle_flush(void)
{
	oracle_qemu.tb_flush(oracle_current_cpu());
}

/*
 * A vCPU may keep pointing to the callbacks of the last instruction that called
 * a helper function; the flush has freed them, and QEMU 7.2 would follow the
 * pointer when it next delivers an interrupt.  All vCPUs stand still here.
 */
static void on_flush(qemu_plugin_id_t id)
{
	for (int i = 0; i < oracle_qemu.nr_vcpus; i++) {
		void *cpu = oracle_qemu.get_cpu(i);

		if (cpu)
			oracle_qemu.disable_mem_helpers(cpu);
	}
}

const char *oracle_qemu_begin(qemu_plugin_id_t id, const qemu_info_t *info)
{
	const struct {
		const char *name;
		void *to;
	} needed[] = {
		{ "tb_flush", &oracle_qemu.tb_flush },
		{ "cpu_get_phys_page_debug", &oracle_qemu.phys_page },
		{ "cpu_memory_rw_debug", &oracle_qemu.read },
		{ "qemu_get_cpu", &oracle_qemu.get_cpu },
		{ "qemu_plugin_disable_mem_helpers", &oracle_qemu.disable_mem_helpers },
	};

	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++) {
		void *function = dlsym(RTLD_DEFAULT, needed[i].name);

		if (!function)
			return needed[i].name;
		memcpy(needed[i].to, &function, sizeof(function));
	}
	if (!dlsym(RTLD_DEFAULT, "current_cpu"))
		return "current_cpu";
	oracle_qemu.nr_vcpus = info->system.max_vcpus;
	qemu_plugin_register_flush_cb(id, on_flush);
	return NULL;
}

FILE *oracle_begin(qemu_plugin_id_t id, const qemu_info_t *info, const char *name,
		   const char *path, int max_cpus)
{
	const char *lacking;
	FILE *out;

	if (!path) {
		fprintf(stderr, "%s: out=FILE is missing\n", name);
		return NULL;
	}
	if (info->system.max_vcpus > max_cpus) {
		fprintf(stderr, "%s: at most %d CPUs\n", name, max_cpus);
		return NULL;
	}
	lacking = oracle_qemu_begin(id, info);
	if (lacking) {
		fprintf(stderr, "%s: this QEMU does not export %s\n", name, lacking);
		return NULL;
	}
	out = fopen(path, "w");
	if (!out)
		fprintf(stderr, "%s: %s: %s\n", name, path, strerror(errno));
	return out;
}

void oracle_end(FILE *out, const char *name)
{
	if (fclose(out))
		fprintf(stderr, "%s: cannot write: %s\n", name, strerror(errno));
}

bool oracle_is_mark(const struct qemu_plugin_insn *insn, unsigned int *code)
{
	static const uint8_t nop[4] = { 0x0f, 0x1f, 0x84, 0x00 };
	const uint8_t *p = qemu_plugin_insn_data(insn);
	uint32_t imm;

	if (qemu_plugin_insn_size(insn) != 8 || memcmp(p, nop, sizeof(nop)))
		return false;
	memcpy(&imm, p + 4, sizeof(imm));
	*code = imm & 0xffff;
	return (imm & 0xffff0000) == ORACLE_MAGIC;
}

bool oracle_is_iret(const struct qemu_plugin_insn *insn)
{
	const uint8_t *p = qemu_plugin_insn_data(insn);

	return qemu_plugin_insn_size(insn) == 2 && p[0] == 0x48 && p[1] == 0xcf;
}

void oracle_die(const char *fmt, ...)
{
	va_list ap;

	fputs("oracle: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	_exit(1);
}
