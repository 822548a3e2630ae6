// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * hot_cold HOT LOOP COLD ROUNDS MS [STAT]: references anonymous memory of known parts, in MiB:
 * HOT in each round, an eighth of LOOP, COLD before the first only; MS ms between rounds.
 * STAT is the memory.stat of its control group: its refaults after half of the rounds and at
 * the end are printed, with the time between, and its kernel memory.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PAGE	4096
#define PARTS	8

struct area {
	char *memory;
	size_t pages;
};

static void area_map(struct area *a, const char *mib)
{
	a->pages = strtoul(mib, NULL, 10) * 256;
	/* A page more, because a length of 0 is none. */
	a->memory = mmap(NULL, (a->pages + 1) * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	/* EINVAL: this kernel has no huge pages. */
	if (a->memory == MAP_FAILED ||
	    (madvise(a->memory, (a->pages + 1) * PAGE, MADV_NOHUGEPAGE) && errno != EINVAL)) {
		perror("hot_cold: mmap");
		exit(1);
	}
}

/* The contents of pages differ, or a compressed swap would not have them. */
static void touch(struct area *a, size_t from, size_t to, unsigned int round)
{
	size_t i;

	for (i = from; i < to; i++) {
		volatile size_t *word = (volatile size_t *)(a->memory + i * PAGE);

		word[round % 16] = i * 2654435761u + round;
	}
}

static unsigned long long stat_of(const char *path, const char *key)
{
	const size_t n = strlen(key);
	unsigned long long sum = 0;
	char line[256];
	FILE *f = path ? fopen(path, "r") : NULL;

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, key, n))
			sum += strtoull(strchr(line, ' '), NULL, 10);
	if (f)
		fclose(f);
	return sum;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	unsigned long long refaults = 0;
	struct area hot, loop, cold;
	unsigned int rounds, round, ms;
	double begin = 0;
	const char *stat;

	if (argc < 6) {
		fprintf(stderr, "usage: hot_cold HOT LOOP COLD ROUNDS MS [STAT]\n");
		return 2;
	}
	area_map(&hot, argv[1]);
	area_map(&loop, argv[2]);
	area_map(&cold, argv[3]);
	rounds = strtoul(argv[4], NULL, 10);
	ms = strtoul(argv[5], NULL, 10);
	stat = argv[6];
	touch(&loop, 0, loop.pages, 0);
	touch(&cold, 0, cold.pages, 0);
	for (round = 0; round < rounds; round++) {
		const size_t part = loop.pages / PARTS, first = round % PARTS * part;

		if (round == rounds / 2) {
			refaults = stat_of(stat, "workingset_refault_");
			begin = now();
		}
		touch(&hot, 0, hot.pages, round);
		touch(&loop, first, first + part, round);
		usleep(ms * 1000);
	}
	printf("refaults %llu seconds %.3f kernel %llu\n", stat_of(stat, "workingset_refault_") - refaults,
	       now() - begin, stat_of(stat, "kernel "));
	return 0;
}
