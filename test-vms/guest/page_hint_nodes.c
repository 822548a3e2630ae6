// SPDX-License-Identifier: GPL-2.0
/*
 * Runs in a guest with two NUMA nodes, as root, strategies loaded: hints choose
 * pages within what memory policies, cpusets and the node say, and what the
 * allocator does is told by tracepoints.  Prints TAP.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <sys/wait.h>
#include "hints.h"
#include "pagemap.h"

#define PAGES		2000UL
#define TRACING		"/sys/kernel/tracing/"
#define EVENTS		TRACING "events/page_hint/"
#define STATS		"/sys/kernel/debug/page_hint/stats"
#define CGROUP		"/sys/fs/cgroup/nodes/"

enum { BIND = 2, INTERLEAVE = 3 };	/* of mbind() */

static struct page_hints_info info = { .size = sizeof(info) };
static int hints;

static long number_in(const char *path, const char *word)
{
	char line[256];
	long number = -1;
	FILE *f = fopen(path, "r");

	if (!f)
		die(path);
	while (fgets(line, sizeof(line), f))
		if (!strncmp(line, word, strlen(word)) && line[strlen(word)] == ' ')
			number = strtol(line + strlen(word), NULL, 10);
	fclose(f);
	return number;
}

static void use(char *p, size_t pages)
{
	for (size_t i = 0; i < pages; i++)
		p[i * PAGE] = 1;
}

/* How many pages have the color of their address; @on: how many are on a node. */
static size_t colored(char *p, size_t pages, size_t on[2])
{
	size_t right = 0;

	on[0] = on[1] = 0;
	for (size_t i = 0; i < pages; i++) {
		void *page = p + i * PAGE;
		int node = -1;

		right += page_color(&info, pfn_of(page)) == ((uintptr_t)page / PAGE) % info.colors;
		if (syscall(SYS_move_pages, 0, 1, &page, NULL, &node, 0))
			die("move_pages");
		if (node == 0 || node == 1)
			on[node]++;
	}
	return right;
}

static char *new_colored(size_t pages)
{
	char *p = map(pages * PAGE);

	if (set(hints, (uintptr_t)p, (uintptr_t)p + pages * PAGE, "coloring"))
		die("coloring");
	return p;
}

static void done_with(char *p, size_t pages)
{
	clear(hints, (uintptr_t)p, (uintptr_t)p + pages * PAGE);
	munmap(p, pages * PAGE);
}

static void run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
}

static void by_policy(const char *name, int mode, unsigned long nodes, size_t least0,
		      size_t most0)
{
	char *p = new_colored(PAGES);
	size_t right, on[2];

	if (mode && syscall(SYS_mbind, p, PAGES * PAGE, mode, &nodes, 3, 0))
		die("mbind");
	use(p, PAGES);
	right = colored(p, PAGES, on);
	ok(on[0] >= least0 && on[0] <= most0 && on[0] + on[1] == PAGES,
	   "%s: %zu pages on node 0, %zu on node 1", name, on[0], on[1]);
	ok(right >= PAGES * 99 / 100, "%s: %zu of %lu have their color", name, right, PAGES);
	done_with(p, PAGES);
}

static void policies(void)
{
	run_on(0);
	by_policy("on a CPU of node 0", 0, 0, PAGES, PAGES);
	run_on(1);
	by_policy("on a CPU of node 1", 0, 0, 0, 0);
	run_on(0);
	by_policy("bound to node 1", BIND, 2, 0, 0);
	by_policy("interleaved", INTERLEAVE, 3, PAGES / 2, PAGES / 2);
}

/* Its pages must be on the nodes that the cpuset has, whatever the hints say. */
static void cpusets(void)
{
	pid_t child;
	int status;

	put_file("/sys/fs/cgroup/cgroup.subtree_control", "+cpuset");
	if (mkdir(CGROUP, 0755) && errno != EEXIST)
		die(CGROUP);
	put_file(CGROUP "cpuset.mems", "1");
	child = fork();
	if (!child) {
		size_t right, on[2];
		char *p;

		put_file(CGROUP "cgroup.procs", "0");
		hints = hints_open(getpid(), O_RDWR);
		run_on(0);
		p = new_colored(PAGES);
		use(p, PAGES);
		right = colored(p, PAGES, on);
		printf("# cpuset: %zu on node 0, %zu on node 1, %zu of their color\n", on[0], on[1],
		       right);
		fflush(stdout);
		_exit(on[0] || right < PAGES * 99 / 100);
	}
	waitpid(child, &status, 0);
	ok(!status, "in a cpuset of node 1: all pages there, with their color");
	rmdir(CGROUP);
}

/*
 * With its node full, a process gets pages of the other: of any color, as before.
 * Reclaim may make room behind our back, so what was meant to find the node full
 * fills it further, until one does.
 */
