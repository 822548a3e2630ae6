/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 the memscope authors */
/* The preloaded library: what its files share. */
#ifndef MEMPROF_PRELOAD_H
#define MEMPROF_PRELOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memprof/format.h"

#define hidden	__attribute__((visibility("hidden")))
#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)

#define CHAIN_SLOTS	256	/* of the cache of each thread; a power of two */
#define CHAIN_DEPTH	12	/* frames that the cache can check: see chain_cached() */
#define CHAIN_RECORDS(depth)	(1 + ((depth) + 2) / 3)	/* of a ring, for a chain */

/**
 * struct chain_slot - a call chain that this thread had before
 * @sp: where the return address into the caller of malloc() was
 * @id: of the chain
 * @depth: frames
 * @at: words from @sp to each return address
 * @frame: the return addresses; the first is that at @sp, the others begin with the outermost
 *
 * As long as the same return addresses are in the same places, it is the same chain.
 */
struct chain_slot {
	uintptr_t sp;
	uint32_t id;
	uint32_t depth;
	uint16_t at[CHAIN_DEPTH];
	uintptr_t frame[CHAIN_DEPTH];
};

/**
 * struct thread_state - one for each thread that had an event
 * @busy: in the library itself, or in what it calls: no events
 * @generation: of the process this belongs to; a child after fork() has another
 * @finished: generation in which it has no ring, or no longer
 * @next: where the next record goes
 * @stop: do not write there or beyond before ring_prepare()
 * @base: deltas count from here, in units of the ring's clock
 * @first: record of the ring, @end: behind the last
 * @present: behind those that have memory
 * @lost: events not written since the last that was; @stop is @first then
 * @deleting: what operator delete is called for, whose event is written; NULL: it is not
 */
struct thread_state {
	int busy;
	int exit_rounds;
	uint64_t generation, finished;
	struct ring *ring;
	struct event_record *next, *stop;
	uint64_t base;
	struct chain_slot *chains;
	struct event_record *first, *end, *present;
	uint64_t lost;
	const void *deleting;
};

/* Generations are times, but for these: no thread of a process has them. */
#define GENERATION_FRESH	1	/* a thread that has no ring */
#define GENERATION_NONE		2	/* the process before it is known */

/**
 * struct process_state - one for each process
 * @generation: 0 until it is initialized; the kernel zeroes all of this in a child
 * @set_up: whether it is: see set_up_once()
 */
struct process_state {
	uint64_t generation;
	int set_up;
	uint32_t pid;
	uint32_t rings;
	int chain_lock;
	uint32_t chain_count, chain_capacity;
	uint32_t *chain_table;		/* hash to 1 + place in chain_words */
	uint64_t *chain_words;		/* id and depth, frames */
	uint64_t chain_words_used;
};

/**
 * struct patience - of a thread that waits for another one
 * @tries: how often it waited
 * @since: time from which on it sleeps; 0: not yet
 */
struct patience {
	unsigned int tries;
	uint64_t since;
};

hidden extern struct process_state *process;
hidden extern __thread struct thread_state self;
hidden extern unsigned int chain_depth;
hidden extern bool clock_is_tsc;

hidden bool ring_begin(void);
hidden void ring_event(enum event_type type, const void *addr, uint64_t size, unsigned int flags,
		       uint32_t chain, uint64_t time, unsigned int cpu, unsigned int wait);
hidden bool ring_prepare(unsigned int records, uint64_t time);
hidden bool ring_write_chain(uint32_t id, unsigned int depth, const uintptr_t *frames);
hidden void ring_thread_exit(void);
hidden bool ring_wait(struct patience *p);
hidden uint64_t ring_monotonic(unsigned int *cpu);

hidden uint32_t chain_slow(uintptr_t *return_slot);

hidden void *raw_map(size_t bytes);

/**
 * ring_now() - the time of an event
 * @cpu: set to the CPU this runs on
 *
 * Where the recorder said that the TSC can be trusted, that: it takes three instructions,
 * clock_gettime() seventy.  The kernel has written the CPU's number beside it.  As the
 * vDSO's, it is not read before earlier instructions are done.
 *
 * Return: the time, in units of the ring's clock.
 */
static inline uint64_t ring_now(unsigned int *cpu)
{
	uint32_t low, high, aux;

	if (unlikely(!clock_is_tsc))
		return ring_monotonic(cpu);
	__asm__ volatile("rdtscp" : "=a" (low), "=d" (high), "=c" (aux) : : "memory");
	*cpu = aux & 0xfff;
	return (uint64_t)high << 32 | low;
}

/**
 * ring_write() - write an event to this thread's ring, if that is easily done
 * @type: of enum event_type
 * @addr: of the object, no more than 48 bits
 * @size: bytes
 * @flags: EVENT_REALLOC and its like
 * @chain: number of the call chain
 * @time: of ring_now()
 * @cpu: of ring_now()
 * @wait: how long the call took, see ring_waited()
 *
 * ring_event() does what is left.  The words of a struct event_record: put together by field, it takes three times the
 * instructions.
 *
 * Return: false if nothing is written.
 */
static inline bool ring_write(enum event_type type, const void *addr, uint64_t size,
			      unsigned int flags, uint32_t chain, uint64_t time, unsigned int cpu,
			      unsigned int wait)
{
	const uint64_t delta = time - self.base;
	uint64_t *words = (uint64_t *)self.next;
	struct ring *ring = self.ring;

	if (unlikely(self.next >= self.stop || delta > RING_MAX_DELTA || size > EVENT_MAX_SIZE))
		return false;
	words[0] = delta | (uint64_t)type << 40 | (uint64_t)cpu << 44 | (uint64_t)flags << 56;
	words[1] = (uintptr_t)addr | (uint64_t)wait << 48;
	words[2] = size | (uint64_t)chain << 40;
	self.next = (struct event_record *)(words + 3);
	__atomic_store_n(&ring->head, ring->head + 1, __ATOMIC_RELEASE);
	return true;
}

/* Time between two of ring_now(), rounded up, as it is written. */
static inline unsigned int ring_waited(uint64_t from, uint64_t to)
{
	const uint64_t unit = clock_is_tsc ? RING_WAIT_TICKS : EVENT_WAIT_NS;
	uint64_t w = (to - from + unit - 1) / unit;

	return w > UINT16_MAX ? UINT16_MAX : w;
}

/**
 * chain_cached() - number of the call chain of an event, if this thread had it before
 * @return_slot: where the return address of the interposed function is
 *
 * Return: the number, 0 if chain_slow() is to be asked.
 */
static inline __attribute__((always_inline)) uint32_t chain_cached(const uintptr_t *return_slot)
{
	const struct chain_slot *c = self.chains;

	if (unlikely(!c))
		return 0;
	c += (*return_slot ^ (uintptr_t)return_slot >> 4) & (CHAIN_SLOTS - 1);
	if (unlikely(c->sp != (uintptr_t)return_slot))
		return 0;
	/*
	 * From the innermost on: where one is not as it was, this may be another stack, which ends below
	 * the place of the next.
	 */
	if (unlikely(*return_slot != c->frame[0]))
		return 0;
	/* A loop would count as much as it compares. */
#define SAME(i)	case i + 1:									if (unlikely(return_slot[c->at[i]] != c->frame[i]))					return 0;								__attribute__((fallthrough))
	switch (c->depth) {
	SAME(11); SAME(10); SAME(9); SAME(8); SAME(7); SAME(6); SAME(5); SAME(4); SAME(3);
	SAME(2); SAME(1);
	case 1:
		return c->id;
	default:
		__builtin_unreachable();
	}
#undef SAME
}

#endif
