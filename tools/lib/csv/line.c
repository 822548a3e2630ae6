// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Lines of text files.  Not getline(3): it keeps a line of any length in memory, and its
 * ENOMEM looks like the end of the file to ferror(3).
 */
#include <stdlib.h>

#include "line.h"

/**
 * line_get() - read a line, with its newline
 * @line: NULL for the first one; its memory is free()d by the caller
 * @f: the file
 *
 * A line of more than LINE_BYTES is given in pieces of that many, which have no newline, as
 * the last line of a truncated file.
 *
 * Return: the number of bytes; 0 at the end of the file; -1 with errno set.
 */
ssize_t line_get(char **line, FILE *f)
{
	size_t n = 0;
	int c = 0;

	if (!*line)
		*line = malloc(LINE_BYTES + 1);
	if (!*line)
		return -1;
	while (n < LINE_BYTES && c != '\n') {
		c = getc_unlocked(f);
		if (c == EOF)
			break;
		(*line)[n++] = c;
	}
	(*line)[n] = '\0';
	return ferror(f) ? -1 : (ssize_t)n;
}
