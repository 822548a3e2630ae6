/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 the memscope authors */
/* Text of unknown origin (names of processes, arguments, files), as valid UTF-8. */
#ifndef MEMSCOPE_UTF8_H
#define MEMSCOPE_UTF8_H

#include <stddef.h>

char *utf8_clean(const char *text);
size_t utf8_copy(char *to, size_t size, const char *from);
int utf8_width(const char *text);
size_t utf8_fit(const char *text, int width, int *columns);

#endif
