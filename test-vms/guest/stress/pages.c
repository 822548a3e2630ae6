// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * stress: data that a checksum of its position foretells, written and verified.
 */
#include "stress.h"

/* The expected word at an offset of a page in generation gen. */
static uint64_t word(uint64_t page, uint64_t gen, unsigned int i)
{
	uint64_t x = page * 0x9e3779b97f4a7c15ULL + gen * 0xbf58476d1ce4e5b9ULL + i;

	x ^= x >> 31;
	return x * 0x94d049bb133111ebULL;
}

void stress_fill(char *mem, uint64_t page, uint64_t gen)
{
	uint64_t *p = (uint64_t *)(mem + page * PAGE);
	unsigned int i;

	for (i = 0; i < PAGE / 8; i += 16)
		p[i] = word(page, gen, i);
}

void stress_check(const char *what, const char *mem, uint64_t page, uint64_t gen)
{
	const uint64_t *p = (const uint64_t *)(mem + page * PAGE);
	unsigned int i;

	for (i = 0; i < PAGE / 8; i += 16)
		if (p[i] != word(page, gen, i))
			stress_fail("%s: page %lu word %u is %lx, not %lx (generation %lu)",
				    what, page, i, p[i], word(page, gen, i), gen);
}

/* Rewrite and verify random pages of a mapping until the time is over. */
void stress_pages(const char *what, char *mem, uint64_t nr, uint8_t *gen,
		  void (*disturb)(char *mem, uint64_t nr, uint8_t *gen))
{
	uint64_t i;

	for (i = 0; i < nr; i++)
		stress_fill(mem, i, gen[i]);
	while (!stress_over()) {
		for (i = 0; i < 256; i++) {
			uint64_t page = stress_rnd() % nr;

			stress_check(what, mem, page, gen[page]);
			if (stress_rnd() & 1)
				stress_fill(mem, page, ++gen[page]);
		}
		if (disturb)
			disturb(mem, nr, gen);
	}
	for (i = 0; i < nr; i++)
		stress_check(what, mem, i, gen[i]);
}
