// SPDX-License-Identifier: GPL-2.0
/*
 * memref_bench PART: memref and those who do its job today, on one working
 * set in one guest.  Prints lines "name value".
 *
 * Runs under QEMU's -icount shift=0, where a nanosecond is an instruction, so
 * that times are counts, the same in each run; accuracy does so on two CPUs,
 * and without.
 *
 *	cost		instructions for each page table entry in use
 *	cold		what memory costs that is mapped, but not used
 *	accuracy	pages found of those used, and wrong ones
 *	slowdown	of a program, by samples every second and more often
 *	reclaim		what a sampler does to the choice of pages to swap out
 *	bytes		of the trace buffer for each group
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TRACEFS "/sys/kernel/tracing/"
#define DAMON "/sys/kernel/mm/damon/admin/kdamonds/"
#define PAGE 4096ul
#define MAX_PAGES 65536ul
#define HUGE_PAGE (2ul << 20)

static void die(const char *what)
{
	fprintf(stderr, "memref_bench: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void result(double value, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf(" %.6g\n", value);
	fflush(stdout);
}

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

static void put(const char *path, const char *fmt, ...)
{
	char value[256];
	va_list ap;
	int fd, n;

	va_start(ap, fmt);
	n = vsnprintf(value, sizeof(value), fmt, ap);
	va_end(ap);
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, value, n) != n)
		die(path);
	close(fd);
}

static uint64_t number_in(const char *path, const char *key)
{
	unsigned long long n = 0;
	char line[4096];
	bool found = false;
	FILE *f = fopen(path, "r");

	if (!f)
		die(path);
	while (!found && fgets(line, sizeof(line), f)) {
		char *at = strstr(line, key);

		found = at && (at == line || !*key || at[-1] != '_') &&
			sscanf(at + strlen(key), "%llu", &n) == 1;
	}
	fclose(f);
	if (!found) {
		fprintf(stderr, "memref_bench: %s: no %s\n", path, key);
		exit(1);
	}
	return n;
}

static void *map(size_t size, bool populate)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		die("mmap");
	madvise(p, size, MADV_NOHUGEPAGE);
	if (populate)
		memset(p, 1, size);
	return p;
}

/* --- the target: a process that uses memory when told to ------------------ */

struct target {
	pid_t pid;
	int to, from;
	unsigned char *memory;
	uint64_t pfn[MAX_PAGES];
};

/* What it is told: to use every stride-th page of the first so many. */
struct work {
	unsigned long nr_pages, stride, passes;
	bool write;
	bool flush;		/* of the TLB, before the first pass */
};

static void use(unsigned char *memory, const struct work *w)
{
	/* No system call is there to flush; this one must. */
	if (w->flush && (mprotect(memory, w->nr_pages * PAGE, PROT_READ) ||
			 mprotect(memory, w->nr_pages * PAGE, PROT_READ | PROT_WRITE)))
		_exit(1);
	for (unsigned long pass = 0; pass < w->passes; pass++) {
		for (unsigned long i = 0; i < w->nr_pages; i += w->stride) {
			volatile unsigned char *p = memory + i * PAGE + i % PAGE;

			if (w->write)
				*p = i;
			else
				(void)*p;
		}
	}
}

/* Where there are two CPUs, the target and its neighbor have the second. */
static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(sysconf(_SC_NPROCESSORS_ONLN) > 1 ? cpu : 0, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
}

static void start_target(struct target *t)
{
	int to[2], from[2], fd;
	struct work w;

	pin(0);
	t->memory = map(MAX_PAGES * PAGE, false);
	if (pipe(to) || pipe(from))
		die("pipe");
	t->pid = fork();
	if (t->pid < 0)
		die("fork");
	if (!t->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pin(1);
		memset(t->memory, 1, MAX_PAGES * PAGE);
		if (write(from[1], "", 1) != 1)
			_exit(1);
		while (read(to[0], &w, sizeof(w)) == sizeof(w)) {
			use(t->memory, &w);
			if (write(from[1], "", 1) != 1)
				_exit(1);
		}
		_exit(0);
	}
	t->to = to[1];
	t->from = from[0];
	if (read(t->from, &(char){ 0 }, 1) != 1)
		die("target");
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/pagemap", t->pid);
	fd = open(path, O_RDONLY);
	if (fd < 0 || pread(fd, t->pfn, sizeof(t->pfn), (uintptr_t)t->memory / PAGE * 8) !=
	    sizeof(t->pfn))
		die(path);
	close(fd);
	for (unsigned long i = 0; i < MAX_PAGES; i++) {
		if (!(t->pfn[i] >> 63))
			die("the target's memory is not there");
		t->pfn[i] &= (1ull << 55) - 1;
	}
}

