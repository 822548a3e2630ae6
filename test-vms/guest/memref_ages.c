// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memref_ages FILE: runs workloads that reference some of their pages in each interval, with
 * marks for the oracle around each harvest, and writes the idle ages that memref reports of them.
 * memref_ages cost: instructions of a harvest and of the update of the ages (under icount).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ages.h"
#include "lib/mark.h"

#define TRACEFS "/sys/kernel/tracing/"
#define PAGE 4096ul
#define PAGES 2048ul
#define INTERVALS 10
#define COST_PAGES 32768ul
#define COST_ROUNDS 5

enum how { TOUCH, WRITE, READ_FILE };

/* Which of the pages an interval references: page i if chosen(i, interval). */
struct work {
	const char *name;
	bool (*chosen)(unsigned long i, unsigned int interval);
	enum how how;
	bool file;		/* pages of a file, mapped; else anonymous ones */
	unsigned int remap;	/* map them anew every so many intervals */
};

static int scan_fd, ages_fd, pagemap_fd, file, out;

static void die(const char *what)
{
	fprintf(stderr, "memref_ages: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int open_file(const char *path, int flags)
{
	int fd = open(path, flags, 0644);

	if (fd < 0)
		die(path);
	return fd;
}

static void write_file(const char *name, const char *value)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), TRACEFS "%s", name);
	fd = open_file(path, O_WRONLY);
	if (write(fd, value, strlen(value)) < 0)
		die(path);
	close(fd);
}

static void write_out(const void *data, size_t size)
{
	if (write(out, data, size) != (ssize_t)size)
		die("output");
}

/* A number that depends on both, the same in each run. */
static unsigned int mix(unsigned long i, unsigned int interval)
{
	uint64_t x = (i << 20 | interval) * 0x9e3779b97f4a7c15ull;

	x ^= x >> 29;
	x *= 0xbf58476d1ce4e5b9ull;
	return x >> 40;
}

static bool every_eighth(unsigned long i, unsigned int interval)
{
	return !(interval % (i % 8 + 1));
}

static bool some(unsigned long i, unsigned int interval)
{
	return mix(i, interval) % 4 == 0;
}

static bool few(unsigned long i, unsigned int interval)
{
	return mix(i, interval) % 64 == 0;
}

/* A window that moves through the memory. */
static bool moving(unsigned long i, unsigned int interval)
{
	return i / (PAGES / 8) == interval % 8;
}

static bool all(unsigned long i, unsigned int interval)
{
	return true;
}

static bool first_half(unsigned long i, unsigned int interval)
{
	return i < PAGES / 2 || !interval;
}

static const struct work works[] = {
	{ .name = "periods", .chosen = every_eighth },
	{ .name = "random", .chosen = some },
	{ .name = "sparse", .chosen = few },
	{ .name = "moving", .chosen = moving },
	{ .name = "written", .chosen = some, .how = WRITE },
	{ .name = "half", .chosen = first_half, .how = WRITE },
	{ .name = "remapped", .chosen = all, .how = WRITE, .remap = 3 },
	{ .name = "mapped-file", .chosen = some, .file = true },
	{ .name = "read-file", .chosen = some, .how = READ_FILE, .file = true },
};

static unsigned char *map_memory(const struct work *w)
{
	unsigned char *p = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
				w->file ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS,
				w->file ? file : -1, 0);

	if (p == MAP_FAILED)
		die("mmap");
	/* A kernel without huge pages refuses the advice. */
	if (!w->file && madvise(p, PAGES * PAGE, MADV_NOHUGEPAGE) && errno != EINVAL)
		die("madvise");
	return p;
}

static void reference(const struct work *w, unsigned char *memory, unsigned int interval)
{
	static char buf[PAGE] __attribute__((aligned(PAGE)));

	for (unsigned long i = 0; i < PAGES; i++) {
		volatile unsigned char *byte = memory + i * PAGE;

		if (interval && !w->chosen(i, interval))
			continue;
		if (w->how == WRITE || (!interval && !w->file))
			*byte = i;
		else if (w->how == TOUCH || !interval)
			(void)*byte;
		else if (pread(file, buf, PAGE, i * PAGE) != (ssize_t)PAGE)
			die("file");
	}
}

