// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Samples of IBS ops of a real processor, in a table that names the columns as AMD's
 * IBS toolkit does: the decoder against what the processor reported, and how often it
 * reported what an emulation may leave out.
 */
#include <stdlib.h>

#include "decoder.h"

#define MAX_COLUMNS	64

enum column { IP, LOAD, STORE, LINEAR_VALID, PHYS_VALID, LINEAR, PHYS, WIDTH, BYTES, NR_COLUMNS };

static const char * const names[NR_COLUMNS] = {
	"IbsOpRip", "IbsLdOp", "IbsStOp", "IbsDcLinAddrValid", "IbsDcPhyAddrValid", "IbsDcLinAd", "IbsDcPhysAd",
	"IbsOpMemWidth", "Opcode",
};

/* An op as the processor reported it. */
struct op {
	unsigned long ip, linear;
	unsigned int width;
	u8 direction;			/* SWMEM_LOAD, SWMEM_STORE */
	bool linear_valid, phys_valid;
	u8 bytes[FORM_BYTES];
	int len;
};

static struct {
	unsigned long ops, memory, linear_valid, phys_valid, no_linear, kernel, both, both_no_rmw;
	unsigned long rep, rep_tagged, accessing, accessing_tagged;
	unsigned long agree, differ, fixed, fixed_agree, unreadable;
} n;

static bool parse_bytes(const char *text, struct op *op)
{
	unsigned int byte;

	if (text[0] != '0' || text[1] != 'x')
		return false;
	for (text += 2, op->len = 0; sscanf(text, "%2x", &byte) == 1; text += 2) {
		if (op->len == FORM_BYTES || !text[1])
			return false;
		op->bytes[op->len++] = byte;
	}
	return op->len && !*text;
}

/* Not all values have a name. */
static unsigned int parse_width(const char *text)
{
	return strcmp(text, "Reserved-6") ? strtoul(text, NULL, 10) : 32;
}

static bool parse_op(char *fields[], const int columns[], struct op *op)
{
	*op = (struct op){
		.ip = strtoul(fields[columns[IP]], NULL, 16),
		.linear = strtoul(fields[columns[LINEAR]], NULL, 16),
		.width = parse_width(fields[columns[WIDTH]]),
		.direction = (atoi(fields[columns[LOAD]]) ? SWMEM_LOAD : 0) |
			     (atoi(fields[columns[STORE]]) ? SWMEM_STORE : 0),
		.linear_valid = atoi(fields[columns[LINEAR_VALID]]),
		.phys_valid = atoi(fields[columns[PHYS_VALID]]),
	};
	return op->ip && parse_bytes(fields[columns[BYTES]], op);
}

static int split(char *line, char *fields[])
{
	int nr = 0;

	line[strcspn(line, "\r\n")] = '\0';
	while (line && nr < MAX_COLUMNS)
		fields[nr++] = strsep(&line, ",");
	return nr;
}

static bool find_columns(char *fields[], int nr, int columns[])
{
	int i, k;

	for (i = 0; i < NR_COLUMNS; i++) {
		for (k = 0; k < nr && strcmp(fields[k], names[i]); k++)
			;
		if (k == nr) {
			printf("# no column %s\n", names[i]);
			return false;
		}
		columns[i] = k;
	}
	return true;
}

static int decode(const struct op *op, unsigned long registers, struct swmem_access *access)
{
	struct pt_regs regs;
	unsigned long *p = (unsigned long *)&regs;
	size_t i;

	for (i = 0; i < sizeof(regs) / sizeof(*p); i++)
		p[i] = registers;
	regs.ip = op->ip;
	regs.cs = 0x33;
	return swmem_decode(op->bytes, op->len, true, &regs, access);
}

static bool is_rep(const struct op *op)
{
	struct form form = { .long_mode = true };
	struct facts facts;

	memcpy(form.bytes, op->bytes, op->len);
	return zydis_decode(&form, FORM_BYTES, &facts) &&
	       facts.insn.attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE);
}

