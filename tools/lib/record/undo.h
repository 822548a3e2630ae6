/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* What a recorder changed, as lines of text, and how each is undone. */
#ifndef MEMSCOPE_UNDO_H
#define MEMSCOPE_UNDO_H

#include <stddef.h>

/*
 * enum undo - kinds of changes; each line has one, and at most two words
 * @UNDO_WRITE: a file of tracefs had this content
 * @UNDO_PIDS: the same; a list of pids, of which those that ended are left out
 * @UNDO_UPROBES: a group of uprobes was defined
 * @UNDO_TRACER: trace-cmd runs, with processes in this process group
 * @UNDO_OUTPUT: trace-cmd writes this file, which is to become that one
 * @UNDO_FILE: a file was made
 * @UNDO_DIR: a directory was made, with nothing but files in it
 */
enum undo {
	UNDO_WRITE, UNDO_PIDS, UNDO_UPROBES, UNDO_TRACER, UNDO_OUTPUT, UNDO_FILE, UNDO_DIR,
	NR_UNDO
};

int undo_line(char *line, size_t size, enum undo kind, const char *a, const char *b);
int undo_all(char *text);
void undo_output(const char *tmp);

#endif
