/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Temporary files and folders, which must not outlive a Ctrl-C. */
#ifndef MEMSCOPE_LEFTOVER_H
#define MEMSCOPE_LEFTOVER_H

void leftover_add(const char *path);
void leftover_done(const char *path);
void leftover_remove(void);

#endif
