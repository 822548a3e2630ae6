// SPDX-License-Identifier: GPL-2.0
/*
 * page_hint_alloc PART [SEED]: what the steered allocator finds, and what it
 * costs.  TAP, with numbers as comments.
 *
 *	fresh		coloring on memory as it is
 *	aged		coloring when single pages are free at random, down to
 *			10 % of memory free above the low watermark
 *	partition	8 of 32 colors, until 90 % of what there is of them is used
 *	cost		instructions of a fault, steered and default, under QEMU's
 *			-icount shift=0, where a nanosecond is an instruction;
 *			else nanoseconds.  On aged memory too
 *
 *	stress		processes that fault and free under hints while CPUs and
 *			memory come and go, caches are dropped and memory is
 *			compacted.  Then all free pages are accounted for
 *
 * Needs root, the strategies' modules loaded, debugfs.  COLOR_FUNCTION names
 * another color function than 32 colors by the low bits (not for partition).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <linux/page_hints.h>
#include "pagemap.h"

#define PAGE 4096ul
#define DEBUG "/sys/kernel/debug/page_hint/"
#define FUNCTION "/sys/kernel/mm/page_hint/color_function"

static int hints_fd;
static unsigned int tests, failed;
static struct page_hints_info info;
static uint64_t seed = 1;

static void die(const char *what)
{
	printf("Bail out! %s: %s\n", what, strerror(errno));
	exit(1);
}

static void check(bool ok, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	printf("%sok %u - ", ok ? "" : "not ", ++tests);
	vprintf(fmt, ap);
	putchar('\n');
	va_end(ap);
	failed += !ok;
	fflush(stdout);
}

static uint64_t next_random(void)
{
	uint64_t z = seed += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		die(path);
	close(fd);
}

/* Sum of the numbers after a word at the start of a line. */
static uint64_t number_in(const char *path, const char *word)
{
	char line[512];
	uint64_t sum = 0;
	FILE *f = fopen(path, "r");

	if (!f)
		die(path);
	while (fgets(line, sizeof(line), f)) {
		char *at = line + strspn(line, " ");

		if (!strncmp(at, word, strlen(word)) && at[strlen(word)] == ' ')
			sum += strtoull(at + strlen(word), NULL, 10);
	}
	fclose(f);
	return sum;
}

static uint64_t free_pages(void)
{
	put("/proc/sys/vm/stat_refresh", "1");
	return number_in("/proc/zoneinfo", "nr_free_pages");
}

static uint64_t low_pages(void)
{
	return number_in("/proc/zoneinfo", "low");
}

static uint64_t total_pages(void)
{
	return number_in("/proc/zoneinfo", "managed");
}

static char *map(uint64_t pages)
{
	char *p = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		die("mmap");
	madvise(p, pages * PAGE, MADV_NOHUGEPAGE);
	return p;
}

static void hint(char *p, uint64_t pages, const char *strategy, const void *arg, size_t size)
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

static void unhint(char *p, uint64_t pages)
{
	struct page_hints_range range = {
		.size = sizeof(range),
		.start = (uintptr_t)p,
		.end = (uintptr_t)p + pages * PAGE,
	};

	if (ioctl(hints_fd, PAGE_HINTS_CLEAR, &range))
		die("CLEAR");
}

static unsigned int color(uint64_t pfn)
{
	unsigned int i, c = 0;

	for (i = 0; i < info.color_bits; i++)
		c |= (__builtin_popcountll(pfn & info.masks[i]) & 1) << i;
	return c;
}

static void get_info(void)
{
	info.size = sizeof(info);
	if (ioctl(hints_fd, PAGE_HINTS_INFO, &info))
		die("INFO");
	printf("# %u colors, full rank order %u, cache level %u\n", info.colors,
	       info.full_rank_order, info.cache_level);
}

/* The page's color is that of its address, or in the set. */
static bool hit(const char *p, uint64_t set)
{
	unsigned int c = color(pfn_of(p));

	return set ? set >> c & 1 : c == color((uintptr_t)p / PAGE);
}

static void show_stats(void)
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

