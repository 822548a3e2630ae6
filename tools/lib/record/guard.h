/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Restores the kernel's settings, however a recorder ends. */
#ifndef MEMSCOPE_GUARD_H
#define MEMSCOPE_GUARD_H

#include <stdbool.h>

#include "undo.h"

int guard_begin(const char *tool, bool alone);
int guard_note(enum undo kind, const char *a, const char *b);
int guard_undo(void);

#endif
