// SPDX-License-Identifier: GPL-2.0
/* Hints that their process cannot get rid of. */
#include "page_hints_api.h"

static int set_flags(int fd, uint64_t start, uint64_t end, const char *strategy, uint32_t flags)
{
	struct page_hints_set set = {
		.size = sizeof(set), .start = start, .end = end, .flags = flags,
	};

	strcpy(set.strategy, strategy);
	return ioctl(fd, PAGE_HINTS_SET, &set);
}

static bool still_locked(int fd, uint64_t start)
{
	struct page_hints_get hint;

	return !get(fd, start, &hint) && hint.flags & PAGE_HINT_LOCKED &&
	       !strcmp(hint.strategy, "coloring");
}

/* With vm.page_hints_unprivileged, or a sandbox would be none. */
static void prisoner(void)
{
	uint64_t a = 0x30000000, b = 0x40000000;
	struct page_hints_get hint;
	int fd, status;
	pid_t pid;

	if (setgid(NOBODY) || setuid(NOBODY) || prctl(PR_SET_DUMPABLE, 1))
		die("setuid");
	fd = hints_open(getpid(), O_RDWR);
	gives(set_flags(fd, b, b + PAGE, "coloring", PAGE_HINT_LOCKED), EPERM,
	      "locked: nobody locks nothing");
	gives(clear(fd, 0, 0), EPERM, "locked range: CLEAR of all");
	gives(clear(fd, a, a + 4 * PAGE), EPERM, "locked range: CLEAR of it");
	gives(clear(fd, a + PAGE, a + 2 * PAGE), EPERM, "locked range: CLEAR of a part");
	gives(set(fd, a + PAGE, a + 2 * PAGE, "binhop"), EPERM, "locked range: SET over it");
	gives(set(fd, b, b + PAGE, "binhop"), EPERM, "locked default: SET of a range");
	gives(set(fd, 0, 0, "binhop"), EPERM, "locked default: SET of the default");
	gives(inherit(fd, 0), EPERM, "locked: INHERIT");
	ok(still_locked(fd, a) && still_locked(fd, ~0UL), "locked: both hints are as they were");
	ok(get(fd, b, &hint) && errno == ENOENT, "locked: and there are no others");
	fflush(stdout);
	pid = fork();
	if (!pid) {
		fd = hints_open(getpid(), O_RDWR);
		_exit(!(still_locked(fd, ~0UL) && still_locked(fd, a) && clear(fd, 0, 0) < 0));
	}
	waitpid(pid, &status, 0);
	ok(!status, "locked: a child has them, too");
}

static void in_prison(void (*fn)(void))
{
	int fds[2], status, counts[2] = { };
	pid_t pid;

	if (pipe(fds))
		die("pipe");
	fflush(stdout);
	pid = fork();
	if (!pid) {
		fn();
		fflush(stdout);
		counts[0] = nr_tests;
		counts[1] = nr_bad;
		_exit(write(fds[1], counts, sizeof(counts)) != sizeof(counts));
	}
	close(fds[1]);
	if (read(fds[0], counts, sizeof(counts)) != sizeof(counts))
		die("a child");
	nr_tests = counts[0];
	nr_bad = counts[1];
	close(fds[0]);
	waitpid(pid, &status, 0);
}

/* The setuid copy of this program tells what it has. */
static int setuid_has(const char *path)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		if (setgid(NOBODY) || setuid(NOBODY))
			_exit(99);
		execl(path, path, "report", NULL);
		_exit(99);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

void test_locked(int fd)
{
	char path[] = "/tmp/page_hints_suid", command[300];
	uint64_t a = 0x30000000;

	clear(fd, 0, 0);
	inherit(fd, PAGE_HINTS_INHERIT_ALL);
	put_file(UNPRIVILEGED, "1");
	gives(set_flags(fd, 0, 0, "coloring", 4), EINVAL, "SET: a flag that does not exist");
	gives(set_flags(fd, 0, 0, "coloring", PAGE_HINT_LOCKED), 0, "SET: a locked default");
	gives(set_flags(fd, a, a + 4 * PAGE, "coloring", PAGE_HINT_LOCKED), 0,
	      "SET: a locked range");
	in_prison(prisoner);
	snprintf(command, sizeof(command), "cp %s %s && chmod 4755 %s", self_path, path, path);
	ok(!system(command), "a setuid copy");
	ok(setuid_has(path) == 1, "locked default: a setuid program has it");
	unlink(path);
	gives(set(fd, 0, 0, "coloring"), 0, "with CAP_SYS_NICE: SET over it");
	gives(clear(fd, a, a + PAGE), 0, "with CAP_SYS_NICE: CLEAR of a part");
	gives(clear(fd, 0, 0), 0, "with CAP_SYS_NICE: CLEAR of all");
	gives(inherit(fd, PAGE_HINTS_INHERIT_ALL), 0, "and INHERIT");
	put_file(UNPRIVILEGED, "0");
}
