/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 the memscope authors */
/* How interposed functions write their events. */
#ifndef MEMPROF_INTERPOSE_H
#define MEMPROF_INTERPOSE_H

#include "preload.h"

#define public	__attribute__((visibility("default"), used))

hidden extern bool ready;	/* the real functions are known */

hidden void find_real(void);
hidden __attribute__((cold)) bool enter_first(void);
hidden void *allocated_slow(void *p, size_t size, unsigned int flags, uintptr_t *return_slot);
hidden void freed_slow(void *p);

/* This thread may write events; it is busy then until leave(). */
static inline bool enter(void)
{
	if (unlikely(self.busy || self.generation != process->generation))
		return enter_first();
	self.busy = 1;
	return true;
}

static inline void leave(void)
{
	self.busy = 0;
}

/* The place of the return address of the function this is in. */
#define RETURN_SLOT	((uintptr_t *)((char *)__builtin_dwarf_cfa() - sizeof(uintptr_t)))

static inline uint32_t chain_id(uintptr_t *return_slot)
{
	const uint32_t id = chain_cached(return_slot);

	return likely(id) ? id : chain_slow(return_slot);
}

/* The same: most chains were there before, and most rings have room. */
static inline void *allocated(void *p, size_t size, uintptr_t *return_slot)
{
	const uint32_t chain = chain_cached(return_slot);
	unsigned int cpu;
	uint64_t time;

	if (unlikely(!p || !chain))
		return allocated_slow(p, size, 0, return_slot);
	time = ring_now(&cpu);
	if (unlikely(!ring_write(EVENT_ALLOC, p, size, 0, chain, time, cpu, 0)))
		return allocated_slow(p, size, 0, return_slot);
	leave();
	return p;
}

/* The event of an object that is about to end. */
static inline void freed(void *p)
{
	unsigned int cpu;
	const uint64_t time = ring_now(&cpu);

	if (unlikely(!ring_write(EVENT_FREE, p, 0, 0, 0, time, cpu, 0)))
		freed_slow(p);
}

#endif
