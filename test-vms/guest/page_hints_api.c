// SPDX-License-Identifier: GPL-2.0
/*
 * Runs in the guest, as root: what /proc/<pid>/page_hints and page_map promise,
 * call by call: good and bad input, rights, inheritance, where pages are.
 * Prints TAP.
 *
 *	page_hints_api DIR
 *
 * DIR holds page_strategy_*.ko.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "hints.h"

static char *self_path;	/* of this program, to be executed anew */

#define UNPRIVILEGED	"/proc/sys/vm/page_hints_unprivileged"
#define INHERIT		"/proc/sys/vm/page_hints_inherit"
#define NOBODY		65534

static int try_put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY), ret, err;

	ret = write(fd, text, strlen(text));
	err = errno;
	close(fd);
	errno = err;
	return ret;
}

/* ---- the structures ---- */

static void test_structures(int fd)
{
	struct {
		struct page_hints_info info;
		uint64_t more;
	} big;
	struct page_hints_info info = { .size = sizeof(info) };
	struct page_hints_query count;
	struct page_hints_range range;
	struct page_hints_get hint;
	uint64_t size;

	gives(ioctl(fd, PAGE_HINTS_INFO, &info), 0, "INFO");
	ok(info.api_version == PAGE_HINTS_API_VERSION && info.size == sizeof(info),
	   "INFO: version and size");
	ok(info.colors == 1U << info.color_bits && info.color_bits <= 12 && info.color_bits,
	   "INFO: %u colors", info.colors);
	ok(info.inherit == PAGE_HINTS_INHERIT_ALL, "INFO: all may be inherited");

	memset(&big, 0xff, sizeof(big));
	size = big.info.size = sizeof(size);
	gives(ioctl(fd, PAGE_HINTS_INFO, &big), 0, "INFO: of its size only");
	ok(big.info.api_version == ~0U, "INFO: nothing written behind it");
	memset(&big, 0xff, sizeof(big));
	big.info.size = offsetof(struct page_hints_info, colors);
	gives(ioctl(fd, PAGE_HINTS_INFO, &big), 0, "INFO: half of it");
	ok(big.info.api_version == 1 && big.info.colors == ~0U, "INFO: half is written");
	size = 7;
	gives(ioctl(fd, PAGE_HINTS_INFO, &size), EINVAL, "INFO: size 7");
	size = PAGE + 1;
	gives(ioctl(fd, PAGE_HINTS_INFO, &size), E2BIG, "INFO: size of more than a page");
	memset(&big, 0, sizeof(big));
	big.info.size = sizeof(big);
	gives(ioctl(fd, PAGE_HINTS_INFO, &big), 0, "INFO: bigger, but 0");
	ok(big.info.size == sizeof(info), "INFO: the kernel's size comes back");
	big.info.size = sizeof(big);
	big.more = 1;
	gives(ioctl(fd, PAGE_HINTS_INFO, &big), E2BIG, "INFO: bigger, not 0");
	gives(ioctl(fd, PAGE_HINTS_INFO, NULL), EFAULT, "INFO: at 0");
	gives(ioctl(fd, PAGE_HINTS_INFO, -8UL), EFAULT, "INFO: at the end of memory");
	big.info.size = sizeof(big);
	big.more = 0;
	gives(ioctl(fd, _IOWR('f', 0x40, big), &big), 0, "INFO: command of another size");
	gives(ioctl(fd, _IO('f', 0x40), &info), ENOTTY, "command of another direction");
	gives(ioctl(fd, _IOWR('f', 0x60, info), &info), ENOTTY, "unknown command");
	gives(ioctl(fd, _IOWR('g', 0x40, info), &info), ENOTTY, "command of another type");

	range = (struct page_hints_range){ .size = 16 };
	gives(ioctl(fd, PAGE_HINTS_CLEAR, &range), EINVAL, "CLEAR: too small");
	gives(clear(fd, PAGE, 0), EINVAL, "CLEAR: start without end");
	gives(clear(fd, 1, PAGE), EINVAL, "CLEAR: unaligned start");
	gives(clear(fd, 0, PAGE + 1), EINVAL, "CLEAR: unaligned end");
	gives(clear(fd, 2 * PAGE, PAGE), EINVAL, "CLEAR: end before start");
	gives(clear(fd, 0, -PAGE), EINVAL, "CLEAR: beyond user memory");
	gives(clear(fd, 0, 0), 0, "CLEAR: everything, when there is nothing");

	gives(get(fd, 0, &hint), ENOENT, "GET: no range");
	gives(get(fd, ~0UL, &hint), ENOENT, "GET: no default");
	gives(get(fd, 5, &hint), EINVAL, "GET: unaligned");
	gives(get(fd, -PAGE, &hint), ENOENT, "GET: beyond user memory");
	gives(inherit(fd, 8), EINVAL, "INHERIT: unknown flag");
	gives(verify(fd, PAGE, PAGE, &count), EINVAL, "VERIFY: nothing");
	gives(verify(fd, 0, TASK_END + PAGE, &count), EINVAL, "VERIFY: beyond user memory");
	gives(verify(fd, 0, TASK_END, &count), 0, "VERIFY: all memory");
	ok(count.present && !count.hinted && !count.hits, "VERIFY: pages, and no hints");
	count = (struct page_hints_query){ .size = sizeof(count), .end = PAGE, .pages = 8 };
	gives(ioctl(fd, PAGE_HINTS_VERIFY, &count), EINVAL, "VERIFY: takes no array");
	gives(query(fd, 0, TASK_END, NULL, NULL, 1, &count), EFAULT, "QUERY: array at 0");
	gives(query(fd, 0, TASK_END, NULL, NULL, 0, &count), 0, "QUERY: no entries");
	ok(count.start == 0 && count.nr_pages == 0, "QUERY: and none looked at");
}

