// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memref_accuracy FILE [changed|few]: runs working sets of known kinds under memref, with marks
 * for the oracle around each harvest, and writes what memref reported.  With "changed", only
 * those whose entries change before the harvest; with "few", three of the others, in memory
 * above 2^47 where there are five levels of page tables.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "accuracy.h"
#include "lib/mark.h"

#define TRACEFS "/sys/kernel/tracing/"
#define PAGE 4096ul
#define CPU 1
#define MAX_PAGES 65536ul
#define NEIGHBOR_PAGES 64ul
/* Accesses in a run, at least: some ticks long, so that the neighbor gets in. */
#define RUN_ACCESSES 400000ul
#define WARM_UPS 1
#define SCORED 3

/* Of these, in order: passes through memory; through a file; write protected
 * between writing and the harvest; gone or aged before the harvest; a file's
 * pages mapped, first touched.
 */
enum work { READ, WRITE, MIXED, FILE_READ, FILE_WRITE, FORK, CHILD_READ, MPROTECT, CLEAR_REFS,
	    UFFD_WP, UNMAP, EXIT, FREE, COLD, MAPPED };

static const char *const work_names[] = { "read", "write", "mixed", "file-read", "file-write",
					  "fork", "child-read", "mprotect", "clear-refs", "uffd-wp",
					  "munmap", "exit", "free", "cold", "mapped" };
static const char *const bitmap_names[] = { "bitmap_user", "bitmap_kernel", "bitmap_page_cache",
					   "bitmap_write" };

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

/* Real-time priority keeps other processes off the CPU: switching to one flushes its TLB. */
static void run_undisturbed(bool on)
{
	struct sched_param param = { .sched_priority = on ? 1 : 0 };

	if (sched_setscheduler(0, on ? SCHED_FIFO : SCHED_OTHER, &param))
		die("sched_setscheduler");
}

/* One page in so many; mixed: every second of these is written. */
static void touch(unsigned char *p, unsigned long nr_pages, unsigned long stride, enum work work)
{
	for (unsigned long i = 0; i < nr_pages; i++) {
		volatile unsigned char *byte = p + i * stride * PAGE + i % PAGE;

		if (work == WRITE || (work == MIXED && i % 2))
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

struct spec {
	enum work work;
	unsigned long nr_pages;
	unsigned long stride;
	bool neighbor;
	char flush;		/* memref/flush */
	bool writes;		/* memref/write anon */
};

/* A child that answers each byte with one, when it has read the memory. */
struct child {
	pid_t pid;
	int ask, answer;
};

static struct child child;

static void __attribute__((noreturn)) child_loop(unsigned long nr_pages, int ask, int answer)
{
	char c;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(ask, &c, 1) == 1) {
		touch(memory, nr_pages, 1, READ);
		if (write(answer, &c, 1) != 1)
			break;
	}
	_exit(1);
}

static void stop_child(void)
{
	if (!child.pid)
		return;
	kill(child.pid, SIGKILL);
	waitpid(child.pid, NULL, 0);
	close(child.ask);
	close(child.answer);
	child.pid = 0;
}

static void start_child(unsigned long nr_pages)
{
	int ask[2], answer[2];

	if (pipe(ask) || pipe(answer))
		die("pipe");
	child.pid = fork();
	if (child.pid < 0)
		die("fork");
	if (!child.pid)
		child_loop(nr_pages, ask[0], answer[1]);
	close(ask[0]);
	close(answer[1]);
	child.ask = ask[1];
	child.answer = answer[0];
}

static void child_reads(void)
{
	char c = 0;

	if (write(child.ask, &c, 1) != 1 || read(child.answer, &c, 1) != 1)
		die("child");
}

/* One page in 20 is written, the others are read. */
static void touch_some(unsigned char *p, unsigned long nr_pages)
{
	for (unsigned long i = 0; i < nr_pages; i++) {
		volatile unsigned char *byte = p + i * PAGE;

		if (i % 20)
			(void)*byte;
		else
			*byte = i;
	}
}

static void clear_soft_dirty(void)
{
	int fd = open("/proc/self/clear_refs", O_WRONLY);

	if (fd < 0 || write(fd, "4", 1) != 1)
		die("clear_refs");
	close(fd);
}

static int userfault_fd(size_t size)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = {
		.range = { (uintptr_t)memory, size }, .mode = UFFDIO_REGISTER_MODE_WP,
	};
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &reg))
		die("userfaultfd");
	return fd;
}

