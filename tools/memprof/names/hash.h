/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 the memscope authors */
/* uthash, for a library: without memory, what was added is in no table (its hh.tbl is NULL). */
#ifndef MEMPROF_HASH_H
#define MEMPROF_HASH_H

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#endif
