// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * All forms of instructions: opcode maps, prefixes, VEX and EVEX with all that
 * selects an instruction, and all forms of addresses with some of them.
 */
#include "decoder.h"

static struct form form;

/* What follows ModRM and SIB: displacements, immediates. */
static const u8 tail[] = { 0x11, 0x22, 0x33, 0x04, 0x55, 0x66, 0x77, 0x08, 0x19, 0x2a, 0x3b, 0x4c,
			   0x5d, 0x6e, 0x7f };

static int append(int at, const u8 *bytes, int nr)
{
	if (nr > FORM_BYTES - at)
		nr = FORM_BYTES - at;
	memcpy(form.bytes + at, bytes, nr);
	return at + nr;
}

static void finish(int at)
{
	append(at, tail, sizeof(tail));
	compare(&form, FORM_BYTES);
}

/* ModRM with all of mod and reg, and what is special of rm: SIB, RIP, a register. */
static void all_operands(int at)
{
	static const u8 rms[] = { 1, 4, 5 };
	static const u8 sibs[] = { 0x24, 0x88, 0x25, 0xed };
	int mod, reg, i, k;

	for (mod = 0; mod < 4; mod++)
		for (reg = 0; reg < 8; reg++) {
			if (mod == 3) {
				for (i = 0; i < 8; i++) {
					form.bytes[at] = 0xc0 | reg << 3 | i;
					finish(at + 1);
				}
				continue;
			}
			for (i = 0; i < ARRAY_SIZE(rms); i++) {
				form.bytes[at] = mod << 6 | reg << 3 | rms[i];
				if (rms[i] != 4) {
					finish(at + 1);
					continue;
				}
				for (k = 0; k < ARRAY_SIZE(sibs); k++) {
					form.bytes[at + 1] = sibs[k];
					finish(at + 2);
				}
			}
		}
}

struct bytes {
	int nr;
	u8 bytes[4];
};

#define B(...) { sizeof((u8[]){ __VA_ARGS__ }), { __VA_ARGS__ } }

static const struct bytes prefix_sets[] = {
	{ 0 }, B(0x66), B(0xf2), B(0xf3), B(0x66, 0xf2), B(0x66, 0xf3), B(0xf2, 0x66),
	B(0xf3, 0x66), B(0xf2, 0xf3), B(0xf3, 0xf2), B(0x67), B(0x67, 0x66), B(0x67, 0xf3),
	B(0x67, 0xf2), B(0x64), B(0x65), B(0x3e), B(0x64, 0x66), B(0x65, 0xf3),
	B(0xf0), B(0xf0, 0x66), B(0xf0, 0xf2), B(0xf0, 0xf3),
};

static const struct bytes legacy_maps[] = {
	{ 0 }, B(0x0f), B(0x0f, 0x38), B(0x0f, 0x3a),
};

static void legacy(bool long_mode)
{
	static const u8 rexes[] = { 0, 0x40, 0x48, 0x47, 0x4f };
	int p, r, m, op, at;

	form.long_mode = long_mode;
	for (p = 0; p < ARRAY_SIZE(prefix_sets); p++)
		for (r = 0; r < (long_mode ? ARRAY_SIZE(rexes) : 1); r++)
			for (m = 0; m < ARRAY_SIZE(legacy_maps); m++)
				for (op = 0; op < 256; op++) {
					at = append(0, prefix_sets[p].bytes, prefix_sets[p].nr);
					if (rexes[r])
						form.bytes[at++] = rexes[r];
					at = append(at, legacy_maps[m].bytes, legacy_maps[m].nr);
					form.bytes[at++] = op;
					all_operands(at);
				}
}

static const struct bytes vex_prefixes[] = {
	{ 0 }, B(0x67), B(0x64), B(0x65, 0x67),
};