static void userfault_protect(int fd, size_t size, bool protect)
{
	struct uffdio_writeprotect wp = {
		.range = { (uintptr_t)memory, size },
		.mode = protect ? UFFDIO_WRITEPROTECT_MODE_WP : 0,
	};

	if (ioctl(fd, UFFDIO_WRITEPROTECT, &wp))
		die("UFFDIO_WRITEPROTECT");
}

/* What was written is write protected when the harvest comes. */
static void run_protected(enum work work, unsigned long nr_pages)
{
	static int uffd = -1;
	size_t size = nr_pages * PAGE;

	switch (work) {
	case FORK:
		stop_child();
		touch_some(memory, nr_pages);
		start_child(nr_pages);
		child_reads();
		/* Copied on write: what was written before is the child's now. */
		touch_some(memory, nr_pages / 2);
		break;
	case CHILD_READ:
		if (!child.pid) {
			memset(memory, 1, size);
			start_child(nr_pages);
		}
		child_reads();
		break;
	case MPROTECT:
		if (mprotect(memory, size, PROT_READ | PROT_WRITE))
			die("mprotect");
		touch_some(memory, nr_pages);
		if (mprotect(memory, size, PROT_READ))
			die("mprotect");
		break;
	case CLEAR_REFS:
		touch_some(memory, nr_pages);
		clear_soft_dirty();
		break;
	default:
		if (uffd < 0)
			uffd = userfault_fd(size);
		userfault_protect(uffd, size, false);
		touch_some(memory, nr_pages);
		userfault_protect(uffd, size, true);
	}
}

static void *map_new(size_t size, int fd)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, fd, 0);

	if (p == MAP_FAILED)
		die("mmap");
	if (fd < 0 && madvise(p, size, MADV_NOHUGEPAGE) && errno != EINVAL)
		die("madvise");
	return p;
}

/* What was referenced is not mapped, or looks unused, when the harvest comes. */
static void run_gone(enum work work, unsigned long nr_pages)
{
	size_t size = nr_pages * PAGE;
	pid_t pid = work == EXIT ? fork() : 0;
	unsigned char *p;

	if (pid < 0)
		die("fork");
	if (pid) {
		waitpid(pid, NULL, 0);
		return;
	}
	p = map_new(size, -1);
	touch(p, nr_pages, 1, WRITE);
	if (work == EXIT)
		_exit(0);
	if (work == UNMAP) {
		munmap(p, size);
		return;
	}
	if (madvise(p, size, work == FREE ? MADV_FREE : MADV_COLD))
		die("madvise");
	/* Mapped until the next run ends, so that its entries are harvested. */
	static void *last;
	static size_t last_size;

	if (last)
		munmap(last, last_size);
	last = p;
	last_size = size;
}

/* The pages of the file are cached; these are first touched, one in 64. */
static void run_mapped(unsigned long nr_pages)
{
	static void *last;
	size_t size = nr_pages * 64 * PAGE;

	if (last)
		munmap(last, size);
	last = map_new(size, file);
	touch(last, nr_pages, 64, READ);
}