static void test_set(int fd)
{
	struct page_hints_arg_partition colors = { { 0x0f } };
	struct page_hints_info info = { .size = sizeof(info) };
	struct page_hints_set s;
	struct page_hints_get hint;
	struct page_hints_arg_random random = { 42 };
	struct page_hints_arg_binhop bins = { 3, 2 };
	uint64_t a = 0x10000000, offset = 5;
	uint64_t pfns[4] = { ~0UL, ~0UL, ~0UL, ~0UL };
	uint32_t table[5] = { 0, 1, 2, 3, 4 };

	ioctl(fd, PAGE_HINTS_INFO, &info);

	gives(set(fd, 0, 0, "coloring"), 0, "SET: default");
	gives(get(fd, ~0UL, &hint), 0, "GET: default");
	ok(!strcmp(hint.strategy, "coloring") && !strcmp(hint.text, "offset 0") &&
	   !hint.start && !hint.end && hint.inherit == 7, "GET: of coloring");
	gives(get(fd, 0, &hint), ENOENT, "GET: but no range");
	gives(set_arg(fd, a, a + 4 * PAGE, "coloring", &offset, 8), 0, "SET: range");
	gives(get(fd, 0, &hint), 0, "GET: the next range");
	ok(hint.start == a && hint.end == a + 4 * PAGE && !strcmp(hint.text, "offset 5"),
	   "GET: where it is");
	gives(get(fd, a + 3 * PAGE, &hint), 0, "GET: in the range");
	gives(get(fd, a + 4 * PAGE, &hint), ENOENT, "GET: after it");

	gives(set(fd, a + 1, a + PAGE, "coloring"), EINVAL, "SET: unaligned start");
	gives(set(fd, a, a + 100, "coloring"), EINVAL, "SET: unaligned end");
	gives(set(fd, a, a, "coloring"), EINVAL, "SET: empty");
	gives(set(fd, a, 0, "coloring"), EINVAL, "SET: no end");
	gives(set(fd, a, a - PAGE, "coloring"), EINVAL, "SET: end before start");
	gives(set(fd, 0, TASK_END + PAGE, "coloring"), EINVAL, "SET: beyond user memory");
	gives(set(fd, -2 * PAGE, -PAGE, "coloring"), EINVAL, "SET: kernel memory");
	gives(set(fd, 0, TASK_END, "coloring"), 0, "SET: all memory");
	gives(clear(fd, 0, TASK_END), 0, "CLEAR: all memory");
	gives(set(fd, a, a + PAGE, ""), EINVAL, "SET: no name");
	gives(set(fd, a, a + PAGE, "../../x"), EINVAL, "SET: strange name");
	gives(set(fd, a, a + PAGE, "0123456789abcdef"), EINVAL, "SET: name without an end");
	gives(set(fd, a, a + PAGE, "nosuch"), ENOENT, "SET: unknown strategy");

	s = (struct page_hints_set){ .size = sizeof(s), .strategy = "coloring", .flags = 2 };
	gives(ioctl(fd, PAGE_HINTS_SET, &s), EINVAL, "SET: unknown flag");
	s.flags = 0;
	s.reserved = 1;
	gives(ioctl(fd, PAGE_HINTS_SET, &s), EINVAL, "SET: reserved");
	s.reserved = 0;
	s.size -= 8;
	gives(ioctl(fd, PAGE_HINTS_SET, &s), EINVAL, "SET: too small");
	s.size += 8;
	s.flags = PAGE_HINT_ORDER0;
	gives(ioctl(fd, PAGE_HINTS_SET, &s), 0, "SET: order 0");
	get(fd, ~0UL, &hint);
	ok(hint.flags == PAGE_HINT_ORDER0, "GET: order 0");

	gives(set_arg(fd, a, a + PAGE, "coloring", &offset, 4), EINVAL, "coloring: short argument");
	gives(set_arg(fd, a, a + PAGE, "coloring", NULL, 8), EFAULT, "coloring: argument at 0");
	gives(set_arg(fd, a, a + PAGE, "coloring", &offset, PAGE + 1), E2BIG,
	      "coloring: more than a page of it");
	gives(set_arg(fd, 0, 0, "coloring", &offset, 1UL << 60), E2BIG, "coloring: 2^60 of it");
	gives(set_arg(fd, 0, 0, "coloring", &offset, ~0UL), E2BIG, "coloring: 2^64 of it");

	gives(set(fd, a, a + PAGE, "binhop"), 0, "binhop");
	gives(set_arg(fd, a, a + PAGE, "binhop", &bins, 8), 0, "binhop: first and step");
	get(fd, a, &hint);
	ok(!strcmp(hint.text, "first 3 step 2"), "binhop: described");
	bins.first = info.colors;
	gives(set_arg(fd, a, a + PAGE, "binhop", &bins, 8), ERANGE, "binhop: no such bin");
	gives(set_arg(fd, a, a + PAGE, "binhop", &bins, 4), EINVAL, "binhop: short argument");

	gives(set(fd, a, a + 4 * PAGE, "modulo"), EINVAL, "modulo: no table");
	gives(set_arg(fd, a, a + 4 * PAGE, "modulo", table, 16), 0, "modulo: table");
	gives(set_arg(fd, a, a + 4 * PAGE, "modulo", table, 8), 0, "modulo: short table");
	gives(set_arg(fd, a, a + 4 * PAGE, "modulo", table, 20), EINVAL, "modulo: long table");
	gives(set_arg(fd, a, a + 4 * PAGE, "modulo", table, 7), EINVAL, "modulo: odd size");
	gives(set_arg(fd, 0, 0, "modulo", table, 20), 0, "modulo: default");
	table[2] = info.colors;
	gives(set_arg(fd, a, a + 4 * PAGE, "modulo", table, 16), ERANGE, "modulo: no such color");
	get(fd, a, &hint);
	ok(!strcmp(hint.text, "table of 2"), "a SET that fails leaves the old hint");

	gives(set_arg(fd, a, a + 4 * PAGE, "exact", pfns, 32), 0, "exact: anywhere");
	gives(set_arg(fd, a, a + 4 * PAGE, "exact", pfns, 24), EINVAL, "exact: short table");
	gives(set_arg(fd, a, a + 3 * PAGE, "exact", pfns, 32), EINVAL, "exact: long table");
	gives(set_arg(fd, 0, 0, "exact", pfns, 32), EINVAL, "exact: default");
	pfns[1] = 1UL << 40;
	gives(set_arg(fd, a, a + 4 * PAGE, "exact", pfns, 32), ERANGE, "exact: no such frame");
	pfns[1] = ~1UL;
	gives(set_arg(fd, a, a + 4 * PAGE, "exact", pfns, 32), ERANGE, "exact: frame 2^64 - 2");

	gives(set_arg(fd, a, a + PAGE, "partition", &colors, 8), 0, "partition: a word");
	get(fd, a, &hint);
	ok(!strncmp(hint.text, "4 of ", 5) && strstr(hint.text, "0-3"), "partition: described");
	gives(set_arg(fd, a, a + PAGE, "partition", &colors, sizeof(colors)), 0, "partition: all");
	gives(set_arg(fd, a, a + PAGE, "partition", &colors, 7), EINVAL, "partition: odd size");
	gives(set(fd, a, a + PAGE, "partition"), EINVAL, "partition: no argument");
	if (info.colors < PAGE_HINTS_MAX_COLORS) {
		colors.colors[63] = 1UL << 63;
		gives(set_arg(fd, a, a + PAGE, "partition", &colors, sizeof(colors)), ERANGE,
		      "partition: no such color");
	}
	memset(&colors, 0, sizeof(colors));
	gives(set_arg(fd, a, a + PAGE, "partition", &colors, 8), EINVAL, "partition: empty");

	gives(set_arg(fd, a, a + PAGE, "random", &random, 8), 0, "random: seed");
	gives(set(fd, a, a + PAGE, "random"), EINVAL, "random: no seed");

	gives(clear(fd, 0, 0), 0, "CLEAR: everything");
	gives(get(fd, 0, &hint), ENOENT, "GET: then no range");
	gives(get(fd, ~0UL, &hint), ENOENT, "GET: then no default");
	for (unsigned int i = 0; i < NR_STRATEGIES; i++)
		ok(unused(strategies[i]), "%s: no references left", strategies[i]);
}

