// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Has the kernel's settings as they were, whatever ends a recorder.
 *
 * A recorder notes each change in a file before it makes it.  A child of it, in a
 * session of its own, waits until the recorder lets go of a pipe, because it has
 * ended or was killed, and undoes what the file says.  Both hold a lock on the
 * file.  A file that nobody holds is one whose guard was killed, too: the next
 * recorder of any tool undoes what it says.
 *
 * Root's files are in /run/memscope, one for each tool that must be alone, or for
 * each process of others.  Other users' are in memory: they change nothing that
 * outlives their processes but files.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/complain.h"
#include "guard.h"

#define DIRECTORY "/run/memscope"
/* How long the guard of a recorder that was killed may take. */
#define WAIT_SECONDS 60

static struct {
	char path[PATH_MAX];	/* empty: in memory */
	int fd, pipe;
	pid_t pid;
} guard = { .fd = -1, .pipe = -1, .pid = -1 };

/*
 * Its text, until the next one is read; NULL: it cannot be read.  There may be no memory left:
 * that of the usual size is ours.
 */
static char *read_file(int fd)
{
	static char buf[1 << 16];
	static char *large;
	struct stat st;
	ssize_t n;
	char *text = buf;

	if (fstat(fd, &st))
		return NULL;
	free(large);
	large = NULL;
	if (st.st_size >= (off_t)sizeof(buf)) {
		text = large = malloc(st.st_size + 1);
		if (!text)
			return NULL;
	}
	n = pread(fd, text, st.st_size, 0);
	text[n > 0 ? n : 0] = '\0';
	return text;
}

/* Undo what a file says.  It stays if that fails, for the next one to try. */
static int undo_file(int fd, const char *path)
{
	char *text = read_file(fd);
	int ret = text ? undo_all(text) : complain(FAILED, "no memory left to undo what is changed");

	if (!ret && *path)
		unlink(path);
	return ret;
}

/* Undo what recorders and guards that were killed left. */
static void repair(void)
{
	char path[PATH_MAX];
	struct dirent *d;
	DIR *dir = opendir(DIRECTORY);
	int fd;

	while (dir && (d = readdir(dir))) {
		if (d->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), DIRECTORY "/%s", d->d_name);
		fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
		if (fd < 0)
			continue;
		if (!flock(fd, LOCK_EX | LOCK_NB))
			undo_file(fd, path);
		close(fd);
	}
	if (dir)
		closedir(dir);
}

/* Who holds a file: the recorder's pid, which is its first line. */
static pid_t holder(int fd)
{
	char *text = read_file(fd);
	int pid = 0;

	if (text && sscanf(text, "recorder %d", &pid) != 1)
		pid = 0;
	return pid;
}