static void run(const struct spec *spec)
{
	unsigned long nr_pages = spec->nr_pages;
	unsigned long passes = RUN_ACCESSES / nr_pages;
	enum work work = spec->work;

	if (work == MAPPED)
		return run_mapped(nr_pages);
	if (work >= UNMAP)
		return run_gone(work, nr_pages);
	if (work >= FORK)
		return run_protected(work, nr_pages);
	if (work == FILE_READ || work == FILE_WRITE)
		passes = 1;
	for (passes = passes > 2 ? passes : 2; passes; passes--) {
		if (work < FILE_READ)
			touch(memory, nr_pages, spec->stride, work);
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
		touch(p, NEIGHBOR_PAGES, 1, WRITE);
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

static void cell(const struct spec *spec)
{
	struct accuracy_scan scan = { .flush = spec->flush - '0', .writes = spec->writes };
	char sparse[32] = "";
	pid_t pid = 0;

	if (spec->stride > 1)
		snprintf(sparse, sizeof(sparse), " of %lu", spec->nr_pages * spec->stride);
	snprintf(scan.cell, sizeof(scan.cell), "%s %lu%s pages, %s%s%s", work_names[spec->work],
		 spec->nr_pages, sparse, spec->neighbor ? "neighbor" : "alone",
		 spec->flush == '0' ? ", no flush" : spec->flush == '2' ? ", exact" : "",
		 spec->writes ? ", writes" : "");
	write_file("memref/flush", (char[]){ spec->flush, 0 });
	/* The kernel writes through leaves of 2 MiB: leave these out. */
	write_file("memref/write", spec->writes ? "anon" : "off");
	write_file("memref/kernel", spec->writes ? "off" : "auto");
	if (spec->neighbor)
		pid = start_neighbor();
	run_undisturbed(spec->flush == '0');
	run(spec);
	for (int i = 0; i < WARM_UPS + SCORED; i++) {
		oracle_mark(MARK_RUN_BEGIN);
		run(spec);
		scan.scored = i >= WARM_UPS;
		harvest(&scan);
	}
	run_undisturbed(false);
	if (pid) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	stop_child();
	if (spec->work == MPROTECT && mprotect(memory, spec->nr_pages * PAGE, PROT_READ | PROT_WRITE))
		die("mprotect");
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

static void *map_where;

static void *map_populated(size_t size)
{
	void *p = mmap(map_where, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		die("mmap");
	/* A kernel without huge pages (PREEMPT_RT) refuses the advice. */
	if (madvise(p, size, MADV_NOHUGEPAGE) && errno != EINVAL)
		die("madvise");
	memset(p, 1, size);
	return p;
}

static void few_cells(void)
{
	cell(&(struct spec){ READ, 4096, 1, true, '1', false });
	cell(&(struct spec){ MIXED, 4096, 1, false, '1', true });
	cell(&(struct spec){ MIXED, MAX_PAGES / 128, 128, true, '1', true });
}

/* Page-table entries stay as they are between the access and the harvest. */
static void unchanged_cells(void)
{
	static const unsigned long sizes[] = { 16, 256, 1024, 4096, MAX_PAGES };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (int work = READ; work <= WRITE; work++) {
			cell(&(struct spec){ work, sizes[i], 1, false, '1', false });
			cell(&(struct spec){ work, sizes[i], 1, true, '1', false });
			cell(&(struct spec){ work, sizes[i], 1, false, '0', false });
		}
	}
	/* One hot page in 128, which samplers of regions do not find. */
	for (int neighbor = 0; neighbor < 2; neighbor++) {
		cell(&(struct spec){ READ, MAX_PAGES / 128, 128, neighbor, '1', false });
		cell(&(struct spec){ WRITE, MAX_PAGES / 128, 128, neighbor, '1', false });
	}
	cell(&(struct spec){ READ, 4096, 1, false, '2', false });
	cell(&(struct spec){ READ, MAX_PAGES / 128, 128, true, '2', false });
	for (int neighbor = 0; neighbor < 2; neighbor++) {
		cell(&(struct spec){ MIXED, 4096, 1, neighbor, '1', true });
		cell(&(struct spec){ MIXED, MAX_PAGES, 1, neighbor, '1', true });
		cell(&(struct spec){ MIXED, MAX_PAGES / 128, 128, neighbor, '1', true });
	}
	cell(&(struct spec){ FILE_READ, 8192, 1, false, '1', false });
	cell(&(struct spec){ FILE_READ, 8192, 1, true, '1', false });
	cell(&(struct spec){ FILE_WRITE, 8192, 1, false, '1', false });
}

int main(int argc, char **argv)
{
	struct accuracy_header header = { .magic = ACCURACY_MAGIC };
	bool changed = argc == 3 && !strcmp(argv[2], "changed");
	bool few = argc == 3 && !strcmp(argv[2], "few");

	if (argc != 2 && !changed && !few)
		return 2;
	if (few)
		map_where = (void *)(1ul << 52);
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
	if (few) {
		few_cells();
		goto stop;
	}
	if (!changed)
		unchanged_cells();
	munmap(memory, MAX_PAGES * PAGE);
	for (int work = FORK; work <= COLD; work++) {
		/* Each has memory of its own: nothing is left of the one before. */
		memory = map_populated(4096 * PAGE);
		cell(&(struct spec){ work, 4096, 1, false, '1', true });
		munmap(memory, 4096 * PAGE);
	}
	cell(&(struct spec){ MAPPED, 8192 / 64, 64, false, '1', false });
stop:
	oracle_mark(ORACLE_CODE_STOP);
	if (few)
		printf("working set at %p\n", (void *)memory);
	write_file("events/memref/memref_scan/enable", "0");
	return close(out) ? 1 : 0;
}