/* Random ranges against a model of them: offset of each page, 0 for none. */
static void test_splits(int fd)
{
	enum { PAGES = 64, ROUNDS = 3000 };
	uint64_t base = 0x20000000, model[PAGES] = { 0 };
	struct page_hints_get hint;
	int wrong = 0;

	for (int round = 1; round <= ROUNDS; round++) {
		uint64_t first = rnd() % PAGES, last = first + rnd() % (PAGES - first);
		uint64_t offset = rnd() % 3 ? (uint64_t)round : 0;
		int ret;

		if (offset)
			ret = set_arg(fd, base + first * PAGE, base + (last + 1) * PAGE, "coloring",
				      &offset, 8);
		else
			ret = clear(fd, base + first * PAGE, base + (last + 1) * PAGE);
		wrong += !!ret;
		for (uint64_t i = first; i <= last; i++)
			model[i] = offset;

		uint64_t at = 0, seen[PAGES] = { 0 };

		while (!get(fd, at, &hint)) {
			if (hint.start < base || hint.end > base + PAGES * PAGE ||
			    hint.start >= hint.end || hint.start < at) {
				wrong++;
				break;
			}
			for (at = hint.start; at < hint.end; at += PAGE)
				seen[(at - base) / PAGE] = strtoul(hint.text + 7, NULL, 10);
		}
		wrong += !!memcmp(seen, model, sizeof(model));
	}
	ok(!wrong, "%d random SETs and CLEARs give the ranges of a model", ROUNDS);
	clear(fd, 0, 0);
	ok(unused("coloring"), "and leave no references");
}

/* ---- rights ---- */

static void become_nobody(void)
{
	if (setgid(NOBODY) || setuid(NOBODY) || prctl(PR_SET_DUMPABLE, 1))
		die("setuid");
}

