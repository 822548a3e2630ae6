// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Log of a recorder's changes, as lines of text, and how to undo each.  The same code
 * runs at the end of a recording, after the recorder was killed, and after both the
 * recorder and its guard were killed.  Undoing a change twice is harmless.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <tracefs.h>
#include <unistd.h>

#include "lib/complain.h"
#include "lib/outfile.h"
#include "list.h"
#include "tree.h"
#include "undo.h"

/* Time limits: for trace-cmd to write its file, and for what is busy to be released. */
#define TRACER_SECONDS	20
#define BUSY_SECONDS	5

static const char * const kinds[NR_UNDO] = {
	[UNDO_WRITE] = "write", [UNDO_PIDS] = "pids", [UNDO_UPROBES] = "uprobes",
	[UNDO_TRACER] = "tracer", [UNDO_OUTPUT] = "output", [UNDO_FILE] = "file",
	[UNDO_DIR] = "dir", [UNDO_INSTANCE] = "instance",
};

static void pause_20ms(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
}

static int put_word(char *line, size_t size, size_t n, const char *word)
{
	for (; *word; word++) {
		const unsigned char c = *word;

		if (n + 4 >= size)
			return -1;
		n += c > ' ' && c < 0x7f && c != '%' ? sprintf(line + n, "%c", c) :
						       sprintf(line + n, "%%%02x", c);
	}
	return n;
}

/**
 * undo_line() - format a change as a line
 * @line: set to the line, with its newline
 * @size: size of @line
 * @kind: kind of the change
 * @a: the first word; any text
 * @b: the second word, or NULL
 *
 * Return: the length of the line, or -1 if it does not fit.
 */
int undo_line(char *line, size_t size, enum undo kind, const char *a, const char *b)
{
	int n = snprintf(line, size, "%s ", kinds[kind]);

	n = put_word(line, size, n, a);
	if (n >= 0 && b) {
		line[n++] = ' ';
		n = put_word(line, size, n, b);
	}
	if (n < 0 || n + 2 > (int)size)
		return -1;
	strcpy(line + n, "\n");
	return n + 1;
}

static void decode(char *word)
{
	char *to = word;

	for (; *word; word++) {
		unsigned int c;

		if (*word == '%' && isxdigit((unsigned char)word[1]) && sscanf(word + 1, "%2x", &c) == 1) {
			*to++ = c;
			word += 2;
		} else {
			*to++ = *word;
		}
	}
	*to = '\0';
}

static int restored(int ret, const char *file, const char *value)
{
	if (ret >= 0)
		return OK;
	return complain(FAILED, "%s: cannot be restored to '%s': %s", file, value,
			strerror(errno));
}

static int write_file(const char *file, const char *value)
{
	errno = 0;
	return restored(tracefs_instance_file_write(NULL, file, *value ? value : "\n"), file, value);
}

/* Leave out processes that have ended: the kernel refuses their pids.  @pids: overwritten */
static int write_pids(const char *file, char *pids)
{
	char *save, *pid, *to = pids;

	/* In place: there may be no memory left. */
	for (pid = strtok_r(pids, " \n", &save); pid; pid = strtok_r(NULL, " \n", &save)) {
		const size_t n = strlen(pid);

		if (kill(atoi(pid), 0) && errno == ESRCH)
			continue;
		if (to != pids)
			*to++ = ' ';
		memmove(to, pid, n);
		to += n;
	}
	*to = '\0';
	return restored(list_write(file, pids), file, pids);
}

/* @line: of uprobe_events: "p:GROUP/NAME PATH:OFFSET".  Return: 0, -EBUSY, or another -errno. */
static int remove_uprobe(const char *line, const char *group)
{
	const size_t n = strlen(group);
	const char *name;
	char text[256];

	if ((*line != 'p' && *line != 'r') || line[1] != ':' || strncmp(line + 2, group, n) ||
	    line[2 + n] != '/')
		return 0;
	name = line + 2;
	snprintf(text, sizeof(text), "-:%.*s\n", (int)strcspn(name, " \n"), name);
	errno = 0;
	return tracefs_instance_file_append(NULL, "uprobe_events", text) < 0 ? -errno : 0;
}

/* A uprobe is busy while a perf event uses it: until the recorder's process is gone. */
static int remove_uprobes(const char *group)
{
	int tries, ret = 0;

	for (tries = 0; tries < BUSY_SECONDS * 50; tries++) {
		char *events = tracefs_instance_file_read(NULL, "uprobe_events", NULL);
		char *line, *save;

		/* There are some, or there would be no note of them. */
		ret = events ? 0 : -EBUSY;
		for (line = events ? strtok_r(events, "\n", &save) : NULL; line;
		     line = strtok_r(NULL, "\n", &save)) {
			int err = remove_uprobe(line, group);

			ret = err ? err : ret;
		}
		free(events);
		if (ret != -EBUSY)
			break;
		pause_20ms();
	}
	return ret ? complain(FAILED, "uprobe_events: %s cannot be removed: %s", group,
			      strerror(-ret)) : OK;
}