static void tell(struct target *t, const struct work *w)
{
	if (write(t->to, w, sizeof(*w)) != sizeof(*w))
		die("target");
}

static void await(struct target *t)
{
	if (read(t->from, &(char){ 0 }, 1) != 1)
		die("target");
}

static void run(struct target *t, const struct work *w)
{
	tell(t, w);
	await(t);
}

static pid_t start_neighbor(void)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (!pid) {
		unsigned char *memory = map(64 * PAGE, true);

		pin(1);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			use(memory, &(struct work){ 64, 1, 1, true, false });
	}
	return pid;
}

static void stop(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* --- the samplers: begin an interval, end it, say which pages ------------- */

/* What was found: per page of the target, or a number of pages only. */
struct found {
	unsigned char page[MAX_PAGES];
	bool has_pages;
	double pages;
};

static void memref_on(pid_t pid)
{
	put(TRACEFS "memref/interval_ms", "0");
	put(TRACEFS "memref_pid", "%d", pid);
	put(TRACEFS "events/memref/memref_scan/enable", "1");
	put(TRACEFS "memref/scan", "1");
}

static void memref_off(void)
{
	put(TRACEFS "events/memref/memref_scan/enable", "0");
	put(TRACEFS "memref_pid", "\n");
	put(TRACEFS "memref/flush", "1");
	put(TRACEFS "memref/write", "off");
}

static void memref_end(struct target *t, struct found *f)
{
	static uint64_t map[1 << 17];
	int fd;

	put(TRACEFS "memref/scan", "1");
	fd = open(TRACEFS "memref/bitmap_user", O_RDONLY);
	if (fd < 0 || read(fd, map, sizeof(map)) < 4096)
		die("bitmap_user");
	close(fd);
	f->has_pages = true;
	for (unsigned long i = 0; i < MAX_PAGES; i++)
		f->page[i] = map[t->pfn[i] / 64] >> t->pfn[i] % 64 & 1;
}

/* page_idle; only the target's pages are marked. */
static uint64_t idle_low, idle_high;	/* words of the bitmap */

static uint64_t *idle_bitmap(struct target *t)
{
	static uint64_t map[1 << 17];

	memset(map, 0, sizeof(map));
	idle_low = UINT64_MAX;
	idle_high = 0;
	for (unsigned long i = 0; i < MAX_PAGES; i++) {
		uint64_t word = t->pfn[i] / 64;

		map[word] |= 1ull << t->pfn[i] % 64;
		idle_low = word < idle_low ? word : idle_low;
		idle_high = word > idle_high ? word : idle_high;
	}
	return map;
}

static void idle_io(uint64_t *map, bool set)
{
	int fd = open("/sys/kernel/mm/page_idle/bitmap", O_RDWR);

	if (fd < 0)
		die("page_idle");
	/* As much as the kernel takes at once: it is a page. */
	for (uint64_t at = idle_low * 8; at < (idle_high + 1) * 8;) {
		size_t n = (idle_high + 1) * 8 - at;
		ssize_t done = set ? pwrite(fd, (char *)map + at, n, at) :
				     pread(fd, (char *)map + at, n, at);

		/* At the end of memory, a word in part counts as none. */
		if (done < 0 || (!done && at < idle_high * 8))
			die("page_idle");
		if (!done)
			break;
		at += done;
	}
	close(fd);
}

static void idle_begin(struct target *t)
{
	idle_io(idle_bitmap(t), true);
}

static void idle_end(struct target *t, struct found *f)
{
	uint64_t *map = idle_bitmap(t);

	idle_io(map, false);
	f->has_pages = true;
	for (unsigned long i = 0; i < MAX_PAGES; i++)
		f->page[i] = !(map[t->pfn[i] / 64] >> t->pfn[i] % 64 & 1);
}

static void refs_begin(struct target *t)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/clear_refs", t->pid);
	put(path, "1");
}

