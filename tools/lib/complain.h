/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Error messages and exit statuses of the programs. */
#ifndef MEMSCOPE_COMPLAIN_H
#define MEMSCOPE_COMPLAIN_H

#include <stdbool.h>

/* Exit statuses. */
enum { OK = 0, FAILED = 1, USAGE = 2 };

/* Set by QUIET_OPTION: inform() prints nothing. */
extern bool quiet;
#define QUIET_OPTION	OPT_FLAG('q', "quiet", &quiet, "print errors and warnings only")

int complain(int status, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void inform(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