/* Runs @fn in a child whose results count as ours. */
static void in_child(void (*fn)(void *arg), void *arg)
{
	int status, fds[2];
	pid_t pid;

	if (pipe(fds))
		die("pipe");
	fflush(stdout);
	pid = fork();
	if (!pid) {
		int counts[2];

		fn(arg);
		fflush(stdout);
		counts[0] = nr_tests;
		counts[1] = nr_bad;
		_exit(write(fds[1], counts, sizeof(counts)) != sizeof(counts));
	}
	close(fds[1]);

	int counts[2] = { nr_tests, nr_bad };

	if (read(fds[0], counts, sizeof(counts)) != sizeof(counts))
		nr_bad++, printf("# a child died\n");
	nr_tests = counts[0];
	nr_bad = counts[1];
	close(fds[0]);
	waitpid(pid, &status, 0);
}

static void rights_of_nobody(void *arg)
{
	struct page_hints_page pages[16];
	struct page_hints_query count;
	struct page_hints_info info = { .size = sizeof(info) };
	struct page_hints_get hint;
	uint64_t pfn = 1, bad = 1UL << 50;
	char *mem = map(16 * PAGE);
	int fd, ro;

	become_nobody();
	memset(mem, 1, 16 * PAGE);
	fd = hints_open(getpid(), O_RDWR);
	ro = hints_open(getpid(), O_RDONLY);
	ok(fd >= 0 && ro >= 0, "nobody: may open its own");
	gives(hints_open(1, O_RDONLY), EACCES, "nobody: may not open init's");
	gives(ioctl(fd, PAGE_HINTS_INFO, &info), 0, "nobody: INFO");

	gives(set(fd, 0, 0, "coloring"), EPERM, "nobody: SET");
	gives(inherit(fd, 0), EPERM, "nobody: INHERIT");
	gives(clear(fd, 0, 0), 0, "nobody: CLEAR of its own");
	gives(set(ro, 0, 0, "coloring"), EBADF, "read-only: SET");
	gives(clear(ro, 0, 0), EBADF, "read-only: CLEAR");
	gives(inherit(ro, 0), EBADF, "read-only: INHERIT");
	gives(get(ro, 0, &hint), ENOENT, "read-only: GET");

	/* Who has the right leaves the door open for a moment. */
	if (write(*(int *)arg, "1", 1) != 1)
		die("pipe");
	while (get_number(UNPRIVILEGED) != 1)
		usleep(1000);
	gives(set(fd, 0, 0, "coloring"), 0, "with the sysctl: SET");
	gives(inherit(fd, 3), 0, "with the sysctl: INHERIT");
	gives(set_arg(fd, (uintptr_t)mem, (uintptr_t)mem + PAGE, "exact", &pfn, 8), EPERM,
	      "with the sysctl: exact");
	gives(set_arg(fd, (uintptr_t)mem, (uintptr_t)mem + PAGE, "exact", &bad, 8), EPERM,
	      "with the sysctl: exact, no such frame");
	madvise(mem, 16 * PAGE, MADV_DONTNEED);
	memset(mem, 1, 16 * PAGE);
	get(fd, ~0UL, &hint);
	ok(!hint.requests && !hint.hits, "nobody: sees no hits");
	gives(query(ro, (uintptr_t)mem, (uintptr_t)mem + 16 * PAGE, pages, NULL, 16, &count), 0,
	      "read-only: QUERY");
	ok(count.nr_pages == 16 && pages[0].flags & PAGE_HINTS_PLACED, "nobody: sees its hints");

	bool hidden = true;

	for (int i = 0; i < 16; i++)
		hidden &= !pages[i].pfn && !pages[i].color && !pages[i].want_pfn &&
			  !(pages[i].flags & PAGE_HINTS_HIT);
	ok(hidden && !count.hits, "nobody: sees no frames, colors or hits");
	gives(verify(ro, (uintptr_t)mem, (uintptr_t)mem + 16 * PAGE, &count), 0,
	      "read-only: VERIFY");
	ok(count.present == 16 && count.placed == 16 && !count.hits, "nobody: and no hits there");

	FILE *f = fopen("/proc/self/page_map", "r");
	char line[256];
	int lines = 0;

	hidden = f && fgets(line, sizeof(line), f);
	while (f && fgets(line, sizeof(line), f)) {
		unsigned long addr, frame;
		unsigned int color;
		char want[32], flags[128];

		hidden &= sscanf(line, "%lx %lu %u %31s %127s", &addr, &frame, &color, want,
				 flags) == 5 && !frame && !color && !strstr(flags, "hit");
		lines++;
	}
	ok(hidden && lines > 20, "nobody: page_map has %d lines and shows no frames", lines);
}

static void test_rights(void)
{
	int fds[2], status;
	char c;
	pid_t pid;

	put_file(UNPRIVILEGED, "0");
	if (pipe(fds))
		die("pipe");
	fflush(stdout);
	pid = fork();
	if (!pid) {
		if (read(fds[0], &c, 1) == 1) {
			put_file(UNPRIVILEGED, "1");
			sleep(2);
			put_file(UNPRIVILEGED, "0");
		}
		_exit(0);
	}
	in_child(rights_of_nobody, &fds[1]);
	close(fds[1]);
	waitpid(pid, &status, 0);
	close(fds[0]);
	put_file(UNPRIVILEGED, "0");
	gives(try_put(UNPRIVILEGED, "2"), EINVAL, "sysctl page_hints_unprivileged: 2");
}

static void hint_of_nobody(void *arg)
{
	int fd = hints_open(*(pid_t *)arg, O_RDWR);

	ok(fd >= 0, "root: may open a stranger's");
	gives(set(fd, 0, 0, "coloring"), 0, "root: SET for it");
}

