/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 the memscope authors */
/*
 * For programs with allocators of their own: report objects to memprof record.
 *
 * Under memprof record the functions are the preloaded library's; else they do nothing,
 * and cost a test.  Call memprof_allocated() after an object is made, memprof_freed()
 * before it is given back.  Nothing needs to be linked.
 */
#ifndef MEMPROF_HOOK_H
#define MEMPROF_HOOK_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

void memprof_hook_alloc(const void *p, size_t size) __attribute__((weak));
void memprof_hook_free(const void *p) __attribute__((weak));

static inline void memprof_allocated(const void *p, size_t size)
{
	if (memprof_hook_alloc)
		memprof_hook_alloc(p, size);
}

static inline void memprof_freed(const void *p)
{
	if (memprof_hook_free)
		memprof_hook_free(p);
}

#ifdef __cplusplus
}
#endif

#endif
