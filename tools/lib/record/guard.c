// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Restores the kernel's settings, however a recorder ends.
 *
 * A recorder logs each change to a file before making the change.  Its guard, a child
 * process in a session of its own, waits until the recorder's end of a pipe is closed,
 * that is, until the recorder exits or is killed; then the guard undoes the changes in
 * the file.  Both share one lock on the file.  An unlocked file means that the guard
 * was killed, too: the next recorder of any tool undoes its changes.
 *
 * Root's files are in /run/memscope: one per tool that must run alone, one per process
 * for other tools.  Other users' files are in memory: of what they change, only files
 * outlive their processes.
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
/* Time limit for the guard of a recorder that was killed. */
#define WAIT_SECONDS 60

static struct {
	char path[PATH_MAX];	/* empty: in memory */
	int fd, pipe;
	pid_t pid;
} guard = { .fd = -1, .pipe = -1, .pid = -1 };

/*
 * The text of the file, valid until the next call; NULL on failure.  A static buffer of the
 * usual size: there may be no memory left.
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

/* Undo the changes in a file.  On failure, keep the file for the next recorder. */
static int undo_file(int fd, const char *path)
{
	char *text = read_file(fd);
	int ret = text ? undo_all(text) : complain(FAILED, "no memory left to restore the settings");

	if (!ret && *path)
		unlink(path);
	return ret;
}

/* Undo the changes of recorders that were killed together with their guards. */
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

/* The pid of the recorder that holds a file, from its first line; 0: unknown. */
static pid_t holder(int fd)
{
	char *text = read_file(fd);
	int pid = 0;

	if (text && sscanf(text, "recorder %d", &pid) != 1)
		pid = 0;
	return pid;
}

/* Open and lock guard.path.  Return: 0, -EBUSY if another process holds it, or -errno. */
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
		/* The previous holder may have unlinked it between open and flock. */
		if (!fstat(fd, &st) && st.st_nlink)
			break;
		close(fd);
	}
	guard.fd = fd;
	return 0;
}

/* Lock the file of @tool.  If its recorder is gone, wait for the recorder's guard. */
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
			return complain(FAILED, "%s record already runs as process %d: both would "
					"share the kernel's settings; wait until it ends", tool,
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
	/* Close the recorder's output: a reader of its pipe must not wait for the guard. */
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
 * guard_begin() - undo the changes of killed recorders, and start the guard
 * @tool: name of the tool
 * @alone: only one recorder of @tool may run, as they share settings
 *
 * Return: OK, or FAILED with a message printed and no guard started.
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
 * guard_note() - log a change before making it
 * @kind: kind of the change
 * @a: what is changed, see enum undo
 * @b: its old value, or NULL
 *
 * Return: OK, or FAILED with a message printed: then do not make the change.
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
 * guard_undo() - end the guard, which undoes all logged changes
 *
 * Return: OK, or FAILED with messages printed about what could not be undone.
 */
int guard_undo(void)
{
	int status = 0, ret;

	if (guard.fd < 0)
		return OK;
	close(guard.pipe);
	while (waitpid(guard.pid, &status, 0) < 0 && errno == EINTR)
		;
	/* If the guard was killed or has failed, try here. */
	ret = WIFEXITED(status) && !WEXITSTATUS(status) ? OK : undo_file(guard.fd, guard.path);
	close(guard.fd);
	guard.fd = guard.pipe = guard.pid = -1;
	return ret ? FAILED : OK;
}
