/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 the memscope authors */
/* Text of unknown origin (names of processes, arguments, files), as valid UTF-8. */
#ifndef MEMSCOPE_UTF8_H
#define MEMSCOPE_UTF8_H

#include <stddef.h>
#include <stdio.h>

/* A character, and the zero byte behind it. */
#define UTF8_SIZE	5

size_t utf8_next(char to[UTF8_SIZE], const char *text);
size_t utf8_next_in_line(char to[UTF8_SIZE], const char *text);
char *utf8_clean(const char *text);
size_t utf8_copy(char *to, size_t size, const char *from);
void utf8_print(FILE *out, const char *text);
int utf8_width(const char *text);
size_t utf8_fit(const char *text, int width, int *columns);

#endif
