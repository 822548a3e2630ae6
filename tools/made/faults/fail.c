// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Calls that fail where a test says, linked into programs by the linker's --wrap.  A place
 * is a call with its two callers (FAIL_CALLERS: how many of these three addresses count),
 * known by their return addresses, which are the same in each run.  FAIL_LIST names a file
 * (by its whole path) that each place is added to when it is first reached: its number, the function, and the
 * addresses.  FAIL_AT is the number of a place: the first call there fails.
 *
 * To begin takes a program with the sanitizers longer than to end.  With FAIL_SERVER, a file
 * descriptor, it begins once: before main(), it reads lines "PLACE OUTPUT MESSAGES", forks a
 * child for each, which goes on with that place and these two files, and writes to the
 * descriptor how the child ended, as a shell gives it; 137 after SECONDS.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALLERS		3
#define MAX_PLACES	8192	/* a power of two */
#define SECONDS		60

extern char __executable_start[], etext[];

int __real_open(const char *path, int flags, ...);
ssize_t __real_write(int fd, const void *p, size_t n);

static uint64_t places[MAX_PLACES], at;
static const char *list;
static int depth = CALLERS;
static bool begun, failed;

static void begin(void)
{
	const char *text = getenv("FAIL_AT"), *callers = getenv("FAIL_CALLERS");

	begun = true;
	list = getenv("FAIL_LIST");
	if (callers && atoi(callers) > 0 && atoi(callers) < CALLERS)
		depth = atoi(callers);
	if (text)
		at = strtoull(text, NULL, 16);
}

/* Of our own code only: what libraries call back has no frames that can be followed. */
static uint64_t place_of(void *address, uintptr_t *frame, uint64_t callers[CALLERS])
{
	uint64_t place = 0xcbf29ce484222325ULL;
	uintptr_t next;
	int i;

	for (i = 0; i < depth; i++) {
		if ((char *)address < __executable_start || (char *)address >= etext)
			break;
		callers[i] = (char *)address - __executable_start;
		place = (place ^ callers[i]) * 0x100000001b3ULL;
		next = frame[0];
		if (next <= (uintptr_t)frame || next - (uintptr_t)frame > 1 << 20 || next % 8)
			break;
		frame = (uintptr_t *)next;
		address = (void *)frame[1];
	}
	return place ? place : 1;
}

/*
 * New places are written at once: a child may end by _exit().  The list is opened for each: a child
 * may close all that it does not know.
 */
static void note(uint64_t place, const char *function, const uint64_t callers[CALLERS])
{
	size_t i = place % MAX_PLACES;
	char line[80];
	int n, fd;

	while (places[i] && places[i] != place)
		i = (i + 1) % MAX_PLACES;
	if (places[i])
		return;
	places[i] = place;
	n = snprintf(line, sizeof(line), "%016lx %s %lx %lx %lx\n", (unsigned long)place, function,
		     (unsigned long)callers[0], (unsigned long)callers[1], (unsigned long)callers[2]);
	fd = __real_open(list, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (fd < 0 || __real_write(fd, line, n) != n)
		abort();
	close(fd);
}

static bool __attribute__((noinline)) fails(const char *function, void *address, void *frame, int error)
{
	uint64_t place, callers[CALLERS] = { 0 };

	/* The sanitizers' own beginning has no environment yet. */
	if (!begun && environ)
		begin();
	if (!list && (!at || failed))
		return false;
	place = place_of(address, frame, callers);
	if (list)
		note(place, function, callers);
	if (failed || place != at)
		return false;
	failed = true;
	errno = error;
	return true;
}

#define FAILS(function, error) \
	fails(function, __builtin_return_address(0), __builtin_frame_address(0), error)

/* type, name, parameters, arguments, errno, what a failure returns */
#define WRAP(type, name, parameters, arguments, error, value)			\
	type __real_##name parameters;						\
	type __wrap_##name parameters;						\
	type __wrap_##name parameters						\
	{									\
		return FAILS(#name, error) ? (value) : __real_##name arguments;	\
	}

WRAP(void *, malloc, (size_t n), (n), ENOMEM, NULL)
WRAP(void *, calloc, (size_t n, size_t size), (n, size), ENOMEM, NULL)
WRAP(void *, realloc, (void *p, size_t n), (p, n), ENOMEM, NULL)
WRAP(char *, strdup, (const char *text), (text), ENOMEM, NULL)
WRAP(char *, strndup, (const char *text, size_t n), (text, n), ENOMEM, NULL)
WRAP(FILE *, open_memstream, (char **p, size_t *n), (p, n), ENOMEM, NULL)
WRAP(FILE *, fopen, (const char *path, const char *mode), (path, mode), EMFILE, NULL)
WRAP(FILE *, fdopen, (int fd, const char *mode), (fd, mode), ENOMEM, NULL)
WRAP(DIR *, opendir, (const char *path), (path), EMFILE, NULL)
WRAP(int, mkstemp, (char *path), (path), EMFILE, -1)
WRAP(char *, mkdtemp, (char *path), (path), ENOSPC, NULL)
WRAP(int, dup, (int fd), (fd), EMFILE, -1)
WRAP(int, mkdir, (const char *path, mode_t mode), (path, mode), ENOSPC, -1)
WRAP(int, rename, (const char *from, const char *to), (from, to), ENOSPC, -1)
WRAP(int, pidfd_open, (pid_t pid, unsigned int flags), (pid, flags), EMFILE, -1)
WRAP(char *, tracefs_instance_file_read, (void *instance, const char *file, int *size),
     (instance, file, size), ENOMEM, NULL)
WRAP(int, pipe2, (int fds[2], int flags), (fds, flags), EMFILE, -1)
WRAP(pid_t, fork, (void), (), EAGAIN, -1)
WRAP(void *, mmap, (void *p, size_t n, int prot, int flags, int fd, off_t o), (p, n, prot, flags, fd, o),
     ENOMEM, MAP_FAILED)
WRAP(ssize_t, write, (int fd, const void *p, size_t n), (fd, p, n), ENOSPC, -1)
WRAP(ssize_t, pwrite, (int fd, const void *p, size_t n, off_t o), (fd, p, n, o), ENOSPC, -1)

int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
	va_list ap;
	int mode;

	va_start(ap, flags);
	mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, int) : 0;
	va_end(ap);
	return FAILS("open", EMFILE) ? -1 : __real_open(path, flags, mode);
}

