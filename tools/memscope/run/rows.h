/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The rows of a tool's view. */
#ifndef MEMSCOPE_ROWS_H
#define MEMSCOPE_ROWS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

json_t *rows_read(const char *const *argv, char *error, size_t size);
bool rows_none(const char *error);
json_t *rows_item(json_t *rows, const char *key, const char *name);
double row_number(const json_t *row, const char *column);
const char *row_text(const json_t *row, const char *column);

#endif