static void vex(bool long_mode)
{
	int p, map, op, w, at;

	form.long_mode = long_mode;
	for (p = 0; p < ARRAY_SIZE(vex_prefixes); p++)
		for (map = 0; map < 32; map++)
			for (op = 0; op < 256; op++)
				/* W, vvvv, L and pp */
				for (w = 0; w < 256; w++) {
					if ((w & 0x78) != 0x78 && (w & 0x78) != 0x38)
						continue;
					if ((map > 3 && map != 7) && (w & 0x40))
						continue;
					at = append(0, vex_prefixes[p].bytes, vex_prefixes[p].nr);
					form.bytes[at] = 0xc4;
					form.bytes[at + 1] = 0xe0 | map;
					form.bytes[at + 2] = w;
					form.bytes[at + 3] = op;
					all_operands(at + 4);
					if (map == 1 && !(w & 0x80)) {
						form.bytes[at] = 0xc5;
						form.bytes[at + 1] = 0x80 | w;
						form.bytes[at + 2] = op;
						all_operands(at + 3);
					}
				}
}

static void evex_operands(int at)
{
	static const u8 operands[][2] = { { 0x01 }, { 0x41 }, { 0x44, 0x88 }, { 0x05 }, { 0x85 },
					  { 0xc1 } };
	int reg, i;

	for (reg = 0; reg < 8; reg++)
		for (i = 0; i < ARRAY_SIZE(operands); i++) {
			form.bytes[at] = operands[i][0] | reg << 3;
			form.bytes[at + 1] = operands[i][1];
			finish(at + (operands[i][1] ? 2 : 1));
		}
}

static void evex(bool long_mode)
{
	/* k0, k1, k1 with zeroing */
	static const u8 masks[] = { 0x08, 0x09, 0x89 };
	int map, op, p1, lb, m, at;

	form.long_mode = long_mode;
	for (map = 0; map < 8; map++)
		for (op = 0; op < 256; op++)
			/* W and pp; LL and b */
			for (p1 = 0; p1 < 8; p1++)
				for (lb = 0; lb < 8; lb++)
					for (m = 0; m < ARRAY_SIZE(masks); m++) {
						at = append(0, (u8[]){ 0x62, 0xf0 | map,
							    0x7c | (p1 & 4) << 5 | (p1 & 3),
							    masks[m] | lb << 4, op }, 5);
						evex_operands(at);
					}
}

/* A few instructions, every ModRM and SIB byte, every register bit. */
static void addresses(bool long_mode)
{
	static const struct {
		u8 encoding, map, pp, w, op;
	} insns[] = {
		{ 0, 0, 0, 0, 0x8b }, { 0, 0, 0, 0, 0x88 }, { 0, 0, 0, 0, 0xc7 },
		{ 0, 0, 0, 1, 0x81 }, { 0, 0, 0, 0, 0xff }, { 0, 0, 0, 0, 0x8f },
		{ 0, 1, 0, 0, 0xb6 }, { 0, 1, 0, 1, 0xab }, { 0, 1, 0, 0, 0xbb }, { 0, 3, 1, 0, 0x0f },
		{ 2, 1, 1, 0, 0x6f }, { 2, 2, 1, 1, 0x99 }, { 2, 3, 1, 0, 0x39 },
		{ 3, 1, 1, 1, 0x6f }, { 3, 1, 1, 1, 0x7f }, { 3, 2, 1, 0, 0x18 },
		{ 3, 3, 1, 0, 0x25 },
	};
	static const struct bytes prefixes[] = {
		{ 0 }, B(0x67), B(0x64), B(0x65), B(0x65, 0x67), B(0x2e),
	};
	int i, p, rxb, modrm, sib, at, start;

	form.long_mode = long_mode;
	for (i = 0; i < ARRAY_SIZE(insns); i++)
		for (p = 0; p < ARRAY_SIZE(prefixes); p++)
			for (rxb = 0; rxb < (long_mode ? 8 : 1); rxb++) {
				at = append(0, prefixes[p].bytes, prefixes[p].nr);
				if (insns[i].encoding == 0) {
					if (insns[i].pp)
						form.bytes[at++] = 0x66;
					if (long_mode)
						form.bytes[at++] = 0x40 | insns[i].w << 3 | rxb;
					at = append(at, legacy_maps[insns[i].map].bytes,
						    legacy_maps[insns[i].map].nr);
				} else if (insns[i].encoding == 2) {
					form.bytes[at++] = 0xc4;
					form.bytes[at++] = ((~rxb & 7) << 5) | insns[i].map;
					form.bytes[at++] = insns[i].w << 7 | 0x78 | insns[i].pp;
				} else {
					form.bytes[at++] = 0x62;
					form.bytes[at++] = ((~rxb & 7) << 5) | 0x10 | insns[i].map;
					form.bytes[at++] = insns[i].w << 7 | 0x7c | insns[i].pp;
					form.bytes[at++] = 0x28;
				}
				form.bytes[at++] = insns[i].op;
				start = at;
				for (modrm = 0; modrm < 256; modrm++) {
					form.bytes[start] = modrm;
					if ((modrm & 7) != 4 || modrm >= 0xc0) {
						finish(start + 1);
						continue;
					}
					/* reg does not matter to SIB but for bit offsets. */
					if ((modrm & 0x38) > 0x08)
						continue;
					for (sib = 0; sib < 256; sib++) {
						form.bytes[start + 1] = sib;
						finish(start + 2);
					}
				}
			}
}