/* Memory of which so many pages are free, each one where chance has it. */
static char *age(uint64_t want_free, uint64_t *size)
{
	uint64_t n = 0, i, floor = low_pages() + total_pages() / 50, pages = total_pages();
	char *p = map(pages);
	uint64_t now_free = free_pages();

	while (now_free > floor) {
		uint64_t step = (now_free - floor) / 2 + 1;

		for (i = 0; i < step; i++, n++)
			p[n * PAGE] = 1;
		now_free = free_pages();
	}
	while (now_free < want_free) {
		uint64_t step = (want_free - now_free) / 2 + 1;

		for (i = 0; i < step; i++)
			madvise(p + next_random() % n * PAGE, PAGE, MADV_DONTNEED);
		now_free = free_pages();
	}
	*size = pages;
	return p;
}

static double touch_and_count(char *p, uint64_t first, uint64_t end, uint64_t set)
{
	uint64_t i, hits = 0;

	for (i = first; i < end; i++)
		p[i * PAGE] = 1;
	for (i = first; i < end; i++)
		hits += hit(p + i * PAGE, set);
	return 100.0 * hits / (end - first);
}

static double rate_of(uint64_t pages, const char *strategy)
{
	char *p = map(pages);
	double rate;

	if (strategy)
		hint(p, pages, strategy, NULL, 0);
	rate = touch_and_count(p, 0, pages, 0);
	if (strategy)
		unhint(p, pages);
	munmap(p, pages * PAGE);
	return rate;
}

static void part_fresh(void)
{
	uint64_t pages = free_pages() / 2;
	double def = rate_of(pages, NULL), rate;

	rate = rate_of(pages, "coloring");
	check(rate >= 99.9, "coloring, fresh: %.3f %% of %llu pages (default: %.1f %%)", rate,
	      (unsigned long long)pages, def);
	show_stats();
}

static void part_aged(void)
{
	uint64_t low = low_pages(), total = total_pages(), size, pages, i, left, migrated;
	char *aged = age(total * 60 / 100, &size), *p;
	double rate, least = 100;

	printf("# total %llu low %llu free %llu\n", (unsigned long long)total,
	       (unsigned long long)low, (unsigned long long)free_pages());
	printf("# default: %.1f %%\n", rate_of(1000, NULL));
	pages = free_pages() - low - total / 10;
	migrated = number_in("/proc/vmstat", "pgmigrate_success");
	p = map(pages);
	hint(p, pages, "coloring", NULL, 0);
	for (i = 0; i < 10; i++) {
		rate = touch_and_count(p, pages * i / 10, pages * (i + 1) / 10, 0);
		left = free_pages();
		printf("# %.1f %% of memory free: %.3f %%\n", 100.0 * left / total, rate);
		if (rate < least)
			least = rate;
	}
	show_stats();
	printf("# pages migrated by others: %llu\n",
	       (unsigned long long)(number_in("/proc/vmstat", "pgmigrate_success") - migrated));
	check(least >= 99, "coloring, aged: least %.3f %% of a tenth of %llu pages", least,
	      (unsigned long long)pages);
	unhint(p, pages);
	munmap(p, pages * PAGE);
	munmap(aged, size * PAGE);
}

static void part_partition(void)
{
	uint64_t set = 0x03c003c0, size, supply = 0, pages, i;
	char *aged = age(total_pages() * 50 / 100, &size), *p, line[64];
	double rate, least = 100;
	FILE *f;

	f = fopen(DEBUG "colors", "r");
	if (!f)
		die(DEBUG "colors");
	while (fgets(line, sizeof(line), f)) {
		unsigned int c;
		unsigned long long n;

		if (sscanf(line, "%u %llu", &c, &n) == 2 && set >> c & 1)
			supply += n;
	}
	fclose(f);
	pages = supply * 9 / 10;
	p = map(pages);
	hint(p, pages, "partition", &set, sizeof(set));
	for (i = 0; i < 10; i++) {
		rate = touch_and_count(p, pages * i / 10, pages * (i + 1) / 10, set);
		printf("# %llu %% of the supply used: %.3f %%\n", (unsigned long long)(i + 1) * 9,
		       rate);
		if (rate < least)
			least = rate;
	}
	show_stats();
	check(least >= 95, "partition 8 of 32, 90 %% of %llu pages used: least %.3f %%",
	      (unsigned long long)supply, least);
	unhint(p, pages);
	munmap(p, pages * PAGE);
	munmap(aged, size * PAGE);
}

