// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* A recorder's settings: files in tracefs, which a guard restores. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>

#include "guard.h"
#include "list.h"
#include "setting.h"

/**
 * setting_write() - give the guard the current value of a file of tracefs, then write it
 * @file: the file
 * @value: the value; "" empties a list
 * @kind: UNDO_WRITE, or UNDO_PIDS for a list of pids
 *
 * A list is replaced, not extended: tracefs_instance_file_write() opens with O_TRUNC.
 *
 * Return: 0, or -1 with errno set; errno 0: the guard has printed a message.
 */
int setting_write(const char *file, const char *value, enum undo kind)
{
	char *before;
	int ret;

	errno = 0;
	before = tracefs_instance_file_read(NULL, file, NULL);
	/* What is not known cannot be restored.  An empty file is no error. */
	if (!before && errno)
		return -1;
	if (before && kind != UNDO_PIDS)
		before[strcspn(before, "\n")] = '\0';
	ret = guard_note(kind, file, before ? before : "");
	free(before);
	errno = 0;
	if (ret)
		return -1;
	if (kind == UNDO_PIDS)
		return list_write(file, value);
	return tracefs_instance_file_write(NULL, file, *value ? value : "\n") < 0 ? -1 : 0;
}
