// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Why the decoder may refuse a form.  Whatever else it refuses is an error. */
#include "decoder.h"

static bool is_vsib(const struct facts *facts)
{
	int i;

	for (i = 0; i < facts->insn.operand_count; i++)
		if (facts->operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    facts->operands[i].mem.type == ZYDIS_MEMOP_TYPE_VSIB)
			return true;
	return false;
}

static bool is_compress(const struct facts *facts)
{
	return facts->insn.meta.category == ZYDIS_CATEGORY_COMPRESS ||
	       facts->insn.meta.category == ZYDIS_CATEGORY_EXPAND;
}

static bool is_short(const struct facts *facts)
{
	return facts->insn.address_width == 16;
}

static bool is_nested_enter(const struct facts *facts)
{
	return facts->insn.mnemonic == ZYDIS_MNEMONIC_ENTER &&
	       facts->operands[1].imm.value.u % 32 > 1;
}

static bool is_half_precision(const struct facts *facts)
{
	const ZydisDecodedInstruction *insn = &facts->insn;

	return insn->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX &&
	       (insn->raw.evex.mmm > 3 || (insn->raw.evex.mmm == 3 && insn->raw.evex.pp != 1));
}

static bool is_tile(const struct facts *facts)
{
	return !strncmp(ZydisISAExtGetString(facts->insn.meta.isa_ext), "AMX", 3);
}

static bool is_vendors(const struct facts *facts)
{
	switch (facts->insn.meta.isa_ext) {
	case ZYDIS_ISA_EXT_XOP:
	case ZYDIS_ISA_EXT_TBM:
	case ZYDIS_ISA_EXT_PADLOCK:
	case ZYDIS_ISA_EXT_KNC:
	case ZYDIS_ISA_EXT_KNCE:
	case ZYDIS_ISA_EXT_KNCV:
		return true;
	default:
		return false;
	}
}

/* Newer than the tables: by name, as not every Zydis knows them. */
static bool is_recent(const struct facts *facts)
{
	static const char *const exts[] = { "KEYLOCKER_WIDE", "RAO_INT", "CMPCCXADD",
					    "AVX_NE_CONVERT", "AVX_VNNI_INT16", "SM3", "SM4" };
	const char *ext = ZydisISAExtGetString(facts->insn.meta.isa_ext);
	int i;

	for (i = 0; i < ARRAY_SIZE(exts); i++)
		if (!strcmp(ext, exts[i]))
			return true;
	return false;
}

static const struct {
	const char *name;
	bool (*match)(const struct facts *facts);
} reasons[MAX_REASONS] = {
	{ "gather and scatter: an address for each element", is_vsib },
	{ "compress and expand: as many elements as the mask has", is_compress },
	{ "AMX tiles: as many rows as are configured", is_tile },
	{ "ENTER that copies frame pointers: more than two accesses", is_nested_enter },
	{ "16-bit addressing, of real-mode code", is_short },
	{ "AVX512-FP16: not in the tables", is_half_precision },
	{ "XOP, TBM, PadLock, Knights Corner: of processors without successor", is_vendors },
	{ "Key Locker, and what is newer: not in the tables", is_recent },
};

/* -1 if there is none. */
int refusal_reason(const struct facts *facts)
{
	int i;

	for (i = 0; i < MAX_REASONS && reasons[i].match; i++)
		if (reasons[i].match(facts))
			return i;
	return -1;
}

const char *reason_name(int reason)
{
	return reasons[reason].name;
}
