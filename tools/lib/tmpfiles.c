// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Removes temporary files and folders when a signal ends the program. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "tmpfiles.h"

/* Enough for the users: an output file, a folder with two files, a picture with its data, and their like. */
#define MAX_TMPFILES 8

/* @used is set last and cleared first: the handler of a signal reads no path that is being written. */
static struct {
	char path[PATH_MAX];
	atomic_bool used;
} tmpfiles[MAX_TMPFILES];

/** tmpfile_remove() - remove all registered paths, before an early exit */
void tmpfile_remove(void)
{
	int i;

	/* In reverse order: a folder was registered before its files. */
	for (i = MAX_TMPFILES - 1; i >= 0; i--)
		if (tmpfiles[i].used && unlink(tmpfiles[i].path))
			rmdir(tmpfiles[i].path);
}

static void remove_all(int sig)
{
	tmpfile_remove();
	signal(sig, SIG_DFL);
	raise(sig);
}

static void set_signals(void (*handler)(int))
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };
	struct sigaction action = { .sa_handler = handler }, before;
	size_t i;

	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		sigaction(signals[i], NULL, &before);
		/* Keep ignoring an ignored signal (nohup(1)), and keep the program's own handlers. */
		if (before.sa_handler == SIG_DFL || before.sa_handler == remove_all)
			sigaction(signals[i], &action, NULL);
	}
}

/**
 * tmpfile_add() - register a path to remove if a signal ends the program
 * @path: a temporary file or folder; register it before creating it
 *
 * Return: 0, or -1 with errno set: ENOBUFS if there are as many as can be registered, ENAMETOOLONG.
 * Do not create the file then, or remove it.
 */
int tmpfile_add(const char *path)
{
	int i;

	if (strlen(path) >= sizeof(tmpfiles[0].path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	for (i = 0; i < MAX_TMPFILES; i++) {
		if (tmpfiles[i].used)
			continue;
		strcpy(tmpfiles[i].path, path);
		tmpfiles[i].used = true;
		set_signals(remove_all);
		return 0;
	}
	errno = ENOBUFS;
	return -1;
}

/**
 * tmpfile_done() - unregister a path after the file was renamed or removed; once, if it was
 * registered more than once
 * @path: as passed to tmpfile_add()
 */
void tmpfile_done(const char *path)
{
	bool found = false;
	int i, left = 0;

	for (i = 0; i < MAX_TMPFILES; i++) {
		if (!found && tmpfiles[i].used && !strcmp(tmpfiles[i].path, path)) {
			found = true;
			tmpfiles[i].used = false;
		}
		left += tmpfiles[i].used;
	}
	if (!left)
		set_signals(SIG_DFL);
}
