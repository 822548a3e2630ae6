// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Measures the share of pages that get a frame as hinted. */
#include "alloc.h"
#include "pagemap.h"

/* Return whether the page has a color of the set, or without a set, that of its address. */
static bool hit(const char *p, uint64_t set)
{
	unsigned int c = page_color(&info, pfn_of(p));

	return set ? set >> c & 1 : c == page_color(&info, (uintptr_t)p / PAGE);
}

static double touch_and_count(char *p, uint64_t first, uint64_t end, uint64_t set)
{
	uint64_t i, hits = 0;

	for (i = first; i < end; i++)
		p[i * PAGE] = 1;
	for (i = first; i < end; i++)
		hits += hit(p + i * PAGE, set);
	return 100.0 * hits / (end - first);
}

static double rate_of(uint64_t pages, const char *strategy)
{
	char *p = reserve(pages);
	double rate;

	if (strategy)
		hint(p, pages, strategy, NULL, 0);
	rate = touch_and_count(p, 0, pages, 0);
	if (strategy)
		unhint(p, pages);
	munmap(p, pages * PAGE);
	return rate;
}

void part_fresh(void)
{
	uint64_t pages = free_pages() / 2;
	double def = rate_of(pages, NULL), rate;

	rate = rate_of(pages, "coloring");
	ok(rate >= 99.9, "coloring, fresh: %.3f %% of %llu pages (default: %.1f %%)", rate,
	      (unsigned long long)pages, def);
	show_stats();
}

void part_aged(void)
{
	uint64_t low = low_pages(), total = total_pages(), size, pages, i, left, migrated;
	char *aged = age(total * 60 / 100, &size), *p;
	double rate, least = 100;

	printf("# total %llu low %llu free %llu\n", (unsigned long long)total,
	       (unsigned long long)low, (unsigned long long)free_pages());
	printf("# default: %.1f %%\n", rate_of(1000, NULL));
	pages = free_pages() - low - total / 10;
	migrated = number_in("/proc/vmstat", "pgmigrate_success");
	p = reserve(pages);
	hint(p, pages, "coloring", NULL, 0);
	for (i = 0; i < 10; i++) {
		rate = touch_and_count(p, pages * i / 10, pages * (i + 1) / 10, 0);
		left = free_pages();
		printf("# %.1f %% of memory free: %.3f %%\n", 100.0 * left / total, rate);
		if (rate < least)
			least = rate;
	}
	show_stats();
	printf("# pages migrated by others: %llu\n",
	       (unsigned long long)(number_in("/proc/vmstat", "pgmigrate_success") - migrated));
	ok(least >= 99, "coloring, aged: least %.3f %% of a tenth of %llu pages", least,
	      (unsigned long long)pages);
	unhint(p, pages);
	munmap(p, pages * PAGE);
	munmap(aged, size * PAGE);
}

void part_partition(void)
{
	uint64_t set = 0x03c003c0, size, supply = 0, pages, i;
	char *aged = age(total_pages() * 50 / 100, &size), *p, line[64];
	double rate, least = 100;
	FILE *f;

	f = fopen(DEBUG "colors", "r");
	if (!f)
		die(DEBUG "colors");
	while (fgets(line, sizeof(line), f)) {
		unsigned int c;
		unsigned long long n;

		if (sscanf(line, "%u %llu", &c, &n) == 2 && set >> c & 1)
			supply += n;
	}
	fclose(f);
	pages = supply * 9 / 10;
	p = reserve(pages);
	hint(p, pages, "partition", &set, sizeof(set));
	for (i = 0; i < 10; i++) {
		rate = touch_and_count(p, pages * i / 10, pages * (i + 1) / 10, set);
		printf("# %llu %% of the supply used: %.3f %%\n", (unsigned long long)(i + 1) * 9,
		       rate);
		if (rate < least)
			least = rate;
	}
	show_stats();
	ok(least >= 95, "partition 8 of 32, 90 %% of %llu pages used: least %.3f %%",
	      (unsigned long long)supply, least);
	unhint(p, pages);
	munmap(p, pages * PAGE);
	munmap(aged, size * PAGE);
}
