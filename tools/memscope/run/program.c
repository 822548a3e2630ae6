// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Runs the tools that stand beside memscope. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/complain.h"
#include "lib/record/command.h"
#include "program.h"

/**
 * program_path() - find a tool: beside this program, else in $PATH
 * @name: the tool
 * @path: set to its path
 * @size: size of @path
 */
void program_path(const char *name, char *path, size_t size)
{
	char self[PATH_MAX], *slash;
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[n > 0 ? n : 0] = '\0';
	slash = strrchr(self, '/');
	if (slash) {
		*slash = '\0';
		if (snprintf(path, size, "%s/%s", self, name) < (int)size && !access(path, X_OK))
			return;
	}
	snprintf(path, size, "%s", name);
}

/* Fork and execute; the descriptors replace standard output and error unless they are -1. */
static pid_t start(const char *const *argv, int out, int err)
{
	char path[PATH_MAX];
	pid_t pid;

	program_path(argv[0], path, sizeof(path));
	fflush(NULL);
	pid = fork();
	if (pid)
		return pid;
	if (out >= 0)
		dup2(out, STDOUT_FILENO);
	if (err >= 0)
		dup2(err, STDERR_FILENO);
	execvp(path, (char *const *)argv);
	complain(FAILED, "%s: %s", argv[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

static int wait_for(pid_t pid)
{
	int status = 0;

	if (pid < 0)
		return complain(FAILED, "fork: %s", strerror(errno));
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return command_status(status);
}

static char *read_all(int fd)
{
	struct stat st;
	char *text;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st))
		return NULL;
	text = malloc(st.st_size + 1);
	if (!text)
		return NULL;
	n = pread(fd, text, st.st_size, 0);
	text[n > 0 ? n : 0] = '\0';
	return text;
}

/**
 * program_capture() - run a tool and keep what it prints
 * @argv: its name and arguments, ended by NULL
 * @text: set to what it printed, and its exit status
 */
void program_capture(const char *const *argv, struct output_text *text)
{
	/* Files in memory: the tool never waits for a reader. */
	int out = memfd_create("out", MFD_CLOEXEC), err = memfd_create("err", MFD_CLOEXEC);

	text->status = out < 0 || err < 0 ? complain(FAILED, "memfd_create: %s", strerror(errno)) :
		       wait_for(start(argv, out, err));
	text->out = read_all(out);
	text->err = read_all(err);
	if (out >= 0)
		close(out);
	if (err >= 0)
		close(err);
}

/**
 * program_run() - run a tool
 * @argv: its name and arguments, ended by NULL
 *
 * Return: its exit status.
 */
int program_run(const char *const *argv)
{
	return wait_for(start(argv, -1, -1));
}

void output_text_free(struct output_text *text)
{
	free(text->out);
	free(text->err);
	text->out = text->err = NULL;
}

/**
 * last_line() - the last line of a text that is not empty
 * @text: the text, which is changed; may be NULL
 *
 * Return: the line; "" if there is none.
 */
const char *last_line(char *text)
{
	char *end, *line;

	if (!text)
		return "";
	end = text + strlen(text);
	while (end > text && end[-1] == '\n')
		*--end = '\0';
	line = strrchr(text, '\n');
	return line ? line + 1 : text;
}
