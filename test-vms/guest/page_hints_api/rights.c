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