/* smaps tells a number for each mapping; no pages. */
static void refs_end(struct target *t, struct found *f)
{
	unsigned long long start, end, kb;
	char path[64], line[512];
	bool mine = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/smaps", t->pid);
	file = fopen(path, "r");
	if (!file)
		die(path);
	f->has_pages = false;
	f->pages = 0;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%llx-%llx ", &start, &end) == 2)
			mine = start < (uintptr_t)t->memory + MAX_PAGES * PAGE &&
			       end > (uintptr_t)t->memory;
		else if (mine && sscanf(line, "Referenced: %llu", &kb) == 1)
			f->pages += kb / 4;
	}
	fclose(file);
}

/*
 * DAMON: by default, or with a region for each page: it divides what is mapped
 * by the number of regions there must be at least, down to a page.
 */
static pid_t kdamond(void)
{
	return number_in(DAMON "0/pid", "");
}

static void damon_on(struct target *t, bool exact, unsigned int sample_us, unsigned int aggr_us)
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

static void damon_off(void)
{
	put(DAMON "0/state", "off");
	put(DAMON "nr_kdamonds", "0");
}

/* The regions of the last aggregation that is in the trace as a whole. */
static void damon_found(struct target *t, struct found *f)
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
	if (!any) {
		fprintf(stderr, "memref_bench: no aggregation of DAMON's is in the trace\n");
		exit(1);
	}
}

/* --- parts ------------------------------------------------------------------ */

static const struct work all = { MAX_PAGES, 1, 1, false, true };

/* A field of the last memref_scan. */
static uint64_t last_scan(const char *field)
{
	unsigned long long n = 0;
	char line[1024], key[32];
	FILE *f = fopen(TRACEFS "trace", "r");

	if (!f)
		die("trace");
	snprintf(key, sizeof(key), " %s=", field);
	while (fgets(line, sizeof(line), f)) {
		char *at = strstr(line, "memref_scan:");

		at = at ? strstr(at, key) : NULL;
		if (at)
			sscanf(at + strlen(key), "%llu", &n);
	}
	fclose(f);
	return n;
}

static double scan_insns(void)
{
	return last_scan("end") - last_scan("scan");
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(double *values, int n)
{
	qsort(values, n, sizeof(*values), by_value);
	return values[n / 2];
}

#define ROUNDS 7

static void cost_memref(struct target *t, const char *name, const char *flush, const char *write)
{
	double insns[ROUNDS];

	put(TRACEFS "memref/flush", flush);
	put(TRACEFS "memref/write", write);
	memref_on(t->pid);
	for (int i = 0; i < ROUNDS; i++) {
		run(t, &(struct work){ MAX_PAGES, 1, 1, strcmp(write, "off"), true });
		put(TRACEFS "memref/scan", "1");
		insns[i] = scan_insns();
		if (last_scan("young") < MAX_PAGES)
			die("not all of the target was seen");
	}
	memref_off();
	result(median(insns, ROUNDS) / MAX_PAGES, "cost_%s", name);
}

static void cost(void)
{
	static struct target t;
	double insns[ROUNDS], clear[ROUNDS];
	uint64_t begin, busy, switches;
	static struct found f;
	char path[64];

	start_target(&t);
	cost_memref(&t, "memref", "1", "off");
	cost_memref(&t, "memref_exact", "2", "off");
	cost_memref(&t, "memref_write", "1", "anon");
	for (int i = 0; i < ROUNDS; i++) {
		begin = now();
		refs_begin(&t);
		clear[i] = now() - begin;
		run(&t, &all);
		begin = now();
		refs_end(&t, &f);
		insns[i] = now() - begin + clear[i];
		if (f.pages < MAX_PAGES)
			die("clear_refs did not see all of the target");
	}
	result(median(insns, ROUNDS) / MAX_PAGES, "cost_clear_refs");
	for (int i = 0; i < ROUNDS; i++) {
		begin = now();
		idle_begin(&t);
		clear[i] = now() - begin;
		run(&t, &all);
		begin = now();
		idle_end(&t, &f);
		insns[i] = now() - begin + clear[i];
	}
	result(median(insns, ROUNDS) / MAX_PAGES, "cost_page_idle");

	/* A pass of DAMON's over all pages ends in a sleep. */
	damon_on(&t, true, 1000000, 1000000);
	snprintf(path, sizeof(path), "/proc/%d/schedstat", kdamond());
	sleep(3);
	busy = number_in(path, "");
	snprintf(path, sizeof(path), "/proc/%d/status", kdamond());
	switches = number_in(path, "voluntary_ctxt_switches:");
	sleep(10);
	switches = number_in(path, "voluntary_ctxt_switches:") - switches;
	snprintf(path, sizeof(path), "/proc/%d/schedstat", kdamond());
	busy = number_in(path, "") - busy;
	damon_off();
	if (!switches)
		die("DAMON did nothing");
	result((double)busy / switches / MAX_PAGES, "cost_damon_exact");
}

/*
 * Page tables for many GiB of addresses, in little memory: one file mapped
 * over and over.  A fault of it maps what surrounds it, as far as debugfs
 * allows.
 */
static void map_cold(size_t size)
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
		use(hot, &(struct work){ (64ul << 20) / PAGE, 1, 1, false, false });
		put(TRACEFS "memref/scan", "1");
		insns[i] = scan_insns();
	}
	result(median(insns, ROUNDS), "%s", name);
	memref_off();
	munmap(hot, 64ul << 20);
}

