/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* uthash, for programs: if a table cannot grow, the program prints an error and exits. */
#ifndef MEMSCOPE_HASH_H
#define MEMSCOPE_HASH_H

void hash_no_memory(void) __attribute__((noreturn));

#define uthash_fatal(message) hash_no_memory()
#include <uthash.h>

#endif
