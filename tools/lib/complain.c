// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Error messages and exit statuses of the programs. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/cells/utf8.h"
#include "complain.h"

bool quiet;

/* What is named may be any bytes: a line of valid UTF-8 is printed. */
static void print_line(const char *fmt, va_list ap)
{
	char *message = NULL, *line = NULL;
	size_t size;
	FILE *f;

	if (vasprintf(&message, fmt, ap) < 0)
		message = NULL;
	f = message ? open_memstream(&line, &size) : NULL;
	if (f) {
		utf8_print(f, message);
		fclose(f);
	}
	/* At once: standard error is not buffered.  Without memory, better a part than nothing. */
	fprintf(stderr, "%s: %s\n", program_invocation_short_name, line ? line : fmt);
	free(line);
	free(message);
}

/**
 * complain() - print an error message on standard error
 * @status: the exit status to return
 * @fmt: as for printf, without the program's name and the newline
 *
 * Return: @status.
 */
int complain(int status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_line(fmt, ap);
	va_end(ap);
	return status;
}

/**
 * inform() - print what is neither an error nor a warning on standard error, unless quiet is set
 * @fmt: as for printf, without the program's name and the newline
 */
void inform(const char *fmt, ...)
{
	va_list ap;

	if (quiet)
		return;
	va_start(ap, fmt);
	print_line(fmt, ap);
	va_end(ap);
}
