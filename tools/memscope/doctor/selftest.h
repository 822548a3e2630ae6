/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* A short recording with each tool that works. */
#ifndef MEMSCOPE_SELFTEST_H
#define MEMSCOPE_SELFTEST_H

#include <stdbool.h>

#include "judge.h"

bool selftest(const struct tool_state tools[NR_TOOLS], struct checks *c);

#endif