static void test_strangers(void)
{
	struct page_hints_get hint;
	int fd, status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		become_nobody();
		pause();
		_exit(0);
	}
	usleep(100000);
	in_child(hint_of_nobody, &pid);
	fd = hints_open(pid, O_RDWR);
	gives(get(fd, ~0UL, &hint), 0, "its hint is there");
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	gives(get(fd, ~0UL, &hint), ESRCH, "GET: of a process that is gone");
	gives(set(fd, 0, 0, "coloring"), ESRCH, "SET: likewise");
	ok(unused("coloring"), "and its hints are freed, though the file is open");
	close(fd);
	gives(hints_open(2, O_RDONLY), ESRCH, "a kernel thread");
}

/* ---- inheritance ---- */

static void count_hints(pid_t pid, int *def, int *ranges)
{
	struct page_hints_get hint;
	uint64_t at = 0;
	int fd = hints_open(pid, O_RDONLY);

	*def = !get(fd, ~0UL, &hint);
	for (*ranges = 0; !get(fd, at, &hint); at = hint.end)
		++*ranges;
	close(fd);
}

static void forked_has(int want_def, int want_ranges, const char *what)
{
	int status, def, ranges;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		pause();
		_exit(0);
	}
	count_hints(pid, &def, &ranges);
	ok(def == want_def && ranges == want_ranges, "fork, %s: %d default, %d ranges", what,
	   want_def, want_ranges);
	if (def != want_def || ranges != want_ranges)
		printf("# got %d and %d\n", def, ranges);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
}

/* The new program says with its status what it has. */
static void executed_has(const char *path, uid_t uid, int want, const char *what)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		if (uid && (setgid(uid) || setuid(uid)))
			_exit(99);
		execl(path, path, "report", NULL);
		_exit(99);
	}
	waitpid(pid, &status, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == want, "exec, %s: %d", what, want);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != want)
		printf("# got status %#x\n", status);
}

static int report(void)
{
	int def, ranges;

	/* A setuid program is not its user's to look into, but its own. */
	count_hints(getpid(), &def, &ranges);
	return def + 2 * ranges;
}

static void test_inheritance(int fd)
{
	uint64_t a = 0x30000000;
	char path[] = "/tmp/page_hints_suid", command[300];
	struct page_hints_get hint;

	clear(fd, 0, 0);
	gives(inherit(fd, PAGE_HINTS_INHERIT_ALL), 0, "INHERIT: all");
	set(fd, 0, 0, "coloring");
	set(fd, a, a + 4 * PAGE, "coloring");
	set(fd, a + 8 * PAGE, a + 9 * PAGE, "binhop");
	/* binhop twice, but one hint; and one that cannot be shared. */
	set(fd, a + 16 * PAGE, a + 24 * PAGE, "binhop");
	set(fd, a + 18 * PAGE, a + 20 * PAGE, "coloring");

	forked_has(1, 5, "all");
	inherit(fd, PAGE_HINTS_FORK_DEFAULT);
	forked_has(1, 0, "the default only");
	inherit(fd, PAGE_HINTS_FORK_RANGES);
	forked_has(0, 5, "ranges only");
	inherit(fd, 0);
	forked_has(0, 0, "nothing");
	inherit(fd, PAGE_HINTS_INHERIT_ALL);
	put_file(INHERIT, "1");
	forked_has(1, 0, "narrowed by the sysctl");
	gives(inherit(fd, PAGE_HINTS_INHERIT_ALL), EPERM, "INHERIT: what the sysctl forbids");
	get(fd, ~0UL, &hint);
	ok(hint.inherit == 1, "GET: what is left");
	executed_has(self_path, 0, 0, "forbidden by the sysctl");
	gives(try_put(INHERIT, "8"), EINVAL, "sysctl page_hints_inherit: 8");
	put_file(INHERIT, "7");
	get(fd, ~0UL, &hint);
	ok(hint.inherit == 7, "GET: and back again");

	executed_has(self_path, 0, 1, "the default stays");
	inherit(fd, PAGE_HINTS_FORK_DEFAULT | PAGE_HINTS_FORK_RANGES);
	executed_has(self_path, 0, 0, "not wanted");
	inherit(fd, PAGE_HINTS_INHERIT_ALL);

	snprintf(command, sizeof(command), "cp %s %s && chmod 4755 %s", self_path, path, path);
	ok(!system(command), "a setuid copy");
	executed_has(path, 0, 1, "setuid, but by its owner");
	executed_has(path, NOBODY, 0, "setuid, by nobody");
	chmod(path, 0755);
	executed_has(path, NOBODY, 1, "the same without the bit");
	unlink(path);
	gives(clear(fd, 0, 0), 0, "CLEAR");
	ok(unused("binhop") && unused("coloring"), "and no references are left");
}

/* ---- where pages are ---- */

struct reference {
	int fd;
	unsigned long compared, present, wrong;
};

static uint64_t pagemap_entry(int fd, uint64_t addr)
{
	uint64_t entry = 0;

	if (pread(fd, &entry, 8, addr / PAGE * 8) != 8)
		return 0;
	return entry;
}

