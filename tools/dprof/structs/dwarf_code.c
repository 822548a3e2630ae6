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

/* Whether an instruction stores to the stack beside what it does with its operand. */
static bool pushes(const cs_insn *insn)
{
	return insn->id == X86_INS_PUSH || insn->id == X86_INS_CALL;
}

/*
 * Return the base register (DWARF's number) of an instruction's memory operand, or -1.
 * @disp: set to the displacement.  Operands with an index register do not count.
 */
static int address_register(struct dwarf *d, Dwfl_Module *module, GElf_Addr addr, bool on_stack, int64_t *disp)
{
	size_t left = 0;
	const uint8_t *code = code_at(module, addr, &left);
	cs_insn *insn;
	int i, reg = -1;

	if (!code || !d->disassembles)
		return -1;
	if (!cs_disasm(d->capstone, code, left < 16 ? left : 16, addr, 1, &insn))
		return -1;
	for (i = 0; i < insn->detail->x86.op_count && !(on_stack && pushes(insn)); i++) {
		const cs_x86_op *op = &insn->detail->x86.operands[i];

		if (op->type != X86_OP_MEM || op->mem.index != X86_REG_INVALID)
			continue;
		reg = dwarf_register(op->mem.base);
		*disp = op->mem.disp;
	}
	cs_free(insn, 1);
	return reg;
}

/* Whether an instruction is one of strings: SSE has MOVSD and CMPSD, too, of one memory operand. */
static bool is_string(const cs_insn *insn)
{
	int i, memory = 0;

	switch (insn->id) {
	case X86_INS_MOVSB:
	case X86_INS_MOVSW:
	case X86_INS_MOVSQ:
	case X86_INS_STOSB:
	case X86_INS_STOSW:
	case X86_INS_STOSD:
	case X86_INS_STOSQ:
	case X86_INS_CMPSB:
	case X86_INS_CMPSW:
	case X86_INS_CMPSQ:
	case X86_INS_SCASB:
	case X86_INS_SCASW:
	case X86_INS_SCASD:
	case X86_INS_SCASQ:
	case X86_INS_LODSB:
	case X86_INS_LODSW:
	case X86_INS_LODSD:
	case X86_INS_LODSQ:
		return true;
	case X86_INS_MOVSD:
	case X86_INS_CMPSD:
		for (i = 0; i < insn->detail->x86.op_count; i++)
			memory += insn->detail->x86.operands[i].type == X86_OP_MEM;
		return memory == 2;
	}
	return false;
}

/**
 * dwarf_moves_bytes() - test whether an instruction accesses memory as untyped bytes
 * @d: the files
 * @code: the instruction
 *
 * Return: true for a string instruction, or an instruction of a function that copies, clears
 * or checksums memory of any type.
 */
bool dwarf_moves_bytes(struct dwarf *d, const struct dwarf_code *code)
{
	static const char * const functions[] = {
		"memcpy", "memmove", "memset", "__memcpy", "__memmove", "__memset",
		"memcpy_orig", "memset_orig", "rep_movs_alternative", "rep_stos_alternative",
		"__copy_user_nocache", "copy_page_regs", "clear_page_orig", "csum_partial",
		"csum_partial_copy_generic",
	};
	struct place *p = dwarf_find_code(d, code);
	const uint8_t *bytes;
	bool ret = false;
	size_t i, left;
	cs_insn *insn;

	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (!strcmp(code->function, functions[i]))
			return true;
	bytes = p && d->disassembles ? code_at(p->module, p->addr + code->offset, &left) : NULL;
	if (!bytes || !cs_disasm(d->capstone, bytes, left < 16 ? left : 16, p->addr + code->offset, 1, &insn))
		return false;
	ret = is_string(insn);
	cs_free(insn, 1);
	return ret;
}

/*
 * Whether a variable's value at an address is that of a register, or that plus a constant.
 * @at: set to the constant
 */
