// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Compares the decoder with Zydis, form by form, and asks objdump where they differ. */
#include <errno.h>
#include <stdlib.h>

#include "decoder.h"

struct totals totals;

/* Forms that differ, kept until objdump has been asked. */
struct difference {
	struct form form;
	struct answer ours, zydis;
	ZydisMnemonic mnemonic;
};

static struct difference *differences;
static unsigned long nr_differences, max_differences;

static bool same_access(const struct swmem_access *a, const struct swmem_access *b)
{
	return a->addr == b->addr && a->width == b->width && a->op == b->op && a->seg == b->seg;
}

/* Decode with these registers, and with others and then these: both have the same accesses. */
static bool is_same_again(const struct form *form, int len, struct pt_regs *regs, const struct swmem_form *decoded)
{
	struct swmem_access now[SWMEM_MAX_ACCESSES], again[SWMEM_MAX_ACCESSES];
	int i, nr = swmem_decode(form->bytes, len, true, regs, now);

	if (nr != swmem_form_accesses(decoded, regs, again))
		return false;
	for (i = 0; i < nr; i++)
		if (!same_access(&now[i], &again[i]))
			return false;
	return true;
}

/* What is decoded with nearly all registers 0 must say the same with the registers as they are. */
static void check_again(const struct form *form, int len)
{
	struct pt_regs other = { .ip = known_regs.ip, .cx = 1 }, regs = known_regs, ended = known_regs;
	struct swmem_access access[SWMEM_MAX_ACCESSES];
	struct swmem_form decoded;

	if (!form->long_mode)
		return;
	swmem_decode_form(form->bytes, len, &other, access, &decoded);
	if (decoded.nr < 0)
		return;
	totals.again++;
	/* Where REP ends. */
	ended.cx = 0;
	if (is_same_again(form, len, &regs, &decoded) && is_same_again(form, len, &ended, &decoded))
		return;
	if (totals.again_differ++ >= 40)
		return;
	fprintf(stderr, "decoder: decoded again, an instruction accesses another place: ");
	for (int i = 0; i < len; i++)
		fprintf(stderr, "%02x", form->bytes[i]);
	fprintf(stderr, "\n");
}

static void ask_ours(const struct form *form, int len, struct answer *answer)
{
	struct pt_regs regs = known_regs;

	answer->nr = swmem_decode(form->bytes, len, form->long_mode, &regs, answer->access);
	check_again(form, len);
}

/* In any order: there are two at most. */
static bool same(const struct answer *a, const struct answer *b)
{
	if (a->nr != b->nr)
		return false;
	if (a->nr == 1)
		return same_access(&a->access[0], &b->access[0]);
	if (a->nr == 2)
		return (same_access(&a->access[0], &b->access[0]) &&
			same_access(&a->access[1], &b->access[1])) ||
		       (same_access(&a->access[0], &b->access[1]) &&
			same_access(&a->access[1], &b->access[0]));
	return a->nr == 0;
}

static void keep(const struct form *form, const struct answer *ours, const struct answer *zydis,
		 ZydisMnemonic mnemonic)
{
	if (nr_differences == max_differences) {
		max_differences = max_differences ? 2 * max_differences : 1024;
		differences = realloc(differences, max_differences * sizeof(*differences));
		if (!differences) {
			perror("decoder");
			exit(1);
		}
	}
	differences[nr_differences++] = (struct difference){ *form, *ours, *zydis, mnemonic };
}

/* Reasons are constants: the same pointer, the same reason. */
#define MAX_CORRECTIONS	32
static struct {
	const char *reason;
	unsigned long nr;
} corrections[MAX_CORRECTIONS];
static int nr_corrections;

static void count_correction(const char *reason)
{
	int i;

	if (!reason)
		return;
	for (i = 0; i < nr_corrections && corrections[i].reason != reason; i++)
		;
	if (i == MAX_CORRECTIONS)
		return;
	if (i == nr_corrections)
		corrections[nr_corrections++].reason = reason;
	corrections[i].nr++;
}

static void refuse(const struct facts *facts)
{
	int k, reason = refusal_reason(facts);

	if (reason >= 0) {
		totals.reasons[reason]++;
		return;
	}
	if (totals.no_reason++ >= 40)
		return;
	printf("# refused without a reason: %s (%s):", ZydisMnemonicGetString(facts->insn.mnemonic),
	       ZydisISAExtGetString(facts->insn.meta.isa_ext));
	for (k = 0; k < FORM_BYTES; k++)
		printf(" %02x", facts->form->bytes[k]);
	putchar('\n');
}