static void cold(void)
{
	static const unsigned long gib[] = { 0, 8, 64, 256 };
	unsigned long mapped = 0;
	char name[64];

	for (int i = 0; i < 4; i++) {
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

struct cell {
	const char *name;
	struct work work;
};

static const struct cell cells[] = {
	{ "read_16", { 16, 1, 2000, false, false } },
	{ "write_16", { 16, 1, 2000, true, false } },
	{ "read_256", { 256, 1, 500, false, false } },
	{ "write_256", { 256, 1, 500, true, false } },
	{ "read_4096", { 4096, 1, 50, false, false } },
	{ "write_4096", { 4096, 1, 50, true, false } },
	{ "read_65536", { 65536, 1, 4, false, false } },
	{ "write_65536", { 65536, 1, 4, true, false } },
	{ "read_sparse", { 65536, 128, 400, false, false } },
	{ "write_sparse", { 65536, 128, 400, true, false } },
};

static void score(const struct cell *c, const char *tool, const char *with, const struct found *f)
{
	unsigned long truth = 0, hit = 0, reported = 0;

	for (unsigned long i = 0; i < MAX_PAGES; i++) {
		bool used = i < c->work.nr_pages && i % c->work.stride == 0;

		truth += used;
		if (!f->has_pages)
			continue;
		reported += f->page[i];
		hit += used && f->page[i];
	}
	/* A number only: at best, its pages are the right ones. */
	if (!f->has_pages) {
		reported = f->pages;
		hit = reported < truth ? reported : truth;
	}
	printf("accuracy %s %s %s %.4f %.4f\n", c->name, tool, with, (double)hit / truth,
	       reported ? (double)hit / reported : 1.0);
	fflush(stdout);
}

/* Begin, let the target run, end: with the target as it comes. */
static void accuracy_cell(struct target *t, const struct cell *c, const char *with, bool flush)
{
	static struct found f;
	struct work w = c->work;

	w.flush = flush;
	/* The TLB has what the target uses, as in the middle of its work. */
	run(t, &w);

	memref_on(t->pid);
	run(t, &c->work);
	memref_end(t, &f);
	run(t, &c->work);
	memref_end(t, &f);
	score(c, "memref", with, &f);
	memref_off();

	run(t, &w);
	idle_begin(t);
	run(t, &w);
	idle_end(t, &f);
	score(c, "page_idle", with, &f);

	run(t, &w);
	refs_begin(t);
	run(t, &w);
	refs_end(t, &f);
	score(c, "clear_refs", with, &f);
}

/* DAMON samples while the target runs. */
static void accuracy_damon(struct target *t, const struct cell *c, const char *with, bool flush,
			   bool exact)
{
	unsigned int sample_us = exact ? 500000 : 5000, aggr_us = exact ? 500000 : 100000;
	uint64_t until = now() + (exact ? 2500000000ull : 800000000ull);
	static struct found f;
	struct work w = c->work;

	w.flush = flush;
	put(TRACEFS "trace", "\n");
	put(TRACEFS "events/damon/damon_aggregated/enable", "1");
	damon_on(t, exact, sample_us, aggr_us);
	while (now() < until)
		run(t, &w);
	put(TRACEFS "events/damon/damon_aggregated/enable", "0");
	damon_off();
	damon_found(t, &f);
	score(c, exact ? "damon_exact" : "damon", with, &f);
}

static void accuracy(void)
{
	static struct target t;
	pid_t neighbor;

	start_target(&t);
	for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++) {
		accuracy_cell(&t, &cells[i], "alone", false);
		accuracy_cell(&t, &cells[i], "flush", true);
		neighbor = start_neighbor();
		accuracy_cell(&t, &cells[i], "neighbor", false);
		stop(neighbor);
	}
	put(TRACEFS "buffer_size_kb", "16384");
	/* A block that DAMON should find, and what it was not made for. */
	for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++) {
		if (strcmp(cells[i].name, "read_4096") && strcmp(cells[i].name, "read_sparse"))
			continue;
		for (int exact = 0; exact < 2; exact++) {
			accuracy_damon(&t, &cells[i], "alone", false, exact);
			accuracy_damon(&t, &cells[i], "flush", true, exact);
			neighbor = start_neighbor();
			accuracy_damon(&t, &cells[i], "neighbor", false, exact);
			stop(neighbor);
		}
	}
}

