/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Error messages and exit statuses of the programs. */
#ifndef MEMSCOPE_COMPLAIN_H
#define MEMSCOPE_COMPLAIN_H

/* Exit statuses. */
enum { OK = 0, FAILED = 1, USAGE = 2 };

int complain(int status, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