/* Returns the length of the form, 0 if it is no instruction. */
int compare(const struct form *form, int len)
{
	static struct facts facts;
	struct answer ours, zydis;

	ask_ours(form, len, &ours);
	if (!zydis_decode(form, len, &facts)) {
		if (ours.nr > 0)
			totals.not_instructions++;
		return 0;
	}
	zydis_answer(&facts, &zydis);
	totals.forms++;
	totals.with_memory += zydis.nr > 0;
	count_correction(zydis.correction);
	if (same(&ours, &zydis)) {
		totals.same++;
	} else if (ours.nr < 0) {
		totals.refused++;
		refuse(&facts);
	} else {
		keep(form, &ours, &zydis, facts.insn.mnemonic);
	}
	return facts.insn.length;
}

static void print_answer(const char *who, const struct answer *a)
{
	int i;

	printf(" %s:", who);
	if (a->nr < 0)
		printf(" refused (%d)", a->nr);
	for (i = 0; i < a->nr && i < ARRAY_SIZE(a->access); i++)
		printf(" [%#lx width %u op %#x seg %u]", a->access[i].addr, a->access[i].width,
		       a->access[i].op, a->access[i].seg);
}

static void print_difference(const struct difference *d, const struct objdump_answer *o)
{
	int k;

	printf("# %s%s:", ZydisMnemonicGetString(d->mnemonic), d->form.long_mode ? "" : " (32-bit)");
	for (k = 0; k < FORM_BYTES; k++)
		printf(" %02x", d->form.bytes[k]);
	print_answer("ours", &d->ours);
	print_answer("Zydis", &d->zydis);
	printf(" objdump: %s\n", o->text);
}

/*
 * Is objdump with us where Zydis is not?  About the operand that ModRM names: the
 * others must be the same, direction and segment, too.
 */
static bool objdump_agrees(const struct difference *d, const struct objdump_answer *o)
{
	unsigned long addr = o->addr + d->zydis.offset;
	bool found = false;
	int i, k;

	if (!o->wide_address)
		addr = (u32)addr;
	if (!o->valid || !o->has_memory || d->ours.nr != d->zydis.nr)
		return false;
	for (i = 0; i < d->ours.nr; i++) {
		const struct swmem_access *a = &d->ours.access[i];
		bool same = false, named;

		for (k = 0; k < d->zydis.nr && !same; k++)
			same = same_access(a, &d->zydis.access[k]);
		if (same)
			continue;
		/* Only what is disputed is asked: the width may not be. */
		named = !(a->op & (SWMEM_STACK | SWMEM_STRING)) && a->addr == addr;
		for (k = 0; k < d->zydis.nr && named; k++) {
			const struct swmem_access *z = &d->zydis.access[k];

			if (z->op == a->op && z->seg == a->seg &&
			    (z->width == a->width || a->width == o->width))
				break;
		}
		if (!named || k == d->zydis.nr || found)
			return false;
		found = true;
	}
	return found;
}

/* Returns how many forms objdump is not with us. */
static unsigned long arbitrate(void)
{
	struct objdump_answer *answers = calloc(nr_differences ?: 1, sizeof(*answers));
	struct form *forms = calloc(nr_differences ?: 1, sizeof(*forms));
	unsigned long i, shown = 0, wrong = 0;
	int mode;

	if (!answers || !forms) {
		perror("decoder");
		exit(1);
	}
	for (i = 0; i < nr_differences; i++)
		forms[i] = differences[i].form;
	for (mode = 0; mode < 2 && nr_differences; mode++)
		if (objdump_ask(forms, nr_differences, mode, answers)) {
			printf("# objdump failed\n");
			wrong++;
		}
	for (i = 0; i < nr_differences; i++) {
		if (objdump_agrees(&differences[i], &answers[i])) {
			totals.arbitrated++;
			continue;
		}
		wrong++;
		if (shown++ < 12)
			print_difference(&differences[i], &answers[i]);
	}
	free(answers);
	free(forms);
	free(differences);
	differences = NULL;
	nr_differences = 0;
	max_differences = 0;
	return wrong;
}

static void print_corrections(void)
{
	int i;

	for (i = 0; i < nr_corrections; i++)
		printf("# %9lu of Zydis corrected: %s\n", corrections[i].nr, corrections[i].reason);
}

unsigned long compare_end(void)
{
	unsigned long wrong = arbitrate();
	int i;

	print_corrections();
	nr_corrections = 0;
	for (i = 0; i < MAX_REASONS; i++)
		if (totals.reasons[i])
			printf("# %9lu refused: %s\n", totals.reasons[i], reason_name(i));
	printf("# %lu forms, %lu with memory: %lu as Zydis, %lu as objdump, %lu otherwise, %lu refused\n",
	       totals.forms, totals.with_memory, totals.same, totals.arbitrated, wrong,
	       totals.refused);
	printf("# %lu accesses of what Zydis knows as no instruction\n", totals.not_instructions);
	printf("# %lu decoded again with other registers, %lu of them wrong\n", totals.again, totals.again_differ);
	return wrong;
}
