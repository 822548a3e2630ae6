// SPDX-License-Identifier: GPL-2.0
/* Who may do what, to whom. */
#include "page_hints_api.h"

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
	gives(query(ro, (uintptr_t)mem, (uintptr_t)mem + 16 * PAGE, pages, NULL, 16, &count), 0,
	      "read-only: QUERY");
	ok(count.nr_pages == 16 && pages[0].flags & PAGE_HINTS_PLACED, "nobody: sees its hints");
	/* The door is closed again. */
	while (get_number(UNPRIVILEGED) != 0)
		usleep(1000);
	get(fd, ~0UL, &hint);
	ok(!hint.requests && !hint.hits, "nobody: sees no hits");
	query(ro, (uintptr_t)mem, (uintptr_t)mem + 16 * PAGE, pages, NULL, 16, &count);

	bool hidden = true;

	for (int i = 0; i < 16; i++)
		hidden &= !pages[i].pfn && !pages[i].color && !pages[i].want_pfn &&
			  !(pages[i].flags & (PAGE_HINTS_HIT | PAGE_HINTS_COLOR));
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

void test_rights(void)
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

/* ---- colors: the right to set is the right to know, and nothing else is ---- */

#define NR_COLORED	64

/* What a process without privileges learns of its pages. */
struct learned {
	pid_t pid;
	uint64_t address;
	uint32_t color[NR_COLORED];
};

/* Are the colors told, and no frames? */
static bool told_colors(int fd, char *mem, uint32_t *color)
{
	struct page_hints_page pages[NR_COLORED];
	struct page_hints_query count;
	bool all = true;
	int i;

	query(fd, (uintptr_t)mem, (uintptr_t)mem + NR_COLORED * PAGE, pages, NULL, NR_COLORED, &count);
	for (i = 0; i < NR_COLORED; i++) {
		all &= !!(pages[i].flags & PAGE_HINTS_COLOR) && !pages[i].pfn;
		color[i] = pages[i].color;
	}
	return all;
}

/* Try one color after the other, until REMAP has moved the page or finds it there. */
static int remap_color(int fd, char *page, uint32_t colors)
{
	struct page_hints_remap remap = {
		.size = sizeof(remap), .start = (uintptr_t)page, .end = (uintptr_t)page + PAGE,
	};
	uint32_t c;
	int32_t status;

	remap.status = (uintptr_t)&status;
	for (c = 0; c < colors; c++) {
		status = -1;
		if (set_arg(fd, (uintptr_t)page, (uintptr_t)page + PAGE, "modulo", &c, sizeof(c)) ||
		    ioctl(fd, PAGE_HINTS_REMAP, &remap))
			return -1;
		if (status == 0 || status == 1)
			return c;
	}
	return -1;
}

/* Lets root act, and waits until it has. */
static void turn(const int fds[2])
{
	char c = 0;

	if (write(fds[1], &c, 1) != 1 || read(fds[0], &c, 1) != 1)
		die("pipe");
}

static void colors_of_nobody(void *arg)
{
	const int *fds = arg;
	struct page_hints_info info = { .size = sizeof(info) };
	struct page_hints_remap remap = { .size = sizeof(remap) };
	struct learned told = { .pid = getpid() }, moved = { .pid = getpid() };
	char *mem = map(NR_COLORED * PAGE);
	uint32_t unused[NR_COLORED];
	int fd, i, known = 0;

	become_nobody();
	memset(mem, 1, NR_COLORED * PAGE);
	fd = hints_open(getpid(), O_RDWR);
	ioctl(fd, PAGE_HINTS_INFO, &info);
	told.address = moved.address = remap.start = (uintptr_t)mem;
	remap.end = remap.start + PAGE;
	ok(!told_colors(fd, mem, unused), "without the right to set: colors are not told");
	gives(ioctl(fd, PAGE_HINTS_REMAP, &remap), EPERM, "without the right to set: REMAP");

	turn(fds);	/* the sysctl is 1 from here */
	ok(told_colors(fd, mem, told.color), "with the right to set: colors are told, frames are not");
	if (write(fds[1], &told, sizeof(told)) != sizeof(told))
		die("pipe");
	turn(fds);	/* root has looked */
	for (i = 0; i < NR_COLORED; i++) {
		int c = remap_color(fd, mem + i * PAGE, info.colors);

		known += c >= 0;
		moved.color[i] = c;
	}
	ok(known == NR_COLORED, "with the right to set: REMAP gives %d of %d pages a color", known, NR_COLORED);
	if (write(fds[1], &moved, sizeof(moved)) != sizeof(moved))
		die("pipe");
	turn(fds);	/* the sysctl is 0 from here */
	ok(!told_colors(fd, mem, unused), "without the right again: not told, the file open as before");
}

/* By pagemap, and by the default function: the low bits. */
static int right_colors(const struct learned *l, uint32_t colors)
{
	char path[64];
	uint64_t entry;
	int fd, i, n = 0;

	snprintf(path, sizeof(path), "/proc/%d/pagemap", l->pid);
	fd = open(path, O_RDONLY);
	for (i = 0; i < NR_COLORED; i++)
		if (pread(fd, &entry, sizeof(entry), (l->address / PAGE + i) * sizeof(entry)) == sizeof(entry))
			n += (entry & (colors - 1)) == l->color[i];
	close(fd);
	return n;
}

void test_colors(void)
{
	struct page_hints_info info = { .size = sizeof(info) };
	int down[2], up[2], child[2], status, i, right[2] = { -1, -1 };
	struct learned learned;
	pid_t pid;
	char c;

	put_file(UNPRIVILEGED, "0");
	ioctl(hints_open(getpid(), O_RDONLY), PAGE_HINTS_INFO, &info);
	if (pipe(down) || pipe(up))
		die("pipe");
	fflush(stdout);
	/* Root's part is in a process of its own: results are counted in the other's. */
	pid = fork();
	if (!pid) {
		for (i = 0; i < 2; i++) {
			if (read(up[0], &c, 1) != 1)
				break;
			put_file(UNPRIVILEGED, "1");
			if (write(down[1], "", 1) != 1 ||
			    read(up[0], &learned, sizeof(learned)) != sizeof(learned))
				break;
			right[i] = right_colors(&learned, info.colors);
		}
		if (read(up[0], &c, 1) == 1) {
			put_file(UNPRIVILEGED, "0");
			if (write(down[1], "", 1) != 1)
				die("pipe");
		}
		_exit(right[0] == NR_COLORED && right[1] == NR_COLORED ? 0 : 1);
	}
	child[0] = down[0];
	child[1] = up[1];
	in_child(colors_of_nobody, child);
	waitpid(pid, &status, 0);
	ok(!status, "both are the colors that root sees in pagemap");
	put_file(UNPRIVILEGED, "0");
}

static void hint_of_nobody(void *arg)
{
	int fd = hints_open(*(pid_t *)arg, O_RDWR);

	ok(fd >= 0, "root: may open a stranger's");
	gives(set(fd, 0, 0, "coloring"), 0, "root: SET for it");
}

void test_strangers(void)
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
