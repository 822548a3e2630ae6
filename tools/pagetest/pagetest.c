// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * pagetest: touch every page of a memory area repeatedly, and print when.
 *
 * The program of "Looking Inside Memory" (2010), section 4: a workload with known
 * references, to check recordings against.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/complain.h"
#include "lib/numbers.h"
#include "lib/options.h"

#define SAMPLER "/sys/kernel/tracing/memref/"

enum how { MALLOC, ANON, FILE_MAP, SHM, READ };

/* In the order of the words of --how. */
static const char * const how_names[] = {
	[MALLOC] = "malloc", [ANON] = "anon", [FILE_MAP] = "file", [SHM] = "shm",
	[READ] = "read",
};

static struct {
	enum how how;
	uint64_t size;
	int write;		/* -1: not given, and so a write */
	unsigned long iterations;
	unsigned long sleep_ms;
	unsigned long stride;
	const char *file;
	int wait_interval;
	int scan;
	int prefault;
	int checksum;
	int thp;		/* -1: the system's setting */
	int csv;
} opt = {
	.how = MALLOC, .size = 64 << 20, .iterations = 1, .stride = 1, .write = -1,
	.thp = -1,
};

static uint64_t page_size;

#define die(...)	exit(complain(FAILED, __VA_ARGS__))

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static void sleep_ms(unsigned long ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000L };

	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
}

/* Open --file, of --size bytes, and read it into the page cache. */
static int open_file(void)
{
	struct stat st;
	char *buf;
	uint64_t pos;
	int fd;

	if (!opt.file)
		die("--how %s needs --file", how_names[opt.how]);
	fd = open(opt.file, O_RDWR | O_CREAT, 0600);
	if (fd < 0 || fstat(fd, &st))
		die("%s: %s", opt.file, strerror(errno));
	buf = calloc(1, page_size);
	if (!buf)
		die("no memory");
	for (pos = 0; pos < opt.size; pos += page_size) {
		ssize_t n;

		if (pos + page_size <= (uint64_t)st.st_size)
			n = pread(fd, buf, page_size, pos);
		else
			n = pwrite(fd, memset(buf, 0, page_size), page_size, pos);
		if (n != (ssize_t)page_size)
			die("%s: %s", opt.file, n < 0 ? strerror(errno) : "too short");
	}
	free(buf);
	return fd;
}

static char *get_memory(int *fd)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS;
	char *mem;

	switch (opt.how) {
	case MALLOC:
		/* Align to a page boundary: malloc() does not. */
		mem = malloc(opt.size + page_size);
		if (!mem)
			die("malloc of %" PRIu64 " bytes: %s", opt.size, strerror(errno));
		mem = (char *)(((uintptr_t)mem + page_size - 1) & ~(page_size - 1));
		goto advise;
	case READ:
		*fd = open_file();
		mem = malloc(page_size);
		if (!mem)
			die("no memory");
		return mem;
	case FILE_MAP:
		*fd = open_file();
		flags = MAP_SHARED;
		break;
	case SHM:
		flags = MAP_SHARED | MAP_ANONYMOUS;
		break;
	case ANON:
		break;
	}
	mem = mmap(NULL, opt.size, PROT_READ | PROT_WRITE, flags, *fd, 0);
	if (mem == MAP_FAILED)
		die("mmap of %" PRIu64 " bytes: %s", opt.size, strerror(errno));
advise:
	/* A kernel without huge pages fails the advice, which for --thp no does not matter. */
	if (opt.thp >= 0 &&
	    madvise(mem, opt.size, opt.thp ? MADV_HUGEPAGE : MADV_NOHUGEPAGE) &&
	    (opt.thp || errno != EINVAL))
		die("--thp: %s", strerror(errno));
	if (opt.prefault)
		memset(mem, 1, opt.size);
	return mem;
}

/* Touch one word of each page; return the number of pages. */
static uint64_t touch(char *mem, int fd, unsigned long iteration)
{
	uint64_t pages = 0, off;

	for (off = 0; off + page_size <= opt.size; off += opt.stride * page_size) {
		volatile uint64_t *word = (uint64_t *)(mem + off);
		uint64_t value = off ^ iteration;

		if (opt.how == READ) {
			if (pread(fd, mem, page_size, off) != (ssize_t)page_size)
				die("%s: cannot read at %" PRIu64, opt.file, off);
		} else if (opt.write) {
			*word = value;
		} else {
			(void)*word;
		}
		pages++;
	}
	return pages;
}

static void verify(const char *mem, unsigned long iteration)
{
	uint64_t off;

	for (off = 0; off + page_size <= opt.size; off += opt.stride * page_size) {
		uint64_t got = *(const volatile uint64_t *)(mem + off);

		if (got != (off ^ iteration))
			die("page %" PRIu64 " has %" PRIx64 " instead of %" PRIx64,
			    off / page_size, got, off ^ iteration);
	}
}

