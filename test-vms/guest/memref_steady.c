// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memref_steady: references the same pages at each request.  For each
 * character of standard input it does ROUNDS times: reference some pages, others in
 * each round, and end memref's interval; then it prints a line.  So intervals
 * of two recordings can be equal.  For an "a", all pages in each of ALL_ROUNDS.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096ul
#define PAGES 8192ul
#define ROUNDS 6
#define ALL_ROUNDS 13

static void round_of(volatile unsigned char *memory, unsigned int round)
{
	/* From all of it to one page in 243, a third of it written. */
	unsigned long stride = 1;

	for (unsigned int i = 1; i < round; i++)
		stride *= 3;
	for (unsigned long i = 0; i < PAGES; i += stride) {
		if (i < PAGES / 3)
			memory[i * PAGE] = round;
		else
			(void)memory[i * PAGE];
	}
}

int main(void)
{
	int scan = open("/sys/kernel/tracing/memref/scan", O_WRONLY);
	unsigned char *memory;
	char line;

	memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (scan < 0 || memory == MAP_FAILED) {
		perror("memref_steady");
		return 1;
	}
	madvise(memory, PAGES * PAGE, MADV_NOHUGEPAGE);
	while (read(0, &line, 1) == 1) {
		for (unsigned int round = 1; round <= (line == 'a' ? ALL_ROUNDS : ROUNDS); round++) {
			round_of(memory, line == 'a' ? 1 : round);
			if (write(scan, "1", 1) != 1) {
				perror("memref/scan");
				return 1;
			}
		}
		if (write(1, "\n", 1) != 1)
			return 1;
	}
	return 0;
}
