// SPDX-License-Identifier: GPL-2.0
/* What fork and exec hand on. */
#include "page_hints_api.h"

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

int report(void)
{
	int def, ranges;

	/* A setuid program is not its user's to look into, but its own. */
	count_hints(getpid(), &def, &ranges);
	return def + 2 * ranges;
}

void test_inheritance(int fd)
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