/* The same work with and without a sampler on its CPU, in turns. */
static double work_time(unsigned char *memory, int passes)
{
	uint64_t begin = now();

	use(memory, &(struct work){ MAX_PAGES, 1, passes, true, false });
	return now() - begin;
}

static void slowdown_at(unsigned char *memory, unsigned int ms, int cpu_max, int passes)
{
	double with[3], without[3];
	uint64_t before, after;

	for (int i = 0; i < 3; i++) {
		without[i] = work_time(memory, passes);
		put(TRACEFS "memref/interval_ms", "%u", ms);
		put(TRACEFS "memref/cpu_max", "%d", cpu_max);
		put(TRACEFS "events/memref/enable", "1");
		/* The first harvest, which learns what one costs, is not the rule. */
		use(memory, &(struct work){ MAX_PAGES, 1, 1, true, false });
		usleep(2000 * ms);
		before = number_in(TRACEFS "memref/seq", "");
		with[i] = work_time(memory, passes);
		after = number_in(TRACEFS "memref/seq", "");
		put(TRACEFS "events/memref/enable", "0");
	}
	result(100 * (median(with, 3) / median(without, 3) - 1), "slowdown_%ums_budget_%d_pct", ms,
	       cpu_max);
	result(median(with, 3) / 1e6 / (after > before ? after - before : 1),
	       "slowdown_%ums_budget_%d_true_interval_ms", ms, cpu_max);
	put(TRACEFS "memref/cpu_max", "2");
}

static void slowdown(void)
{
	unsigned char *memory = map(MAX_PAGES * PAGE, true);
	/* Accesses of 5 instructions: so many passes in 100 ms. */
	double pass = work_time(memory, 20) / 20;

	slowdown_at(memory, 1000, 2, 6e9 / pass);
	slowdown_at(memory, 100, 2, 2e9 / pass);
	slowdown_at(memory, 100, 0, 2e9 / pass);
}

/*
 * A set that is used all the time, and a stream that is used once, in a cgroup
 * too small for both: reclaim should swap out the stream.  How often it takes
 * the set instead shows whether a sampler misleads it.  The mean of some seeds,
 * since one fault more changes all that follow.
 */
#define SEEDS 5

static void reclaim_load(unsigned int seed, void (*sample)(void))
{
	const unsigned long hot = (48ul << 20) / PAGE, stream = (96ul << 20) / PAGE;
	unsigned char *a, *b;

	put("/sys/fs/cgroup/bench/cgroup.procs", "0");
	a = map(hot * PAGE, true);
	b = map(stream * PAGE, false);
	for (unsigned long i = 0; i < 3 * stream; i++) {
		/* Two pages of the set for each of the stream. */
		for (int j = 0; j < 2; j++) {
			seed = seed * 1103515245 + 12345;
			a[(seed >> 8) % hot * PAGE]++;
		}
		b[i % stream * PAGE] = i;
		if (sample && i % 8192 == 8191)
			sample();
	}
	_exit(0);
}

