// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Where Zydis describes an operand otherwise than the processor accesses it, by
 * the SDM (volume 2, the instruction's page) or the APM (volume 3).  Everything
 * else that differs is asked of objdump.
 */
#include "decoder.h"

/* Operands that name memory which is not accessed. */
static const char *not_accessed(const struct facts *facts)
{
	if (facts->insn.meta.category == ZYDIS_CATEGORY_PREFETCH)
		return "PREFETCH: a hint that loads no data and cannot fault";
	switch (facts->insn.mnemonic) {
	case ZYDIS_MNEMONIC_NOP:
		return "NOP: its operand is not accessed (SDM: \"does not affect the context\")";
	case ZYDIS_MNEMONIC_PREFETCHWT1:
	case ZYDIS_MNEMONIC_CLDEMOTE:
		return "CLDEMOTE, PREFETCHWT1: a hint that loads no data and cannot fault";
	case ZYDIS_MNEMONIC_CLFLUSH:
	case ZYDIS_MNEMONIC_CLFLUSHOPT:
	case ZYDIS_MNEMONIC_CLWB:
		return "CLFLUSH, CLWB: of a cache line, no data are loaded or stored";
	case ZYDIS_MNEMONIC_INVLPG:
		return "INVLPG: of a translation, memory is not accessed";
	case ZYDIS_MNEMONIC_UD0:
	case ZYDIS_MNEMONIC_UD1:
		return "UD0, UD1: raise #UD whatever the operand";
	case ZYDIS_MNEMONIC_BNDCL:
	case ZYDIS_MNEMONIC_BNDCN:
	case ZYDIS_MNEMONIC_BNDCU:
	case ZYDIS_MNEMONIC_BNDLDX:
	case ZYDIS_MNEMONIC_BNDMK:
	case ZYDIS_MNEMONIC_BNDMOV:
	case ZYDIS_MNEMONIC_BNDSTX:
		return "MPX: NOPs unless enabled in XCR0, which Linux does not do since 5.6";
	default:
		return NULL;
	}
}

static bool is_xsave(const struct facts *facts)
{
	return facts->insn.meta.category == ZYDIS_CATEGORY_XSAVE ||
	       facts->insn.meta.category == ZYDIS_CATEGORY_XSAVEOPT;
}

/*
 * Zydis 4.0 and 4.1 take base 101 with mod 00 for R13D, not for no base, if both an
 * address size prefix and REX.B are there; objdump does not, where it knows the
 * instruction.  SDM 2.2.1.2, table 2-5: REX.B does not matter to that.
 */
static bool takes_displacement_for_base(const struct facts *facts, const ZydisDecodedOperand *o)
{
	const ZydisDecodedInstruction *insn = &facts->insn;

	return o->visibility == ZYDIS_OPERAND_VISIBILITY_EXPLICIT &&
	       o->mem.base == ZYDIS_REGISTER_R13D && insn->raw.modrm.mod == 0 &&
	       insn->raw.modrm.rm == 4 && insn->raw.sib.base == 5;
}

const char *correct_access(const struct facts *facts, const ZydisDecodedOperand *o,
			   struct swmem_access *a)
{
	const char *reason = NULL;
	long bit;

	if (takes_displacement_for_base(facts, o)) {
		a->addr += facts->insn.raw.disp.value - known_value(o->mem.base, 0);
		reason = "SIB: base 101 with mod 00 is none, whatever REX.B is (SDM table 2-5)";
	}
	switch (facts->insn.mnemonic) {
	case ZYDIS_MNEMONIC_BT:
	case ZYDIS_MNEMONIC_BTC:
	case ZYDIS_MNEMONIC_BTR:
	case ZYDIS_MNEMONIC_BTS:
		if (facts->operands[1].type != ZYDIS_OPERAND_TYPE_REGISTER)
			return reason;
		bit = known_value(facts->operands[1].reg.value, 0);
		bit = a->width == 2 ? (s16)bit : a->width == 4 ? (s32)bit : bit;
		a->addr += (bit >> (a->width == 2 ? 4 : a->width == 4 ? 5 : 6)) * a->width;
		return "BT: a bit number in a register reaches beyond the operand (SDM 3.1.1.9)";
	case ZYDIS_MNEMONIC_POP:
		if (o->mem.base != ZYDIS_REGISTER_RSP && o->mem.base != ZYDIS_REGISTER_ESP)
			return reason;
		a->addr += a->width;
		return "POP: \"computes the effective address of the operand after it increments the ESP\"";
	case ZYDIS_MNEMONIC_MOVDIR64B:
		if (o->visibility != ZYDIS_OPERAND_VISIBILITY_HIDDEN)
			return reason;
		a->seg = SWMEM_SEG_FLAT;
		return "MOVDIR64B: stores to ES, which no prefix overrides";
	case ZYDIS_MNEMONIC_XLAT:
		a->addr += (u8)known_regs.ax;
		return "XLAT: AL is added to the base";
	default:
		break;
	}
	if (is_xsave(facts)) {
		a->width = 0;
		return "XSAVE: as large as the enabled state, no fixed size";
	}
	return reason;
}

/* Of an instruction without operands, for which Zydis ignores it. */
static u8 last_segment(const struct facts *facts)
{
	u8 seg = SWMEM_SEG_FLAT;
	int i;

	for (i = 0; i < facts->insn.raw.prefix_count; i++)
		switch (facts->insn.raw.prefixes[i].value) {
		case 0x26: case 0x2e: case 0x36: case 0x3e:
			if (!facts->form->long_mode)
				seg = SWMEM_SEG_FLAT;
			break;
		case 0x64:
			seg = SWMEM_SEG_FS;
			break;
		case 0x65:
			seg = SWMEM_SEG_GS;
			break;
		}
	return seg;
}

const char *correct_answer(const struct facts *facts, struct answer *answer)
{
	const ZydisDecodedInstruction *insn = &facts->insn;
	const char *reason = not_accessed(facts);
	struct swmem_access *a = &answer->access[answer->nr];
	int level;

	if (reason) {
		answer->nr = 0;
		return reason;
	}
	switch (insn->mnemonic) {
	case ZYDIS_MNEMONIC_ENTER:
		level = facts->operands[1].imm.value.u % 32;
		if (!level)
			return NULL;
		if (level == 1) {
			answer->access[0].addr -= answer->access[0].width;
			answer->access[0].width *= 2;
		} else {
			answer->nr = SWMEM_MAX_ACCESSES + 1;
		}
		return "ENTER: pushes its own and outer procedures' frame pointers by nesting level";
	case ZYDIS_MNEMONIC_IRET:
	case ZYDIS_MNEMONIC_IRETD:
		if (facts->form->long_mode)
			return NULL;
		answer->access[0].width = answer->access[0].width / 5 * 3;
		return "IRET: in 32-bit user code without SP and SS, as the privilege stays";
	case ZYDIS_MNEMONIC_ENQCMD:
	case ZYDIS_MNEMONIC_ENQCMDS:
		*a = (struct swmem_access){
			.addr = known_value(facts->operands[0].reg.value, 0),
			.width = 64,
			.op = SWMEM_STORE,
		};
		answer->nr++;
		return "ENQCMD: stores the command where its first operand says";
	case ZYDIS_MNEMONIC_CLZERO:
		*a = (struct swmem_access){
			.addr = known_value(ZYDIS_REGISTER_RAX, 0) & ~63UL,
			.width = 64,
			.op = SWMEM_STORE,
		};
		if (insn->address_width != 64)
			a->addr &= (1UL << insn->address_width) - 1;
		a->seg = last_segment(facts);
		answer->nr++;
		return "CLZERO: clears the cache line of rAX (APM)";
	default:
		return NULL;
	}
}
