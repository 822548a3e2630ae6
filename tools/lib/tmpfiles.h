/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Removes temporary files and folders when a signal ends the program. */
#ifndef MEMSCOPE_TMPFILES_H
#define MEMSCOPE_TMPFILES_H

int tmpfile_add(const char *path) __attribute__((warn_unused_result));
void tmpfile_done(const char *path);
void tmpfile_remove(void);

#endif
