// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* phys_plugin: a QEMU plugin that writes the physical addresses QEMU gives for
 * the accesses of one instruction, "movnti %rax, (%rdi)" as ibs_check has it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../oracle/qemu-api.h"

PLUGIN_EXPORT int qemu_plugin_version = 1;

static FILE *out;

static void on_access(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *unused)
{
	struct qemu_plugin_hwaddr *h = qemu_plugin_get_hwaddr(info, vaddr);

	if (h && !qemu_plugin_hwaddr_is_io(h))
		fprintf(out, "%" PRIx64 "\n", qemu_plugin_hwaddr_phys_addr(h));
}

static void on_block(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	static const unsigned char movnti[] = { 0x48, 0x0f, 0xc3, 0x07 };

	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		if (qemu_plugin_insn_size(insn) == sizeof(movnti) &&
		    !memcmp(qemu_plugin_insn_data(insn), movnti, sizeof(movnti)))
			qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_PLUGIN_CB_NO_REGS,
							 QEMU_PLUGIN_MEM_RW, NULL);
	}
}

static void on_exit_of_qemu(qemu_plugin_id_t id, void *unused)
{
	fclose(out);
}

PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
				      char **argv)
{
	if (argc != 1 || strncmp(argv[0], "out=", 4) || !(out = fopen(argv[0] + 4, "w"))) {
		fprintf(stderr, "phys_plugin: give it out=FILE that can be written\n");
		return 1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_block);
	qemu_plugin_register_atexit_cb(id, on_exit_of_qemu, NULL);
	return 0;
}
