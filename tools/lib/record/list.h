/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Writes lists of IDs to files in tracefs. */
#ifndef MEMSCOPE_LIST_H
#define MEMSCOPE_LIST_H

int list_write(const char *file, const char *list);

#endif