/* A fault's share of touching pages; the mapping's tables are there already. */
static double fault_cost(char *p, uint64_t pages, double *with_free)
{
	uint64_t i, start = now(), faulted;

	for (i = 0; i < pages; i++)
		p[i * PAGE] = 1;
	faulted = now();
	madvise(p, pages * PAGE, MADV_DONTNEED);
	*with_free = (double)(now() - start) / pages;
	return (double)(faulted - start) / pages;
}

static void compare(const char *memory, uint64_t pages, unsigned int rounds)
{
	static const char *const search[] = { "windows", "list" };
	char *p = map(pages), *q = map(pages);
	double sum[2][2] = { }, cycle[2][2] = { }, t;
	unsigned int r, s;

	hint(q, pages, "coloring", NULL, 0);
	fault_cost(p, pages, &t);
	fault_cost(q, pages, &t);
	for (s = 0; s < 2; s++) {
		put(DEBUG "search", search[s]);
		for (r = 0; r < rounds; r++) {
			sum[s][0] += fault_cost(p, pages, &t) / rounds;
			cycle[s][0] += t / rounds;
			sum[s][1] += fault_cost(q, pages, &t) / rounds;
			cycle[s][1] += t / rounds;
		}
		printf("# %s, search %s: default %.0f, steered %.0f a fault: %.3f; "
		       "with the free, %.0f, %.0f: %.3f\n", memory, search[s], sum[s][0],
		       sum[s][1], sum[s][0] / sum[s][1], cycle[s][0], cycle[s][1],
		       cycle[s][0] / cycle[s][1]);
	}
	put(DEBUG "search", search[0]);
	check(sum[0][0] / sum[0][1] >= 0.97, "%s: fault throughput steered / default %.3f",
	      memory, sum[0][0] / sum[0][1]);
	unhint(q, pages);
	munmap(p, pages * PAGE);
	munmap(q, pages * PAGE);
}

static void part_cost(void)
{
	uint64_t size;
	char *aged;

	compare("fresh", 4096, 5);
	show_stats();
	aged = age(total_pages() * 50 / 100, &size);
	compare("aged, half free", 4096, 5);
	munmap(aged, size * PAGE);
	aged = age(total_pages() * 20 / 100, &size);
	compare("aged, a fifth free", 4096, 5);
	munmap(aged, size * PAGE);
	show_stats();
}

/* What the zones count as free is what their lists hold. */
static bool free_pages_match(void)
{
	uint64_t lists, counted = 0;
	unsigned int try;
	char line[512];

	for (try = 0; try < 20; try++) {
		FILE *f = fopen("/proc/buddyinfo", "r");

		lists = 0;
		while (f && fgets(line, sizeof(line), f)) {
			char *at = strstr(line, "zone"), *end;
			unsigned int order = 0;
			uint64_t n;

			/* "zone", and its name, right-justified in 8 columns */
			for (at = at ? at + 13 : line; ; at = end) {
				n = strtoull(at, &end, 10);
				if (end == at)
					break;
				lists += n << order++;
			}
		}
		if (f)
			fclose(f);
		counted = free_pages();
		if (lists == counted)
			return true;
		usleep(100000);
	}
	printf("# lists hold %llu pages, counted are %llu\n", (unsigned long long)lists,
	       (unsigned long long)counted);
	return false;
}

static bool try_put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	close(fd);
	return ok;
}

