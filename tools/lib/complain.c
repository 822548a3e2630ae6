// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Error messages and exit statuses of the programs. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/cells/utf8.h"
#include "complain.h"

/**
 * complain() - print an error message on standard error
 * @status: the exit status to return
 * @fmt: as for printf, without the program's name and the newline
 *
 * What it names may be any bytes: the message is one line of valid UTF-8.
 *
 * Return: @status.
 */
int complain(int status, const char *fmt, ...)
{
	char *message = NULL, *line = NULL;
	size_t size;
	va_list ap;
	FILE *f;

	va_start(ap, fmt);
	if (vasprintf(&message, fmt, ap) < 0)
		message = NULL;
	va_end(ap);
	f = message ? open_memstream(&line, &size) : NULL;
	if (f) {
		utf8_print(f, message);
		fclose(f);
	}
	/* At once: standard error is not buffered.  Without memory, better a part than nothing. */
	fprintf(stderr, "%s: %s\n", program_invocation_short_name, line ? line : fmt);
	free(line);
	free(message);
	return status;
}
