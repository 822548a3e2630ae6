/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Removes temporary files and folders when a signal ends the program. */
#ifndef MEMSCOPE_LEFTOVER_H
#define MEMSCOPE_LEFTOVER_H

void leftover_add(const char *path);
void leftover_done(const char *path);
void leftover_remove(void);

#endif
