/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 the memscope authors */
/* What an object is decides what can be done about it. */
#ifndef MEMPROF_KINDS_H
#define MEMPROF_KINDS_H

#include "patterns.h"

enum kind kind_of(struct memprof *m, uint32_t object);
enum fix kind_fix(enum kind kind, enum fix fix, bool written);
const char *kind_reason(enum kind kind);

#endif