static void reclaim_run(const char *name, void (*sample)(void))
{
	double refaults[SEEDS], sum = 0, spread = 0;
	int status;
	pid_t pid;

	put("/sys/fs/cgroup/cgroup.subtree_control", "+memory");
	for (int i = 0; i < SEEDS; i++) {
		if (mkdir("/sys/fs/cgroup/bench", 0755))
			die("cgroup");
		put("/sys/fs/cgroup/bench/memory.max", "96M");
		pid = fork();
		if (pid < 0)
			die("fork");
		if (!pid)
			reclaim_load(i + 1, sample);
		if (waitpid(pid, &status, 0) != pid || status)
			die("load");
		refaults[i] = number_in("/sys/fs/cgroup/bench/memory.stat",
					"workingset_refault_anon");
		sum += refaults[i];
		rmdir("/sys/fs/cgroup/bench");
	}
	for (int i = 0; i < SEEDS; i++)
		spread += (refaults[i] - sum / SEEDS) * (refaults[i] - sum / SEEDS);
	result(sum / SEEDS, "reclaim_%s_refaults", name);
	result(sqrt(spread / (SEEDS - 1)), "reclaim_%s_refaults_sd", name);
}

static void sample_memref(void)
{
	put(TRACEFS "memref/scan", "1");
}

static void sample_clear_refs(void)
{
	put("/proc/self/clear_refs", "1");
}

static void reclaim(void)
{
	put("/sys/block/zram0/disksize", "512M");
	if (system("mkswap /dev/zram0 >/dev/null && swapon /dev/zram0"))
		die("zram0");
	for (int lru = 0; lru < 2; lru++) {
		const char *name = lru ? "mglru" : "lru";
		char label[32];

		put("/sys/kernel/mm/lru_gen/enabled", lru ? "y" : "n");
		snprintf(label, sizeof(label), "%s_off", name);
		reclaim_run(label, NULL);
		put(TRACEFS "memref/interval_ms", "0");
		put(TRACEFS "events/memref/memref_scan/enable", "1");
		snprintf(label, sizeof(label), "%s_memref", name);
		reclaim_run(label, sample_memref);
		put(TRACEFS "events/memref/memref_scan/enable", "0");
		snprintf(label, sizeof(label), "%s_clear_refs", name);
		reclaim_run(label, sample_clear_refs);
	}
}

static void bytes_of(const char *encoding)
{
	uint64_t begin, groups = 0;
	unsigned char *memory = map(MAX_PAGES * PAGE, true);

	put(TRACEFS "memref/group_kb", "1024");
	put(TRACEFS "memref/encoding", encoding);
	put(TRACEFS "memref/interval_ms", "0");
	put(TRACEFS "trace", "\n");
	put(TRACEFS "events/memref/enable", "1");
	put(TRACEFS "memref/scan", "1");
	put(TRACEFS "trace", "\n");
	begin = number_in(TRACEFS "per_cpu/cpu0/stats", "bytes:");
	for (int i = 0; i < 10; i++) {
		use(memory, &(struct work){ MAX_PAGES, 1 + 3 * i, 1, i % 2, false });
		put(TRACEFS "memref/scan", "1");
		groups += last_scan("groups");
	}
	result((double)(number_in(TRACEFS "per_cpu/cpu0/stats", "bytes:") - begin) / groups,
	       "bytes_per_group_%s", encoding);
	put(TRACEFS "events/memref/enable", "0");
	munmap(memory, MAX_PAGES * PAGE);
}

static void bytes(void)
{
	bytes_of("group");
	bytes_of("batch");
}

int main(int argc, char **argv)
{
	static const struct { const char *name; void (*run)(void); } parts[] = {
		{ "cost", cost }, { "cold", cold }, { "accuracy", accuracy },
		{ "slowdown", slowdown }, { "reclaim", reclaim }, { "bytes", bytes },
	};

	for (size_t i = 0; argc == 2 && i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (!strcmp(argv[1], parts[i].name)) {
			parts[i].run();
			return 0;
		}
	}
	fputs("usage: memref_bench cost|cold|accuracy|slowdown|reclaim|bytes\n", stderr);
	return 2;
}
