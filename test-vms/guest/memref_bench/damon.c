// SPDX-License-Identifier: GPL-2.0
/*
 * memref_bench: DAMON, as it is by default, or with a region for each page: it
 * divides what is mapped by the number of regions there must be at least, down
 * to a page.
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

void damon_on(struct target *t, bool exact, unsigned int sample_us, unsigned int aggr_us)
{
	const char *context = DAMON "0/contexts/0/";
	char path[256];

#define AT(file) (snprintf(path, sizeof(path), "%s%s", context, file), path)
	put(DAMON "nr_kdamonds", "1");
	put(DAMON "0/contexts/nr_contexts", "1");
	put(AT("operations"), "vaddr");
	put(AT("monitoring_attrs/intervals/sample_us"), "%u", sample_us);
	put(AT("monitoring_attrs/intervals/aggr_us"), "%u", aggr_us);
	put(AT("monitoring_attrs/nr_regions/max"), "%lu", exact ? 8 * MAX_PAGES : 1000ul);
	put(AT("monitoring_attrs/nr_regions/min"), "%lu", exact ? 4 * MAX_PAGES : 10ul);
	put(AT("targets/nr_targets"), "1");
	put(AT("targets/0/pid_target"), "%d", t->pid);
	put(DAMON "0/state", "on");
#undef AT
}

void damon_off(void)
{
	put(DAMON "0/state", "off");
	put(DAMON "nr_kdamonds", "0");
}

/* The regions of the last aggregation that is in the trace as a whole; false: none is. */
bool damon_found(struct target *t, struct found *f)
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
		for (; accesses && start < end; start += PAGE)
			if (start >= (uintptr_t)t->memory &&
			    start < (uintptr_t)t->memory + MAX_PAGES * PAGE)
				part.page[(start - (uintptr_t)t->memory) / PAGE] = 1;
		if (seen == nr) {
			*f = part;
			any = true;
		}
	}
	fclose(file);
	return any;
}
