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
#include <sys/wait.h>
#include <unistd.h>

#include "ages.h"
#include "lib/mark.h"

#define TRACEFS "/sys/kernel/tracing/"
#define HUGE_ENABLED "/sys/kernel/mm/transparent_hugepage/enabled"
#define PAGE 4096ul
#define PAGES 2048ul
#define INTERVALS 10
#define HUGE_PAGES 512ul
#define COST_PAGES 32768ul
#define COST_ROUNDS 5

/* By instructions of the program, by system calls on the file that is mapped, or by ones on the memory. */
enum how { TOUCH, WRITE, READ_FILE, WRITE_FILE, READ_INTO };

/* What else happens in each interval. */
enum event {
	NOTHING,
	REMAP,		/* every third: the memory is mapped anew */
	MOVE,		/* it is mapped elsewhere */
	PROTECT,	/* after the references: nobody may access it until the next interval */
	FORK,		/* before the references: a child has copies of it, until the next interval */
};

/* Which of the pages an interval references: page i if chosen(i, interval). */
struct work {
	const char *name;
	bool (*chosen)(unsigned long i, unsigned int interval);
	enum how how;
	enum event event;
	bool file;		/* pages of a file, mapped; else anonymous ones */
	bool huge;		/* huge pages, if the kernel has them */
	bool child;		/* a child references them, after the first interval */
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

static void write_path(const char *path, const char *value)
{
	int fd = open_file(path, O_WRONLY);

	if (write(fd, value, strlen(value)) < 0)
		die(path);
	close(fd);
}

static void write_file(const char *name, const char *value)
{
	char path[128];

	snprintf(path, sizeof(path), TRACEFS "%s", name);
	write_path(path, value);
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

/* The first of them often, the last almost never. */
static bool skewed(unsigned long i, unsigned int interval)
{
	return mix(i, interval) % (1 + i / 128) == 0;
}

static bool strided(unsigned long i, unsigned int interval)
{
	return i % 7 == interval % 7;
}

static bool growing(unsigned long i, unsigned int interval)
{
	return i < PAGES / INTERVALS * (interval + 1);
}

static bool bursts(unsigned long i, unsigned int interval)
{
	return interval % 5 == 0 && i % 2;
}

/* Huge pages as wholes, the last one of four never. */
static bool huge_periods(unsigned long i, unsigned int interval)
{
	return i / HUGE_PAGES < 3 && interval % (i / HUGE_PAGES + 1) == 0;
}

static const struct work works[] = {
	{ .name = "periods", .chosen = every_eighth },
	{ .name = "random", .chosen = some },
	{ .name = "sparse", .chosen = few },
	{ .name = "moving", .chosen = moving },
	{ .name = "written", .chosen = some, .how = WRITE },
	{ .name = "half", .chosen = first_half, .how = WRITE },
	{ .name = "remapped", .chosen = all, .how = WRITE, .event = REMAP },
	{ .name = "mapped-file", .chosen = some, .file = true },
	{ .name = "read-file", .chosen = some, .how = READ_FILE, .file = true },
	{ .name = "skewed", .chosen = skewed },
	{ .name = "strided", .chosen = strided, .how = WRITE },
	{ .name = "growing", .chosen = growing },
	{ .name = "bursts", .chosen = bursts },
	{ .name = "huge", .chosen = huge_periods, .huge = true },
	{ .name = "written-file", .chosen = some, .how = WRITE_FILE, .file = true },
	{ .name = "read-into", .chosen = few, .how = READ_INTO },
	{ .name = "moved", .chosen = some, .event = MOVE },
	{ .name = "protected", .chosen = some, .how = WRITE, .event = PROTECT },
	{ .name = "forked", .chosen = few, .how = WRITE, .event = FORK },
	{ .name = "shared", .chosen = every_eighth, .file = true, .child = true },
};

/* Any place that huge pages fit in. */
static unsigned char *map_memory(const struct work *w)
{
	const unsigned long bytes = PAGES * PAGE, huge = HUGE_PAGES * PAGE;
	unsigned long head;
	unsigned char *p = mmap(NULL, bytes + huge, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		die("mmap");
	head = -(uintptr_t)p & (huge - 1);
	if ((head && munmap(p, head)) || munmap(p + head + bytes, huge - head))
		die("munmap");
	p = mmap(p + head, bytes, PROT_READ | PROT_WRITE, MAP_FIXED | (w->file ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS),
		 w->file ? file : -1, 0);
	if (p == MAP_FAILED)
		die("mmap");
	/* A kernel without huge pages refuses the advice. */
	if (!w->file && madvise(p, bytes, w->huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE) && errno != EINVAL)
		die("madvise");
	return p;
}

static void reference(const struct work *w, unsigned char *memory, unsigned int interval)
{
	static char buf[PAGE] __attribute__((aligned(PAGE)));
	bool done = true;

	for (unsigned long i = 0; i < PAGES; i++) {
		volatile unsigned char *byte = memory + i * PAGE;

		if (interval && !w->chosen(i, interval))
			continue;
		if (w->how == WRITE || (!interval && !w->file))
			*byte = i;
		else if (w->how == TOUCH || !interval)
			(void)*byte;
		else if (w->how == READ_FILE)
			done &= pread(file, buf, PAGE, i * PAGE) == (ssize_t)PAGE;
		else if (w->how == WRITE_FILE)
			done &= pwrite(file, buf, PAGE, i * PAGE) == (ssize_t)PAGE;
		else
			done &= pread(file, memory + i * PAGE, PAGE, 0) == (ssize_t)PAGE;
	}
	if (!done)
		die("file");
}

/* A process that references the memory when a byte comes, and answers; or only waits. */
struct child {
	pid_t pid;
	int to, from;
};

static struct child begin_child(const struct work *w, unsigned char *memory)
{
	int to[2], from[2];
	struct child c;
	char interval;

	if (pipe(to) || pipe(from))
		die("pipe");
	c = (struct child){ .pid = fork(), .to = to[1], .from = from[0] };
	if (c.pid < 0)
		die("fork");
	if (!c.pid) {
		close(to[1]);
		while (read(to[0], &interval, 1) == 1) {
			reference(w, memory, interval);
			if (write(from[1], "", 1) != 1)
				break;
		}
		_exit(0);
	}
	close(to[0]);
	close(from[1]);
	return c;
}

static void reference_in(const struct child *c, unsigned int interval)
{
	char byte = interval;

	if (write(c->to, &byte, 1) != 1 || read(c->from, &byte, 1) != 1)
		die("child");
}

static void end_child(struct child *c)
{
	if (!c->pid)
		return;
	close(c->to);
	close(c->from);
	waitpid(c->pid, NULL, 0);
	c->pid = 0;
}

static void read_ages(const unsigned char *memory, const struct work *w, bool first)
{
	static uint64_t entries[PAGES];
	static struct ages_page pages[PAGES];
	struct ages_scan scan = { .magic = AGES_MAGIC, .first = first,
		.kernel_reads = w->how == READ_FILE, .kernel_writes = w->how == WRITE_FILE };
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

static void print_huge(void)
{
	FILE *f = fopen("/proc/self/smaps_rollup", "r");
	unsigned long kib = 0;
	char line[256];

	while (f && fgets(line, sizeof(line), f) && sscanf(line, "AnonHugePages: %lu kB", &kib) != 1)
		;
	printf("huge %lu KiB\n", kib);
	if (f)
		fclose(f);
}

static void harvest(void)
{
	oracle_mark(MARK_SCAN_BEGIN);
	if (write(scan_fd, "1", 1) != 1)
		die("memref/scan");
	oracle_mark(MARK_SCAN_END);
}

/* Returns where the memory is then. */
static unsigned char *before_references(const struct work *w, unsigned char *memory, unsigned int interval,
					struct child *child)
{
	const unsigned long bytes = PAGES * PAGE;
	unsigned char *to;

	switch (w->event) {
	case REMAP:
		if (interval % 3)
			return memory;
		munmap(memory, bytes);
		return map_memory(w);
	case MOVE:
		to = map_memory(w);
		if (mremap(memory, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) != to)
			die("mremap");
		return to;
	case PROTECT:
		if (mprotect(memory, bytes, PROT_READ | PROT_WRITE))
			die("mprotect");
		return memory;
	case FORK:
		end_child(child);
		*child = begin_child(w, memory);
		return memory;
	case NOTHING:
		break;
	}
	return memory;
}

static void run(const struct work *w)
{
	unsigned char *memory = map_memory(w);
	struct child child = { 0 };

	for (unsigned int i = 0; i < INTERVALS; i++) {
		if (i)
			memory = before_references(w, memory, i, &child);
		if (w->child && i == 1)
			child = begin_child(w, memory);
		if (w->child && i)
			reference_in(&child, i);
		else
			reference(w, memory, i);
		if (w->huge && !i)
			print_huge();
		if (w->event == PROTECT && mprotect(memory, PAGES * PAGE, PROT_NONE))
			die("mprotect");
		harvest();
		read_ages(memory, w, !i);
	}
	end_child(&child);
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
	/* With less than 512 MiB of memory there are none. */
	if (!access(HUGE_ENABLED, F_OK))
		write_path(HUGE_ENABLED, "madvise");
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