int __real_openat(int dir, const char *path, int flags, ...);
int __wrap_openat(int dir, const char *path, int flags, ...);
int __wrap_openat(int dir, const char *path, int flags, ...)
{
	va_list ap;
	int mode;

	va_start(ap, flags);
	mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, int) : 0;
	va_end(ap);
	return FAILS("openat", EMFILE) ? -1 : __real_openat(dir, path, flags, mode);
}

/* A stream remembers that it failed, and what it could not say of failures is not missed. */
size_t __real_fwrite(const void *p, size_t size, size_t n, FILE *f);
size_t __wrap_fwrite(const void *p, size_t size, size_t n, FILE *f);
size_t __wrap_fwrite(const void *p, size_t size, size_t n, FILE *f)
{
	if (f == stderr || !FAILS("fwrite", ENOSPC))
		return __real_fwrite(p, size, n, f);
	f->_flags |= 0x20;	/* _IO_ERR_SEEN */
	return 0;
}

/* Return: whether there was a line; its words are put into @words. */
static bool next_line(char *line, size_t size, char *words[3])
{
	size_t n = 0;
	int i;

	while (n < size - 1 && read(STDIN_FILENO, line + n, 1) == 1 && line[n] != '\n')
		n++;
	line[n] = '\0';
	for (i = 0; i < 3; i++) {
		words[i] = strtok(i ? NULL : line, " ");
		if (!words[i])
			return false;
	}
	return true;
}

static void become(char *words[3])
{
	static const int flags[3] = { O_RDONLY, O_WRONLY | O_CREAT | O_TRUNC, O_WRONLY | O_CREAT | O_TRUNC };
	int i, fd;

	for (i = 0; i < 3; i++) {
		fd = __real_open(i ? words[i] : "/dev/null", flags[i], 0644);
		if (fd < 0 || dup2(fd, i) < 0)
			_exit(125);
		close(fd);
	}
	setenv("FAIL_AT", words[0], 1);
	unsetenv("FAIL_SERVER");
}

/* Return: as a shell's $? */
static int status_of(pid_t pid)
{
	struct pollfd p = { .fd = __real_pidfd_open(pid, 0), .events = POLLIN };
	int status;

	if (p.fd >= 0 && poll(&p, 1, SECONDS * 1000) == 0)
		kill(pid, SIGKILL);
	close(p.fd);
	if (waitpid(pid, &status, 0) != pid)
		return 125;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void __attribute__((constructor)) serve(void)
{
	const char *to = getenv("FAIL_SERVER");
	char line[8192], *words[3];
	pid_t pid;

	if (!to)
		return;
	while (next_line(line, sizeof(line), words)) {
		pid = __real_fork();
		if (!pid) {
			close(atoi(to));
			become(words);
			return;
		}
		dprintf(atoi(to), "%d\n", pid < 0 ? 125 : status_of(pid));
	}
	_exit(0);
}
