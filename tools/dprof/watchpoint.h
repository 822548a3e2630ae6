/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Do this machine's watchpoints report the accesses that are made, and no others? */
#ifndef DPROF_WATCHPOINT_H
#define DPROF_WATCHPOINT_H

enum watchpoint { WATCHPOINT_RIGHT, WATCHPOINT_WRONG, WATCHPOINT_UNKNOWN };

enum watchpoint watchpoint_test(const char **what);
enum watchpoint watchpoint_judge(const unsigned long long hits[3], const char **what);

#endif
