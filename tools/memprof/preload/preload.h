/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The preloaded library: what its files share. */
#ifndef MEMPROF_PRELOAD_H
#define MEMPROF_PRELOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <sched.h>
#include <stdint.h>
#include <sys/rseq.h>

#include "../format.h"

#define hidden	__attribute__((visibility("hidden")))
#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)

#define CHAIN_SLOTS	256	/* of the cache of each thread; a power of two */
#define CHAIN_DEPTH	12	/* frames that the cache can check */

/**
 * struct chain_slot - a call chain that this thread had before
 * @sp: where the return address into the caller of malloc() was
 * @id: of the chain
 * @depth: frames beyond the first
 * @at: words from @sp to each return address
 * @frame: the return addresses; the first is that at @sp
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
 * @end: behind the last record of the ring
 * @next: where the next record goes
 * @limit: do not write here before looking where the reader is
 * @base_ns: deltas count from here
 * @lost: events not written since the last that was
 */
struct thread_state {
	int busy;
	bool finished;
	uint64_t generation;
	struct ring *ring;
	struct event_record *first, *end, *next;
	uint64_t head, limit;
	uint64_t base_ns, lost;
	int exit_rounds;
	struct chain_slot *chains;
};

/**
 * struct process_state - one for each process
 * @generation: 0 until it is initialized; the kernel zeroes all of this in a child
 */
struct process_state {
	uint64_t generation;
	int initializing;
	uint32_t pid;
	uint32_t rings;
	int chain_lock;
	uint32_t chain_count, chain_room;
	uint32_t *chain_table;		/* hash to 1 + place in chain_words */
	uint64_t *chain_words;		/* id and depth, frames */
	uint64_t chain_words_used;
};

hidden extern struct process_state *process;
hidden extern __thread struct thread_state self;
hidden extern unsigned int chain_depth;

hidden bool ring_begin(void);
hidden bool ring_prepare(unsigned int records, uint64_t time);
hidden bool ring_write_chain(uint32_t id, unsigned int depth, const uintptr_t *frames);
hidden void ring_thread_exit(void);
hidden uint64_t ring_now(void);

hidden uint32_t chain_slow(uintptr_t *return_slot);

hidden void *raw_map(size_t bytes);

/* The C library keeps the kernel telling the thread which CPU it is on. */
static inline unsigned int ring_cpu(void)
{
	const struct rseq *rseq = (const struct rseq *)((char *)__builtin_thread_pointer() +
							__rseq_offset);
	int cpu;

	if (likely(__rseq_size)) {
		cpu = *(volatile int *)&rseq->cpu_id;
		if (likely(cpu >= 0))
			return cpu;
	}
	return sched_getcpu();
}

/* Where the next record goes, and behind it. */
static inline void ring_step(void)
{
	if (unlikely(++self.next == self.end))
		self.next = self.first;
	self.head++;
}

/**
 * ring_write() - write an event to this thread's ring
 * @type: of enum event_type
 * @addr: of the object
 * @size: bytes; too many are said to be EVENT_MAX_SIZE
 * @flags: EVENT_REALLOC and its like
 * @chain: number of the call chain
 * @time: ns
 * @wait: units of EVENT_WAIT_NS
 *
 * The words of a struct event_record: put together by field, it takes three times the
 * instructions.
 */
static inline void ring_write(enum event_type type, const void *addr, uint64_t size,
			      unsigned int flags, uint32_t chain, uint64_t time, unsigned int wait)
{
	uint64_t delta = time - self.base_ns, *words;

	if (unlikely(self.head + 4 > self.limit || self.lost || delta > MEMPROF_MAX_DELTA)) {
		if (!ring_prepare(1, time))
			return;
		delta = time - self.base_ns;
	}
	words = (uint64_t *)self.next;
	words[0] = delta | (uint64_t)type << 40 | (uint64_t)(ring_cpu() & 0xfff) << 44 |
		   (uint64_t)flags << 56;
	words[1] = ((uintptr_t)addr & ((UINT64_C(1) << 48) - 1)) | (uint64_t)wait << 48;
	words[2] = (size > EVENT_MAX_SIZE ? EVENT_MAX_SIZE : size) | (uint64_t)chain << 40;
	ring_step();
	__atomic_store_n(&self.ring->head, self.head, __ATOMIC_RELEASE);
}

/**
 * chain_id() - number of the call chain of an event
 * @return_slot: where the return address of the interposed function is
 *
 * Return: the number, 0 if there is no room for more chains.
 */
static inline uint32_t chain_id(uintptr_t *return_slot)
{
	const struct chain_slot *c;
	unsigned int i;

	if (unlikely(!self.chains))
		return chain_slow(return_slot);
	c = &self.chains[(*return_slot ^ (uintptr_t)return_slot >> 4) & (CHAIN_SLOTS - 1)];
	if (unlikely(c->sp != (uintptr_t)return_slot || c->frame[0] != *return_slot))
		return chain_slow(return_slot);
	for (i = 1; i < c->depth; i++)
		if (unlikely(return_slot[c->at[i]] != c->frame[i]))
			return chain_slow(return_slot);
	return c->id;
}

#endif