static void compare_page(struct reference *r, uint64_t addr, uint64_t pfn, unsigned int flags)
{
	uint64_t entry = pagemap_entry(r->fd, addr);
	bool present = entry >> 63;

	r->compared++;
	r->present += present;
	if (present != !!(flags & PAGE_HINTS_PRESENT) ||
	    (present && pfn != (entry & ((1UL << 55) - 1))) ||
	    (present && !!(entry & (1UL << 61)) != !!(flags & PAGE_HINTS_FILE) &&
	     !(flags & PAGE_HINTS_ZERO) && pfn && 0)) {
		if (r->wrong++ < 5)
			printf("# %#lx: pagemap %#lx, we %#lx flags %#x\n", addr, entry, pfn, flags);
	}
}

/* All of a process that stands still: QUERY, page_map and pagemap agree. */
static void agree(pid_t pid, const char *what)
{
	enum { NR = 1000 };
	static struct page_hints_page pages[NR];
	static uint64_t addresses[NR];
	struct page_hints_query count, part;
	struct reference r = { 0 }, text = { 0 };
	uint64_t hits = 0, placed = 0, hinted = 0, last = 0;
	char path[64], line[256];
	int fd = hints_open(pid, O_RDONLY), turns = 0;
	bool order = true;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/pagemap", pid);
	r.fd = text.fd = open(path, O_RDONLY);

	part.start = 0;
	do {
		if (query(fd, part.start, TASK_END, pages, addresses, NR, &part)) {
			printf("# QUERY: %s\n", strerror(errno));
			r.wrong++;
			break;
		}
		for (uint64_t i = 0; i < part.nr_pages; i++) {
			order &= addresses[i] >= last;
			last = addresses[i] + PAGE;
			compare_page(&r, addresses[i], pages[i].pfn, pages[i].flags);
			if (!(pages[i].flags & PAGE_HINTS_PRESENT))
				continue;
			hinted += !!(pages[i].flags & PAGE_HINTS_HINTED);
			placed += !!(pages[i].flags & PAGE_HINTS_PLACED);
			hits += !!(pages[i].flags & PAGE_HINTS_HIT);
		}
		turns++;
	} while (part.start < TASK_END && turns < 1000000);
	ok(!r.wrong && order && r.present, "%s: QUERY is pagemap: %lu pages, %lu present", what,
	   r.compared, r.present);

	gives(verify(fd, 0, TASK_END, &count), 0, "VERIFY");
	ok(count.present == r.present && count.hinted == hinted && count.placed == placed &&
	   count.hits == hits, "%s: VERIFY counts as QUERY: %llu present, %llu hinted, %llu placed, %llu hits",
	   what, count.present, count.hinted, count.placed, count.hits);
	if (count.present != r.present)
		printf("# QUERY: %lu %lu %lu %lu\n", r.present, hinted, placed, hits);

	snprintf(path, sizeof(path), "/proc/%d/page_map", pid);
	f = fopen(path, "r");
	ok(f && fgets(line, sizeof(line), f) &&
	   !strcmp(line, "address pfn color want flags\n"), "page_map: heading");
	last = 0;
	while (f && fgets(line, sizeof(line), f)) {
		unsigned long addr = 0, pfn = 0;

		sscanf(line, "%lx %lu", &addr, &pfn);
		compare_page(&text, addr, pfn, PAGE_HINTS_PRESENT);
		text.wrong += addr < last;
		last = addr + PAGE;
	}
	fclose(f);
	ok(!text.wrong && text.present == r.present, "%s: page_map is pagemap: %lu pages", what,
	   text.present);
	close(r.fd);
	close(fd);
}