/* Number of the sampler's last interval; -1 while no event is enabled. */
static long sampler_seq(void)
{
	char buf[32] = "";
	ssize_t n;
	int fd = open(SAMPLER "seq", O_RDONLY);

	if (fd < 0)
		die("%s: %s", SAMPLER "seq", strerror(errno));
	n = read(fd, buf, sizeof(buf) - 1);
	if (n < 0 && errno != ENODATA)
		die("%s: %s", SAMPLER "seq", strerror(errno));
	close(fd);
	return n < 0 ? -1 : strtol(buf, NULL, 10);
}

/* Wait until the sampler runs and has begun a new interval. */
static void wait_interval(void)
{
	long seq, first = -1;

	for (;; sleep_ms(1)) {
		seq = sampler_seq();
		if (first < 0)
			first = seq;
		else if (seq != first)
			return;
	}
}

static void end_interval(void)
{
	int fd = open(SAMPLER "scan", O_WRONLY);

	if (fd < 0 || write(fd, "1", 1) != 1)
		die("%s: %s", SAMPLER "scan", strerror(errno));
	close(fd);
}

/* Each line at once: readers follow the iterations. */
static void flush(void)
{
	if (fflush(stdout) || ferror(stdout))
		die("standard output: %s", strerror(errno));
}

static int take_sleep(const struct opt *o, const char *value)
{
	double seconds;

	(void)o;
	if (parse_time(value, "ms", &seconds))
		return wrong_usage("--sleep %s: not a time such as 250ms or 1.5s", value);
	opt.sleep_ms = seconds * 1000 + 0.5;
	return OK;
}

static const struct verb_usage usage = {
	.command = "pagetest", .operands = "[options]",
	.about = "Touch every page of a memory area, and print when.",
};

static void parse(int argc, char **argv)
{
	const struct opt options[] = {
		OPT_SIZE(0, "size", "SIZE", &opt.size, 1, OPT_NUMBER_MAX, "size of the memory (default 64M)"),
		OPT_WORD(0, "how", "malloc|anon|file|shm|read", &opt.how,
			 "malloc (default); anon, file or shm: mapped memory; read: read() of a file"),
		OPT_WORD(0, "op", "read|write", &opt.write, "access to each page (default write)"),
		OPT_NUMBER(0, "iterations", "N", &opt.iterations, 1, OPT_NUMBER_MAX, "number of iterations (default 1)"),
		OPT_CALL('S', "sleep", "TIME", take_sleep, NULL,
			 "sleep for this time after each iteration (ms without unit)"),
		OPT_NUMBER(0, "stride", "N", &opt.stride, 1, OPT_NUMBER_MAX, "touch every Nth page only"),
		OPT_TEXT(0, "file", "FILE", &opt.file, "file for --how file and read; created if missing"),
		OPT_FLAG(0, "prefault", &opt.prefault, "write all pages before the first iteration"),
		OPT_WORD(0, "thp", "no|yes", &opt.thp, "whether to request huge pages"),
		OPT_FLAG(0, "wait-interval", &opt.wait_interval,
			 "wait until the sampler runs, and begin each iteration when an interval begins"),
		OPT_FLAG(0, "scan", &opt.scan,
			 "end an interval before the first iteration, after each iteration, and after each sleep"),
		OPT_FLAG(0, "checksum", &opt.checksum, "verify the data written"),
		/* -f was --file until this release. */
		OPT_WORD(0, "format", "text|csv", &opt.csv, "default text"),
		OPT_CHANGED('s', NULL, "--size"), OPT_CHANGED('o', NULL, "--op"),
		OPT_CHANGED('n', NULL, "--iterations"), OPT_CHANGED('f', NULL, "--file (or --format)"),
		OPT_CHANGED('H', NULL, "--how"), { }
	};

	options_parse(&usage, options, argc, argv);
	if (opt.how == READ && opt.write > 0)
		exit(wrong_usage("--how read: not with --op write"));
	if (opt.file && opt.how != READ && opt.how != FILE_MAP)
		exit(wrong_usage("--file: only with --how file or read"));
	if (opt.checksum && (!opt.write || opt.how == READ))
		exit(wrong_usage("--checksum verifies what --op write wrote to memory"));
}

int main(int argc, char **argv)
{
	unsigned long i;
	char *mem;
	int fd = -1;

	page_size = sysconf(_SC_PAGESIZE);
	parse(argc, argv);
	mem = get_memory(&fd);

	if (opt.csv)
		puts("iteration,op,pages,begin_ns,end_ns");
	flush();
	if (opt.scan)
		end_interval();
	for (i = 1; i <= opt.iterations; i++) {
		uint64_t begin, end, pages;

		if (opt.wait_interval)
			wait_interval();
		begin = now_ns();
		pages = touch(mem, fd, i);
		end = now_ns();
		if (opt.scan)
			end_interval();
		printf(opt.csv ? "%lu,%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n" :
		       "iteration %lu: %s %" PRIu64 " pages, from %" PRIu64 " to %" PRIu64 " ns\n",
		       i, opt.write && opt.how != READ ? "write" : "read", pages, begin, end);
		flush();
		if (opt.checksum)
			verify(mem, i);
		sleep_ms(opt.sleep_ms);
		if (opt.scan)
			end_interval();
	}
	return 0;
}
