// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memref_bench: DAMON, as it is by default, or with a region for each page.  Of a
 * process it divides what is mapped by the number of regions there must be at least,
 * down to a page; of physical memory it is told the regions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

#define DAMON "/sys/kernel/mm/damon/admin/kdamonds/"

pid_t kdamond(void)
{
	return number_in(DAMON "0/pid", "");
}

#define REGIONS DAMON "0/contexts/0/targets/0/regions/"

static void put_region(unsigned long i, uint64_t start, uint64_t end)
{
	char path[256];

	snprintf(path, sizeof(path), REGIONS "%lu/start", i);
	put(path, "%llu", (unsigned long long)start);
	snprintf(path, sizeof(path), REGIONS "%lu/end", i);
	put(path, "%llu", (unsigned long long)end);
}

static int by_pfn(const void *a, const void *b)
{
	uint64_t x = **(uint64_t *const *)a, y = **(uint64_t *const *)b;

	return x < y ? -1 : x > y;
}

/* Of the target's frames, which it has from start_target() on, in their order. */
static const uint64_t *sorted[MAX_PAGES];

static void sort_frames(struct target *t)
{
	for (unsigned long i = 0; i < MAX_PAGES; i++)
		sorted[i] = &t->pfn[i];
	qsort(sorted, MAX_PAGES, sizeof(sorted[0]), by_pfn);
}

/* The largest part of RAM, as DAMON's own modules choose it. */
static void put_ram(void)
{
	unsigned long long start, end, first = 0, last = 0;
	char line[256];
	FILE *f = fopen("/proc/iomem", "r");

	while (f && fgets(line, sizeof(line), f))
		if (strstr(line, ": System RAM") && sscanf(line, "%llx-%llx", &start, &end) == 2 &&
		    end - start > last - first) {
			first = start;
			last = end;
		}
	if (f)
		fclose(f);
	if (!last)
		die("/proc/iomem");
	put(REGIONS "nr_regions", "1");
	put_region(0, first, last + 1);
}

void damon_on(struct target *t, const struct damon *d, unsigned int sample_us,
	      unsigned int aggr_us)
{
	const char *context = DAMON "0/contexts/0/";
	/* What is mapped is divided by it, and that is more than the target's memory. */
	unsigned long least = !d->exact ? 10 : d->physical ? MAX_PAGES : 4 * MAX_PAGES;
	char path[256];

#define AT(file) (snprintf(path, sizeof(path), "%s%s", context, file), path)
	put(DAMON "nr_kdamonds", "1");
	put(DAMON "0/contexts/nr_contexts", "1");
	put(AT("operations"), d->physical ? "paddr" : "vaddr");
	put(AT("monitoring_attrs/intervals/sample_us"), "%u", sample_us);
	put(AT("monitoring_attrs/intervals/aggr_us"), "%u", aggr_us);
	put(AT("monitoring_attrs/nr_regions/max"), "%lu", d->exact ? 8 * MAX_PAGES : 1000ul);
	put(AT("monitoring_attrs/nr_regions/min"), "%lu", least);
	put(AT("targets/nr_targets"), "1");
	if (!d->physical)
		put(AT("targets/0/pid_target"), "%d", t->pid);
	else
		sort_frames(t);
	if (d->physical && !d->exact)
		put_ram();
	if (d->physical && d->exact) {
		put(REGIONS "nr_regions", "%lu", MAX_PAGES);
		for (unsigned long i = 0; i < MAX_PAGES; i++)
			put_region(i, *sorted[i] * PAGE, (*sorted[i] + 1) * PAGE);
	}
	put(DAMON "0/state", "on");
#undef AT
}

void damon_off(void)
{
	put(DAMON "0/state", "off");
	put(DAMON "nr_kdamonds", "0");
}

/* The target's pages in a part of its address space, or of physical memory. */
static void mark(struct target *t, const struct damon *d, unsigned long start, unsigned long end,
		 struct found *f)
{
	unsigned long low = 0, high = MAX_PAGES;

	if (!d->physical) {
		for (; start < end; start += PAGE)
			if (start >= (uintptr_t)t->memory &&
			    start < (uintptr_t)t->memory + MAX_PAGES * PAGE)
				f->page[(start - (uintptr_t)t->memory) / PAGE] = 1;
		return;
	}
	while (low < high) {
		unsigned long middle = (low + high) / 2;

		if (*sorted[middle] * PAGE < start)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < MAX_PAGES && *sorted[low] * PAGE < end; low++)
		f->page[sorted[low] - t->pfn] = 1;
}

/* The regions of the last aggregation that is in the trace as a whole; false: none is. */
bool damon_found(struct target *t, const struct damon *d, struct found *f)
{
	unsigned long nr = 0, seen = 0, start, end;
	unsigned int accesses;
	struct found part = { .has_pages = true };
	char line[512];
	FILE *file = fopen(TRACEFS "trace", "r");
	bool any = false;

	if (!file)
		die("trace");
	while (fgets(line, sizeof(line), file)) {
		char *at = strstr(line, "nr_regions=");
		unsigned long regions;

		if (!at || sscanf(at, "nr_regions=%lu %lu-%lu: %u", &regions, &start, &end,
				  &accesses) != 4)
			continue;
		if (seen >= nr || regions != nr) {
			memset(part.page, 0, sizeof(part.page));
			seen = 0;
			nr = regions;
		}
		seen++;
		if (accesses)
			mark(t, d, start, end, &part);
		if (seen == nr) {
			*f = part;
			any = true;
		}
	}
	fclose(file);
	return any;
}
