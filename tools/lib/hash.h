/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* uthash, for programs: without memory to grow a table, the program says so and ends. */
#ifndef MEMSCOPE_HASH_H
#define MEMSCOPE_HASH_H

void hash_no_memory(void) __attribute__((noreturn));

#define uthash_fatal(message) hash_no_memory()
#include <uthash.h>

#endif
