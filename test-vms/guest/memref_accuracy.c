// SPDX-License-Identifier: GPL-2.0
/* memref_accuracy FILE: runs working sets of known kinds under memref, with
 * marks for the oracle around each harvest, and writes what memref reported.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "accuracy.h"
#include "mark.h"

#define TRACEFS "/sys/kernel/tracing/"
#define PAGE 4096ul
#define CPU 1
#define MAX_PAGES 65536ul
#define NEIGHBOR_PAGES 64ul
/* Accesses in a run, at least: some ticks long, so that the neighbor gets in. */
#define RUN_ACCESSES 400000ul
#define WARM_UPS 1
#define SCORED 3

enum work { READ, WRITE, FILE_READ, FILE_WRITE };

static const char *const work_names[] = { "read", "write", "file-read", "file-write" };
static const char *const bitmap_names[] = { "bitmap_user", "bitmap_kernel", "bitmap_page_cache" };

static unsigned char *memory;
static int file, out, scan_fd, bitmap_fd[ACCURACY_NR_BITMAPS];
static size_t bitmap_size;
static char *saved;	/* the scans of one cell, until its end */
static unsigned int nr_saved;

static void die(const char *what)
{
	fprintf(stderr, "memref_accuracy: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void write_file(const char *name, const char *value)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), TRACEFS "%s", name);
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, value, strlen(value)) < 0)
		die(path);
	close(fd);
}

static void pin(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(CPU, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
}

static void touch(unsigned char *p, unsigned long nr_pages, bool write)
{
	for (unsigned long i = 0; i < nr_pages; i++) {
		volatile unsigned char *byte = p + i * PAGE + i % PAGE;

		if (write)
			*byte = i;
		else
			(void)*byte;
	}
}

/* Through the kernel's own map: a page of the caller's, all of the file's. */
static void copy_file(unsigned long nr_pages, bool write)
{
	static char buf[PAGE] __attribute__((aligned(PAGE)));

	for (unsigned long i = 0; i < nr_pages; i++) {
		ssize_t n = write ? pwrite(file, buf, PAGE, i * PAGE) :
				    pread(file, buf, PAGE, i * PAGE);

		if (n != (ssize_t)PAGE)
			die("file");
	}
}

static void run(enum work work, unsigned long nr_pages)
{
	unsigned long passes = RUN_ACCESSES / nr_pages;

	if (work == FILE_READ || work == FILE_WRITE)
		passes = 1;
	for (passes = passes > 2 ? passes : 2; passes; passes--) {
		if (work == READ || work == WRITE)
			touch(memory, nr_pages, work == WRITE);
		else
			copy_file(nr_pages, work == FILE_WRITE);
	}
}

static pid_t start_neighbor(void)
{
	pid_t pid = fork();
	unsigned char *p;

	if (pid < 0)
		die("fork");
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	p = mmap(NULL, NEIGHBOR_PAGES * PAGE, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (p == MAP_FAILED)
		die("mmap");
	for (;;)
		touch(p, NEIGHBOR_PAGES, true);
}

static void harvest(const struct accuracy_scan *scan)
{
	char *p = saved + nr_saved++ * (sizeof(*scan) + ACCURACY_NR_BITMAPS * bitmap_size);

	oracle_mark(MARK_SCAN_BEGIN);
	if (write(scan_fd, "1", 1) != 1)
		die("memref/scan");
	oracle_mark(MARK_SCAN_END);
	memcpy(p, scan, sizeof(*scan));
	p += sizeof(*scan);
	for (int i = 0; i < ACCURACY_NR_BITMAPS; i++, p += bitmap_size) {
		/* One call a bitmap; the next harvest waits for us anyway. */
		if (pread(bitmap_fd[i], p, bitmap_size, 0) != (ssize_t)bitmap_size)
			die(bitmap_names[i]);
	}
}

static void write_saved(void)
{
	size_t left = nr_saved * (sizeof(struct accuracy_scan) + ACCURACY_NR_BITMAPS * bitmap_size);

	for (char *p = saved; left;) {
		ssize_t n = write(out, p, left);

		if (n <= 0)
			die("output");
		p += n;
		left -= n;
	}
	nr_saved = 0;
}

static void cell(enum work work, unsigned long nr_pages, bool neighbor, bool flush)
{
	struct accuracy_scan scan = { .flush = flush };
	pid_t pid = 0;

	snprintf(scan.cell, sizeof(scan.cell), "%s %lu pages, %s%s", work_names[work], nr_pages,
		 neighbor ? "neighbor" : "alone", flush ? "" : ", no flush");
	write_file("memref/flush", flush ? "1" : "0");
	if (neighbor)
		pid = start_neighbor();
	run(work, nr_pages);
	for (int i = 0; i < WARM_UPS + SCORED; i++) {
		oracle_mark(MARK_RUN_BEGIN);
		run(work, nr_pages);
		scan.scored = i >= WARM_UPS;
		harvest(&scan);
	}
	if (pid) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	write_saved();
}

/* The size of the bitmaps is what can be read of one. */
static void open_memref(void)
{
	static char buf[1 << 20];
	ssize_t n;

	write_file("memref/interval_ms", "0");
	write_file("events/memref/memref_scan/enable", "1");
	scan_fd = open(TRACEFS "memref/scan", O_WRONLY);
	if (scan_fd < 0 || write(scan_fd, "1", 1) != 1)
		die("memref/scan");
	for (int i = 0; i < ACCURACY_NR_BITMAPS; i++) {
		char path[128];

		snprintf(path, sizeof(path), TRACEFS "memref/%s", bitmap_names[i]);
		bitmap_fd[i] = open(path, O_RDONLY);
		if (bitmap_fd[i] < 0)
			die(path);
	}
	while ((n = pread(bitmap_fd[0], buf, sizeof(buf), bitmap_size)) > 0)
		bitmap_size += n;
	if (n < 0 || !bitmap_size || bitmap_size % 8)
		die(bitmap_names[0]);
}

static void *map_populated(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		die("mmap");
	/* A kernel without huge pages (PREEMPT_RT) refuses the advice. */
	if (madvise(p, size, MADV_NOHUGEPAGE) && errno != EINVAL)
		die("madvise");
	memset(p, 1, size);
	return p;
}

int main(int argc, char **argv)
{
	static const unsigned long sizes[] = { 16, 256, 1024, 4096, MAX_PAGES };
	struct accuracy_header header = { .magic = ACCURACY_MAGIC };

	if (argc != 2)
		return 2;
	out = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (out < 0)
		die(argv[1]);
	pin();
	open_memref();
	header.nr_words = bitmap_size / 8;
	if (write(out, &header, sizeof(header)) != sizeof(header))
		die(argv[1]);
	memory = map_populated(MAX_PAGES * PAGE);
	saved = map_populated((WARM_UPS + SCORED) *
			      (sizeof(struct accuracy_scan) + ACCURACY_NR_BITMAPS * bitmap_size));
	file = memfd_create("file", 0);
	if (file < 0)
		die("memfd_create");
	copy_file(8192, true);

	oracle_mark(ORACLE_CODE_START);
	sched_yield();
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (int work = READ; work <= WRITE; work++) {
			cell(work, sizes[i], false, true);
			cell(work, sizes[i], true, true);
			cell(work, sizes[i], false, false);
		}
	}
	cell(FILE_READ, 8192, false, true);
	cell(FILE_READ, 8192, true, true);
	cell(FILE_WRITE, 8192, false, true);
	oracle_mark(ORACLE_CODE_STOP);
	write_file("events/memref/memref_scan/enable", "0");
	return close(out) ? 1 : 0;
}