/* The access that an op with a linear address is of, by direction and width. */
static void hold(const struct op *op, const struct swmem_access *a, const struct swmem_access *other, int nr)
{
	int i;

	for (i = 0; i < nr; i++)
		if ((a[i].op & (SWMEM_LOAD | SWMEM_STORE)) == op->direction && a[i].width == op->width)
			break;
	if (i == nr) {
		n.differ++;
		printf("# %#lx: %s%s of %u at %#lx, not as decoded:", op->ip,
		       op->direction & SWMEM_LOAD ? "load " : "", op->direction & SWMEM_STORE ? "store " : "",
		       op->width, op->linear);
		for (i = 0; i < op->len; i++)
			printf(" %02x", op->bytes[i]);
		putchar('\n');
		return;
	}
	n.agree++;
	/* Without the registers, an address is known where it depends on none. */
	if (a[i].seg == SWMEM_SEG_FLAT && a[i].addr == other[i].addr) {
		n.fixed++;
		n.fixed_agree += a[i].addr == op->linear;
	}
}

static void count(const struct op *op)
{
	struct swmem_access access[SWMEM_MAX_ACCESSES + 2], other[SWMEM_MAX_ACCESSES + 2];
	int i, nr = decode(op, 0x100000, access), rmw = 0;

	decode(op, 0x7000000, other);
	for (i = 0; i < nr; i++)
		rmw |= (access[i].op & SWMEM_LOAD) && (access[i].op & SWMEM_STORE);
	n.ops++;
	n.accessing += nr > 0;
	n.accessing_tagged += nr > 0 && op->direction;
	if (is_rep(op)) {
		n.rep++;
		n.rep_tagged += !!op->direction;
	}
	if (!op->direction)
		return;
	n.memory++;
	n.phys_valid += op->phys_valid;
	n.linear_valid += op->linear_valid;
	n.both += op->direction == (SWMEM_LOAD | SWMEM_STORE);
	n.both_no_rmw += op->direction == (SWMEM_LOAD | SWMEM_STORE) && !rmw;
	if (!op->linear_valid) {
		n.no_linear++;
		return;
	}
	n.kernel += op->linear >> 63 && !(op->ip >> 63);
	hold(op, access, other, nr);
}

/* As a row of a table (docs/develop/ibs.md). */
static void row(const char *what, unsigned long k, unsigned long of)
{
	printf("# | %s | %lu of %lu |\n", what, k, of);
}

static int read_ops(FILE *f)
{
	static char line[1 << 16];
	char *fields[MAX_COLUMNS];
	int columns[NR_COLUMNS], nr;
	struct op op;

	if (!fgets(line, sizeof(line), f))
		return -1;
	nr = split(line, fields);
	if (!find_columns(fields, nr, columns))
		return -1;
	while (fgets(line, sizeof(line), f)) {
		/* A line ends in a comma. */
		if (split(line, fields) == nr + 1 && parse_op(fields, columns, &op))
			count(&op);
		else
			n.unreadable++;
	}
	return 0;
}

/* Returns 0 if the file can be read, with the numbers of what agrees. */
int silicon(const char *path, struct silicon *s)
{
	FILE *f = fopen(path, "r");
	int err;

	if (!f)
		return -1;
	err = read_ops(f);
	fclose(f);
	row("ops that load or store", n.memory, n.ops);
	row("instructions that access memory, whose op loads or stores", n.accessing_tagged, n.accessing);
	row("of loads and stores: linear address valid", n.linear_valid, n.memory);
	row("of loads and stores: physical address valid", n.phys_valid, n.memory);
	row("of loads and stores: linear address not valid", n.no_linear, n.memory);
	row("of linear addresses: the kernel's, under a user instruction", n.kernel, n.linear_valid);
	row("of loads and stores: both bits", n.both, n.memory);
	row("of these: the instruction is no read-modify-write", n.both_no_rmw, n.both);
	row("instructions with `rep` whose op loads or stores", n.rep_tagged, n.rep);
	row("of linear addresses: direction and width as swmem decodes", n.agree, n.linear_valid);
	row("of these without registers: address as swmem decodes", n.fixed_agree, n.fixed);
	*s = (struct silicon){ n.agree, n.linear_valid, n.kernel, n.fixed_agree, n.fixed, n.unreadable };
	return err;
}