static void test_maps(void)
{
	size_t huge = 2UL << 20;
	int status, sync[2], fd, file;
	volatile char sum = 0;
	char c;
	pid_t pid;

	if (pipe(sync))
		die("pipe");
	fflush(stdout);
	pid = fork();
	if (!pid) {
		char *a = map(64 * PAGE), *thp, *big, *hole;

		file = open(self_path, O_RDONLY);
		memset(a, 1, 32 * PAGE);
		/* the zero page */
		for (int i = 40; i < 50; i++)
			sum += a[i * PAGE];
		/* a file: shared with the page cache, and copied */
		a = mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
		for (int i = 0; i < 16; i += 2)
			sum += a[i * PAGE];
		for (int i = 0; i < 16; i += 4)
			a[i * PAGE] = 1;
		/* huge pages, one split by an mprotect(), and the huge zero page */
		thp = mmap(NULL, 4 * huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		thp = (char *)(((uintptr_t)thp + huge - 1) & ~(huge - 1));
		madvise(thp, 3 * huge, MADV_HUGEPAGE);
		thp[0] = 1;
		thp[huge] = 1;
		sum += thp[2 * huge];
		mprotect(thp + huge + 4 * PAGE, 4 * PAGE, PROT_READ);
		/* hugetlb */
		big = mmap(NULL, huge, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
		if (big != MAP_FAILED)
			big[0] = 1;
		/* nothing, much of it, with a page at its end */
		hole = mmap(NULL, 1UL << 36, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (hole != MAP_FAILED)
			munmap(hole + (1UL << 27), (1UL << 36) - (1UL << 27) - 4 * PAGE),
			hole[(1UL << 36) - PAGE] = 1;
		/* shared memory, swapped out if there is swap */
		a = mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		memset(a, 1, 8 * PAGE);
		a = map(16 * PAGE);
		memset(a, 2, 16 * PAGE);
		madvise(a, 8 * PAGE, MADV_PAGEOUT);
		if (write(sync[1], "x", 1) == 1)
			pause();
		_exit(0);
	}
	if (read(sync[0], &c, 1) != 1)
		die("child");
	usleep(100000);
	agree(pid, "no hints");
	fd = hints_open(pid, O_RDWR);
	gives(set(fd, 0, 0, "coloring"), 0, "a hint for it");
	agree(pid, "a default hint");
	close(fd);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	close(sync[0]);
	close(sync[1]);
}

/* ---- places ---- */

static bool meets(const char *what, int fd, char *mem, size_t pages)
{
	struct page_hints_query count;

	madvise(mem, pages * PAGE, MADV_DONTNEED);
	memset(mem, 1, pages * PAGE);
	if (verify(fd, (uintptr_t)mem, (uintptr_t)mem + pages * PAGE, &count))
		return false;
	printf("# %s: %llu of %zu placed, %llu hits\n", what, count.placed, pages, count.hits);
	return count.present == pages && count.placed == pages &&
	       count.hits * 100 >= pages * 99;
}

static void test_places(int fd)
{
	enum { PAGES = 2048 };
	struct page_hints_info info = { .size = sizeof(info) };
	struct page_hints_arg_partition colors = { { 0xf0 } };
	struct page_hints_arg_random random = { 7 };
	static struct page_hints_page pages[PAGES];
	static uint32_t table[PAGES];
	static uint64_t pfns[PAGES];
	struct page_hints_query count;
	struct page_hints_get hint;
	char *mem = map(PAGES * PAGE);
	uint64_t a = (uintptr_t)mem, end = a + PAGES * PAGE;
	unsigned int wrong = 0;

	ioctl(fd, PAGE_HINTS_INFO, &info);
	set(fd, a, end, "coloring");
	ok(meets("coloring", fd, mem, PAGES), "coloring: pages are where they should be");
	query(fd, a, end, pages, NULL, PAGES, &count);
	for (int i = 0; i < PAGES; i++) {
		unsigned int color = 0;

		for (unsigned int row = 0; row < info.color_bits; row++)
			color |= __builtin_parityll((a / PAGE + i) & info.masks[row]) << row;
		wrong += pages[i].want_color != color;
	}
	ok(!wrong, "coloring: the color is that of the virtual page");
	get(fd, a, &hint);
	ok(hint.requests >= PAGES && hint.hits <= hint.requests && hint.hits, "GET: counts: %llu of %llu",
	   hint.hits, hint.requests);

	for (int i = 0; i < PAGES; i++)
		table[i] = rnd() % info.colors;
	set_arg(fd, a, end, "modulo", table, sizeof(table));
	ok(meets("modulo", fd, mem, PAGES), "modulo: pages are where they should be");
	query(fd, a, end, pages, NULL, PAGES, &count);
	wrong = 0;
	for (int i = 0; i < PAGES; i++)
		wrong += pages[i].want_color != table[i];
	ok(!wrong, "modulo: colors are those of the table");
	/* A piece of it keeps its place in the table. */
	set(fd, a, a + PAGE, "coloring");
	query(fd, a + PAGE, end, pages, NULL, PAGES, &count);
	for (int i = 1; i < PAGES; i++)
		wrong += pages[i - 1].want_color != table[i];
	ok(!wrong, "modulo: also after a split");

	set_arg(fd, a, end, "partition", &colors, 8);
	ok(meets("partition", fd, mem, PAGES), "partition: pages are where they should be");
	query(fd, a, end, pages, NULL, PAGES, &count);
	wrong = 0;
	for (int i = 0; i < PAGES; i++)
		wrong += !(0xf0 >> pages[i].color & 1);
	ok(wrong * 100 <= PAGES, "partition: %u of %u outside", wrong, PAGES);

	set_arg(fd, a, end, "random", &random, 8);
	ok(meets("random", fd, mem, PAGES), "random: pages are where they should be");

	/* binhop: one after the other as they are touched, here backwards. */
	madvise(mem, PAGES * PAGE, MADV_DONTNEED);
	set(fd, a, end, "binhop");
	for (int i = PAGES - 1; i >= 0; i--)
		mem[i * PAGE] = 1;
	query(fd, a, end, pages, NULL, PAGES, &count);
	wrong = 0;
	for (int i = 0; i < PAGES; i++)
		wrong += pages[PAGES - 1 - i].color != i % info.colors;
	ok(wrong * 100 <= PAGES, "binhop: %u of %u out of turn", wrong, PAGES);
	verify(fd, a, end, &count);
	ok(count.hinted == PAGES && !count.placed, "binhop: tells no place afterwards");

	/* exact: the frames that were just given back. */
	for (int i = 0; i < PAGES; i++)
		pfns[i] = i % 3 ? pages[i].pfn : ~0UL;
	set_arg(fd, a, end, "exact", pfns, sizeof(pfns));
	madvise(mem, PAGES * PAGE, MADV_DONTNEED);
	put_file("/proc/sys/vm/compact_memory", "1");
	memset(mem, 1, PAGES * PAGE);
	verify(fd, a, end, &count);
	ok(count.placed == PAGES - (PAGES + 2) / 3, "exact: %llu named, %llu there", count.placed,
	   count.hits);

	clear(fd, 0, 0);
	munmap(mem, PAGES * PAGE);
}

/* ---- 32-bit programs ---- */

/* ioctl() as a 32-bit program makes it; all that @arg points at is below 4 GiB. */
static int ioctl32(int fd, unsigned int command, void *arg)
{
	int ret;

	__asm__ __volatile__("int $0x80"
		: "=a" (ret)
		: "a" (54), "b" ((long)fd), "c" ((long)command), "d" (arg)
		: "memory", "r8", "r9", "r10", "r11");
	if (ret >= 0)
		return ret;
	errno = -ret;
	return -1;
}

/* Every command gives what it gives a 64-bit program. */
static void test_compat(int fd)
{
	static uint64_t offset = 3, addresses[8];
	static struct page_hints_page pages[8];
	static struct page_hints_info info = { .size = sizeof(info) };
	static struct page_hints_set s = {
		.size = sizeof(s), .strategy = "coloring", .arg_size = sizeof(offset),
	};
	static struct page_hints_get hint = { .size = sizeof(hint) };
	static struct page_hints_inherit i = { .size = sizeof(i), .flags = PAGE_HINTS_FORK_RANGES };
	static struct page_hints_query q = { .size = sizeof(q), .nr_pages = 8 };
	static struct page_hints_remap move = { .size = sizeof(move) };
	static struct page_hints_range range = { .size = sizeof(range) };
	struct page_hints_info info64 = { .size = sizeof(info64) };
	struct page_hints_get hint64;
	struct page_hints_query q64;
	struct page_hints_page pages64[8];
	uint64_t addresses64[8];
	int status;
	char *memory;

	if (!fork())
		_exit(ioctl32(fd, PAGE_HINTS_INFO, &info) != 0);
	wait(&status);
	if (WIFSIGNALED(status)) {
		printf("ok %d # SKIP the kernel runs no 32-bit programs\n", ++nr_tests);
		return;
	}
	memory = mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	gives(ioctl32(fd, PAGE_HINTS_INFO, &info), 0, "32 bits: INFO");
	ioctl(fd, PAGE_HINTS_INFO, &info64);
	ok(!memcmp(&info, &info64, sizeof(info)), "32 bits: INFO says the same");
	range.start = s.start = q.start = move.start = hint.start = (uintptr_t)memory;
	range.end = s.end = q.end = move.end = (uintptr_t)memory + 8 * PAGE;
	s.arg = (uintptr_t)&offset;
	gives(ioctl32(fd, PAGE_HINTS_SET, &s), 0, "32 bits: SET, of memory above 4 GiB");
	gives(ioctl32(fd, PAGE_HINTS_GET, &hint), 0, "32 bits: GET");
	get(fd, (uintptr_t)memory, &hint64);
	ok(!memcmp(&hint, &hint64, sizeof(hint)) && !strcmp(hint.text, "offset 3"),
	   "32 bits: GET says the same");
	gives(ioctl32(fd, PAGE_HINTS_INHERIT, &i), 0, "32 bits: INHERIT");
	get(fd, (uintptr_t)memory, &hint64);
	ok(hint64.inherit == PAGE_HINTS_FORK_RANGES, "32 bits: INHERIT is set");
	inherit(fd, PAGE_HINTS_INHERIT_ALL);
	memset(memory, 1, 8 * PAGE);
	q.pages = (uintptr_t)pages;
	q.addresses = (uintptr_t)addresses;
	gives(ioctl32(fd, PAGE_HINTS_QUERY, &q), 0, "32 bits: QUERY");
	query(fd, (uintptr_t)memory, (uintptr_t)memory + 8 * PAGE, pages64, addresses64, 8, &q64);
	ok(q.nr_pages == 8 && q64.nr_pages == 8 && q.hits == q64.hits && q.hits &&
	   !memcmp(pages, pages64, sizeof(pages)) &&
	   !memcmp(addresses, addresses64, sizeof(addresses)), "32 bits: QUERY says the same");
	gives(ioctl32(fd, PAGE_HINTS_REMAP, &move), 0, "32 bits: REMAP");
	ok(move.there + move.moved + move.failed == 8, "32 bits: REMAP: of all pages");
	q = (struct page_hints_query){ .size = sizeof(q), .start = range.start, .end = range.end };
	gives(ioctl32(fd, PAGE_HINTS_VERIFY, &q), 0, "32 bits: VERIFY");
	ok(q.present == 8 && q.hinted == 8, "32 bits: VERIFY: all pages");
	gives(ioctl32(fd, PAGE_HINTS_CLEAR, &range), 0, "32 bits: CLEAR");
	gives(get(fd, (uintptr_t)memory, &hint64), ENOENT, "32 bits: CLEAR: nothing left");
	gives(ioctl32(fd, PAGE_HINTS_INFO, NULL), EFAULT, "32 bits: INFO: at 0");
	munmap(memory, 8 * PAGE);
}

static void api(void)
{
	int fd = hints_open(getpid(), O_RDWR);

	load_all();
	if (fd < 0)
		die("page_hints");
	/* The guest's root directory is root's alone. */
	chmod("/", 0755);
	test_structures(fd);
	test_set(fd);
	test_splits(fd);
	test_rights();
	test_strangers();
	test_inheritance(fd);
	test_maps();
	test_places(fd);
	test_compat(fd);
	close(fd);
	for (unsigned int i = 0; i < NR_STRATEGIES; i++)
		ok(unused(strategies[i]), "%s: no references left at the end", strategies[i]);
}

int main(int argc, char **argv)
{
	self_path = realpath("/proc/self/exe", NULL);
	if (argc != 2)
		return 2;
	if (!strcmp(argv[1], "report"))
		return report();
	module_dir = argv[1];
	api();
	printf("1..%d\n", nr_tests);
	return nr_bad != 0;
}
