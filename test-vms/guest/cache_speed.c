// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * cache_speed mark|quiet hits|misses|sort ROUNDS: work for measuring what the
 * oracle costs, in a phase if marked.  A round is 2^20 reads in 16 KiB, 2^20 reads
 * of lines in random order in 192 KiB, or qsort() of 2^14 numbers.
 */
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mark.h"

#define READS (1 << 20)
#define LINES ((192 << 10) / 64)
#define NUMBERS (1 << 14)

struct line {
	struct line *next;
	char rest[56];
};

static volatile uint64_t sink;
static uint64_t small[16384 / 8];
static struct line big[LINES] __attribute__((aligned(64)));
static int numbers[NUMBERS];
static uint32_t seed = 1;

static uint32_t next_random(void)
{
	seed = seed * 1664525 + 1013904223;
	return seed >> 8;
}

static void hits(void)
{
	uint64_t sum = 0;

	for (int n = 0; n < READS; n += 2048) {
		for (int i = 0; i < 2048; i++)
			sum += *(volatile uint64_t *)&small[i];
	}
	sink = sum;
}

/* One cycle through all lines (Sattolo). */
static void link_lines(void)
{
	static uint32_t order[LINES];

	for (int i = 0; i < LINES; i++)
		order[i] = i;
	for (int i = LINES - 1; i > 0; i--) {
		int j = next_random() % i;
		uint32_t t = order[i];

		order[i] = order[j];
		order[j] = t;
	}
	for (int i = 0; i < LINES; i++)
		big[order[i]].next = &big[order[(i + 1) % LINES]];
}

static void misses(void)
{
	struct line *l = big;

	for (int n = 0; n < READS; n++)
		l = *(struct line *volatile *)&l->next;
	sink = (uintptr_t)l;
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void sort(void)
{
	for (int i = 0; i < NUMBERS; i++)
		numbers[i] = next_random();
	qsort(numbers, NUMBERS, sizeof(numbers[0]), compare);
}

int main(int argc, char **argv)
{
	int mark = argc == 4 && !strcmp(argv[1], "mark");
	void (*work)(void) = NULL;

	if (argc == 4 && !strcmp(argv[2], "hits"))
		work = hits;
	else if (argc == 4 && !strcmp(argv[2], "misses"))
		work = misses;
	else if (argc == 4 && !strcmp(argv[2], "sort"))
		work = sort;
	if (!work || (!mark && strcmp(argv[1], "quiet"))) {
		fputs("usage: cache_speed mark|quiet hits|misses|sort ROUNDS\n", stderr);
		return 2;
	}
	link_lines();
	if (mark) {
		oracle_mark(ORACLE_CODE_START);
		sched_yield();
		oracle_phase_begin();
	}
	for (int n = atoi(argv[3]); n > 0; n--)
		work();
	if (mark) {
		oracle_phase_end();
		oracle_mark(ORACLE_CODE_STOP);
	}
	return 0;
}
