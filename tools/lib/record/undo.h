/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Log of a recorder's changes, as lines of text, and how to undo each. */
#ifndef MEMSCOPE_UNDO_H
#define MEMSCOPE_UNDO_H

#include <stddef.h>

/*
 * enum undo - kinds of changes, with the words @a and @b of their lines
 * @UNDO_WRITE: @a, a tracefs file, had the contents @b
 * @UNDO_PIDS: as UNDO_WRITE, for a list of pids; ended processes are left out
 * @UNDO_UPROBES: uprobes of group @a were defined
 * @UNDO_TRACER: trace-cmd runs in process group @a
 * @UNDO_OUTPUT: trace-cmd writes file @a, which is renamed to @b if complete
 * @UNDO_FILE: file @a was created
 * @UNDO_DIR: directory @a was created; with what is in it
 * @UNDO_INSTANCE: tracing instance @a was created
 */
enum undo {
	UNDO_WRITE, UNDO_PIDS, UNDO_UPROBES, UNDO_TRACER, UNDO_OUTPUT, UNDO_FILE, UNDO_DIR,
	UNDO_INSTANCE, NR_UNDO
};

int undo_line(char *line, size_t size, enum undo kind, const char *a, const char *b);
int undo_all(char *text);
void undo_output(const char *tmp);

#endif
