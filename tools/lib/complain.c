// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Error messages and exit statuses of the programs. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "complain.h"

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

	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return status;
}
