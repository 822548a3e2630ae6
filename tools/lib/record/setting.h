/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* A recorder's settings: files in tracefs, which a guard restores. */
#ifndef MEMSCOPE_SETTING_H
#define MEMSCOPE_SETTING_H

#include "undo.h"

int setting_write(const char *file, const char *value, enum undo kind);

#endif
