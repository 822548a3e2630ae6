/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
#ifndef SWMEM_CHECK_H
#define SWMEM_CHECK_H

/* Of the kernel's selftests: events, their rings, and the loops. */
#include "swmem/swmem.h"

/* loops.c */
int run_loops(int argc, char **argv);

/* cpus.c */
int run_all_cpus(void);
int run_hold(int argc, char **argv);
int run_syscalls(int argc, char **argv);

#endif
