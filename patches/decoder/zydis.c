// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * The first reference: what Zydis says which memory an instruction accesses.
 *
 * Zydis describes operands; where an operand is not what the processor accesses,
 * corrections.c has what is, and why.
 */
#include "decoder.h"

static ZydisDecoder long_mode, compat_mode;

void zydis_init(void)
{
	ZydisDecoderInit(&long_mode, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	ZydisDecoderInit(&compat_mode, ZYDIS_MACHINE_MODE_LONG_COMPAT_32, ZYDIS_STACK_WIDTH_32);
}

bool zydis_decode(const struct form *form, int len, struct facts *facts)
{
	facts->form = form;
	return ZYAN_SUCCESS(ZydisDecoderDecodeFull(form->long_mode ? &long_mode : &compat_mode,
						   form->bytes, len, &facts->insn,
						   facts->operands));
}

/* Distinct in 64, 32 and 16 bits, so that no two addresses are equal by chance. */
unsigned long known_register(int number)
{
	return 0x00005a1200000000UL + (number + 1) * 0x0000070123456721UL;
}

const struct pt_regs known_regs = {
#define R(n) (0x00005a1200000000UL + ((n) + 1) * 0x0000070123456721UL)
	.ax = R(0), .cx = R(1), .dx = R(2), .bx = R(3), .sp = R(4), .bp = R(5), .si = R(6),
	.di = R(7), .r8 = R(8), .r9 = R(9), .r10 = R(10), .r11 = R(11), .r12 = R(12),
	.r13 = R(13), .r14 = R(14), .r15 = R(15), .ip = 0x7f0012345678UL, .cs = 0x33,
#undef R
};

unsigned long known_value(ZydisRegister reg, unsigned long next_ip)
{
	if (reg == ZYDIS_REGISTER_NONE)
		return 0;
	if (reg == ZYDIS_REGISTER_RIP)
		return next_ip;
	if (reg == ZYDIS_REGISTER_EIP)
		return (u32)next_ip;
	if (reg >= ZYDIS_REGISTER_RAX && reg <= ZYDIS_REGISTER_R15)
		return known_register(reg - ZYDIS_REGISTER_RAX);
	if (reg >= ZYDIS_REGISTER_EAX && reg <= ZYDIS_REGISTER_R15D)
		return (u32)known_register(reg - ZYDIS_REGISTER_EAX);
	if (reg >= ZYDIS_REGISTER_AX && reg <= ZYDIS_REGISTER_R15W)
		return (u16)known_register(reg - ZYDIS_REGISTER_AX);
	return 0;
}

static unsigned long truncate_to(unsigned long addr, int bits)
{
	return bits == 64 ? addr : bits == 32 ? (u32)addr : (u16)addr;
}

static unsigned long operand_addr(const struct facts *facts, const ZydisDecodedOperand *o)
{
	const ZydisDecodedOperandMem *mem = &o->mem;
	unsigned long next_ip = known_regs.ip + facts->insn.length;
	unsigned long addr = known_value(mem->base, next_ip) + mem->disp.value;

	if (mem->index != ZYDIS_REGISTER_NONE)
		addr += known_value(mem->index, next_ip) * mem->scale;
	return addr;
}

static u8 segment(const ZydisDecodedOperand *o)
{
	switch (o->mem.segment) {
	case ZYDIS_REGISTER_FS:
		return SWMEM_SEG_FS;
	case ZYDIS_REGISTER_GS:
		return SWMEM_SEG_GS;
	default:
		return SWMEM_SEG_FLAT;
	}
}

static u8 direction(const ZydisDecodedOperand *o)
{
	return (o->actions & ZYDIS_OPERAND_ACTION_MASK_READ ? SWMEM_LOAD : 0) |
	       (o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE ? SWMEM_STORE : 0);
}

static bool is_stack(const struct facts *facts, const ZydisDecodedOperand *o)
{
	switch (o->mem.base) {
	case ZYDIS_REGISTER_RSP:
	case ZYDIS_REGISTER_ESP:
	case ZYDIS_REGISTER_RBP:
	case ZYDIS_REGISTER_EBP:
		return o->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN &&
		       facts->insn.mnemonic != ZYDIS_MNEMONIC_MOVDIR64B;
	default:
		return false;
	}
}

static u8 flags(const struct facts *facts)
{
	const ZydisDecodedInstruction *insn = &facts->insn;
	u8 f = 0;

	if (insn->attributes & ZYDIS_ATTRIB_HAS_LOCK || insn->mnemonic == ZYDIS_MNEMONIC_XCHG)
		f |= SWMEM_LOCKED;
	if (insn->meta.category == ZYDIS_CATEGORY_STRINGOP ||
	    insn->meta.category == ZYDIS_CATEGORY_IOSTRINGOP)
		f |= SWMEM_STRING;
	return f;
}

void zydis_answer(struct facts *facts, struct answer *answer)
{
	const ZydisDecodedInstruction *insn = &facts->insn;
	int i, addr_bits = insn->address_width;
	const char *reason;

	answer->nr = 0;
	answer->correction = NULL;
	answer->offset = 0;
	for (i = 0; i < insn->operand_count; i++) {
		const ZydisDecodedOperand *o = &facts->operands[i];
		struct swmem_access a;

		if (o->type != ZYDIS_OPERAND_TYPE_MEMORY || o->mem.type == ZYDIS_MEMOP_TYPE_AGEN)
			continue;
		a = (struct swmem_access){
			.addr = operand_addr(facts, o),
			.width = o->size / 8,
			.op = direction(o) | flags(facts),
			.seg = segment(o),
		};
		if (is_stack(facts, o)) {
			a.op |= SWMEM_STACK;
			/* Zydis gives the stack pointer: a push stores below it. */
			if (a.op & SWMEM_STORE)
				a.addr -= a.width;
			a.addr = truncate_to(a.addr, insn->stack_width);
		} else {
			unsigned long named = a.addr;

			reason = correct_access(facts, o, &a);
			if (reason) {
				answer->correction = reason;
				answer->offset = a.addr - named;
			}
			a.addr = truncate_to(a.addr, addr_bits);
		}
		if (a.op & (SWMEM_LOAD | SWMEM_STORE))
			answer->access[answer->nr++] = a;
		if (answer->nr == ARRAY_SIZE(answer->access))
			break;
	}
	reason = correct_answer(facts, answer);
	if (reason)
		answer->correction = reason;
}