/* Fault and free at random, with a pattern that must be there later. */
static void worker(unsigned int nr)
{
	static const char *const strategies[] = { "coloring", "binhop", "partition", "random" };
	const char *strategy = strategies[nr % 4];
	uint64_t i, k, pages = total_pages() / 8;
	struct page_hints_set set = { .size = sizeof(set) };
	uint64_t arg = nr % 4 == 2 ? 0xff << nr : 1;
	char *p;

	seed += nr;
	hints_fd = open("/proc/self/page_hints", O_RDWR | O_CLOEXEC);
	if (nr % 4 >= 2) {
		set.arg = (uintptr_t)&arg;
		set.arg_size = sizeof(arg);
	}
	strcpy(set.strategy, strategy);
	if (ioctl(hints_fd, PAGE_HINTS_SET, &set))
		die(strategy);
	p = map(pages);
	while (1) {
		uint64_t first = next_random() % pages, n = next_random() % 512 + 1;

		if (first + n > pages)
			n = pages - first;
		if (next_random() % 3) {
			for (i = first; i < first + n; i++) {
				uint64_t *word = (uint64_t *)(p + i * PAGE);

				for (k = 0; k < 512; k += 73) {
					if (word[k] && word[k] != i * nr + k + 1) {
						printf("not ok - page %llu of %u is wrong\n",
						       (unsigned long long)i, nr);
						_exit(1);
					}
					word[k] = i * nr + k + 1;
				}
			}
		} else {
			madvise(p + first * PAGE, n * PAGE, MADV_DONTNEED);
		}
		if (next_random() % 64 == 0) {
			pid_t child = fork();

			if (!child) {
				for (i = first; i < first + n; i++)
					*(uint64_t *)(p + i * PAGE + 8) = 0;
				_exit(0);
			}
			if (child > 0)
				waitpid(child, NULL, 0);
		}
	}
}

static void part_stress(void)
{
	unsigned int i, n = 3, rounds = 0, offlined = 0, cpus = 0, seconds = 60;
	const char *text = getenv("SECONDS_OF_STRESS");
	bool dead = false;
	pid_t pids[3];
	uint64_t end;

	if (text)
		seconds = atoi(text);
	for (i = 0; i < n; i++) {
		pids[i] = fork();
		if (!pids[i]) {
			nice(10);
			worker(i + 1);
		}
	}
	end = now() + seconds * 1000000000ull;
	while (now() < end && !dead) {
		char path[128];
		unsigned int block = next_random() % 16;

		if (try_put("/sys/devices/system/cpu/cpu1/online", rounds % 2 ? "1" : "0"))
			cpus++;
		put(rounds % 2 ? "/proc/sys/vm/drop_caches" : "/proc/sys/vm/compact_memory",
		    rounds % 2 ? "3" : "1");
		snprintf(path, sizeof(path), "/sys/devices/system/memory/memory%u/state", block);
		if (try_put(path, "offline")) {
			offlined++;
			usleep(50000);
			put(path, "online");
		}
		usleep(200000);
		rounds++;
		for (i = 0; i < n; i++)
			dead |= waitpid(pids[i], NULL, WNOHANG) > 0;
	}
	try_put("/sys/devices/system/cpu/cpu1/online", "1");
	for (i = 0; i < n; i++)
		kill(pids[i], SIGKILL);
	while (waitpid(-1, NULL, 0) > 0)
		;
	printf("# %u rounds, %u times a CPU went off or on, %u times a memory block\n", rounds,
	       cpus, offlined);
	show_stats();
	check(!dead, "no worker died or saw wrong data");
	check(free_pages_match(), "all free pages are accounted for");
	sleep(4);
	check(number_in(DEBUG "stats", "cached") == 0, "unused pages went back: %llu cached",
	      (unsigned long long)number_in(DEBUG "stats", "cached"));
	check(free_pages_match(), "and are accounted for");
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} parts[] = {
		{ "fresh", part_fresh },
		{ "aged", part_aged },
		{ "partition", part_partition },
		{ "cost", part_cost },
		{ "stress", part_stress },
	};
	const char *function = getenv("COLOR_FUNCTION");
	unsigned int i;

	if (argc > 2)
		seed = strtoull(argv[2], NULL, 0);
	hints_fd = open("/proc/self/page_hints", O_RDWR | O_CLOEXEC);
	if (hints_fd < 0)
		die("/proc/self/page_hints");
	put(FUNCTION, function ? function : "colors:32");
	get_info();
	printf("# seed %llu\n", (unsigned long long)seed);
	/* Else kcompactd moves pages about once memory is fragmented. */
	put("/proc/sys/vm/compaction_proactiveness", "0");
	for (i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (argc < 2 || !strcmp(argv[1], parts[i].name))
			parts[i].run();
	printf("1..%u\n", tests);
	return failed ? 1 : 0;
}
