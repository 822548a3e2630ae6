// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Chooses the recording that a verb reads where no file is named. */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "default.h"
#include "lib/complain.h"

/* A file that cannot be looked at is there: reading it reports why. */
static bool exists(const char *path)
{
	struct stat st;

	return !stat(path, &st) || errno != ENOENT;
}

static bool is_newer(const struct stat *a, const struct stat *b)
{
	return a->st_mtim.tv_sec != b->st_mtim.tv_sec ? a->st_mtim.tv_sec > b->st_mtim.tv_sec :
							a->st_mtim.tv_nsec > b->st_mtim.tv_nsec;
}

/**
 * default_note_newer() - print that a file is read although trace-cmd's is newer
 * @own: the file, of the record verb
 */
void default_note_newer(const char *own)
{
	struct stat read, trace;

	if (!stat(own, &read) && !stat(TRACE_FILE, &trace) && is_newer(&trace, &read))
		complain(OK, "reading %s: %s is newer, and is read only if it is named", own, TRACE_FILE);
}

/**
 * default_recording() - choose the recording in the working directory that is read
 * @own: what the tool's record verb writes: read if it exists, else TRACE_FILE is
 * @tool: the tool, and the tracing system that it reads the events of
 *
 * Return: its name, or NULL with a message printed if there is none.
 */
const char *default_recording(const char *own, const char *tool)
{
	if (exists(own)) {
		default_note_newer(own);
		return own;
	}
	if (exists(TRACE_FILE))
		return TRACE_FILE;
	complain(FAILED, "neither %s nor %s is in this directory: name a recording, or make one "
		 "(%s record, or trace-cmd record -e %s)", own, TRACE_FILE, tool, tool);
	return NULL;
}