/* @name: a pid.  Return it if the process is a trace-cmd of the group, else 0. */
static pid_t tracer_of(const char *name, pid_t group)
{
	char path[300], line[256], *end;
	pid_t pid = atoi(name), pgrp = -1;
	char state = '\0';
	FILE *f;

	if (pid <= 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/%s/stat", name);
	f = fopen(path, "re");
	if (!f)
		return 0;
	if (!fgets(line, sizeof(line), f))
		*line = '\0';
	fclose(f);
	end = strrchr(line, ')');
	/* Zombies have ended already. */
	return strstr(line, " (trace-cmd)") && end &&
	       sscanf(end + 1, " %c %*d %d", &state, &pgrp) == 2 && pgrp == group &&
	       state != 'Z' && state != 'X' ? pid : 0;
}

/* Send a signal, if not 0, to all trace-cmd processes of the group.  Return their number. */
static int tracers(pid_t group, int sig)
{
	struct dirent *d;
	DIR *dir = opendir("/proc");
	pid_t pid;
	int n = 0;

	while (dir && (d = readdir(dir))) {
		pid = tracer_of(d->d_name, group);
		if (!pid)
			continue;
		n++;
		if (sig)
			kill(pid, sig);
	}
	/* Not known: there may be one. */
	if (!dir)
		return 1;
	closedir(dir);
	return n;
}

/* trace-cmd gets SIGINT when the recorder dies (PR_SET_PDEATHSIG), and completes its file. */
static int end_tracer(pid_t group)
{
	const int tries = TRACER_SECONDS * 50;
	int i;

	for (i = 0; tracers(group, i == tries ? SIGKILL : 0); i++) {
		if (i > tries + BUSY_SECONDS * 50)
			return complain(FAILED, "trace-cmd (process group %d) does not end",
					(int)group);
		/* Without the group's leader nothing ends its children: kill them now. */
		if (i < tries && kill(group, 0) && errno == ESRCH)
			i = tries - 1;
		pause_20ms();
	}
	return OK;
}

/* Remove trace-cmd's per-CPU files.  Return whether there were any: it removes them when done. */
static bool remove_parts(const char *tmp)
{
	char path[PATH_MAX + 32];
	long cpu, nr = sysconf(_SC_NPROCESSORS_CONF);
	bool any = false;

	for (cpu = 0; cpu < nr; cpu++) {
		snprintf(path, sizeof(path), "%s.cpu%ld", tmp, cpu);
		any |= !unlink(path);
	}
	return any;
}

/**
 * undo_output() - remove trace-cmd's output, complete or not
 * @tmp: its output file
 */
void undo_output(const char *tmp)
{
	remove_parts(tmp);
	unlink(tmp);
}

/*
 * The output is complete if trace-cmd has removed its per-CPU files, which it also does
 * when its parent dies.  It is empty if trace-cmd never began.  Keep complete output only.
 */
static int end_output(const char *tmp, const char *output)
{
	struct stat st;

	if (remove_parts(tmp) || stat(tmp, &st) || !st.st_size) {
		unlink(tmp);
		return OK;
	}
	if (outfile_rename(tmp, output)) {
		unlink(tmp);
		return complain(FAILED, "%s: %s", output, strerror(errno));
	}
	return OK;
}

/* The recorder may have removed it. */
static int remove_dir(const char *path)
{
	const int err = tree_remove(path);

	return err ? complain(FAILED, "%s: %s", path, strerror(-err)) : OK;
}

/* It is busy while the recorder reads it.  Without it, its events are disabled. */
static int remove_instance(const char *name)
{
	char path[PATH_MAX];
	int tries;

	if (snprintf(path, sizeof(path), "%s/instances/%s", tracefs_tracing_dir(), name) >= (int)sizeof(path))
		return complain(FAILED, "tracing instance %s: name too long", name);
	for (tries = 0; rmdir(path) && errno == EBUSY && tries < BUSY_SECONDS * 50; tries++)
		pause_20ms();
	return !access(path, F_OK) ? complain(FAILED, "tracing instance %s: cannot be removed", name) : OK;
}

static int undo(enum undo kind, char *a, char *b)
{
	switch (kind) {
	case UNDO_WRITE: return write_file(a, b);
	case UNDO_PIDS: return write_pids(a, b);
	case UNDO_UPROBES: return remove_uprobes(a);
	case UNDO_TRACER: return end_tracer(atoi(a));
	case UNDO_OUTPUT: return end_output(a, b);
	case UNDO_FILE: unlink(a); return OK;
	case UNDO_DIR: return remove_dir(a);
	case UNDO_INSTANCE: return remove_instance(a);
	default: return OK;
	}
}

static int undo_one(char *line)
{
	char *a = strchr(line, ' '), *b;
	int i;

	if (!a)
		return OK;
	*a++ = '\0';
	b = strchr(a, ' ');
	if (b)
		*b++ = '\0';
	else
		b = a + strlen(a);
	decode(a);
	decode(b);
	for (i = 0; i < NR_UNDO; i++)
		if (!strcmp(line, kinds[i]))
			return undo(i, a, b);
	return OK;
}

/**
 * undo_all() - undo changes, the last one first
 * @text: the lines; overwritten
 *
 * A last line without a newline was cut while being logged: its change was not made.
 *
 * Return: OK, or FAILED with messages printed about changes that could not be undone;
 * all others are undone.
 */
int undo_all(char *text)
{
	char *end = strrchr(text, '\n'), *line;
	int ret = OK;

	while (end) {
		*end = '\0';
		line = strrchr(text, '\n');
		if (undo_one(line ? line + 1 : text))
			ret = FAILED;
		end = line;
	}
	return ret;
}
