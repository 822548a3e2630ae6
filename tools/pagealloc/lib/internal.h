/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 the memscope authors */
#ifndef PAGEALLOC_INTERNAL_H
#define PAGEALLOC_INTERNAL_H

#include "pagealloc/pagealloc.h"

/**
 * struct pagealloc - handle of an address space
 * @fd: its open /proc/PID/page_hints
 * @pid: the process; the caller's pid if opened with 0
 */
struct pagealloc {
	int fd;
	pid_t pid;
};

/* Every function of the header is part of the library's interface. */
#define API __attribute__((visibility("default")))

int handle_ioctl(struct pagealloc *handle, unsigned long request, void *arg);

#endif