static void full_node(void)
{
	long free0 = number_in("/sys/devices/system/node/node0/vmstat", "nr_free_pages");
	size_t pages = free0 - 1000, right, on[2] = { };
	long requests, misses;
	unsigned long node0 = 1;
	char *fill, *p[16];
	int n = 0;

	run_on(0);
	fill = map(pages * PAGE);
	if (syscall(SYS_mbind, fill, pages * PAGE, 1 /* PREFERRED */, &node0, 2, 0))
		die("mbind");
	use(fill, pages);
	do {
		p[n] = new_colored(PAGES);
		requests = number_in(STATS, "requests");
		misses = number_in(STATS, "miss_watermark");
		use(p[n], PAGES);
		right = colored(p[n], PAGES, on);
		requests = number_in(STATS, "requests") - requests;
		misses = number_in(STATS, "miss_watermark") - misses;
		printf("# %zu on node 0, %zu on node 1, %zu have their color\n", on[0], on[1],
		       right);
	} while (++n < 16 && !on[1]);
	ok(on[1] > 0, "node 0 is full: pages come from node 1");
	ok(misses > 0 && misses <= requests, "%ld of %ld requests are counted as missed", misses,
	   requests);
	ok(right < PAGES, "no page is taken from node 1 for its color");
	while (n)
		done_with(p[--n], PAGES);
	munmap(fill, pages * PAGE);
}

/* Events of a kind in the trace buffer. */
static long events(const char *name)
{
	char line[512];
	long n = 0;
	FILE *f = fopen(TRACING "trace", "r");

	while (f && fgets(line, sizeof(line), f))
		n += strstr(line, name) != NULL;
	if (f)
		fclose(f);
	return n;
}

static long count_of(const char *const *names)
{
	long sum = 0;

	for (; *names; names++)
		sum += number_in(STATS, *names);
	return sum;
}

static void tracepoints(void)
{
	static const char *const hit[] = { "hit_window", "hit_freed", "hit_head", "hit_big", "hit_stride", NULL };
	static const char *const miss[] = { "miss_bound", "miss_watermark", NULL };
	char *p = new_colored(PAGES), line[512], tier[16];
	long hits, misses, wrong = 0, seen = 0;
	unsigned long vpn, color, pfn;
	struct page_hints_remap remap = { .size = sizeof(remap) };
	FILE *f;

	put_file(TRACING "trace", "\n");
	put_file(EVENTS "enable", "1");
	hits = count_of(hit);
	misses = count_of(miss);
	use(p, PAGES);
	hits = count_of(hit) - hits;
	misses = count_of(miss) - misses;
	put_file(EVENTS "enable", "0");

	f = fopen(TRACING "trace", "r");
	while (f && fgets(line, sizeof(line), f)) {
		char *at = strstr(line, "page_hint_alloc: ");

		if (!at || sscanf(strstr(at, "vpn="), "vpn=%lx want=color:%lu pfn=%lx tier=%15s",
				  &vpn, &color, &pfn, tier) != 4)
			continue;
		if (vpn < (uintptr_t)p / PAGE || vpn >= (uintptr_t)p / PAGE + PAGES)
			continue;
		seen++;
		wrong += page_color(&info, pfn) != color || pfn_of((void *)(vpn * PAGE)) != pfn;
	}
	if (f)
		fclose(f);
	ok(seen > 0 && !wrong, "page_hint_alloc: %ld events, %ld of another page or color", seen,
	   wrong);
	ok(events("page_hint_alloc: ") == hits && events("page_hint_miss: ") == misses,
	   "as many as are counted: %ld hits, %ld misses", hits, misses);

	/* To other colors, and back to the free lists. */
	put_file(TRACING "trace", "\n");
	put_file(EVENTS "enable", "1");
	clear(hints, (uintptr_t)p, (uintptr_t)p + PAGES * PAGE);
	if (set_arg(hints, (uintptr_t)p, (uintptr_t)p + PAGES * PAGE, "coloring",
		    &(struct page_hints_arg_coloring){ .offset = 1 },
		    sizeof(struct page_hints_arg_coloring)))
		die("coloring");
	remap.start = (uintptr_t)p;
	remap.end = (uintptr_t)p + PAGES * PAGE;
	if (ioctl(hints, PAGE_HINTS_REMAP, &remap))
		die("REMAP");
	/* What is cached and not used goes back by itself. */
	for (int i = 0; i < 100 && !events("page_hint_drain: "); i++)
		usleep(100000);
	put_file(EVENTS "enable", "0");
	ok(events("page_hint_remap: ") > 0, "page_hint_remap: %ld events, %llu pages moved",
	   events("page_hint_remap: "), (unsigned long long)remap.moved);
	ok(events("page_hint_drain: ") > 0, "page_hint_drain: %ld events",
	   events("page_hint_drain: "));
	done_with(p, PAGES);
}

int main(void)
{
	hints = hints_open(getpid(), O_RDWR);
	if (hints < 0)
		die("page_hints");
	put_file("/sys/kernel/mm/page_hint/color_function", "colors:32");
	put_file("/proc/sys/vm/compaction_proactiveness", "0");
	if (ioctl(hints, PAGE_HINTS_INFO, &info))
		die("INFO");
	tracepoints();
	policies();
	cpusets();
	full_node();
	printf("1..%d\n", nr_tests);
	return nr_bad != 0;
}
