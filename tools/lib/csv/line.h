/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Lines of text files of which nothing is known: a line takes no more memory than LINE_BYTES. */
#ifndef MEMSCOPE_LINE_H
#define MEMSCOPE_LINE_H

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#define LINE_BYTES	(1U << 20)

ssize_t line_get(char **line, FILE *f);

#endif
