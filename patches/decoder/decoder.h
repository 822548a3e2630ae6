/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
#ifndef DECODER_H
#define DECODER_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <Zydis/Zydis.h>

#include <asm/ptrace.h>
#include "decode.h"

#ifndef ARRAY_SIZE
#define ARRAY_SIZE(a)	((int)(sizeof(a) / sizeof((a)[0])))
#endif

/* The longest instruction, and the bytes that the decoder gets. */
#define FORM_BYTES	15

/* One instruction to decode. */
struct form {
	u8 bytes[FORM_BYTES];
	bool long_mode;
};

/* What one decoder says of a form.  @nr is negative if it refuses the form. */
struct answer {
	int nr;
	struct swmem_access access[SWMEM_MAX_ACCESSES + 2];
	const char *correction;		/* what Zydis was corrected in */
	unsigned long offset;		/* what that added to the operand's address */
};

/* What Zydis knows of a form beside its accesses; reasons refer to it. */
struct facts {
	ZydisDecodedInstruction insn;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	const struct form *form;
};

/* The registers that addresses are computed from. */
extern const struct pt_regs known_regs;
unsigned long known_register(int number);
unsigned long known_value(ZydisRegister reg, unsigned long next_ip);

/* zydis.c: what Zydis says, corrected where the SDM says otherwise */
void zydis_init(void);
bool zydis_decode(const struct form *form, int len, struct facts *facts);
void zydis_answer(struct facts *facts, struct answer *answer);

/* corrections.c: each returns why, or NULL */
const char *correct_access(const struct facts *facts, const ZydisDecodedOperand *o,
			   struct swmem_access *a);
const char *correct_answer(const struct facts *facts, struct answer *answer);

/* refused.c: why the decoder may refuse a form */
#define MAX_REASONS	32
int refusal_reason(const struct facts *facts);
const char *reason_name(int reason);

/* objdump.c: the second reference, many forms at once */
struct objdump_answer {
	bool valid;
	bool has_memory;
	bool wide_address;		/* of 64 bits */
	unsigned int width;		/* 0 if the text does not tell */
	unsigned long addr;
	char text[96];
};

int objdump_ask(const struct form *forms, int nr, bool long_mode, struct objdump_answer *answers);

/* compare.c */
struct totals {
	unsigned long forms;		/* that Zydis knows as an instruction */
	unsigned long with_memory;	/* of these */
	unsigned long same, refused;
	unsigned long not_instructions;	/* Zydis: no instruction; ours: an access */
	unsigned long arbitrated;	/* objdump is with us */
	unsigned long no_reason;	/* refused, no reason listed */
	unsigned long again, again_differ;	/* with other registers than when it was decoded */
	unsigned long reasons[MAX_REASONS];
};

extern struct totals totals;
int compare(const struct form *form, int len);
unsigned long compare_end(void);

/* forms.c, text.c */
void enumerate(void);
int sweep(const char *path);

/* silicon.c: what agrees with the ops that a processor reported */
struct silicon {
	unsigned long agree, linear;	/* direction and width, of linear addresses */
	unsigned long kernel;		/* of these, the processor's own */
	unsigned long address, fixed;	/* addresses, of those known without registers */
	unsigned long unreadable;	/* lines */
};

int silicon(const char *path, struct silicon *s);

#endif
