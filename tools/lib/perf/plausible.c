// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Whether samples of memory accesses can be true. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "plausible.h"

/* Of fewer, a share means nothing. */
#define MIN_SAMPLES		100
#define MIN_LEVELS		1000
/*
 * What a program maps and unmaps between two looks of the recorder stays well below that; a
 * wrong field has nearly all of its addresses outside.
 */
#define MAX_UNMAPPED_PCT	5
/* The first page is never mapped (vm.mmap_min_addr), and what is not canonical faults. */
#define MAX_ODD_PCT		1
#define FIRST_PAGE		4096
#define ADDRESS_BITS		57
/*
 * A line has several words, and each program has a stack: of all accesses some find their data
 * in the L1.  All may be of the L1, or of memory if the recorder asked for a least latency.
 */
#define MAX_LEVEL_PCT		99
/* There is no other node. */
#define MAX_REMOTE_PCT		1

/** plausible_add() - add a sample */
void plausible_add(struct plausible *p, const struct plausible_sample *s)
{
	const int64_t sign = (int64_t)s->addr >> (ADDRESS_BITS - 1);

	p->samples++;
	p->odd += s->addr && (s->addr < FIRST_PAGE || (sign && sign != -1));
	p->mapped += s->mapping == MAPPING_FOUND;
	p->unmapped += s->mapping == MAPPING_NONE;
	p->remote += s->remote;
	p->known += s->level != 0;
	if (s->level < PLAUSIBLE_LEVELS && !s->memory)
		p->level[s->level]++;
	if (s->latency && s->level == 1) {
		p->l1.n++;
		p->l1.cycles += s->latency;
	} else if (s->latency && s->memory) {
		p->memory.n++;
		p->memory.cycles += s->latency;
	}
}

static bool above(uint64_t part, uint64_t all, unsigned int pct)
{
	return all && 100.0 * part / all > pct;
}

static __attribute__((format(printf, 3, 4))) void add(char *text, unsigned int size, const char *fmt, ...)
{
	size_t n = strlen(text);
	va_list args;

	if (n)
		n += snprintf(text + n, size - n, "; ");
	if (n >= size)
		return;
	va_start(args, fmt);
	vsnprintf(text + n, size - n, fmt, args);
	va_end(args);
}

/**
 * plausible_doubt() - what cannot be true of the samples
 * @p: the samples
 * @nodes: of the machine; 0: not known
 * @text: says it, in a line; "" if there is nothing
 * @size: of @text
 *
 * Return: whether there is something.
 */
bool plausible_doubt(const struct plausible *p, int nodes, char *text, unsigned int size)
{
	const uint64_t looked = p->mapped + p->unmapped;
	unsigned int i;

	*text = '\0';
	if (p->samples >= MIN_SAMPLES && above(p->odd, p->samples, MAX_ODD_PCT))
		add(text, size, "%.0f %% of the addresses are none that a program can access",
		    100.0 * p->odd / p->samples);
	if (looked >= MIN_SAMPLES && above(p->unmapped, looked, MAX_UNMAPPED_PCT))
		add(text, size, "%.0f %% of the addresses are outside of any mapping",
		    100.0 * p->unmapped / looked);
	for (i = 2; i < PLAUSIBLE_LEVELS && p->known >= MIN_LEVELS; i++)
		if (above(p->level[i], p->known, MAX_LEVEL_PCT))
			add(text, size, "%.1f %% of the accesses found their data in the same cache, and it is not the L1",
			    100.0 * p->level[i] / p->known);
	if (nodes == 1 && p->samples >= MIN_SAMPLES && above(p->remote, p->samples, MAX_REMOTE_PCT))
		add(text, size, "%.0f %% of the accesses are remote, on a machine with one node",
		    100.0 * p->remote / p->samples);
	if (p->l1.n >= MIN_SAMPLES && p->memory.n >= MIN_SAMPLES &&
	    (double)p->l1.cycles / p->l1.n > (double)p->memory.cycles / p->memory.n)
		add(text, size, "the L1 is slower (%.0f cycles) than memory (%.0f)",
		    (double)p->l1.cycles / p->l1.n, (double)p->memory.cycles / p->memory.n);
	return *text;
}
