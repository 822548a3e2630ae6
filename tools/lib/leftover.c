// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Temporary files and folders, which must not outlive a Ctrl-C. */
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "leftover.h"

/* A file and its temporary name, a folder and the two files in it. */
#define MAX_LEFTOVERS 8

static char leftovers[MAX_LEFTOVERS][PATH_MAX];

/** leftover_remove() - remove all of them: the program ends early */
void leftover_remove(void)
{
	int i;

	/* The last one first: a folder comes before what is in it. */
	for (i = MAX_LEFTOVERS - 1; i >= 0; i--)
		if (leftovers[i][0] && unlink(leftovers[i]))
			rmdir(leftovers[i]);
}

static void remove_all(int sig)
{
	leftover_remove();
	signal(sig, SIG_DFL);
	raise(sig);
}

static void set_signals(void (*handler)(int))
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = handler }, before;
	size_t i;

	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		sigaction(signals[i], NULL, &before);
		/* Who ignores it, as nohup(1) does, keeps on doing so. */
		if (before.sa_handler == SIG_DFL || before.sa_handler == remove_all)
			sigaction(signals[i], &action, NULL);
	}
}

/**
 * leftover_add() - a temporary file or empty folder is about to be made
 * @path: to be removed if a signal ends the program
 */
void leftover_add(const char *path)
{
	int i;

	for (i = 0; i < MAX_LEFTOVERS; i++) {
		if (leftovers[i][0])
			continue;
		snprintf(leftovers[i], sizeof(leftovers[i]), "%s", path);
		set_signals(remove_all);
		return;
	}
}

/**
 * leftover_done() - it has its place, or is removed
 * @path: as it was added
 */
void leftover_done(const char *path)
{
	int i, left = 0;

	for (i = 0; i < MAX_LEFTOVERS; i++) {
		if (!strcmp(leftovers[i], path))
			leftovers[i][0] = '\0';
		left += leftovers[i][0] != '\0';
	}
	if (!left)
		set_signals(SIG_DFL);
}