static bool is_by_register(Dwarf_Die *variable, int reg, Dwarf_Addr pc, int64_t *at)
{
	Dwarf_Attribute attr;
	Dwarf_Op *expr[4];
	size_t length[4];
	int i, n;

	if (!dwarf_attr_integrate(variable, DW_AT_location, &attr))
		return false;
	n = dwarf_getlocation_addr(&attr, pc, expr, length, 4);
	for (i = 0; i < n; i++) {
		const Dwarf_Op *op = expr[i];

		*at = 0;
		if (length[i] == 1 && (op->atom == DW_OP_regx ? (int)op->number == reg : op->atom == DW_OP_reg0 + reg))
			return true;
		if (length[i] != 2 || op[1].atom != DW_OP_stack_value)
			continue;
		*at = op->atom == DW_OP_bregx ? op->number2 : op->number;
		if (op->atom == DW_OP_bregx ? (int)op->number == reg : op->atom == DW_OP_breg0 + reg)
			return true;
	}
	return false;
}

/* Whether a struct ends in an array without a length. */
static bool has_tail(Dwarf_Die *type)
{
	struct die_field f = { };
	Dwarf_Die child, of;
	bool ends = false;

	if (dwarf_child(type, &child))
		return false;
	do {
		if (dwarf_tag(&child) == DW_TAG_member)
			ends = !die_field(&child, &f, &of) && f.element && !f.size;
	} while (!dwarf_siblingof(&child, &child));
	return ends;
}

/*
 * Find the struct that a scope's variable points to, and that an access is within.
 * @reg, @disp: the access: at the register's value plus a displacement
 * @in: set to the offset in the struct
 */
static bool struct_in(Dwarf_Die *scope, int reg, int64_t disp, Dwarf_Addr pc, Dwarf_Die *to, uint32_t *in)
{
	Dwarf_Die child, type;

	if (dwarf_child(scope, &child))
		return false;
	do {
		const int tag = dwarf_tag(&child);
		uint64_t distance;
		int64_t at;
		int bytes;

		if ((tag != DW_TAG_variable && tag != DW_TAG_formal_parameter) ||
		    !is_by_register(&child, reg, pc, &at) || !die_type(&child, &type) || !die_pointee(&type, to) ||
		    !dwarf_diename(to) || disp < at)
			continue;
		bytes = dwarf_bytesize(to);
		distance = (uint64_t)disp - (uint64_t)at;
		if (bytes <= 0 || distance > INT32_MAX || (distance >= (uint64_t)bytes && !has_tail(to)))
			continue;
		*in = distance;
		return true;
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

/*
 * The scopes of an address, the innermost first: blocks, an inlined function, what that is inlined
 * in, and so on.  Return their number; the caller frees them.
 */
static int find_scopes(Dwarf_Die *unit, Dwarf_Addr pc, Dwarf_Die **scopes)
{
	Dwarf_Die *innermost = NULL;
	int n = dwarf_getscopes(unit, pc, &innermost);

	*scopes = NULL;
	/* The others of these are around the definition of an inlined function, not around its place. */
	n = n > 0 ? dwarf_getscopes_die(innermost, scopes) : 0;
	free(innermost);
	return n;
}

/**
 * dwarf_access() - find the struct that an instruction accesses
 * @d: the files
 * @code: the instruction
 * @on_stack: the access is one of the stack: of call and push, not that of their operand
 * @name: set to the name of the struct, or union
 * @size: of @name
 * @in: set to the offset of the accessed data in the struct
 *
 * The struct is what a variable points to that is in the base register, or that the register and
 * a constant are the value of: the innermost variable, of equals the one declared first, that
 * points to a struct with room for what is accessed.
 *
 * Return: 0, or -1 if the struct is not known.
 */
int dwarf_access(struct dwarf *d, const struct dwarf_code *code, bool on_stack, char *name, size_t size,
		 uint32_t *in)
{
	struct place *p = dwarf_find_code(d, code);
	Dwarf_Addr pc = p ? p->addr + code->offset : 0, bias;
	Dwarf_Die *cu, *scopes, to;
	int64_t disp = 0;
	int i, n, reg, ret = -1;

	if (!p)
		return -1;
	reg = address_register(d, p->module, pc, on_stack, &disp);
	if (reg < 0)
		return -1;
	cu = dwfl_module_addrdie(p->module, pc, &bias);
	if (!cu)
		return -1;
	n = find_scopes(cu, pc - bias, &scopes);
	for (i = 0; i < n && ret && dwarf_tag(&scopes[i]) != DW_TAG_compile_unit; i++) {
		if (!struct_in(&scopes[i], reg, disp, pc - bias, &to, in))
			continue;
		snprintf(name, size, "%s", dwarf_diename(&to));
		ret = 0;
	}
	free(scopes);
	return ret;
}