/* Open and lock @guard.path.  Return: 0, -EBUSY if it is held, or another errno. */
static int lock_file(pid_t *pid)
{
	struct stat st;
	int fd;

	while (1) {
		fd = open(guard.path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (fd < 0)
			return -errno;
		if (flock(fd, LOCK_EX | LOCK_NB)) {
			*pid = holder(fd);
			close(fd);
			return -EBUSY;
		}
		/* The one who held it may just have removed it. */
		if (!fstat(fd, &st) && st.st_nlink)
			break;
		close(fd);
	}
	guard.fd = fd;
	return 0;
}

/* The recorder is gone but its guard is at work: wait for that. */
static int lock_alone(const char *tool)
{
	pid_t pid = 0;
	int tries, ret = -EBUSY;

	for (tries = 0; tries < WAIT_SECONDS * 20; tries++) {
		repair();
		ret = lock_file(&pid);
		if (ret != -EBUSY)
			break;
		if (pid > 0 && (!kill(pid, 0) || errno != ESRCH))
			return complain(FAILED, "%s record runs already, as process %d: the kernel's "
					"settings are the same for both; let it end first", tool,
					(int)pid);
		nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
	}
	return ret ? complain(FAILED, "%s: %s", guard.path, strerror(-ret)) : OK;
}

static int open_file(const char *tool, bool alone)
{
	pid_t pid;
	int ret;

	if (geteuid()) {
		*guard.path = '\0';
		guard.fd = memfd_create(tool, MFD_CLOEXEC);
		return guard.fd < 0 ? complain(FAILED, "memfd_create: %s", strerror(errno)) : OK;
	}
	if (mkdir(DIRECTORY, 0700) && errno != EEXIST)
		return complain(FAILED, DIRECTORY ": %s", strerror(errno));
	if (alone) {
		snprintf(guard.path, sizeof(guard.path), DIRECTORY "/%s", tool);
		return lock_alone(tool);
	}
	repair();
	snprintf(guard.path, sizeof(guard.path), DIRECTORY "/%s.%d", tool, (int)getpid());
	ret = lock_file(&pid);
	return ret ? complain(FAILED, "%s: %s", guard.path, strerror(-ret)) : OK;
}

static void __attribute__((noreturn)) watch(int fd)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGTSTP };
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t none;
	size_t i;
	char byte;

	setsid();
	for (i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_NAME, "memscope-guard");
	/* Whoever reads what the recorder prints is not to wait for us. */
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
	}
	if (chdir("/"))
		_exit(FAILED);
	while (read(fd, &byte, 1) < 0 && errno == EINTR)
		;
	_exit(undo_file(guard.fd, guard.path));
}

/**
 * guard_begin() - start the guard; undo what recorders before left
 * @tool: name of the tool
 * @alone: two recorders at once would change each other's settings
 *
 * Return: OK, or FAILED after saying why, with nothing started.
 */
int guard_begin(const char *tool, bool alone)
{
	char line[64];
	int fds[2], n;

	if (open_file(tool, alone))
		return FAILED;
	n = snprintf(line, sizeof(line), "recorder %d\n", (int)getpid());
	if (write(guard.fd, line, n) != n || pipe2(fds, O_CLOEXEC))
		goto bad;
	guard.pid = fork();
	if (!guard.pid) {
		close(fds[1]);
		watch(fds[0]);
	}
	close(fds[0]);
	guard.pipe = fds[1];
	if (guard.pid > 0)
		return OK;
	close(fds[1]);
bad:
	n = complain(FAILED, "%s: %s", *guard.path ? guard.path : tool, strerror(errno));
	if (*guard.path)
		unlink(guard.path);
	close(guard.fd);
	guard.fd = -1;
	return n;
}

/**
 * guard_note() - a change is about to be made
 * @kind: of which kind
 * @a: what is changed
 * @b: what it was, or NULL: see enum undo
 *
 * Return: OK, or FAILED after saying why: the change must not be made.
 */
int guard_note(enum undo kind, const char *a, const char *b)
{
	const size_t size = 64 + 3 * (strlen(a) + (b ? strlen(b) : 0));
	char *line = malloc(size);
	int n = line ? undo_line(line, size, kind, a, b) : -1, ret = OK;

	if (n < 0)
		ret = complain(FAILED, "no memory left");
	else if (pwrite(guard.fd, line, n, lseek(guard.fd, 0, SEEK_END)) != n)
		ret = complain(FAILED, "%s: %s", *guard.path ? guard.path : "a file in memory",
			       strerror(errno));
	free(line);
	return ret;
}

/**
 * guard_undo() - undo all changes that were noted
 *
 * Return: OK, or FAILED after saying what could not be undone.
 */
int guard_undo(void)
{
	int status = 0, ret;

	if (guard.fd < 0)
		return OK;
	close(guard.pipe);
	while (waitpid(guard.pid, &status, 0) < 0 && errno == EINTR)
		;
	/* Killed, it did not come to that; else it said why, and we may succeed. */
	ret = WIFEXITED(status) && !WEXITSTATUS(status) ? OK : undo_file(guard.fd, guard.path);
	close(guard.fd);
	guard.fd = guard.pipe = guard.pid = -1;
	return ret ? FAILED : OK;
}