static void read_ages(const unsigned char *memory, const struct work *w, bool first)
{
	static uint64_t entries[PAGES];
	static struct ages_page pages[PAGES];
	struct ages_scan scan = { .magic = AGES_MAGIC, .first = first, .kernel = w->how == READ_FILE };
	unsigned char age;

	snprintf(scan.work, sizeof(scan.work), "%s", w->name);
	if (pread(pagemap_fd, entries, sizeof(entries), (uintptr_t)memory / PAGE * 8) !=
	    (ssize_t)sizeof(entries))
		die("pagemap");
	for (unsigned long i = 0; i < PAGES; i++) {
		uint64_t pfn = entries[i] & ((1ull << 55) - 1);

		if (!(entries[i] >> 63))
			continue;
		if (pread(ages_fd, &age, 1, pfn) != 1)
			die("page_ages");
		pages[scan.nr_pages++] = (struct ages_page){ pfn, age };
	}
	write_out(&scan, sizeof(scan));
	write_out(pages, scan.nr_pages * sizeof(pages[0]));
}

static void harvest(void)
{
	oracle_mark(MARK_SCAN_BEGIN);
	if (write(scan_fd, "1", 1) != 1)
		die("memref/scan");
	oracle_mark(MARK_SCAN_END);
}

static void run(const struct work *w)
{
	unsigned char *memory = map_memory(w);

	for (unsigned int i = 0; i < INTERVALS; i++) {
		if (w->remap && i && i % w->remap == 0) {
			munmap(memory, PAGES * PAGE);
			memory = map_memory(w);
		}
		reference(w, memory, i);
		harvest();
		read_ages(memory, w, !i);
	}
	munmap(memory, PAGES * PAGE);
}

static void start(void)
{
	write_file("memref/interval_ms", "0");
	write_file("memref/kernel", "off");
	write_file("memref/ages", "1");
	write_file("events/memref/memref_scan/enable", "1");
	scan_fd = open_file(TRACEFS "memref/scan", O_WRONLY);
	ages_fd = open_file(TRACEFS "memref/page_ages", O_RDONLY);
	pagemap_fd = open_file("/proc/self/pagemap", O_RDONLY);
	file = memfd_create("file", 0);
	if (file < 0 || ftruncate(file, PAGES * PAGE))
		die("memfd_create");
}

/* The first harvest classifies all of memory, the others are alike. */
static void cost(const char *name, bool (*chosen)(unsigned long, unsigned int))
{
	unsigned char *p = mmap(NULL, COST_PAGES * PAGE, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned long long harvest_ns, ages_ns;
	char line[256];
	FILE *f;

	if (p == MAP_FAILED || (madvise(p, COST_PAGES * PAGE, MADV_NOHUGEPAGE) && errno != EINVAL))
		die("memory");
	memset(p, 1, COST_PAGES * PAGE);
	for (unsigned int n = 0; n < COST_ROUNDS; n++) {
		for (unsigned long i = 0; i < COST_PAGES; i++)
			if (chosen(i, n))
				(void)*(volatile unsigned char *)(p + i * PAGE);
		harvest();
		f = fopen(TRACEFS "memref/age_histograms", "r");
		if (!f || !fgets(line, sizeof(line), f) || !strstr(line, "harvest_ns=") ||
		    sscanf(strstr(line, "harvest_ns="), "harvest_ns=%llu ages_ns=%llu",
			   &harvest_ns, &ages_ns) != 2)
			die("age_histograms");
		fclose(f);
		printf("%s %u %llu %llu\n", name, n, harvest_ns, ages_ns);
	}
	munmap(p, COST_PAGES * PAGE);
}

static bool none(unsigned long i, unsigned int interval)
{
	return false;
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	start();
	if (!strcmp(argv[1], "cost")) {
		write_file("memref/kernel", "auto");
		cost("dense", all);
		cost("random", some);
		cost("sparse", few);
		cost("idle", none);
	} else {
		out = open_file(argv[1], O_WRONLY | O_CREAT | O_TRUNC);
		oracle_mark(ORACLE_CODE_START);
		sched_yield();
		for (size_t i = 0; i < sizeof(works) / sizeof(works[0]); i++)
			run(&works[i]);
		oracle_mark(ORACLE_CODE_STOP);
	}
	write_file("events/memref/memref_scan/enable", "0");
	write_file("memref/ages", "0");
	return out && close(out) ? 1 : 0;
}
