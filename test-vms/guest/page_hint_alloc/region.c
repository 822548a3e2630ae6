// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The hints of the process, and what the kernel counts of them. */
#include "alloc.h"

int hints_fd;
struct page_hints_info info;

void hint(char *p, uint64_t pages, const char *strategy, const void *arg, size_t size)
{
	struct page_hints_set set = {
		.size = sizeof(set),
		.start = (uintptr_t)p,
		.end = (uintptr_t)p + pages * PAGE,
		.arg = (uintptr_t)arg,
		.arg_size = size,
	};

	strcpy(set.strategy, strategy);
	if (ioctl(hints_fd, PAGE_HINTS_SET, &set))
		die(strategy);
}

void unhint(char *p, uint64_t pages)
{
	struct page_hints_range range = {
		.size = sizeof(range),
		.start = (uintptr_t)p,
		.end = (uintptr_t)p + pages * PAGE,
	};

	if (ioctl(hints_fd, PAGE_HINTS_CLEAR, &range))
		die("CLEAR");
}

void show_stats(void)
{
	char line[128];
	FILE *f = fopen(DEBUG "stats", "r");

	if (!f)
		die(DEBUG "stats");
	printf("#");
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = 0;
		if (strcmp(strrchr(line, ' '), " 0"))
			printf(" %s;", line);
	}
	putchar('\n');
	fclose(f);
}
