// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* What an instruction accesses: its operands, by Capstone, and the variables in its registers, from DWARF. */
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf_files.h"
#include "dwarf_types.h"
#include "dwarf.h"

/* Find the code at an address.  @left: set to the bytes up to the end of the section. */
static const uint8_t *code_at(Dwfl_Module *module, GElf_Addr addr, size_t *left)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(module, &bias);
	Elf_Scn *section = NULL;
	GElf_Addr in_file;
	GElf_Shdr header;
	Elf_Data *data;

	if (!elf)
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_PROGBITS ||
		    !(header.sh_flags & SHF_EXECINSTR))
			continue;
		in_file = addr - bias;
		/* For a module, dwfl has set sh_addr to the address that it gave the section. */
		if (in_file < header.sh_addr || in_file >= header.sh_addr + header.sh_size)
			continue;
		data = elf_getdata(section, NULL);
		if (!data || !data->d_buf)
			return NULL;
		*left = header.sh_size - (in_file - header.sh_addr);
		return (const uint8_t *)data->d_buf + (in_file - header.sh_addr);
	}
	return NULL;
}

/* DWARF's number of a register, as defined by the System V ABI. */
static int dwarf_register(unsigned int reg)
{
	static const unsigned int order[] = {
		X86_REG_RAX, X86_REG_RDX, X86_REG_RCX, X86_REG_RBX, X86_REG_RSI, X86_REG_RDI,
		X86_REG_RBP, X86_REG_RSP, X86_REG_R8, X86_REG_R9, X86_REG_R10, X86_REG_R11,
		X86_REG_R12, X86_REG_R13, X86_REG_R14, X86_REG_R15,
	};
	size_t i;

	for (i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		if (order[i] == reg)
			return i;
	return -1;
}

/*
 * Return the base register (DWARF's number) of an instruction's memory operand, or -1.
 * @disp: set to the displacement.  Operands with an index register do not count.
 */
static int address_register(struct dwarf *d, Dwfl_Module *module, GElf_Addr addr, int64_t *disp)
{
	size_t left = 0;
	const uint8_t *code = code_at(module, addr, &left);
	cs_insn *insn;
	int i, reg = -1;

	if (!code || !d->disassembles)
		return -1;
	if (!cs_disasm(d->capstone, code, left < 16 ? left : 16, addr, 1, &insn))
		return -1;
	for (i = 0; i < insn->detail->x86.op_count; i++) {
		const cs_x86_op *op = &insn->detail->x86.operands[i];

		if (op->type != X86_OP_MEM || op->mem.index != X86_REG_INVALID)
			continue;
		reg = dwarf_register(op->mem.base);
		*disp = op->mem.disp;
	}
	cs_free(insn, 1);
	return reg;
}

/**
 * dwarf_moves_bytes() - test whether an instruction accesses memory as untyped bytes
 * @d: the files
 * @symbol: the instruction's function
 * @offset: of the instruction in the function
 *
 * Return: true for a string instruction, or an instruction of a function that copies, clears
 * or checksums memory of any type.
 */
bool dwarf_moves_bytes(struct dwarf *d, const char *symbol, uint64_t offset)
{
	static const char * const functions[] = {
		"memcpy", "memmove", "memset", "__memcpy", "__memmove", "__memset",
		"memcpy_orig", "memset_orig", "rep_movs_alternative", "rep_stos_alternative",
		"__copy_user_nocache", "copy_page_regs", "clear_page_orig", "csum_partial",
		"csum_partial_copy_generic",
	};
	struct place *p = dwarf_find_place(d, symbol);
	const uint8_t *code;
	bool ret = false;
	size_t i, left;
	cs_insn *insn;

	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (!strcmp(symbol, functions[i]))
			return true;
	code = p && d->disassembles ? code_at(p->module, p->addr + offset, &left) : NULL;
	if (!code || !cs_disasm(d->capstone, code, left < 16 ? left : 16, p->addr + offset, 1, &insn))
		return false;
	switch (insn->id) {
	case X86_INS_MOVSB:
	case X86_INS_MOVSW:
	case X86_INS_MOVSQ:
	case X86_INS_STOSB:
	case X86_INS_STOSW:
	case X86_INS_STOSD:
	case X86_INS_STOSQ:
		ret = true;
		break;
	case X86_INS_MOVSD:
		/* SSE has an instruction of the same name; the string instruction has a prefix. */
		ret = insn->detail->x86.prefix[0] == X86_PREFIX_REP;
		break;
	}
	cs_free(insn, 1);
	return ret;
}

/* Find the type of the variable that is in a register at an address. */
static bool variable_in(Dwarf_Die *scope, int reg, Dwarf_Addr pc, Dwarf_Die *type)
{
	Dwarf_Die child;

	if (dwarf_child(scope, &child))
		return false;
	do {
		int tag = dwarf_tag(&child);
		Dwarf_Attribute attr;
		Dwarf_Op *expr[4];
		size_t length[4];
		int i, n;

		if ((tag != DW_TAG_variable && tag != DW_TAG_formal_parameter) ||
		    !dwarf_attr_integrate(&child, DW_AT_location, &attr))
			continue;
		n = dwarf_getlocation_addr(&attr, pc, expr, length, 4);
		for (i = 0; i < n; i++) {
			if (length[i] != 1 || (expr[i][0].atom == DW_OP_regx ?
					       (int)expr[i][0].number != reg :
					       expr[i][0].atom != DW_OP_reg0 + reg))
				continue;
			return die_type(&child, type);
		}
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

/**
 * dwarf_access() - find the struct that an instruction accesses
 * @d: the files
 * @symbol: the instruction's function
 * @offset: of the instruction in the function
 * @in_object: offset of the accessed data in the object
 * @name: set to the name of the struct
 * @size: of @name
 *
 * The struct is the target type of the variable in the base register.  The variable must
 * point to the beginning of the object: the displacement must equal @in_object.
 *
 * Return: 0, or -1 if the struct is not known.
 */
int dwarf_access(struct dwarf *d, const char *symbol, uint64_t offset, uint32_t in_object,
		 char *name, size_t size)
{
	struct place *p = dwarf_find_place(d, symbol);
	Dwarf_Die *cu, *scopes = NULL, type, to;
	Dwarf_Addr bias;
	int64_t disp = 0;
	int i, n, reg, ret = -1;

	if (!p)
		return -1;
	reg = address_register(d, p->module, p->addr + offset, &disp);
	if (reg < 0 || disp != in_object)
		return -1;
	cu = dwfl_module_addrdie(p->module, p->addr + offset, &bias);
	if (!cu)
		return -1;
	n = dwarf_getscopes(cu, p->addr + offset - bias, &scopes);
	for (i = 0; i < n && ret; i++) {
		if (!variable_in(&scopes[i], reg, p->addr + offset - bias, &type))
			continue;
		if (!die_pointee(&type, &to) || !dwarf_diename(&to))
			break;
		snprintf(name, size, "%s", dwarf_diename(&to));
		ret = 0;
	}
	free(scopes);
	return ret;
}
