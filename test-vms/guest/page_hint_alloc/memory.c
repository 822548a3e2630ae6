// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Reads the amount of free memory, and makes memory as fragmented as after long use. */
#include "alloc.h"

/* Sum of the numbers after a word at the start of a line. */
uint64_t number_in(const char *path, const char *word)
{
	char line[512];
	uint64_t sum = 0;
	FILE *f = fopen(path, "r");

	if (!f)
		die(path);
	while (fgets(line, sizeof(line), f)) {
		char *at = line + strspn(line, " ");

		if (!strncmp(at, word, strlen(word)) && at[strlen(word)] == ' ')
			sum += strtoull(at + strlen(word), NULL, 10);
	}
	fclose(f);
	return sum;
}

uint64_t free_pages(void)
{
	put_file("/proc/sys/vm/stat_refresh", "1");
	return number_in("/proc/zoneinfo", "nr_free_pages");
}

uint64_t low_pages(void)
{
	return number_in("/proc/zoneinfo", "low");
}

uint64_t total_pages(void)
{
	return number_in("/proc/zoneinfo", "managed");
}

/* Address space for small pages, as much as one likes. */
char *reserve(uint64_t pages)
{
	char *p = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		die("mmap");
	madvise(p, pages * PAGE, MADV_NOHUGEPAGE);
	return p;
}

/* Memory of which so many pages are free, each one where chance has it. */
char *age(uint64_t target_free, uint64_t *size)
{
	uint64_t n = 0, i, floor = low_pages() + total_pages() / 50, pages = total_pages();
	char *p = reserve(pages);
	uint64_t now_free = free_pages();

	while (now_free > floor) {
		uint64_t step = (now_free - floor) / 2 + 1;

		for (i = 0; i < step; i++, n++)
			p[n * PAGE] = 1;
		now_free = free_pages();
	}
	while (now_free < target_free) {
		uint64_t step = (target_free - now_free) / 2 + 1;

		for (i = 0; i < step; i++)
			madvise(p + rnd() % n * PAGE, PAGE, MADV_DONTNEED);
		now_free = free_pages();
	}
	*size = pages;
	return p;
}

/* Check that each zone's count of free pages matches its free lists. */
bool free_pages_match(void)
{
	uint64_t lists, counted = 0;
	unsigned int try;
	char line[512];

	for (try = 0; try < 20; try++) {
		FILE *f = fopen("/proc/buddyinfo", "r");

		lists = 0;
		while (f && fgets(line, sizeof(line), f)) {
			char *at = strstr(line, "zone"), *end;
			unsigned int order = 0;
			uint64_t n;

			/* "zone", and its name, right-justified in 8 columns */
			for (at = at ? at + 13 : line; ; at = end) {
				n = strtoull(at, &end, 10);
				if (end == at)
					break;
				lists += n << order++;
			}
		}
		if (f)
			fclose(f);
		counted = free_pages();
		if (lists == counted)
			return true;
		usleep(100000);
	}
	printf("# lists hold %llu pages, counted are %llu\n", (unsigned long long)lists,
	       (unsigned long long)counted);
	return false;
}
