// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Mapped files that another process may make smaller while they are read: what is no longer there
 * reads as zeros, where the kernel would end the recorder with SIGBUS.
 */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>

#include "shrinkable.h"

#define PAGE	4096

static struct {
	uintptr_t begin, end;
	volatile sig_atomic_t cut;
} now;

static void on_bus(int sig, siginfo_t *info, void *context)
{
	const uintptr_t at = (uintptr_t)info->si_addr;
	const int had_errno = errno;

	(void)context;
	if (at < now.begin || at >= now.end ||
	    mmap((void *)(at & -(uintptr_t)PAGE), PAGE, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) {
		/* What it does without a handler, once this returns. */
		signal(sig, SIG_DFL);
		raise(sig);
		return;
	}
	now.cut = 1;
	errno = had_errno;
}

/**
 * shrinkable_begin() - accesses to a mapping may find that it is no longer whole
 * @map: the mapping
 * @bytes: of it
 *
 * One at a time, of one thread.
 */
void shrinkable_begin(void *map, size_t bytes)
{
	static bool handled;
	struct sigaction action = { .sa_sigaction = on_bus, .sa_flags = SA_SIGINFO };

	if (!handled)
		sigaction(SIGBUS, &action, NULL);
	handled = true;
	now.begin = (uintptr_t)map;
	now.end = now.begin + bytes;
	now.cut = 0;
}

/** shrinkable_whole() - whether all that was read since shrinkable_begin() was there */
bool shrinkable_whole(void)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return !now.cut;
}

/** shrinkable_end() - the accesses are over; returns shrinkable_whole() */
bool shrinkable_end(void)
{
	const bool whole = shrinkable_whole();

	now.begin = now.end = 0;
	return whole;
}