/* What all_operands() cannot choose: ENTER's level, 3DNow!'s opcode. */
static void immediates(bool long_mode)
{
	int i;

	form.long_mode = long_mode;
	for (i = 0; i < 256; i++) {
		append(0, (u8[]){ 0xc8, 0x20, 0x00, i, 0x90, 0x90, 0x90, 0x90 }, 8);
		finish(8);
		append(0, (u8[]){ 0x66, 0xc8, 0x20, 0x00, i, 0x90, 0x90, 0x90 }, 8);
		finish(8);
		append(0, (u8[]){ 0x0f, 0x0f, 0x08, i, 0x90, 0x90, 0x90, 0x90 }, 8);
		finish(8);
		append(0, (u8[]){ 0x0f, 0x0f, 0x48, 0x12, i, 0x90, 0x90, 0x90 }, 8);
		finish(8);
		append(0, (u8[]){ 0x0f, 0x0f, 0xc8, i, 0x90, 0x90, 0x90, 0x90 }, 8);
		finish(8);
	}
}

/* Any prefixes in any order, before a few instructions. */
static void prefixes(bool long_mode)
{
	static const u8 all[] = { 0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x66, 0x67, 0xf0, 0xf2, 0xf3,
				  0x48, 0x41 };
	static const struct bytes insns[] = {
		B(0x8b, 0x03), B(0x01, 0x44), B(0xa5), B(0x0f, 0x10, 0x03), B(0x0f, 0x58, 0x43),
		B(0x50), B(0xa1), B(0x0f, 0xb1, 0x43), B(0x0f, 0x38, 0xf0, 0x03), B(0xd7),
		B(0x0f, 0xb8, 0x04), B(0xc3),
	};
	u64 random = 0x123456789abcdefULL;
	int i, k, nr, at;

	form.long_mode = long_mode;
	for (i = 0; i < 500000; i++) {
		random = random * 6364136223846793005ULL + 1442695040888963407ULL;
		nr = 2 + (random >> 60) % 6;
		for (at = 0, k = 0; k < nr; k++)
			form.bytes[at++] = all[(random >> (8 + 6 * k) & 63) %
					       (long_mode ? ARRAY_SIZE(all) : ARRAY_SIZE(all) - 2)];
		k = (random >> 52 & 0xff) % ARRAY_SIZE(insns);
		at = append(at, insns[k].bytes, insns[k].nr);
		finish(at);
	}
}

void enumerate(void)
{
	int mode;

	for (mode = 1; mode >= 0; mode--) {
		legacy(mode);
		vex(mode);
		evex(mode);
		addresses(mode);
		immediates(mode);
		prefixes(mode);
	}
}
