/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Rules of types, as the kernel's files types and history_types have them. */
#ifndef DPROF_RULES_H
#define DPROF_RULES_H

#include <stddef.h>

int rules_unmatched(const char *rules, const char *known, char *buf, size_t size);

#endif
