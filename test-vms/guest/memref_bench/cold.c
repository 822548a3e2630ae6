// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memref_bench cold: cost of memory that is mapped but not used.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench.h"

/*
 * Page tables for many GiB of addresses, in little memory: one file mapped
 * over and over.  A fault of it maps what surrounds it, as far as debugfs
 * allows.
 */
void map_cold(size_t size)
{
	const size_t part = 64ul << 20;
	int fd = memfd_create("cold", 0);
	volatile char *p;

	if (fd < 0 || ftruncate(fd, part))
		die("memfd");
	p = mmap(NULL, part, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		die("mmap");
	memset((void *)p, 1, part);
	munmap((void *)p, part);
	put("/sys/kernel/debug/fault_around_bytes", "%lu", HUGE_PAGE);
	for (size_t at = 0; at < size; at += part) {
		p = mmap(NULL, part, PROT_READ, MAP_SHARED, fd, 0);
		if (p == MAP_FAILED)
			die("mmap");
		for (size_t i = 0; i < part; i += HUGE_PAGE)
			(void)p[i];
	}
	close(fd);
}

static void cold_scan(const char *flush, const char *name)
{
	double insns[ROUNDS];
	unsigned char *hot = map(64ul << 20, true);

	put(TRACEFS "memref/flush", flush);
	memref_on(getpid());
	for (int i = 0; i < ROUNDS; i++) {
		use(hot, &(struct work){ (64ul << 20) / PAGE, 1, 1, false, false, PLAIN });
		put(TRACEFS "memref/scan", "1");
		insns[i] = scan_insns();
	}
	if (name)
		result(median(insns, ROUNDS), "%s", name);
	memref_off();
	munmap(hot, 64ul << 20);
}

void cold(void)
{
	static const unsigned long gib[] = { 0, 8, 64, 256, 1024 };
	unsigned long mapped = 0;
	char name[64];

	/* The first second after boot is not like those that follow. */
	sleep(2);
	cold_scan("1", NULL);
	for (size_t i = 0; i < sizeof(gib) / sizeof(*gib); i++) {
		map_cold((gib[i] - mapped) << 30);
		mapped = gib[i];
		snprintf(name, sizeof(name), "cold_%lug", gib[i]);
		cold_scan("1", name);
		result(last_scan("tables_cold"), "cold_%lug_tables_skipped", gib[i]);
		snprintf(name, sizeof(name), "cold_exact_%lug", gib[i]);
		cold_scan("2", name);
		result(number_in("/proc/self/status", "VmPTE:") / 1024.0, "cold_%lug_page_tables_mib",
		       gib[i]);
	}
}
